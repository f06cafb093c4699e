// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products by multiply-adds of single lanes: fused ones in f32, of bytes in
// i32.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Partials.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

LogicalResult KernelLowering::multiplyElements(frag::MmaOp op) {
  frag::FragmentType aType = op.getA().getType(), bType = op.getB().getType(),
                     accType = op.getAcc().getType();
  Type type = accType.getElementType(), a = aType.getElementType();
  bool floats = (a.isF16() || a.isBF16() || a.isF32()) && type.isF32();
  if (!floats && !(a.isSignlessInteger(8) && type.isSignlessInteger(32)))
    return op.emitOpError("expected f16, bf16 or f32 accumulated in f32, or i8 "
                          "in i32, got ")
           << a << " in " << type;
  // Registers by coordinates; the lane's base is the same on both sides of a
  // row or column.
  auto widened = [&](Value value, frag::FragmentType from) {
    std::map<std::pair<int64_t, int64_t>, Value> at;
    for (auto [reg, element] :
         llvm::zip(from.getLayout().getRegisterOffsets(from.getShape()),
                   elements(value)))
      at[{reg[0], reg[1]}] =
          floats ? toF32(element, from.getElementType())
                 : Value(arith::ExtSIOp::create(b, type, element));
    return at;
  };
  auto aAt = widened(op.getA(), aType), bAt = widened(op.getB(), bType);
  SmallVector<Value> acc = elements(op.getAcc());
  auto accAt = accType.getLayout().getRegisterOffsets(accType.getShape());
  // Slices of K go side by side; a lane has those of one.
  int64_t depth = op.getMma().getMmaShape()[2],
          slices = tile::getSliceCount(accType.getLayout());
  for (int64_t k = 0; k < aType.getShape()[1]; ++k)
    for (auto [r, reg] : llvm::enumerate(accAt)) {
      if (k % (depth * slices) >= depth)
        continue;
      auto x = aAt.find({reg[0], k}), y = bAt.find({k, reg[1]});
      if (x == aAt.end() || y == bAt.end())
        return op.emitOpError(
                   "expected operands that cover the accumulator, got ")
               << aType << " and " << bType;
      if (floats)
        acc[r] = math::FmaOp::create(b, x->second, y->second, acc[r]);
      else // Not arith's, which optimizeLaneProgram moves to their first use.
        acc[r] = spirv::IAddOp::create(
            b, acc[r], spirv::IMulOp::create(b, x->second, y->second));
    }
  set(op.getResult(), Form::Elements, acc);
  return success();
}
