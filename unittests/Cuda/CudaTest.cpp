//===- CudaTest.cpp - The CUDA driver's calls and failures -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "TestBundle.h"
#include "helios/runtime/Runtime.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace helios;
using namespace helios::rt;

namespace {

#define EXPECT_FAILS(result, expected, part)                                   \
  do {                                                                         \
    Status s = statusOf(result);                                               \
    EXPECT_EQ(s.code(), StatusCode::expected) << s.message();                  \
    EXPECT_NE(s.message().find(part), std::string::npos) << s.message();       \
  } while (0)

Status statusOf(const Status &s) { return s; }
template <typename T>
Status statusOf(const Result<T> &r) {
  return r.ok() ? Status() : r.status();
}

class Cuda : public testing::Test {
protected:
  static cts::FakeCuda &fake() {
    static cts::FakeCuda *state = [] {
      void *library = ::dlopen(FAKE_CUDA, RTLD_NOW);
      EXPECT_NE(library, nullptr) << ::dlerror();
      return reinterpret_cast<cts::GetFakeCuda>(::dlsym(library, "fakeCuda"))();
    }();
    return *state;
  }
  void SetUp() override {
    options.cudaLibrary = FAKE_CUDA;
    fake().calls.clear();
  }
  void TearDown() override {
    fake().initResult = 0;
    fake().version = 12080;
    fake().devices = 1;
    fake().major = 9;
    fake().minor = 0;
    fake().computeMode = 0;
    fake().maxThreads = 1024;
    fake().capturedByOthers = false;
    fake().failCall.clear();
    // Whatever a test does, nothing stays behind.
    EXPECT_EQ(fake().allocated, 0u);
    EXPECT_EQ(fake().pushed, 0);
    EXPECT_EQ(fake().retained, 0);
    EXPECT_EQ(fake().modules, 0);
    EXPECT_EQ(fake().streams, 0);
    EXPECT_EQ(fake().events, 0);
    EXPECT_EQ(fake().graphs, 0);
  }
  void failNext(const char *call, int code) {
    fake().failCall = call;
    fake().failCode = code;
  }
  Result<std::shared_ptr<Device>> open(const char *selector = "cuda") {
    return openDevice(selector, options);
  }
  /// Prepares a kernel of `b` over `n` elements.
  Result<std::shared_ptr<Launch>> prepare(const std::shared_ptr<Device> &device,
                                          bundle::Bundle b, int64_t n = 100) {
    auto kernel = device->loadKernel(
        std::make_shared<bundle::Bundle>(std::move(b)), "axpy");
    if (!kernel)
      return kernel.status();
    auto buffer = device->createBuffer(static_cast<uint64_t>(n) * 4);
    if (!buffer)
      return buffer.status();
    LaunchArgument t = LaunchArgument::tensor(*buffer, {n});
    return (*kernel)->prepare(
        {LaunchArgument::scalar(bundle::ElementType::F32, 2), t, t, t});
  }
  static bundle::Implementation &cudaAxpy(bundle::Bundle &b) {
    return b.kernels[0].implementations[1];
  }

  OpenOptions options;
};

} // namespace

// First, while no library is known to work.
TEST_F(Cuda, ADriverThatDoesNotStart) {
  fake().initResult = 100;
  EXPECT_FAILS(open(), Unsupported, "no NVIDIA GPU is visible");
  fake().initResult = 34;
  EXPECT_FAILS(open(), Unsupported, "the toolkit's stub");
  fake().initResult = 804;
  EXPECT_FAILS(open(), Unsupported,
               "cuInit failed with CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
  fake().initResult = 12345;
  EXPECT_FAILS(open(), Unsupported, "CUresult 12345");
  fake().initResult = 0;
  fake().version = 11020;
  EXPECT_FAILS(open(), Unsupported, "offers CUDA 11.2; at least 11.4");
  EXPECT_EQ(statusOf(open()).exitCode(), 3);
}

TEST_F(Cuda, DevicesThatCannotBeUsed) {
  fake().devices = 0;
  EXPECT_FAILS(open(), Unsupported, "no usable CUDA device");
  EXPECT_FAILS(open("cuda:0"), InvalidInput, "there are 0 CUDA devices");
  fake().devices = 2;
  fake().computeMode = 2;
  EXPECT_FAILS(open(), Unsupported, "cuda:1 (Fake GPU): its compute mode");
  EXPECT_FAILS(open("cuda:1"), Unsupported, "'prohibited'");
  fake().computeMode = 0;
  failNext("cuDevicePrimaryCtxRetain", 2);
  EXPECT_FAILS(open("cuda:1"), OutOfMemory,
               "opening cuda:1 (Fake GPU): cuDevicePrimaryCtxRetain failed "
               "with CUDA_ERROR_OUT_OF_MEMORY");
}

TEST_F(Cuda, DeviceDescription) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  const DeviceInfo &info = (*device)->info();
  EXPECT_EQ(info.computeCapability, 90u);
  EXPECT_EQ(info.computeUnits, 132u);
  EXPECT_EQ(info.sharedMemoryBytes, 232448u);
  EXPECT_EQ(info.l2CacheBytes, 50u << 20);
  EXPECT_EQ(info.clockKHz, 1980000u);
  EXPECT_EQ(info.apiVersionString, "12.8");
  EXPECT_EQ(info.deviceUuid[3], 0xfa);
  EXPECT_EQ((*device)->whyChosen(), "first CUDA GPU");
}

