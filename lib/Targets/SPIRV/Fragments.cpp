// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work on fragments whose elements have known places.

#include "KernelLowering.h"
#include "helios/Targets/Registers.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

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
    value = splatMatrix(*matrix, value);
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
  FailureOr<SmallVector<size_t>> picked = sourcesOf(op);
  if (failed(picked))
    return failure();
  LaneValue value = resolved(values.find(op.getFragment())->second);
  SmallVector<Value> parts;
  if (value.form == Form::Packets) {
    frag::FragmentType from = op.getFragment().getType();
    size_t n = registersOf(from).size() / value.parts.size();
    if (areWholeParts(*picked, n)) {
      for (size_t i = 0; i < picked->size(); i += n)
        parts.push_back(value.parts[(*picked)[i] / n]);
      set(op.getResult(), Form::Packets, parts);
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
    return mapMatrices(op);
  FailureOr<SmallVector<SmallVector<size_t>>> sources = sourcesOf(op);
  if (failed(sources))
    return failure();
  SmallVector<SmallVector<Value>> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(elements(input));
  Block &body = op.getBody().front();
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  size_t count = registersOf(result).size();
  for (size_t r = 0; r < count; ++r) {
    for (auto [i, arg] : llvm::enumerate(body.getArguments()))
      setScalar(arg, inputs[i][(*sources)[i][r]]);
    if (failed(lowerBlock(body)))
      return failure();
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      parts[i].push_back(scalar(value));
  }
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    set(value, Form::Elements, parts[i]);
  return success();
}
