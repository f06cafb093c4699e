//===- Kernel.cpp - Kernels and launches of the emulator -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Device.h"
#include <cstring>

namespace helios::rt::emulator {

namespace {

class EmulatorKernel final
    : public PlannedKernel,
      public std::enable_shared_from_this<EmulatorKernel> {
public:
  EmulatorKernel(std::shared_ptr<EmulatorDevice> device,
                 std::shared_ptr<const bundle::Bundle> bundle,
                 const bundle::Kernel &kernel, ChosenImplementation chosen)
      : PlannedKernel(device, std::move(bundle), kernel, std::move(chosen)),
        owner(std::move(device)) {}
  std::vector<PipelineStatistic> statistics() override { return {}; }

private:
  Result<std::shared_ptr<Launch>> build(const std::vector<LaunchArgument> &args,
                                        const CheckedArguments &checked,
                                        bundle::ResolvedPlan plan) override {
    auto launch = std::make_shared<EmulatorLaunch>(owner, shared_from_this(),
                                                   std::move(plan));
    std::vector<std::shared_ptr<const emu::Code>> codes;
    for (const bundle::ResolvedDispatch &d : launch->plan().dispatches) {
      codes.push_back(nullptr);
      if (!d.groups)
        continue;
      Result<std::shared_ptr<const emu::Code>> code =
          owner->load(bundle->modules[d.module], d.entryPoint);
      if (!code)
        return code.status().withPrefix("kernel '" + kernel.name + "': ");
      codes.back() = *code;
    }
    if (Status s = launch->bind(codes, args, checked.tensors); !s.ok())
      return s.withPrefix("kernel '" + kernel.name + "': ");
    return std::shared_ptr<Launch>(std::move(launch));
  }

  std::shared_ptr<EmulatorDevice> owner;
};

emu::TensorMap::Element elementOf(bundle::ElementType type) {
  using E = bundle::ElementType;
  using M = emu::TensorMap::Element;
  switch (type) {
  case E::F16:
    return M::F16;
  case E::BF16:
    return M::BF16;
  case E::F32:
    return M::F32;
  case E::F64:
    return M::F64;
  case E::I32:
    return M::I32;
  default:
    return M::Bits;
  }
}

/// As the CUDA driver encodes it: an empty tensor is one that is zero.
Result<emu::TensorMap> encode(const bundle::ResolvedTensorMap &map,
                              uint64_t address) {
  emu::TensorMap out;
  if (map.extents.empty() || map.extents.size() > 5)
    return Status::unsupported("expected 1 to 5 dimensions, got " +
                               std::to_string(map.extents.size()));
  bool empty = false;
  for (uint64_t e : map.extents)
    empty |= e == 0;
  out.element = elementOf(map.type);
  out.elementBytes = uint8_t(bundle::elementBytes(map.type));
  out.rank = uint8_t(map.extents.size());
  out.swizzle = uint8_t(map.swizzle);
  out.address = address;
  for (size_t d = 0; d < map.extents.size(); ++d) {
    if (map.extents[d] > uint64_t(1) << 32)
      return Status::unsupported("extent " + std::to_string(map.extents[d]) +
                                 " of dimension " + std::to_string(d) +
                                 " is larger than 2^32");
    out.extents[d] = empty ? 1 : uint32_t(map.extents[d]);
    out.box[d] = uint16_t(map.box[d]);
    if (d == 0)
      continue;
    uint64_t stride = empty ? 16 : map.strides[d - 1];
    // Nobody steps along a dimension of one element.
    if (out.extents[d] <= 1)
      stride = stride ? (stride + 15) / 16 * 16 : 16;
    out.strides[d - 1] = stride;
  }
  if (const char *wrong = emu::checkTensorMap(out))
    return Status::unsupported(wrong);
  return out;
}

} // namespace

Status
EmulatorLaunch::bind(const std::vector<std::shared_ptr<const emu::Code>> &codes,
                     const std::vector<LaunchArgument> &arguments,
                     const std::vector<BoundTensor> &tensors) {
  for (const LaunchArgument &a : arguments)
    if (a.buffer)
      kept.push_back(a.buffer);
  if (resolved.workspaceBytes) {
    Result<std::shared_ptr<EmulatorBuffer>> w =
        owner->allocate(resolved.workspaceBytes);
    if (!w)
      return w.status().withPrefix("workspace: ");
    workspace = *w;
  }
  for (size_t n = 0; n < codes.size(); ++n) {
    if (!codes[n])
      continue;
    const bundle::ResolvedDispatch &d = resolved.dispatches[n];
    std::string where = "dispatch " + std::to_string(n) + ": ";
    Step step;
    step.code = codes[n];
    emu::LaunchConfig &c = step.config;
    c.grid[0] = d.groups;
    std::copy_n(d.workgroupSize, 3, c.block);
    c.cluster = std::max(d.clusterSize, 1u);
    c.sharedBytes = d.sharedBytes;
    c.dependent = d.dependent;
    c.computeUnits = owner->info().computeUnits;
    std::vector<uint64_t> addresses;
    for (const bundle::ResolvedBinding &b : d.bindings) {
      emu::MemoryRange r;
      EmulatorBuffer *buffer = nullptr;
      uint64_t offset = 0;
      if (b.source == bundle::BindingSource::Workspace) {
        buffer = workspace.get();
        offset = b.workspaceOffset;
        r.bytes = b.workspaceBytes;
        r.name = "the workspace";
      } else {
        buffer =
            static_cast<EmulatorBuffer *>(arguments[b.argument].buffer.get());
        offset = tensors[b.argument].offset;
        r.bytes = tensors[b.argument].bytes;
        r.name = "argument " + std::to_string(b.argument);
      }
      if (r.bytes == 0) {
        // What is empty: zeros to read, for tensor maps.
        if (!dummy) {
          Result<std::shared_ptr<EmulatorBuffer>> made = owner->allocate(256);
          if (!made)
            return made.status();
          dummy = *made;
          const char zeros[256] = {};
          if (Status s = dummy->write(0, zeros, 256); !s.ok())
            return s;
        }
        buffer = dummy.get();
        offset = 0;
        r.bytes = 256;
      }
      r.address = buffer->address() + offset;
      r.writable = b.access != bundle::Access::Read;
      r.early = b.early;
      r.initialized =
          buffer->initialized ? buffer->initialized + offset : nullptr;
      addresses.push_back(r.address);
      c.memory.push_back(r);
    }
    std::vector<emu::TensorMap> maps;
    for (size_t m = 0; m < d.tensorMaps.size(); ++m) {
      Result<emu::TensorMap> map =
          encode(d.tensorMaps[m], addresses[d.tensorMaps[m].binding]);
      if (!map)
        return map.status().withPrefix(where + "tensor map " +
                                       std::to_string(m) + ": ");
      maps.push_back(*map);
    }
    const emu::ptx::Kernel &k = *step.code->kernel;
    if (k.parameters.size() != d.parameters.size())
      return Status::invalidInput(where + "the code has " +
                                  std::to_string(k.parameters.size()) +
                                  " parameters, the bundle gives " +
                                  std::to_string(d.parameters.size()));
    c.parameters.assign(k.parameterBytes, 0);
    for (size_t p = 0; p < d.parameters.size(); ++p) {
      const bundle::ResolvedParameter &from = d.parameters[p];
      uint32_t bytes = bundle::parameterBytes(from.kind);
      if (k.parameters[p].bytes != bytes)
        return Status::invalidInput(
            where + "parameter " + std::to_string(p) + " has " +
            std::to_string(k.parameters[p].bytes) +
            " bytes, the bundle gives " + std::to_string(bytes));
      uint8_t *at = c.parameters.data() + k.parameters[p].offset;
      if (from.kind == bundle::ParameterKind::TensorMap)
        std::memcpy(at, &maps[from.index], bytes);
      else if (from.kind == bundle::ParameterKind::Pointer)
        std::memcpy(at, &addresses[from.index], bytes);
      else
        std::memcpy(at, &from.value, bytes);
    }
    steps.push_back(std::move(step));
  }
  return Status::success();
}

Status EmulatorLaunch::run() {
  for (const Step &step : steps) {
    emu::Report report;
    emu::Options options = owner->nextOptions();
    if (Status s = emu::launch(step.code, step.config, options, report);
        !s.ok())
      return s;
    if (report.findings.empty())
      continue;
    std::string text =
        owner->info().id + " (seed " + std::to_string(options.seed) + "):";
    for (const emu::Finding &f : report.findings)
      text += "\n" + emu::describe(f);
    return Status::device(text);
  }
  return Status::success();
}

Result<std::shared_ptr<Kernel>>
EmulatorDevice::loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
                           const std::string &name,
                           const KernelOptions &kernelOptions) {
  return loadPlanned<EmulatorKernel>(self(), std::move(bundle), name,
                                     kernelOptions, {bundle::TargetKind::Cuda},
                                     false);
}

} // namespace helios::rt::emulator