TEST_F(Cuda, CompilationFailuresShowTheLog) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  bundle::Bundle b = cts::makeTestBundle();
  std::string bad = std::string(cts::axpyPtx()) + "// %nonsense\n";
  b.modules[1].bytes.assign(bad.begin(), bad.end());
  auto launch = prepare(*device, b);
  EXPECT_FAILS(launch, Device, "CUDA_ERROR_INVALID_PTX");
  EXPECT_FAILS(launch, Device, "(PTX 7.0, sm_80) on cuda:0");
  EXPECT_FAILS(launch, Device, "line 7; error   : Unknown symbol");
  std::string late = cts::axpyPtx();
  late.replace(late.find("7.0"), 3, "9.9");
  b.modules[1].bytes.assign(late.begin(), late.end());
  EXPECT_FAILS(prepare(*device, b), Unsupported, "install a newer one");
  std::string other = cts::axpyPtx();
  other.replace(other.find("sm_80"), 5, "sm_99");
  b.modules[1].bytes.assign(other.begin(), other.end());
  EXPECT_FAILS(prepare(*device, b), Unsupported,
               "CUDA_ERROR_NO_BINARY_FOR_GPU");
}

TEST_F(Cuda, CodeForAnotherCardIsUnsupported) {
  bundle::Bundle b = cts::makeTestBundle();
  b.kernels[0].implementations.erase(b.kernels[0].implementations.begin());
  bundle::Requirements &r = b.kernels[0].implementations[0].requirements;
  r.computeCapability = 90;
  r.exactComputeCapability = true;
  fake().minor = 9;
  fake().major = 8;
  {
    auto device = open();
    ASSERT_TRUE(device.ok());
    auto launch = prepare(*device, b);
    EXPECT_FAILS(launch, Unsupported,
                 "compute capability 9.0 exactly, the device has 8.9");
    EXPECT_EQ(statusOf(launch).exitCode(), 3);
    r.exactComputeCapability = false;
    r.computeCapability = 80;
    r.minApiVersion = 13000;
    EXPECT_FAILS(prepare(*device, b), Unsupported,
                 "a driver for CUDA 13.0, the installed one is for 12.8");
    r.minApiVersion = 12080;
    EXPECT_TRUE(prepare(*device, b).ok());
  }
  // The best row that fits is taken.
  b.kernels[0].implementations.push_back(b.kernels[0].implementations[0]);
  b.kernels[0].implementations[0].row = "best";
  b.kernels[0].implementations[0].requirements.computeCapability = 90;
  for (int major : {8, 9}) {
    fake().major = major;
    auto device = open();
    ASSERT_TRUE(device.ok());
    auto kernel =
        (*device)->loadKernel(std::make_shared<bundle::Bundle>(b), "axpy");
    ASSERT_TRUE(kernel.ok());
    EXPECT_EQ((*kernel)->implementation().row, major == 9 ? "best" : "any");
  }
}

TEST_F(Cuda, WhatABundleSaysMustFitTheCode) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  bundle::Bundle b = cts::makeTestBundle();
  bundle::Dispatch &d = cudaAxpy(b).plan.variants[0].dispatches[0];
  d.parameters[3].kind = bundle::ParameterKind::Scalar64;
  EXPECT_FAILS(prepare(*device, b), InvalidInput,
               "parameter 3 has 4 bytes, the bundle gives 8");
  d.parameters.pop_back();
  d.parameters[3].kind = bundle::ParameterKind::Scalar32;
  EXPECT_FAILS(prepare(*device, b), InvalidInput,
               "takes more parameters than the 4");
  b = cts::makeTestBundle();
  fake().maxThreads = 32;
  EXPECT_FAILS(prepare(*device, b), Unsupported,
               "64 threads in a block; as the driver compiled it, it runs with "
               "at most 32");
  fake().maxThreads = 1024;
  cudaAxpy(b).plan.variants[0].dispatches[0].sharedBytes = 232449;
  EXPECT_FAILS(prepare(*device, b), Unsupported,
               "232449 bytes of dynamic and 0 of static shared memory; the "
               "device has 232448");
}

