//===- Runtime.h - Devices, buffers, streams, kernels -----------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ interface of the runtime. It knows nothing of LLVM; drivers are
// opened at run time, so a program that links this needs no GPU library.
//
// Objects are shared pointers and keep what they came from alive. Devices and
// kernels may be used from several threads; a stream, and a launch, by one
// thread at a time. Errors are values (Status, Result); nothing throws.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_RUNTIME_H
#define HELIOS_RUNTIME_RUNTIME_H

#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Evaluate.h"
#include "helios/Bundle/Status.h"
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace helios::rt {

class Buffer;
class Device;
class Graph;
class Kernel;
class Launch;
class Stream;

/// What a device is. A time taken on anything but a Gpu is no performance
/// figure.
enum class DeviceClass : uint8_t { Gpu, Cpu, Null };
const char *deviceClassName(DeviceClass c);

/// A cooperative matrix shape that the driver lists, and what the self-test
/// found when it multiplied small integers with it on the device.
struct ListedShape {
  bundle::MatrixShape shape;
  enum class Verdict : uint8_t {
    NotTested,
    Verified,
    Wrong,
    Failed
  } verdict = Verdict::NotTested;
  /// Why NotTested, or what was Wrong or Failed.
  std::string detail;
};
const char *verdictName(ListedShape::Verdict verdict);

/// Everything known of a device.
struct DeviceInfo {
  /// What opens it again: "vulkan:0", "cuda:1", "null".
  std::string id;
  /// "vulkan", "cuda", "null".
  std::string driver;
  std::string name;
  DeviceClass deviceClass = DeviceClass::Gpu;
  /// "discrete GPU", "integrated GPU", "CPU", ...
  std::string typeName;
  std::array<uint8_t, 16> deviceUuid{};
  std::array<uint8_t, 16> driverUuid{};
  /// "NVIDIA 570.86.10", "llvmpipe Mesa 26.1 (LLVM 21)".
  std::string driverDescription;
  uint32_t driverVersion = 0;
  uint32_t vendorId = 0;
  uint32_t deviceId = 0;
  /// Vulkan: VK_MAKE_API_VERSION numbers; CUDA: 1000 * major + 10 * minor.
  uint32_t apiVersion = 0;
  std::string apiVersionString;
  std::string conformanceVersion;

  uint64_t features = 0; ///< bits of bundle::Feature, all enabled on open
  uint32_t subgroupSize = 0;
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0;
  uint32_t sharedMemoryBytes = 0;
  uint32_t maxWorkgroupInvocations = 0;
  uint32_t maxWorkgroupSize[3] = {0, 0, 0};
  uint32_t maxPushConstantBytes = 0;
  uint32_t maxStorageBuffers = 0; ///< bound at once
  uint64_t maxStorageBufferRange = 0;
  uint64_t maxAllocationBytes = 0;
  uint64_t memoryBytes = 0; ///< device-local, in total
  uint32_t storageBufferAlignment = 0;
  /// SMs, CUs or cores; 0 where the driver does not say, which plans take for
  /// kAssumedComputeUnits.
  uint32_t computeUnits = 0;
  /// Clusters of 2, 4 and 8 workgroups, each alone on a compute unit, that run
  /// at once. 0: unknown, or the device is not open.
  std::array<uint32_t, 3> clusters{};
  double timestampPeriodNs = 0; ///< 0: no timestamps
  /// CUDA: 10 * major + minor; else 0.
  uint32_t computeCapability = 0;
  uint64_t l2CacheBytes = 0; ///< 0: unknown
  uint32_t clockKHz = 0;     ///< highest clock of the cores; 0: unknown
  std::vector<ListedShape> matrixShapes;
  /// Listed shapes whose types or scope this version does not know.
  uint32_t otherMatrixShapes = 0;

  /// Empty if usable; else why the device cannot be opened.
  std::string unusable;

  bool has(bundle::Feature f) const { return features & bundle::featureBit(f); }
};

/// Compute units for which plans take a device whose driver does not say: an
/// estimate, enough to keep a small one busy.
inline constexpr uint32_t kAssumedComputeUnits = 16;

/// How to find and open devices.
struct OpenOptions {
  /// Path or name of the Vulkan loader; empty: "libvulkan.so.1", on
  /// macOS "libvulkan.1.dylib".
  std::string vulkanLoader;
  /// Path or name of the CUDA driver's library; empty: "libcuda.so.1".
  std::string cudaLibrary;
  /// What `auto` may take: devices for which there is code. Empty: any.
  std::vector<bundle::TargetKind> targets;
  /// Directory of pipeline caches and self-test verdicts; empty: nothing is
  /// kept between processes.
  std::string cacheDir;
  /// Verify the listed matrix shapes on open (or take the cached verdict).
  /// Without it every shape stays NotTested and no implementation that needs
  /// one is chosen, unless trustListedShapes.
  bool selfTest = true;
  /// Take what the driver lists as verified. For debugging drivers.
  bool trustListedShapes = false;
  /// Treat device memory as invisible to the host even where it is not, so that
  /// reads and writes are staged as on a discrete GPU. For testing.
  bool stageDeviceMemory = false;
  /// Ask for the Khronos validation layer; an error if it is not installed.
  bool validation = false;
  /// Told in words what is being done ("device vulkan:0 taken: ...").
  std::function<void(const std::string &)> log;
};

/// Every device of every driver, in order of enumeration; devices that cannot
/// be used say why in `unusable`. A driver that cannot start adds to `problems`
/// (if given) a Status which names what to install.
std::vector<DeviceInfo>
listDevices(const OpenOptions &options,
            std::vector<std::pair<std::string, Status>> *problems = nullptr);

/// Opens `selector`: auto | vulkan[:n] | cuda[:n] | emulator[:row,seed=n,...] |
/// null[:processors]. auto takes a CUDA GPU, else a Vulkan GPU, else Vulkan on
/// the CPU (never the emulator or null), and Device::whyChosen says so.
/// InvalidInput: not a selector or no such number; Unsupported: the driver is
/// missing or not built in.
Result<std::shared_ptr<Device>> openDevice(const std::string &selector,
                                           const OpenOptions &options);

/// Memory of a device. Its base address is a multiple of 256, except for
/// memory that was wrapped.
class Buffer {
public:
  virtual ~Buffer();
  /// Bytes asked for at creation.
  virtual uint64_t size() const = 0;
  /// Copies from host memory and waits until it is there. InvalidInput if
  /// [offset, offset + bytes) is not within the buffer. Not ordered with
  /// streams: synchronise those that use the buffer first.
  virtual Status write(uint64_t offset, const void *data, uint64_t bytes) = 0;
  /// Copies to host memory and waits.
  virtual Status read(uint64_t offset, void *data, uint64_t bytes) = 0;
  /// Host address of the memory, or null if the host cannot see it.
  virtual void *hostPointer() = 0;
  /// Address by which other libraries know the memory on the device (CUDA: a
  /// CUdeviceptr), or 0 where there is none.
  virtual uint64_t deviceAddress() const { return 0; }
  virtual const std::shared_ptr<Device> &device() const = 0;
};

/// An argument of a launch: a tensor in a buffer, or a scalar.
struct LaunchArgument {
  std::shared_ptr<Buffer> buffer;
  /// Of the first element, from the buffer's start.
  uint64_t byteOffset = 0;
  std::vector<int64_t> extents;
  /// In elements; empty: dense, last dimension contiguous. Not negative; 0
  /// broadcasts (inputs only).
  std::vector<int64_t> strides;
  /// Scalars: the value for integer types, the bits for floats (in the low
  /// bits).
  int64_t scalarBits = 0;

  static LaunchArgument tensor(std::shared_ptr<Buffer> buffer,
                               std::vector<int64_t> extents,
                               std::vector<int64_t> strides = {},
                               uint64_t byteOffset = 0) {
    LaunchArgument a;
    a.buffer = std::move(buffer);
    a.extents = std::move(extents);
    a.strides = std::move(strides);
    a.byteOffset = byteOffset;
    return a;
  }
  /// A scalar of `type` with the given value, rounded to it.
  static LaunchArgument scalar(bundle::ElementType type, double value) {
    LaunchArgument a;
    a.scalarBits = static_cast<int64_t>(bundle::encodeElement(type, value));
    return a;
  }
  static LaunchArgument integer(int64_t value) {
    LaunchArgument a;
    a.scalarBits = value;
    return a;
  }
};

/// Where in a stream a launch or copy stands.
struct Event {
  uint64_t serial = 0;
};

/// What Stream::time found.
struct Timing {
  /// Nanoseconds on the device of each launch, in order, barrier included.
  std::vector<double> gpuNs;
  /// From the first launch's start to the last one's end, on the device.
  double gpuTotalNs = 0;
  /// On the host, from before the submit until all was done.
  double hostNs = 0;
};

/// When the operations of a recorded graph begin.
enum class GraphOrder {
  Data, ///< behind those that they need the memory effects of
  Turns ///< behind all before them, as those of a stream that is timed
};

/// A queue of work, done in order: each operation sees the memory effects of
/// the ones before it.
class Stream {
public:
  virtual ~Stream();
  /// Submits a launch. Allocates nothing on the device.
  virtual Result<Event> enqueue(const std::shared_ptr<Launch> &launch) = 0;
  /// Fills with a 32-bit pattern; offset and bytes are multiples of 4.
  virtual Result<Event> fill(const std::shared_ptr<Buffer> &buffer,
                             uint64_t offset, uint64_t bytes,
                             uint32_t pattern) = 0;
  virtual Result<Event> copy(const std::shared_ptr<Buffer> &from,
                             uint64_t fromOffset,
                             const std::shared_ptr<Buffer> &to,
                             uint64_t toOffset, uint64_t bytes) = 0;
  /// Work enqueued on this stream from now on starts after `event` of `other`.
  virtual Status wait(Stream &other, Event event) = 0;
  /// Waits until everything enqueued is done.
  virtual Status synchronize() = 0;
  /// Nanoseconds that the device spent on an enqueued operation, for the last
  /// 64 operations of the stream; waits for it. Unsupported if the device has
  /// no timestamps, InvalidInput if the event is older.
  virtual Result<double> elapsedNs(Event event) = 0;
  /// Records `count` launches, taken in turn from `rotation` (the same kernel
  /// with different buffers, or any), into one submission with a timestamp
  /// between each two, submits it, waits. Not counted among enqueued events.
  virtual Result<Timing>
  time(const std::vector<std::shared_ptr<Launch>> &rotation,
       uint32_t count) = 0;
  /// Records what `body` enqueues on this stream, and what it hands to
  /// nativeHandle() through other libraries, instead of running it. The
  /// launches stay bound to their buffers, and the graph keeps what it uses.
  /// Nothing else may be asked of the stream meanwhile (InvalidInput).
  /// Operations may begin out of turn by GraphOrder::Data only (Vulkan does).
  /// Unsupported: the driver is too old for graphs; what `body` returns
  /// otherwise.
  virtual Result<std::shared_ptr<Graph>>
  record(const std::function<Status()> &body, GraphOrder order) = 0;
  Result<std::shared_ptr<Graph>> record(const std::function<Status()> &body) {
    return record(body, GraphOrder::Data);
  }
  /// Submits all that a graph holds, in order, as one operation. Any stream of
  /// the graph's device may, one at a time.
  virtual Result<Event> replay(const std::shared_ptr<Graph> &graph) = 0;
  /// The driver's own handle, for libraries that enqueue on it (CUDA: a
  /// CUstream), or null.
  virtual void *nativeHandle() { return nullptr; }
  virtual const std::shared_ptr<Device> &device() const = 0;
};

/// A recorded sequence of operations of one stream.
class Graph {
public:
  virtual ~Graph();
  /// Names of the device functions that it launches, in order, where the driver
  /// tells them.
  virtual std::vector<std::string> kernelNames() const = 0;
  /// Barriers between its operations, where the runtime sets them (Vulkan):
  /// the fewest with which each sees what it needs of those before. Elsewhere
  /// 0.
  virtual uint32_t barriers() const { return 0; }
  virtual const std::shared_ptr<Device> &device() const = 0;
};

/// A kernel bound to arguments: variant chosen, checks passed, workspace and
/// descriptors allocated, pipelines built. May be enqueued any number of times,
/// on one stream at a time (it owns its workspace).
class Launch {
public:
  virtual ~Launch();
  virtual const bundle::ResolvedPlan &plan() const = 0;
  virtual const std::string &variantName() const = 0;
  virtual uint64_t workspaceBytes() const = 0;
  virtual const std::shared_ptr<Device> &device() const = 0;
  /// Entry points of what it dispatches, in order.
  std::vector<std::string> kernelNames() const;
};

/// What the driver reports of a compiled entry point ("registers" -> 168).
struct PipelineStatistic {
  std::string module;
  std::string entryPoint;
  std::string name;
  std::string value;
};

/// A kernel of a bundle on a device: the implementation is chosen.
class Kernel {
public:
  virtual ~Kernel();
  virtual const bundle::Kernel &description() const = 0;
  virtual const bundle::Implementation &implementation() const = 0;
  /// Which implementation was taken, and what the earlier ones lacked.
  virtual const std::string &whyChosen() const = 0;
  /// Checks the arguments (inputs, then results), evaluates the plan and builds
  /// what a launch needs. InvalidInput: count, rank, extent, stride, bounds of
  /// a buffer, alignment or a check of the plan. Unsupported: no variant
  /// applies, or a tensor is larger than the device binds.
  virtual Result<std::shared_ptr<Launch>>
  prepare(const std::vector<LaunchArgument> &arguments) = 0;
  /// As prepare, with the variant forced by number (its guard must hold).
  virtual Result<std::shared_ptr<Launch>>
  prepareVariant(const std::vector<LaunchArgument> &arguments,
                 uint32_t variant) = 0;
  /// Extents of the results from those of the inputs.
  virtual Result<std::vector<std::vector<int64_t>>>
  resultExtents(const std::vector<std::vector<int64_t>> &inputExtents) = 0;
  /// Statistics of the pipelines built so far, where the driver gives any.
  virtual std::vector<PipelineStatistic> statistics() = 0;
  virtual const std::shared_ptr<Device> &device() const = 0;
};

/// How a kernel is taken from a bundle.
struct KernelOptions {
  /// Only implementations of this row; empty: any.
  std::string row;
};

enum class MemoryKind : uint8_t {
  Device, ///< fastest for kernels; host access may be staged
  Host,   ///< host-visible and coherent, for staging
};

/// An open device.
class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device();
  virtual const DeviceInfo &info() const = 0;
  /// "vulkan:0 (NVIDIA H200), because ...": why the registry took it.
  const std::string &whyChosen() const { return chosenBecause; }
  /// Makes the device the one that other libraries use on this thread (CUDA:
  /// its primary context becomes current); success where there is no such
  /// notion.
  virtual Status makeCurrent() { return Status::success(); }
  /// False for the null driver: launches are checked but nothing is computed.
  virtual bool executes() const = 0;
  /// OutOfMemory or Unsupported (larger than the device's limit, named).
  virtual Result<std::shared_ptr<Buffer>>
  createBuffer(uint64_t bytes, MemoryKind kind = MemoryKind::Device) = 0;
  /// Memory that somebody else allocated on this device, by its address (CUDA:
  /// a CUdeviceptr). `keptAlive` (may be null) is held as long as the buffer.
  /// Unsupported: the driver's memory has no addresses.
  virtual Result<std::shared_ptr<Buffer>>
  wrapMemory(uint64_t address, uint64_t bytes,
             std::shared_ptr<void> keptAlive = nullptr);
  virtual Result<std::shared_ptr<Stream>> createStream() = 0;
  /// Somebody else's stream of this device (CUDA: a CUstream, which may be
  /// null), which must outlive the object. No times are taken on it.
  virtual Result<std::shared_ptr<Stream>> wrapStream(void *handle);
  /// Takes the first implementation whose requirements the device meets; matrix
  /// shapes must be listed *and* verified. The bundle is kept alive.
  /// InvalidInput: no such kernel; Unsupported: what each implementation lacks.
  virtual Result<std::shared_ptr<Kernel>>
  loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
             const std::string &name, const KernelOptions &options = {}) = 0;

  void setWhyChosen(std::string why) { chosenBecause = std::move(why); }

private:
  std::string chosenBecause;
};

/// What `info` lacks for `requirements`, one line each; empty: it satisfies
/// them. `trustListed` takes listed shapes as verified.
std::vector<std::string>
missingRequirements(const bundle::Requirements &requirements,
                    const DeviceInfo &info, bool trustListed = false);

/// "0.1.0".
const char *runtimeVersion();

} // namespace helios::rt

#endif // HELIOS_RUNTIME_RUNTIME_H
