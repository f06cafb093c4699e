// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work on the registers of a lane.

#include "KernelLowering.h"
#include "helios/Targets/Registers.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

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
    parts.push_back(iotaElement(at, reg[dim], IotaElement::Coordinate));
  set(op.getResult(), Form::Elements, parts);
  return success();
}

LogicalResult KernelLowering::lowerSlice(frag::SliceOp op) {
  FailureOr<SmallVector<size_t>> picked = sourcesOf(op);
  if (failed(picked))
    return failure();
  LaneValue value = values.find(op.getFragment())->second;
  SmallVector<Value> parts;
  if (value.form == Form::Words) {
    frag::FragmentType from = op.getFragment().getType();
    size_t n = registersOf(from).size() / value.parts.size();
    if (areWholeParts(*picked, n)) {
      for (size_t i = 0; i < picked->size(); i += n)
        parts.push_back(value.parts[(*picked)[i] / n]);
      set(op.getResult(), Form::Words, parts);
      return success();
    }
    value = as(op.getFragment(), Form::Elements);
  }
  for (size_t i : *picked)
    parts.push_back(value.parts[i]);
  set(op.getResult(), value.form, parts);
  return success();
}

LogicalResult KernelLowering::lowerMap(frag::MapOp op) {
  auto result = cast<frag::FragmentType>(op.getResult(0).getType());
  if (!result.getLayout().hasCoordinates())
    return op.emitOpError("of the layout ")
           << result.getLayout() << " is not lowered to PTX";
  FailureOr<SmallVector<SmallVector<size_t>>> sources = sourcesOf(op);
  if (failed(sources))
    return failure();
  SmallVector<SmallVector<Value>> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(elements(input));
  Block &body = op.getBody().front();
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  size_t count = registersOf(result).size();
  // What is made of the same elements is made once, which whoever combines the
  // results with other lanes' looks for as well.
  SmallVector<SmallVector<Value>> elementsOf(count);
  DenseMap<ArrayRef<Value>, size_t> made;
  for (size_t r = 0; r < count; ++r) {
    for (auto [input, source] : llvm::zip(inputs, *sources))
      elementsOf[r].push_back(input[source[r]]);
    auto [first, isNew] = made.try_emplace(elementsOf[r], r);
    if (!isNew) {
      for (SmallVector<Value> &part : parts)
        part.push_back(part[first->second]);
      continue;
    }
    for (auto [arg, element] : llvm::zip(body.getArguments(), elementsOf[r]))
      setScalar(arg, element);
    if (failed(lowerBlock(body)))
      return failure();
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      parts[i].push_back(scalar(value));
  }
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    set(value, Form::Elements, parts[i]);
  return success();
}
