//===- Launch.cpp - A kernel bound to arguments -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"

namespace helios::rt::cuda {

namespace {

/// CU_TENSOR_MAP_DATA_TYPE_*, where bits only are copied.
int tensorMapType(bundle::ElementType type) {
  using E = bundle::ElementType;
  switch (type) {
  case E::I1:
  case E::I8:
  case E::U8:
  case E::E4M3:
  case E::E5M2:
    return 0;
  case E::I16:
    return 1;
  case E::I32:
    return 3;
  case E::I64:
    return 5;
  case E::F16:
    return 6;
  case E::F32:
    return 7;
  case E::F64:
    return 8;
  case E::BF16:
    return 9;
  case E::TF32:
    return 11;
  }
  return 0;
}

/// CU_TENSOR_MAP_SWIZZLE_*.
int tensorMapSwizzle(uint32_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

constexpr int noInterleave = 0, promoteToL2Of128Bytes = 2, fillWithZeros = 0;

} // namespace

Status CudaLaunch::encode(const bundle::ResolvedTensorMap &map,
                          DevicePointer address, EncodedTensorMap &out) {
  const Driver &cuda = owner->driver();
  if (!cuda.encodeTiled)
    return Status::unsupported(
        "tensor maps need cuTensorMapEncodeTiled (CUDA 12.0); the driver has "
        "CUDA " +
        owner->info().apiVersionString + ": install a newer one");
  std::vector<uint64_t> extents = map.extents, strides = map.strides;
  bool empty = false;
  for (uint64_t e : extents)
    empty |= e == 0;
  // A tensor without elements: one that is zero, like all outside of it.
  if (empty) {
    extents.assign(extents.size(), 1);
    strides.assign(strides.size(), 16);
  }
  if (address % 16 != 0)
    return Status::unsupported("address " + std::to_string(address) +
                               " is no multiple of 16, which bulk copies need");
  for (size_t d = 0; d < strides.size(); ++d) {
    // Nobody steps along a dimension of one element.
    if (extents[d + 1] <= 1 && strides[d] % 16 != 0)
      strides[d] = (strides[d] + 15) / 16 * 16;
    if (strides[d] % 16 != 0)
      return Status::unsupported("stride of " + std::to_string(strides[d]) +
                                 " bytes of dimension " +
                                 std::to_string(d + 1) +
                                 " is no multiple of 16, which bulk copies "
                                 "need");
    if (strides[d] == 0 && extents[d + 1] <= 1)
      strides[d] = 16;
  }
  std::vector<uint32_t> steps(extents.size(), 1);
  Current current(*owner);
  return cuda.check(
      cuda.encodeTiled(
          &out, tensorMapType(map.type), static_cast<uint32_t>(extents.size()),
          reinterpret_cast<void *>(address), extents.data(), strides.data(),
          map.box.data(), steps.data(), noInterleave,
          tensorMapSwizzle(map.swizzle), promoteToL2Of128Bytes, fillWithZeros),
      "cuTensorMapEncodeTiled");
}

Status CudaLaunch::pack(Step &step, const std::vector<DevicePointer> &addresses,
                        const std::vector<uint64_t> &sizes) {
  const bundle::ResolvedDispatch &d = *step.dispatch;
  step.maps.resize(d.tensorMaps.size());
  for (size_t i = 0; i < d.tensorMaps.size(); ++i) {
    const bundle::ResolvedTensorMap &map = d.tensorMaps[i];
    std::string where = "tensor map " + std::to_string(i) + ": ";
    // Copies may touch any element of it, so all must lie in what is bound.
    uint64_t last = 0, element = bundle::elementBytes(map.type);
    bool empty = false, fits = true;
    for (size_t k = 0; k < map.extents.size(); ++k) {
      empty |= map.extents[k] == 0;
      uint64_t stride = k ? map.strides[k - 1] : element, span = 0;
      fits &= !__builtin_mul_overflow(map.extents[k] ? map.extents[k] - 1 : 0,
                                      stride, &span) &&
              !__builtin_add_overflow(last, span, &last);
    }
    if (!empty && (!fits || last + element > sizes[map.binding]))
      return Status::invalidInput(
          where + "it spans " +
          (fits ? std::to_string(last + element) : "2^64 or more") +
          " bytes, what is bound has " + std::to_string(sizes[map.binding]));
    if (Status s = encode(map, addresses[map.binding], step.maps[i]); !s.ok())
      return s.withPrefix(where);
  }
  step.words.resize(d.parameters.size());
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    const bundle::ResolvedParameter &p = d.parameters[i];
    void *at = &step.words[i];
    if (p.kind == bundle::ParameterKind::TensorMap)
      at = &step.maps[p.index];
    else
      step.words[i] = p.kind == bundle::ParameterKind::Pointer
                          ? addresses[p.index]
                          : p.value; // little endian: the low bytes come first
    step.parameters.push_back(at);
  }
  return Status::success();
}

Status CudaLaunch::bind(const std::vector<const Function *> &functions,
                        const std::vector<LaunchArgument> &arguments,
                        const std::vector<BoundTensor> &tensors) {
  const Driver &cuda = owner->driver();
  for (const LaunchArgument &a : arguments)
    if (a.buffer)
      kept.push_back(a.buffer);
  bool launches = false;
  for (const Function *f : functions)
    launches |= f != nullptr;
  if (launches && resolved.workspaceBytes) {
    Result<std::shared_ptr<CudaBuffer>> w =
        owner->allocate(resolved.workspaceBytes, MemoryKind::Device);
    if (!w)
      return w.status().withPrefix("workspace of variant '" +
                                   resolved.variantName + "': ");
    workspace = std::move(*w);
  }
  // Stands for what is empty: zeros to read, and behind them room that a copy
  // may write one element to.
  auto dummyAddress = [&](bundle::Access access) -> Result<DevicePointer> {
    if (!dummy) {
      Result<std::shared_ptr<CudaBuffer>> made =
          owner->allocate(512, MemoryKind::Device);
      if (!made)
        return made.status();
      dummy = std::move(*made);
      const char zeros[512] = {};
      if (Status s = dummy->write(0, zeros, sizeof(zeros)); !s.ok())
        return s;
    }
    return dummy->address + (access == bundle::Access::Read ? 0 : 256);
  };

  steps.reserve(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i])
      continue;
    const bundle::ResolvedDispatch &d = resolved.dispatches[i];
    if (d.groups > INT32_MAX)
      return Status::invalidInput("dispatch " + std::to_string(i) +
                                  ": grid of " + std::to_string(d.groups) +
                                  " workgroups, CUDA launches at most " +
                                  std::to_string(INT32_MAX));
    if (d.clusterSize > 1 && !cuda.launchEx)
      return Status::unsupported(
          "clusters need cuLaunchKernelEx (CUDA 11.8); the driver has CUDA " +
          owner->info().apiVersionString + ": install a newer one");
    std::vector<DevicePointer> addresses;
    std::vector<uint64_t> sizes;
    DispatchUse use;
    use.alone = 2 * uint64_t(d.sharedBytes) > owner->info().sharedMemoryBytes;
    for (const bundle::ResolvedBinding &b : d.bindings) {
      DevicePointer address = 0;
      uint64_t bytes = 0;
      if (b.source == bundle::BindingSource::Workspace) {
        bytes = b.workspaceBytes;
        address = workspace ? workspace->address + b.workspaceOffset : 0;
      } else {
        bytes = tensors[b.argument].bytes;
        address = arguments[b.argument].buffer->deviceAddress() +
                  tensors[b.argument].offset;
      }
      if (bytes == 0) {
        Result<DevicePointer> made = dummyAddress(b.access);
        if (!made)
          return made.status();
        address = *made;
      }
      addresses.push_back(address);
      sizes.push_back(bytes);
      if (b.early)
        use.early.push_back({address, bytes});
      if (b.access != bundle::Access::Read)
        use.written.push_back({address, bytes});
    }
    steps.emplace_back();
    Step &step = steps.back();
    step.function = functions[i];
    step.dispatch = &d;
    step.use = std::move(use);
    if (Status s = pack(step, addresses, sizes); !s.ok())
      return s.withPrefix("dispatch " + std::to_string(i) + ": ");
  }
  return Status::success();
}

