//===- Kernel.cpp - Entry points of compiled modules -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"

namespace helios::rt::cuda {

namespace {

/// The parameters that the module declares, against those of the bundle: the
/// driver copies as many bytes as the former say.
Status checkParameters(const Driver &cuda, FunctionHandle function,
                       const bundle::ResolvedDispatch &d) {
  if (!cuda.functionGetParamInfo)
    return Status::success();
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; i <= d.parameters.size(); ++i) {
    bool exists =
        cuda.functionGetParamInfo(function, i, &offset, &bytes) == Success;
    if (i == d.parameters.size()) {
      if (exists)
        return Status::invalidInput("takes more parameters than the " +
                                    std::to_string(i) + " of the bundle");
      break;
    }
    uint32_t expected = bundle::parameterBytes(d.parameters[i].kind);
    if (!exists || bytes != expected)
      return Status::invalidInput(
          "parameter " + std::to_string(i) + " has " +
          (exists ? std::to_string(bytes) : std::string("no")) +
          " bytes, the bundle gives " + std::to_string(expected));
  }
  return Status::success();
}

} // namespace

Result<Function> CudaKernel::makeFunction(const bundle::ResolvedDispatch &d) {
  const Driver &cuda = owner->driver();
  const DeviceInfo &info = owner->info();
  Function f;
  f.entryPoint = d.entryPoint;
  Result<std::shared_ptr<CudaModule>> module =
      owner->load(bundle->modules[d.module]);
  if (!module)
    return module.status();
  f.module = *module;
  Current current(*owner);
  std::string where =
      "entry point '" + d.entryPoint + "' of '" + f.module->name + "': ";
  if (Status s = cuda.check(cuda.moduleGetFunction(&f.handle, f.module->handle,
                                                   d.entryPoint.c_str()),
                            "cuModuleGetFunction");
      !s.ok())
    return s.withPrefix(where);
  if (Status s = checkParameters(cuda, f.handle, d); !s.ok())
    return s.withPrefix(where);

  auto get = [&](FunctionAttribute attribute, int &value) {
    return cuda.check(cuda.functionGetAttribute(&value, attribute, f.handle),
                      "cuFuncGetAttribute");
  };
  int threads = 0, shared = 0;
  if (Status s = get(FunctionMaxThreads, threads); !s.ok())
    return s.withPrefix(where);
  if (Status s = get(FunctionSharedBytes, shared); !s.ok())
    return s.withPrefix(where);
  uint64_t workgroup =
      uint64_t(d.workgroupSize[0]) * d.workgroupSize[1] * d.workgroupSize[2];
  if (workgroup > static_cast<uint64_t>(threads))
    return Status::unsupported(where + std::to_string(workgroup) +
                               " threads in a block; as the driver compiled "
                               "it, it runs with at most " +
                               std::to_string(threads));
  uint64_t all = uint64_t(d.sharedBytes) + static_cast<uint64_t>(shared);
  if (all > info.sharedMemoryBytes)
    return Status::unsupported(
        where + std::to_string(d.sharedBytes) + " bytes of dynamic and " +
        std::to_string(shared) + " of static shared memory; the device has " +
        std::to_string(info.sharedMemoryBytes));
  if (d.sharedBytes)
    if (Status s = cuda.check(
            cuda.functionSetAttribute(f.handle, FunctionMaxDynamicShared,
                                      static_cast<int>(d.sharedBytes)),
            "cuFuncSetAttribute of " + std::to_string(d.sharedBytes) +
                " bytes of dynamic shared memory");
        !s.ok())
      return s.withPrefix(where);
  return f;
}

Result<const Function *>
CudaKernel::functionFor(const bundle::ResolvedDispatch &d) {
  std::lock_guard<std::mutex> lock(mutex);
  // What a function is checked for and set to, besides what it is.
  std::string key = std::to_string(d.module) + "," +
                    std::to_string(d.sharedBytes) + "," +
                    std::to_string(d.workgroupSize[0]) + "," +
                    std::to_string(d.workgroupSize[1]) + "," +
                    std::to_string(d.workgroupSize[2]) + "," + d.entryPoint;
  for (const bundle::ResolvedParameter &p : d.parameters)
    key += "," + std::to_string(static_cast<int>(p.kind));
  auto found = functions.find(key);
  if (found != functions.end())
    return &found->second;
  Result<Function> made = makeFunction(d);
  if (!made)
    return made.status().withPrefix("kernel '" + kernel.name + "': ");
  return &functions.emplace(key, *made).first->second;
}

Result<std::shared_ptr<Launch>>
CudaKernel::build(const std::vector<LaunchArgument> &arguments,
                  const CheckedArguments &checked, bundle::ResolvedPlan plan) {
  auto launch =
      std::make_shared<CudaLaunch>(owner, shared_from_this(), std::move(plan));
  std::vector<const Function *> wanted;
  for (const bundle::ResolvedDispatch &d : launch->plan().dispatches) {
    if (d.groups == 0) {
      wanted.push_back(nullptr);
      continue;
    }
    Result<const Function *> f = functionFor(d);
    if (!f)
      return f.status();
    wanted.push_back(*f);
  }
  if (Status s = launch->bind(wanted, arguments, checked.tensors); !s.ok())
    return s.withPrefix("kernel '" + kernel.name + "': ");
  return std::shared_ptr<Launch>(std::move(launch));
}

std::vector<PipelineStatistic> CudaKernel::statistics() {
  const Driver &cuda = owner->driver();
  Current current(*owner);
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<PipelineStatistic> all;
  for (const auto &[key, f] : functions) {
    auto add = [&, &f = f](const char *name, const std::string &value) {
      all.push_back({f.module->name, f.entryPoint, name, value});
    };
    const std::pair<FunctionAttribute, const char *> rows[] = {
        {FunctionRegisters, "registers"},
        {FunctionLocalBytes, "local memory bytes"},
        {FunctionSharedBytes, "static shared memory bytes"},
        {FunctionMaxDynamicShared, "dynamic shared memory bytes"},
        {FunctionBinaryVersion, "binary version"}};
    for (auto [attribute, name] : rows) {
      int value = 0;
      if (cuda.functionGetAttribute(&value, attribute, f.handle) == Success)
        add(name, std::to_string(value));
    }
    add("driver compilation ms", std::to_string(f.module->jitMilliseconds));
  }
  return all;
}

} // namespace helios::rt::cuda
