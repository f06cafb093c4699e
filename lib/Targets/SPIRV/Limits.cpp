// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel against the limits of its target row.

#include "KernelLowering.h"
#include "helios/Targets/SPIRV/Rows.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

LogicalResult KernelLowering::checkLimits(int64_t subgroup) {
  auto target = dyn_cast_or_null<TargetAttr>(kernel.getTargetAttr());
  if (!target)
    return success();
  const Row &row = *findRow(target.getRow());
  auto check = [&](StringRef what, int64_t needed, int64_t has,
                   StringRef mend) -> LogicalResult {
    if (needed <= has)
      return success();
    return kernel.emitOpError("needs ")
           << needed << " " << what << ", but target '" << row.name << "' has "
           << has << "; " << mend;
  };
  int64_t threads = kernel.getThreads(),
          shared = sharedVariable ? sharedBytes : 0;
  if (failed(check("bytes of shared memory", shared, row.sharedBytes,
                   "choose smaller tiles")) ||
      failed(check("invocations a workgroup", threads, row.maxInvocations,
                   "choose fewer lane groups")) ||
      failed(check("bytes of push constants", 4 * pushConstants.size(),
                   row.pushConstantBytes, "use fewer scalar arguments")))
    return failure();
  if (subgroup && subgroup != row.subgroupSize)
    return kernel.emitOpError("has matrices of subgroups of ")
           << subgroup << " lanes, expected the " << row.subgroupSize
           << " of target '" << row.name << "'";
  if (subgroup && threads % subgroup)
    return kernel.emitOpError("has ")
           << threads << " threads, expected full subgroups of " << subgroup;
  auto name = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  for (CoopAttr product : products) {
    ArrayRef<int64_t> shape = product.getShape();
    bool listed = llvm::any_of(row.shapes, [&](const CoopShape &s) {
      return ArrayRef<int64_t>({s.m, s.n, s.k}) == shape &&
             name(product.getA()) == s.a && name(product.getB()) == s.b &&
             name(product.getAcc()) == s.acc;
    });
    if (!listed)
      return kernel.emitOpError("multiplies by ")
             << product << ", which target '" << row.name << "' does not list";
  }
  return success();
}
