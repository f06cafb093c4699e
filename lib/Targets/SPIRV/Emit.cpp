// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Serialisation of lowered kernels, and checks against the target's limits.

#include "helios/Targets/SPIRV/Emit.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace helios::spv;

bool KernelInterface::hasCapability(StringRef name) const { return llvm::is_contained(capabilities, name); }

static std::string text(Attribute attr) { return cast<StringAttr>(attr).str(); }
static int64_t number(Attribute attr) { return cast<IntegerAttr>(attr).getInt(); }

FailureOr<KernelInterface> helios::spv::getInterface(spirv::ModuleOp module) {
  auto dict = module->getAttrOfType<DictionaryAttr>("helios.interface");
  std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
  if (!dict || !triple)
    return module.emitError("expected a kernel lowered by convert-frag-to-spirv, with the attribute 'helios.interface'");
  KernelInterface result;
  result.entryPoint = text(dict.get("entry"));
  result.threads = number(dict.get("threads"));
  result.subgroupSize = number(dict.get("subgroup"));
  result.sharedBytes = number(dict.get("shared_bytes"));
  for (Attribute arg : cast<ArrayAttr>(dict.get("push_constants")))
    result.pushConstants.push_back(number(arg));
  for (ArrayAttr binding : cast<ArrayAttr>(dict.get("bindings")).getAsRange<ArrayAttr>()) {
    std::string access = text(binding[2]);
    result.bindings.push_back({number(binding[0]), number(binding[1]), access != "write", access != "read"});
  }
  for (ArrayAttr shape : cast<ArrayAttr>(dict.get("shapes")).getAsRange<ArrayAttr>())
    result.products.push_back({number(shape[0]), number(shape[1]), number(shape[2]), text(shape[3]), text(shape[4]), text(shape[5]),
                               text(shape[6])});
  for (spirv::Capability capability : triple->getCapabilities())
    result.capabilities.push_back(spirv::stringifyCapability(capability).str());
  for (spirv::Extension extension : triple->getExtensions())
    result.extensions.push_back(spirv::stringifyExtension(extension).str());
  if (triple->getVersion() >= spirv::Version::V_1_6)
    result.vulkanMinor = 3;
  return result;
}

LogicalResult helios::spv::checkLimits(spirv::ModuleOp module, const KernelInterface &kernel) {
  auto target = module->getAttrOfType<TargetAttr>("helios.target");
  if (!target)
    return success();
  const Row &row = *findRow(target.getRow());
  auto exceeds = [&](StringRef what, int64_t needed, int64_t has, StringRef mend) {
    return module.emitError("kernel '") << kernel.entryPoint << "' needs " << needed << " " << what << ", the target '" << row.name
                                        << "' has " << has << "; " << mend;
  };
  if (kernel.sharedBytes > row.sharedBytes)
    return exceeds("bytes of shared memory", kernel.sharedBytes, row.sharedBytes, "choose a smaller tile or depth");
  if (kernel.threads > row.maxInvocations)
    return exceeds("invocations a workgroup", kernel.threads, row.maxInvocations, "choose fewer lane groups");
  if (kernel.pushConstantBytes() > row.pushConstantBytes)
    return exceeds("bytes of push constants", kernel.pushConstantBytes(), row.pushConstantBytes,
                   "give the kernel fewer scalar arguments");
  if (kernel.subgroupSize) {
    if (kernel.subgroupSize != row.subgroupSize)
      return exceeds("lanes a subgroup", kernel.subgroupSize, row.subgroupSize, "choose matrix instructions of the target");
    if (kernel.threads % kernel.subgroupSize)
      return module.emitError("kernel '") << kernel.entryPoint << "' has " << kernel.threads << " invocations a workgroup, expected a "
                                          << "multiple of the subgroup's " << kernel.subgroupSize << " lanes";
  }
  for (const CoopUse &use : kernel.products) {
    bool listed = llvm::any_of(row.shapes, [&](const CoopShape &s) {
      return s.m == use.m && s.n == use.n && s.k == use.k && use.a == s.a && use.b == s.b && use.result == s.acc;
    });
    if (!listed)
      return module.emitError("kernel '") << kernel.entryPoint << "' multiplies matrices of " << use.m << "x" << use.n << "x" << use.k
                                          << " " << use.a << ":" << use.b << ":" << use.result << ", which the target '" << row.name
                                          << "' does not list";
  }
  return success();
}

FailureOr<std::vector<uint32_t>> helios::spv::serialize(spirv::ModuleOp module) {
  FailureOr<KernelInterface> kernel = getInterface(module);
  if (failed(kernel) || failed(checkLimits(module, *kernel)))
    return failure();
  SmallVector<uint32_t> words;
  if (failed(spirv::serialize(module, words)))
    return failure();
  return std::vector<uint32_t>(words.begin(), words.end());
}
