// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms in which a lane holds a value, and changes between them. Words are
// never unpacked on the way from memory to memory or to a matrix instruction.

#include "KernelLowering.h"
#include "Pairs.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

Value KernelLowering::scalar(Value value) {
  return values.find(value)->second.parts.front();
}

void KernelLowering::setScalar(Value value, Value lane) {
  set(value, Form::Scalar, {lane});
}

void KernelLowering::set(Value value, Form form, SmallVector<Value> parts,
                         int64_t depth) {
  values[value] = LaneValue{form, std::move(parts), depth};
}

/// Registers of one 32-bit word; 0 for a type that makes none.
static int64_t perWord(Type type) {
  if (!type.isIntOrFloat())
    return 0;
  int64_t bits = tile::getStoredBits(type);
  return bits == 8 || bits == 16 || bits == 32 ? 32 / bits : 0;
}

/// The f32 value of which a narrow one was made.
static Value wideSource(Value value) {
  auto trunc = value.getDefiningOp<arith::TruncFOp>();
  return trunc && trunc.getIn().getType().isF32() ? trunc.getIn() : Value();
}

Value KernelLowering::packWord(ArrayRef<Value> parts, Type type) {
  if (parts.size() == 1)
    return parts[0].getType() == b.getI32Type()
               ? parts[0]
               : Value(LLVM::BitcastOp::create(b, b.getI32Type(), parts[0]));
  auto vector = VectorType::get(int64_t(parts.size()), parts.front().getType());
  // Both halves are rounded by one instruction.
  if (parts.size() == 2 && (type.isF16() || type.isBF16()))
    if (Value low = wideSource(parts[0]), high = wideSource(parts[1]);
        low && high) {
      auto nearest = NVVM::FPRoundingModeAttr::get(b.getContext(),
                                                   NVVM::FPRoundingMode::RN);
      OperationState state(
          b.getLoc(), type.isF16()
                          ? NVVM::ConvertF32x2ToF16x2Op::getOperationName()
                          : NVVM::ConvertF32x2ToBF16x2Op::getOperationName());
      state.addOperands({high, low});
      state.addTypes(vector);
      state.addAttribute("rnd", nearest);
      return LLVM::BitcastOp::create(b, b.getI32Type(),
                                     b.create(state)->getResult(0));
    }
  if (parts.size() == 2)
    if (Value pair = computePair(b, parts[0], parts[1]))
      return LLVM::BitcastOp::create(b, b.getI32Type(), pair);
  Value packed = LLVM::UndefOp::create(b, vector);
  for (auto [i, part] : llvm::enumerate(parts))
    packed = LLVM::InsertElementOp::create(b, packed, part, i32(i));
  return LLVM::BitcastOp::create(b, b.getI32Type(), packed);
}

void KernelLowering::unpackWord(Value word, Type type,
                                SmallVectorImpl<Value> &to) {
  Type lane = getLaneType(type);
  int64_t n = perWord(type);
  if (n == 1) {
    to.push_back(lane.isInteger(32)
                     ? word
                     : Value(LLVM::BitcastOp::create(b, lane, word)));
    return;
  }
  Value packed = LLVM::BitcastOp::create(b, VectorType::get(n, lane), word);
  for (int64_t i = 0; i < n; ++i)
    to.push_back(LLVM::ExtractElementOp::create(b, packed, i32(i)));
}

LaneValue KernelLowering::as(Value value, Form form, int64_t depth) {
  LaneValue have = values.find(value)->second;
  if (have.form == form && have.depth == depth)
    return have;
  LaneValue result;
  result.form = form;
  if (form == Form::Cursor) {
    // Where a cursor starts, or one of a ring of another depth.
    Value count = have.parts.front();
    result.depth = depth;
    result.parts = {
        count, b.createOrFold<arith::RemUIOp>(count, i32(depth)),
        b.createOrFold<arith::AndIOp>(
            b.createOrFold<arith::DivUIOp>(count, i32(depth)), i32(1))};
    return result;
  }
  if (have.form == Form::Cursor) {
    result.parts = {have.parts.front()};
    return result;
  }
  if (have.form == Form::Words && form == Form::Elements) {
    Type type = cast<frag::FragmentType>(value.getType()).getElementType();
    for (Value word : have.parts)
      unpackWord(word, type, result.parts);
    return result;
  }
  if (have.form == Form::Elements && form == Form::Words) {
    Type type = cast<frag::FragmentType>(value.getType()).getElementType();
    int64_t n = perWord(type);
    for (size_t i = 0; i < have.parts.size(); i += n)
      result.parts.push_back(packWord(ArrayRef(have.parts).slice(i, n), type));
    return result;
  }
  return have;
}

SmallVector<Value> KernelLowering::elements(Value fragment) {
  return as(fragment, Form::Elements).parts;
}
SmallVector<Value> KernelLowering::words(Value fragment) {
  return as(fragment, Form::Words).parts;
}

/// Calls `visit` for every use of a value and of what loops and branches make
/// of it, until it returns false; false if it did.
static bool everyUse(Value value, function_ref<bool(OpOperand &)> visit) {
  SmallVector<Value> todo{value};
  llvm::SmallPtrSet<OpOperand *, 8> seen;
  while (!todo.empty())
    for (OpOperand &use : todo.pop_back_val().getUses()) {
      if (!seen.insert(&use).second)
        continue;
      SmallVector<Value> carried = tile::carriedTo(use);
      if (carried.empty() && !visit(use))
        return false;
      todo.append(carried);
    }
  return true;
}

std::pair<Form, int64_t> KernelLowering::carriedForm(Value init,
                                                     Value carried) {
  const LaneValue &have = values.find(init)->second;
  auto same = std::pair(have.form, have.depth);
  if (init.getType().isInteger(32) && have.form == Form::Scalar) {
    int64_t depth = 0;
    everyUse(carried, [&](OpOperand &use) {
      if (auto acquire = dyn_cast<frag::AcquireOp>(use.getOwner()))
        depth = acquire.getRing().getType().getRing().getDepth();
      return depth == 0;
    });
    return depth ? std::pair(Form::Cursor, depth) : same;
  }
  auto fragment = dyn_cast<frag::FragmentType>(init.getType());
  if (!fragment || have.form != Form::Elements)
    return same;
  // A register set that is filled for the next round and only stored or
  // multiplied: words, whatever the first value is.
  Type type = fragment.getElementType();
  int64_t n = perWord(type),
          count = fragment.getLayout().getRegisterCount(fragment.getShape());
  bool moved = n > 1 && count % n == 0 && everyUse(carried, [](OpOperand &use) {
                 auto mma = dyn_cast<frag::MmaOp>(use.getOwner());
                 auto start = dyn_cast<frag::MmaStartOp>(use.getOwner());
                 return isa<frag::WriteOp, frag::AwaitOp>(use.getOwner()) ||
                        (mma && use.get() != mma.getAcc()) ||
                        (start && use.get() != start.getAcc());
               });
  return moved ? std::pair(Form::Words, int64_t(0)) : same;
}
