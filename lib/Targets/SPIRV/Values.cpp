// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms in which a lane holds a fragment, and changes between them. Packets
// are never unpacked on the way from memory to memory.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

Value KernelLowering::scalar(Value value) {
  return values.find(value)->second.parts.front();
}

void KernelLowering::setScalar(Value value, Value lane) {
  set(value, Form::Scalar, {lane});
}

void KernelLowering::set(Value value, Form form, SmallVector<Value> parts) {
  values[value] = LaneValue{form, std::move(parts)};
}

/// Registers of one 32-bit word.
static int64_t perWord(Type elementType) {
  return 32 / elementType.getIntOrFloatBitWidth();
}

Value KernelLowering::packWord(ArrayRef<Value> parts, Type type) {
  if (type.isF16() || type.isInteger(8)) {
    Value vector = spirv::CompositeConstructOp::create(
        b, VectorType::get(perWord(type), type), ValueRange(parts));
    return spirv::BitcastOp::create(b, b.getI32Type(), vector);
  }
  if (type.isBF16())
    return arith::OrIOp::create(
        b, parts[0], arith::ShLIOp::create(b, parts[1], constant(16)));
  return type.isInteger(32)
             ? parts[0]
             : Value(arith::BitcastOp::create(b, b.getI32Type(), parts[0]));
}

void KernelLowering::unpackWord(Value word, Type type,
                                SmallVectorImpl<Value> &to) {
  if (type.isF16() || type.isInteger(8)) {
    int64_t n = perWord(type);
    Value vector = spirv::BitcastOp::create(b, VectorType::get(n, type), word);
    for (int32_t i = 0; i < n; ++i)
      to.push_back(
          spirv::CompositeExtractOp::create(b, vector, ArrayRef<int32_t>{i}));
  } else if (type.isBF16()) {
    to.push_back(arith::AndIOp::create(b, word, constant(0xffff)));
    to.push_back(arith::ShRUIOp::create(b, word, constant(16)));
  } else {
    to.push_back(type.isInteger(32)
                     ? word
                     : Value(arith::BitcastOp::create(b, type, word)));
  }
}

/// Elements of any number of words to 16-byte packets.
Value KernelLowering::pack(ArrayRef<Value> parts, Type type) {
  int64_t n = perWord(type);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(packWord(parts.slice(i * n, n), type));
  return spirv::CompositeConstructOp::create(
      b, VectorType::get(4, b.getI32Type()), words);
}

/// What is used: zeros instead of packets from outside of a view.
LaneValue KernelLowering::resolved(LaneValue value) {
  if (value.guards.empty())
    return value;
  Value zeros = constantPacket(b.getF32Type(), 0);
  for (auto [part, guard] : llvm::zip(value.parts, value.guards))
    part = selectPacket(b, guard, part, zeros);
  value.guards.clear();
  return value;
}

/// What a loop or branch hands on: packets as they are, with their guards.
LaneValue KernelLowering::carried(Value value, Form form, bool guarded) {
  LaneValue have = values.find(value)->second;
  if (!guarded || have.form != Form::Packets)
    have = as(value, form);
  if (guarded && have.guards.empty())
    have.guards.assign(
        have.parts.size(),
        arith::ConstantOp::create(b, b.getBoolAttr(true)).getResult());
  return have;
}

LaneValue KernelLowering::as(Value value, Form form) {
  LaneValue have = resolved(values.find(value)->second);
  if (have.form == form || have.form == Form::Scalar)
    return have;
  Type type = cast<frag::FragmentType>(value.getType()).getElementType();
  LaneValue result;
  result.form = form;
  if (have.form == Form::Packets && form == Form::Elements) {
    for (Value packet : have.parts)
      for (int32_t i = 0; i < 4; ++i)
        unpackWord(
            spirv::CompositeExtractOp::create(b, packet, ArrayRef<int32_t>{i}),
            type, result.parts);
  } else if (have.form == Form::Elements && form == Form::Packets) {
    int64_t n = 4 * perWord(type);
    for (size_t i = 0; i < have.parts.size(); i += n)
      result.parts.push_back(pack(ArrayRef(have.parts).slice(i, n), type));
  } else {
    llvm_unreachable("matrices have no other form");
  }
  return result;
}

SmallVector<Value> KernelLowering::elements(Value fragment) {
  return as(fragment, Form::Elements).parts;
}
SmallVector<Value> KernelLowering::packets(Value fragment) {
  return as(fragment, Form::Packets).parts;
}

/// True if a value is only moved: written to memory, or handed on by a loop or
/// branch to such uses.
static bool onlyMoved(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (!seen.insert(user).second)
      continue;
    if (isa<frag::WriteOp>(user))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      unsigned i = use.getOperandNumber() - loop.getNumControlOperands();
      if (use.getOperandNumber() < loop.getNumControlOperands() ||
          !onlyMoved(loop.getRegionIterArgs()[i], seen) ||
          !onlyMoved(loop.getResult(i), seen))
        return false;
    } else if (isa<scf::YieldOp>(user)) {
      if (isa<scf::IfOp>(user->getParentOp()) &&
          !onlyMoved(user->getParentOp()->getResult(use.getOperandNumber()),
                     seen))
        return false; // A loop's own results are followed from its operand.
    } else {
      return false;
    }
  }
  return true;
}

Form KernelLowering::loopForm(Value init, Value carried) {
  Form form = values.find(init)->second.form;
  auto fragment = dyn_cast<frag::FragmentType>(init.getType());
  if (!fragment || form != Form::Elements)
    return form;
  // A register set that is filled for the next round and only stored: packets,
  // whatever the first value is.
  Type type = fragment.getElementType();
  int64_t registers =
      fragment.getLayout().getRegisterCount(fragment.getShape());
  llvm::SmallPtrSet<Operation *, 8> seen;
  bool packable = type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
                  type.getIntOrFloatBitWidth() <= 32 &&
                  registers % (4 * perWord(type)) == 0;
  return packable && onlyMoved(carried, seen) ? Form::Packets : form;
}
