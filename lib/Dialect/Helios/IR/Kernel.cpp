// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.kernel and helios.return.

#include "Verify.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace helios;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

ReturnOp KernelOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

LogicalResult KernelOp::verify() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (failed(
              check::verifyTensorType(*this, tensor, "argument " + Twine(i))))
        return failure();
      continue;
    }
    if (!type.isIndex() && !type.isInteger(32) && !type.isInteger(64) &&
        !type.isF16() && !type.isBF16() && !type.isF32())
      return emitOpError() << "argument " << i
                           << " must be a ranked tensor or a scalar of type "
                              "index, i32, i64, f16, bf16 or f32, got "
                           << type;
  }
  if (ArrayAttr others = getAlternativesAttr()) {
    size_t expected = others.size() + 1;
    if (!getScheduleAttr())
      return emitOpError("has alternatives to no schedule; give it one");
    if (!getWeights() || getWeights()->size() != expected)
      return emitOpError() << "must have " << expected
                           << " weights, one for its schedule and each "
                              "alternative, got "
                           << (getWeights() ? getWeights()->size() : 0);
    std::optional<ArrayRef<int64_t>> unaligned = getUnalignedWeights();
    if (unaligned && unaligned->size() != expected)
      return emitOpError() << "must have as many unaligned_weights as weights, "
                           << expected << ", got " << unaligned->size();
    std::optional<ArrayRef<int64_t>> alone = getAloneWeights();
    if (alone && alone->size() != expected)
      return emitOpError() << "must have as many alone_weights as weights, "
                           << expected << ", got " << alone->size();
    for (int64_t weight : llvm::concat<const int64_t>(
             *getWeights(), unaligned.value_or(ArrayRef<int64_t>()),
             alone.value_or(ArrayRef<int64_t>())))
      if (weight < 1 || weight > INT32_MAX)
        return emitOpError()
               << "must have weights in [1, 2147483647], got " << weight;
    std::optional<ArrayRef<int64_t>> items = getItemWeights();
    if (items && items->size() != 2 * expected)
      return emitOpError() << "must have " << 2 * expected
                           << " item_weights, for a tile and for the end of a "
                              "launch of each schedule, got "
                           << items->size();
    if (int64_t weight = getWorkgroupWeight().value_or(0);
        weight < 0 || weight > INT32_MAX || (weight && !items))
      return emitOpError() << "must have 'workgroup_weight' in [0, 2147483647] "
                              "and beside item_weights, got "
                           << weight;
    // What some schedules do beside their product has a price for a dispatch
    // and for an element.
    std::optional<ArrayRef<int64_t>> sums = getSumWeights(),
                                     packed = getPackWeights(),
                                     made = getMakeWeights(),
                                     turned = getTurnWeights();
    auto checkPrice = [&](std::optional<ArrayRef<int64_t>> weights,
                          StringRef name, StringRef element, StringRef what,
                          function_ref<bool(ScheduleAttr)> does) {
      bool isAsked = does(getScheduleAttr()) ||
                     llvm::any_of(others.getAsRange<ScheduleAttr>(), does);
      if (!isAsked || (weights && weights->size() == 2))
        return success();
      return LogicalResult(
          emitOpError() << "must have 2 " << name << ", for a dispatch and for "
                        << element << ", because one of its schedules " << what
                        << ", got " << (weights ? weights->size() : 0));
    };
    if (failed(checkPrice(sums, "sum_weights", "an element of a slice",
                          "splits K",
                          [](ScheduleAttr schedule) {
                            return schedule.getSplitK()[0] != 1;
                          })) ||
        failed(checkPrice(
            packed, "pack_weights", "an element", "packs an operand",
            [](ScheduleAttr schedule) { return schedule.getPack() != 0; })) ||
        failed(checkPrice(made, "make_weights", "an element",
                          "makes a right operand",
                          [](ScheduleAttr schedule) {
                            return (schedule.getApart() & kApartRight) != 0;
                          })) ||
        failed(checkPrice(
            turned, "turn_weights", "an element", "turns an operand",
            [](ScheduleAttr schedule) { return schedule.getTurn() != 0; })))
      return failure();
    std::optional<ArrayRef<int64_t>> written = getWriteWeights();
    if (written && written->size() != 3)
      return emitOpError() << "must have 3 write_weights, for an item, for a "
                              "byte of it and the bytes from which on they "
                              "count, got "
                           << written->size();
    std::optional<ArrayRef<int64_t>> read = getReadWeights();
    if (read && (read->size() != 4 + expected || !items))
      return emitOpError() << "must have " << 4 + expected
                           << " read_weights, for the bits from which on they "
                              "count, an element of a row, one of a column, "
                              "1024 bytes and each schedule, beside "
                              "item_weights, got "
                           << read->size();
    std::optional<ArrayRef<int64_t>> outside = getOutsideWeights();
    if (outside && (outside->size() != 6 || !items))
      return emitOpError()
             << "must have 6 outside_weights, three for a row and "
                "for a column each, beside item_weights, got "
             << outside->size();
    for (auto [name, weights] :
         {std::pair("sum_weights", sums), std::pair("pack_weights", packed),
          std::pair("make_weights", made), std::pair("turn_weights", turned),
          std::pair("item_weights", items), std::pair("write_weights", written),
          std::pair("outside_weights", outside),
          std::pair("read_weights", read)})
      for (int64_t weight : weights.value_or(ArrayRef<int64_t>()))
        if (weight < 0 || weight > INT32_MAX)
          return emitOpError() << "must have " << name
                               << " in [0, 2147483647], got " << weight;
  }
  int64_t schedules = !getScheduleAttr()       ? 0
                      : !getAlternativesAttr() ? 1
                                               : getAlternatives()->size() + 1;
  if (int64_t modelled = getModelled().value_or(0);
      modelled < 0 || modelled > schedules)
    return emitOpError() << "must have 'modelled' in [0, " << schedules
                         << "], the number of its schedules, got " << modelled;
  if (ArrayAttr ranges = getTunedAttr())
    for (auto tuned : ranges.getAsRange<TunedAttr>())
      if (tuned.getChoice() >= schedules)
        return emitOpError()
               << "must have 'tuned' name one of its " << schedules
               << " schedules, got number " << tuned.getChoice();
  if (getResultTypes().empty())
    return emitOpError(
        "must have at least one result: a kernel returns what it computes");
  for (auto [i, type] : llvm::enumerate(getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return emitOpError() << "result " << i << " must be a ranked tensor, got "
                           << type;
    if (failed(check::verifyTensorType(*this, tensor, "result " + Twine(i))))
      return failure();
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (!isa<ReturnOp>(getBody().front().back()))
    return emitOpError("must end in 'helios.return'");
  return success();
}

LogicalResult ReturnOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  ArrayRef<Type> results = kernel.getResultTypes();
  if (getNumOperands() != results.size())
    return emitOpError() << "must return " << results.size() << " values, as '@"
                         << kernel.getSymName() << "' declares, got "
                         << getNumOperands();
  for (auto [i, operand, expected] :
       llvm::enumerate(getOperandTypes(), results))
    if (operand != expected)
      return emitOpError() << "value " << i << " must be of type " << expected
                           << ", as '@" << kernel.getSymName()
                           << "' declares, got " << operand;
  return success();
}