TEST_F(Cuda, SharedMemoryIsOptedInAndModulesAreShared) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  bundle::Bundle b = cts::makeTestBundle();
  cudaAxpy(b).requirements.sharedMemoryBytes = 100000;
  cudaAxpy(b).plan.variants[0].dispatches[0].sharedBytes = 100000;
  fake().calls.clear();
  auto first = prepare(*device, b), second = prepare(*device, b);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(fake().callsOf("module").size(), 1u);
  EXPECT_EQ(fake().callsOf("dynamic shared")[0],
            "dynamic shared of axpy 100000");
  auto stream = (*device)->createStream();
  ASSERT_TRUE(stream.ok() && (*stream)->enqueue(*first).ok());
  EXPECT_EQ(fake().callsOf("launch")[0],
            "launch axpy grid 2 threads 64 shared 100000 cluster 1");
}

TEST_F(Cuda, ClustersAreCountedByTheDriver) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->info().clusters,
            (std::array<uint32_t, 3>{132 / 2 - 3, 132 / 4 - 3, 132 / 8 - 3}));
  // Devices without them, and drivers that do not say, leave them unknown.
  fake().major = 8;
  auto older = open();
  ASSERT_TRUE(older.ok());
  EXPECT_EQ((*older)->info().clusters, (std::array<uint32_t, 3>{}));
  fake().major = 9;
  fake().failCall = "cuModuleLoadDataEx";
  auto silent = open();
  ASSERT_TRUE(silent.ok());
  EXPECT_EQ((*silent)->info().clusters, (std::array<uint32_t, 3>{}));
}

TEST_F(Cuda, TensorMapsAreMadeOnceAndClustersLaunched) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  auto kernel = (*device)->loadKernel(
      std::make_shared<bundle::Bundle>(cts::makeTestBundle()), "tiles");
  auto in = (*device)->createBuffer(20 * 44 * 4),
       out = (*device)->createBuffer(32 * 64 * 4);
  ASSERT_TRUE(kernel.ok() && in.ok() && out.ok());
  auto launch =
      (*kernel)->prepare({LaunchArgument::tensor(*in, {20, 40}, {44, 1}),
                          LaunchArgument::tensor(*out, {32, 64})});
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  auto stream = (*device)->createStream();
  ASSERT_TRUE(stream.ok());
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE((*stream)->enqueue(*launch).ok());
  std::vector<std::string> maps = fake().callsOf("tensor map");
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0],
            "tensor map type 7 extents 40 20 strides 176 box 32 8 swizzle 0");
  std::vector<std::string> launches = fake().callsOf("launch");
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(
      launches[0],
      "launch tiles grid 8 threads 256 shared 1024 cluster 2 overlapping");
}

/// A bundle whose kernel "tiles" is changed.
template <typename Change>
std::shared_ptr<bundle::Bundle> changeTiles(Change change) {
  auto bundle = std::make_shared<bundle::Bundle>(cts::makeTestBundle());
  for (bundle::Kernel &k : bundle->kernels)
    if (k.name == "tiles")
      for (bundle::Implementation &i : k.implementations)
        for (bundle::Variant &v : i.plan.variants)
          for (bundle::Dispatch &d : v.dispatches)
            change(d);
  return bundle;
}

TEST_F(Cuda, SmallWorkgroupsDoNotComeAtOnce) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  auto large = (*device)->loadKernel(changeTiles([](bundle::Dispatch &d) {
                                       d.bindings[0].early = true;
                                       d.sharedBytes = 160 << 10;
                                     }),
                                     "tiles"),
       small = (*device)->loadKernel(changeTiles([](bundle::Dispatch &) {}),
                                     "tiles");
  auto in = (*device)->createBuffer(32 * 64 * 4),
       out = (*device)->createBuffer(32 * 64 * 4);
  auto stream = (*device)->createStream();
  ASSERT_TRUE(large.ok() && small.ok() && in.ok() && out.ok() && stream.ok());
  auto overlaps = [&](const std::shared_ptr<Kernel> &kernel) {
    auto launch = kernel->prepare({LaunchArgument::tensor(*in, {20, 40}),
                                   LaunchArgument::tensor(*out, {32, 64})});
    EXPECT_TRUE(launch.ok()) << statusOf(launch).message();
    fake().calls.clear();
    EXPECT_TRUE((*stream)->enqueue(*launch).ok());
    return fake().callsOf("launch").at(0).find("overlapping") !=
           std::string::npos;
  };
  EXPECT_TRUE(overlaps(*small));
  EXPECT_TRUE(overlaps(*large));
  EXPECT_TRUE(overlaps(*large));
  EXPECT_FALSE(overlaps(*small));
  EXPECT_TRUE(overlaps(*small));
}

