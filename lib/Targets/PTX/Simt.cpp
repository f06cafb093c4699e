// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of single lanes, computed in the accumulator's type: fused
// multiply-adds of floats, 32-bit multiply-adds of integers.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include <map>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

LogicalResult KernelLowering::multiplyElements(frag::MmaOp op) {
  frag::FragmentType aType = op.getA().getType(), bType = op.getB().getType(),
                     accType = op.getAcc().getType();
  Type compute = accType.getElementType();
  bool floats = isa<FloatType>(compute);
  // Registers by coordinates; a lane's base is the same on both sides of a row
  // or column.
  auto widened = [&](Value value, frag::FragmentType type) {
    std::map<std::pair<int64_t, int64_t>, Value> at;
    for (auto [reg, element] :
         llvm::zip(type.getLayout().getRegisterOffsets(type.getShape()),
                   elements(value))) {
      Value wide = element;
      if (element.getType() != compute)
        wide = floats ? Value(arith::ExtFOp::create(b, compute, element))
                      : Value(arith::ExtSIOp::create(b, compute, element));
      at[{reg[0], reg[1]}] = wide;
    }
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
      else
        acc[r] = arith::AddIOp::create(
            b, arith::MulIOp::create(b, x->second, y->second), acc[r]);
    }
  set(op.getResult(), Form::Elements, acc);
  return success();
}