Status CudaLaunch::submit(StreamHandle stream, RunningDispatches &running) {
  const Driver &cuda = owner->driver();
  for (Step &step : steps) {
    const bundle::ResolvedDispatch &d = *step.dispatch;
    unsigned grid = static_cast<unsigned>(d.groups);
    const uint32_t *block = d.workgroupSize;
    Code code;
    LaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (d.clusterSize > 1) {
      LaunchAttribute &a = attributes[count++];
      a.id = attributeClusterDimension;
      a.value.cluster[0] = d.clusterSize;
      a.value.cluster[1] = a.value.cluster[2] = 1;
    }
    // Without the call it begins when the one before has ended, as any other.
    bool overlaps = d.dependent && cuda.launchEx && running.allow(step.use);
    running.begin(step.use, overlaps);
    if (overlaps) {
      LaunchAttribute &a = attributes[count++];
      a.id = attributeProgrammaticStreamSerialization;
      a.value.overlaps = 1;
    }
    if (count) {
      LaunchConfig config{
          grid,          1,      1,          block[0], block[1], block[2],
          d.sharedBytes, stream, attributes, count};
      code = cuda.launchEx(&config, step.function->handle,
                           step.parameters.data(), nullptr);
    } else {
      code = cuda.launch(step.function->handle, grid, 1, 1, block[0], block[1],
                         block[2], d.sharedBytes, stream,
                         step.parameters.data(), nullptr);
    }
    if (Status s =
            cuda.check(code, "launch of '" + step.function->entryPoint + "' (" +
                                 std::to_string(grid) + " blocks of " +
                                 std::to_string(block[0]) + " threads) on " +
                                 owner->info().id);
        !s.ok())
      return s;
  }
  return Status::success();
}

} // namespace helios::rt::cuda
