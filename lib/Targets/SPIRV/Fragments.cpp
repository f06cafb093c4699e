// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work on fragments whose elements have known places.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;
using Offsets = SmallVector<SmallVector<int64_t>>;

static Offsets registersOf(frag::FragmentType type) {
  return type.getLayout().getRegisterOffsets(type.getShape());
}

LogicalResult KernelLowering::lowerSplat(frag::SplatOp op) {
  frag::FragmentType type = op.getType();
  int64_t count = type.getLayout().getRegisterCount(type.getShape());
  Value value = scalar(op.getValue());
  if (!type.getLayout().hasCoordinates()) {
    FailureOr<spirv::CooperativeMatrixType> matrix = matrixType(op, type);
    if (failed(matrix))
      return failure();
    if (type.getElementType().isBF16())
      return op.emitOpError("of bf16 matrices is not lowered to SPIR-V yet");
    value = spirv::CompositeConstructOp::create(b, *matrix, ValueRange{value});
    set(op.getResult(), Form::Matrices, SmallVector<Value>(count, value));
    return success();
  }
  set(op.getResult(), Form::Elements, SmallVector<Value>(count, value));
  return success();
}

LogicalResult KernelLowering::lowerIota(frag::IotaOp op) {
  frag::FragmentType type = op.getType();
  if (!type.getElementType().isIndex() && !type.getElementType().isInteger(32))
    return op.emitOpError("of ")
           << type.getElementType()
           << " is not lowered to SPIR-V yet; index and i32 are";
  int64_t dim = op.getDim();
  Value base = laneBase(type.getLayout(), type.getShape())[dim].value;
  if (op.getBase())
    base = add(base, scalar(op.getBase()));
  SmallVector<Value> parts;
  for (const auto &reg : registersOf(type))
    parts.push_back(addConstant(base, reg[dim]));
  set(op.getResult(), Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::lowerSlice(frag::SliceOp op) {
  frag::FragmentType from = op.getFragment().getType(), to = op.getType();
  SmallVector<int64_t> block = from.getLayout().getBlockShape();
  for (auto [d, extent] : llvm::enumerate(to.getShape()))
    if (extent != from.getShape()[d] && extent % block[d])
      return op.emitOpError("expected an extent of whole repetitions of ")
             << block[d] << " in dimension " << d << ", got " << extent;
  Offsets source = registersOf(from);
  SmallVector<size_t> picked;
  for (SmallVector<int64_t> reg : registersOf(to)) {
    for (auto [d, offset] : llvm::enumerate(op.getOffsets()))
      reg[d] += offset;
    picked.push_back(llvm::find(source, reg) - source.begin());
  }
  LaneValue value = values.find(op.getFragment())->second;
  SmallVector<Value> parts;
  if (value.form == Form::Packets) {
    size_t n = source.size() / value.parts.size();
    bool whole = picked.size() % n == 0;
    for (size_t i = 0; whole && i < picked.size(); ++i)
      whole =
          picked[i] == picked[i - i % n] + i % n && picked[i - i % n] % n == 0;
    if (whole) {
      for (size_t i = 0; i < picked.size(); i += n)
        parts.push_back(value.parts[picked[i] / n]);
      set(op.getResult(), Form::Packets, parts);
      return success();
    }
    value = as(op.getFragment(), Form::Elements);
  }
  for (size_t i : picked)
    parts.push_back(value.parts[i]);
  set(op.getResult(), value.form, parts);
  return success();
}

LogicalResult KernelLowering::lowerMap(frag::MapOp op) {
  auto result = cast<frag::FragmentType>(op.getResult(0).getType());
  if (!result.getLayout().hasCoordinates())
    return mapMatrices(op);
  Offsets registers = registersOf(result);
  for (Value other : op.getResults())
    if (registersOf(cast<frag::FragmentType>(other.getType())) != registers)
      return op.emitOpError("expected results of one layout, got ")
             << result << " and " << other.getType();
  // Which register of each input belongs to each of the result's.
  SmallVector<SmallVector<Value>> inputs;
  SmallVector<SmallVector<size_t>> index;
  for (Value input : op.getInputs()) {
    auto type = cast<frag::FragmentType>(input.getType());
    Offsets own = registersOf(type);
    auto slice = dyn_cast<tile::SliceAttr>(type.getLayout());
    bool broadcast = type.getShape().size() < result.getShape().size();
    if (broadcast && (!slice || !result.getLayout().isSamePlace(
                                    result.getShape(), slice.getParent())))
      return op.emitOpError("expected an input of a slice of ")
             << result.getLayout() << ", got " << type;
    index.emplace_back();
    for (SmallVector<int64_t> reg : registers) {
      if (broadcast)
        reg.erase(reg.begin() + slice.getDim());
      size_t at = llvm::find(own, reg) - own.begin();
      if (at == own.size())
        return op.emitOpError(
                   "expected an input that covers the result's registers, got ")
               << type;
      index.back().push_back(at);
    }
    inputs.push_back(elements(input));
  }
  Block &body = op.getBody().front();
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  for (size_t r = 0; r < registers.size(); ++r) {
    for (auto [i, arg] : llvm::enumerate(body.getArguments()))
      setScalar(arg, inputs[i][index[i][r]]);
    if (failed(lowerBlock(body)))
      return failure();
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      parts[i].push_back(scalar(value));
  }
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    set(value, Form::Elements, parts[i]);
  return success();
}

/// Combination of two elements. Maxima and minima hand NaN on.
static Value combine(ImplicitLocOpBuilder &b, tile::ReduceKind kind, Value x,
                     Value y) {
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case tile::ReduceKind::Add:
    return isFloat ? Value(arith::AddFOp::create(b, x, y))
                   : Value(arith::AddIOp::create(b, x, y));
  case tile::ReduceKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(b, x, y))
                   : Value(arith::MaxSIOp::create(b, x, y));
  case tile::ReduceKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(b, x, y))
                   : Value(arith::MinSIOp::create(b, x, y));
  case tile::ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  }
  llvm_unreachable("unknown combination");
}

LogicalResult KernelLowering::lowerReduce(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  if (op.getScope() != frag::Scope::Lane || !from.getLayout().hasCoordinates())
    return op.emitOpError("over the lanes of a group is not lowered to SPIR-V "
                          "yet; within a lane is");
  Type type = from.getElementType();
  auto to = cast<frag::FragmentType>(op.getType());
  Offsets source = registersOf(from), target = registersOf(to);
  SmallVector<Value> in = elements(op.getFragment()), parts(target.size());
  for (auto [value, offset] : llvm::zip(in, source)) {
    SmallVector<int64_t> at = offset;
    at.erase(at.begin() + *op.getDim());
    size_t i = llvm::find(target, at) - target.begin();
    if (i == target.size())
      return op.emitOpError("expected a result that covers what is left of ")
             << from << ", got " << to;
    Value wide = type.isBF16() ? toF32(value, type) : value;
    parts[i] = parts[i] ? combine(b, op.getKind(), parts[i], wide) : wide;
  }
  if (type.isBF16())
    for (Value &part : parts)
      part = fromF32(part, type);
  set(op.getResult(), Form::Elements, parts);
  return success();
}
