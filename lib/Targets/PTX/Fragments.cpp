// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work on the registers of a lane.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;
using Offsets = SmallVector<SmallVector<int64_t>>;

static Offsets registersOf(frag::FragmentType type) {
  return type.getLayout().getRegisterOffsets(type.getShape());
}

LogicalResult KernelLowering::lowerSplat(frag::SplatOp op) {
  frag::FragmentType type = op.getType();
  if (!type.getLayout().hasCoordinates())
    return op.emitOpError("into the layout ")
           << type.getLayout() << " is not lowered to PTX";
  int64_t count = type.getLayout().getRegisterCount(type.getShape());
  set(op.getResult(), Form::Elements,
      SmallVector<Value>(count, scalar(op.getValue())));
  return success();
}

LogicalResult KernelLowering::lowerIota(frag::IotaOp op) {
  frag::FragmentType type = op.getType();
  Type element = type.getElementType();
  if (!element.isIndex() && !element.isInteger(32))
    return op.emitOpError("of ")
           << element << " is not lowered to PTX yet; index and i32 are";
  int64_t dim = op.getDim();
  AffineMap base = type.getLayout().getBaseMap(type.getShape());
  Value at = laneValue(type.getLayout(), base.getResult(dim));
  auto narrow = [&](Value value) {
    return element.isIndex() ? toI64(value) : toI32(value);
  };
  at = narrow(at);
  if (op.getBase())
    at = add(at, narrow(scalar(op.getBase())));
  if (!at)
    at = element.isIndex() ? i64(0) : i32(0);
  SmallVector<Value> parts;
  for (const auto &reg : registersOf(type))
    parts.push_back(addConstant(at, reg[dim]));
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
  if (value.form == Form::Words) {
    size_t n = source.size() / value.parts.size();
    bool whole = picked.size() % n == 0;
    for (size_t i = 0; whole && i < picked.size(); ++i)
      whole =
          picked[i] == picked[i - i % n] + i % n && picked[i - i % n] % n == 0;
    if (whole) {
      for (size_t i = 0; i < picked.size(); i += n)
        parts.push_back(value.parts[picked[i] / n]);
      set(op.getResult(), Form::Words, parts);
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
    return op.emitOpError("of the layout ")
           << result.getLayout() << " is not lowered to PTX";
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
    std::map<SmallVector<int64_t>, size_t> at;
    for (auto [i, reg] : llvm::enumerate(own))
      at.try_emplace(reg, i);
    index.emplace_back();
    for (SmallVector<int64_t> reg : registers) {
      if (broadcast)
        reg.erase(reg.begin() + slice.getDim());
      auto found = at.find(reg);
      if (found == at.end())
        return op.emitOpError(
                   "expected an input that covers the result's registers, got ")
               << type;
      index.back().push_back(found->second);
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