TEST_F(Cuda, ConstantsThatTheLaunchBeforeWritesAreNotReadEarly) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  auto kernel = (*device)->loadKernel(
      changeTiles([](bundle::Dispatch &d) { d.bindings[0].early = true; }),
      "tiles");
  auto stream = (*device)->createStream();
  ASSERT_TRUE(kernel.ok() && stream.ok());
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 3; ++i)
    buffers.push_back(*(*device)->createBuffer(32 * 64 * 4));
  auto run = [&](int from, int to) {
    auto launch =
        (*kernel)->prepare({LaunchArgument::tensor(buffers[from], {20, 40}),
                            LaunchArgument::tensor(buffers[to], {32, 64})});
    ASSERT_TRUE(launch.ok()) << launch.status().message();
    fake().calls.clear();
    ASSERT_TRUE((*stream)->enqueue(*launch).ok());
    ASSERT_EQ(fake().callsOf("launch").size(), 1u);
  };
  auto overlaps = [&] {
    return fake().callsOf("launch")[0].find("overlapping") != std::string::npos;
  };
  run(0, 1);
  EXPECT_TRUE(overlaps());
  run(0, 1); // written again, not read
  EXPECT_TRUE(overlaps());
  run(1, 2); // what the launch before writes
  EXPECT_FALSE(overlaps());
  run(1, 0); // that launch has ended when this one begins
  EXPECT_TRUE(overlaps());
  run(2, 1); // but not the one in between, of two that overlap
  EXPECT_FALSE(overlaps());
  run(0, 2);
  EXPECT_TRUE(overlaps());
  auto graph = (*stream)->record([&] {
    run(0, 1); // runs nothing, so the launch before goes on
    return Status::success();
  });
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  run(2, 1);
  EXPECT_FALSE(overlaps());
}

TEST_F(Cuda, FailuresOfMemoryAndLaunches) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  failNext("cuMemAlloc", 2);
  EXPECT_FAILS((*device)->createBuffer(1000), OutOfMemory,
               "cuMemAlloc of the cuda:0: buffer of 1000 B failed with "
               "CUDA_ERROR_OUT_OF_MEMORY");
  failNext("cuMemAlloc", 2);
  EXPECT_FAILS((*device)->createBuffer(1000), OutOfMemory, "are free");
  auto launch = prepare(*device, cts::makeTestBundle());
  auto stream = (*device)->createStream();
  ASSERT_TRUE(launch.ok() && stream.ok());
  failNext("cuLaunchKernel", 1);
  EXPECT_FAILS((*stream)->enqueue(*launch), Device,
               "launch of 'axpy' (2 blocks of 64 threads) on cuda:0 failed "
               "with CUDA_ERROR_INVALID_VALUE");
  failNext("cuStreamSynchronize", 700);
  EXPECT_FAILS((*stream)->synchronize(), DeviceLost,
               "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_TRUE((*stream)->enqueue(*launch).ok());
  EXPECT_TRUE((*stream)->synchronize().ok());
}

TEST_F(Cuda, Graphs) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  auto launch = prepare(*device, cts::makeTestBundle());
  auto stream = (*device)->createStream();
  ASSERT_TRUE(launch.ok() && stream.ok());
  auto body = [&] { return statusOf((*stream)->enqueue(*launch)); };
  failNext("cuStreamEndCapture", 901);
  EXPECT_FAILS((*stream)->record(body), Device,
               "cuStreamEndCapture failed with "
               "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
  auto graph = (*stream)->record(body);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ((*graph)->kernelNames(), std::vector<std::string>{"axpy"});
  ASSERT_TRUE((*stream)->replay(*graph).ok());
  EXPECT_EQ(fake().callsOf("graph of 1").size(), 1u);
}

TEST_F(Cuda, StreamsThatOthersRecord) {
  auto device = open();
  ASSERT_TRUE(device.ok());
  auto launch = prepare(*device, cts::makeTestBundle());
  auto stream = (*device)->createStream();
  ASSERT_TRUE(launch.ok() && stream.ok());
  auto wrapped = (*device)->wrapStream((*stream)->nativeHandle());
  ASSERT_TRUE(wrapped.ok());
  fake().capturedByOthers = true;
  EXPECT_TRUE((*wrapped)->enqueue(*launch).ok());
  std::weak_ptr<Launch> watch = *launch;
  launch = Status::invalidInput("gone");
  EXPECT_FALSE(watch.expired()); // the other library's graph uses it
  EXPECT_FAILS((*wrapped)->synchronize(), InvalidInput, "being recorded");
  EXPECT_FAILS((*wrapped)->record([] { return Status::success(); }),
               InvalidInput, "being recorded");
  fake().capturedByOthers = false;
  EXPECT_TRUE((*wrapped)->synchronize().ok());
}
