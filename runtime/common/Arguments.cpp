//===- Arguments.cpp - Checks of a launch's arguments -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Common.h"
#include <algorithm>

namespace helios::rt {

using namespace bundle;

namespace {

std::string place(const bundle::Kernel &kernel, size_t i) {
  const Argument &a = kernel.arguments[i];
  return "kernel '" + kernel.name + "', argument " + std::to_string(i) + " '" +
         a.name + "': ";
}

std::string listText(const std::vector<int64_t> &v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i)
    s += (i ? ", " : "") + std::to_string(v[i]);
  return s + "]";
}

/// Strides of a dense tensor; false if its element count overflows.
bool denseStrides(const std::vector<int64_t> &extents,
                  std::vector<int64_t> &strides) {
  strides.assign(extents.size(), 1);
  int64_t running = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    strides[d] = running;
    if (__builtin_mul_overflow(running, extents[d] > 0 ? extents[d] : 1,
                               &running))
      return false;
  }
  return true;
}

/// Elements from the first to one past the last; nullopt on overflow.
std::optional<int64_t> spanOf(const std::vector<int64_t> &extents,
                              const std::vector<int64_t> &strides) {
  int64_t last = 0;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 0)
      return 0;
    int64_t step;
    if (__builtin_mul_overflow(extents[d] - 1, strides[d], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  int64_t span;
  if (__builtin_add_overflow(last, 1, &span))
    return std::nullopt;
  return span;
}

/// Whether two elements of a result may share an address: sorted by stride,
/// each must step over all that the smaller ones span.
bool overlaps(const std::vector<int64_t> &extents,
              const std::vector<int64_t> &strides) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < extents.size(); ++d)
    if (extents[d] > 1)
      dims.push_back({strides[d], extents[d]});
  std::sort(dims.begin(), dims.end());
  int64_t span = 1;
  for (auto [stride, extent] : dims) {
    if (stride < span)
      return true;
    span = stride * (extent - 1) + span; // cannot overflow: spanOf succeeded
  }
  return false;
}

Status checkTensor(const bundle::Kernel &kernel, size_t i,
                   const LaunchArgument &argument, bool anyOffset,
                   const Device &device, ArgumentValue &value,
                   BoundTensor &bound) {
  const Argument &a = kernel.arguments[i];
  const DeviceInfo &info = device.info();
  std::string where = place(kernel, i);
  if (!argument.buffer)
    return Status::invalidInput(where + "no buffer given");
  if (argument.buffer->device().get() != &device)
    return Status::invalidInput(
        where + "its buffer belongs to another device than " + info.id);
  if (argument.extents.size() != a.rank())
    return Status::invalidInput(where + "rank " +
                                std::to_string(argument.extents.size()) +
                                ", expected " + std::to_string(a.rank()));
  for (size_t d = 0; d < a.rank(); ++d) {
    if (argument.extents[d] < 0)
      return Status::invalidInput(
          where + "extent " + std::to_string(argument.extents[d]) +
          " of dimension " + std::to_string(d) + " is negative");
    if (a.extents[d] >= 0 && argument.extents[d] != a.extents[d])
      return Status::invalidInput(
          where + "extent " + std::to_string(argument.extents[d]) +
          " of dimension " + std::to_string(d) +
          ", the kernel was compiled for " + std::to_string(a.extents[d]));
  }
  value.extents = argument.extents;
  value.strides = argument.strides;
  if (value.strides.empty() && !denseStrides(value.extents, value.strides))
    return Status::invalidInput(where + "extents " + listText(value.extents) +
                                " overflow 64 bits");
  if (value.strides.size() != a.rank())
    return Status::invalidInput(where + std::to_string(value.strides.size()) +
                                " strides for rank " +
                                std::to_string(a.rank()));
  for (size_t d = 0; d < a.rank(); ++d)
    if (value.strides[d] < 0)
      return Status::invalidInput(
          where + "stride " + std::to_string(value.strides[d]) +
          " of dimension " + std::to_string(d) + " is negative");
  uint64_t element = elementBytes(a.type);
  if (argument.byteOffset % element != 0)
    return Status::invalidInput(
        where + "byte offset " + std::to_string(argument.byteOffset) +
        " is not a multiple of the element size " + std::to_string(element));
  std::optional<int64_t> span = spanOf(value.extents, value.strides);
  uint64_t bytes = 0;
  if (!span ||
      __builtin_mul_overflow(static_cast<uint64_t>(*span), element, &bytes))
    return Status::invalidInput(where + "extents " + listText(value.extents) +
                                " with strides " + listText(value.strides) +
                                " overflow 64 bits");
  uint64_t size = argument.buffer->size();
  if (argument.byteOffset > size || bytes > size - argument.byteOffset)
    return Status::invalidInput(
        where + "extents " + listText(value.extents) + " with strides " +
        listText(value.strides) + " need " + std::to_string(bytes) +
        " bytes from " + std::to_string(argument.byteOffset) +
        ", the buffer has " + std::to_string(size));
  if (a.isResult && overlaps(value.extents, value.strides))
    return Status::invalidInput(where + "strides " + listText(value.strides) +
                                " of extents " + listText(value.extents) +
                                " make elements of a result share addresses");

  // Wrapped memory may begin anywhere, other buffers at multiples of 256.
  uint64_t address = argument.buffer->deviceAddress() + argument.byteOffset;
  if (address % element != 0)
    return Status::invalidInput(where + "address " + std::to_string(address) +
                                " is not a multiple of the element size " +
                                std::to_string(element));
  uint64_t alignment = address ? address & (~address + 1) : 256;
  value.alignment = static_cast<int64_t>(alignment < 256 ? alignment : 256);
  uint64_t unit = info.storageBufferAlignment ? info.storageBufferAlignment : 1;
  uint64_t rest = argument.byteOffset % unit;
  if (rest != 0 && (!anyOffset || rest % element != 0))
    return Status::unsupported(
        where + "byte offset " + std::to_string(argument.byteOffset) +
        " is not a multiple of the device's minStorageBufferOffsetAlignment " +
        std::to_string(unit) + ", and the kernel takes no other");
  value.offset = static_cast<int64_t>(rest / element);
  if (bytes == 0)
    return Status::success();
  bound.offset = argument.byteOffset - rest;
  bound.bytes = bytes + rest;
  if (bound.bytes > info.maxStorageBufferRange)
    return Status::unsupported(
        where + std::to_string(bound.bytes) +
        " bytes; the device binds at most maxStorageBufferRange " +
        std::to_string(info.maxStorageBufferRange));
  return Status::success();
}

Status checkScalar(const bundle::Kernel &kernel, size_t i,
                   const LaunchArgument &argument, ArgumentValue &value) {
  const Argument &a = kernel.arguments[i];
  if (argument.buffer)
    return Status::invalidInput(place(kernel, i) +
                                "a tensor given, expected a scalar of type " +
                                elementTypeName(a.type));
  uint32_t bits = elementBits(a.type);
  value.scalar = argument.scalarBits;
  if (bits == 64)
    return Status::success();
  if (isFloat(a.type)) {
    uint64_t mask = (uint64_t(1) << bits) - 1;
    uint64_t raw = static_cast<uint64_t>(argument.scalarBits) & mask;
    // f32 travels as a signed word; 16-bit types as their bits.
    value.scalar =
        bits == 32 ? static_cast<int32_t>(raw) : static_cast<int64_t>(raw);
    return Status::success();
  }
  int64_t low = a.type == ElementType::U8 ? 0 : -(int64_t(1) << (bits - 1));
  int64_t high =
      a.type == ElementType::U8 ? 255 : (int64_t(1) << (bits - 1)) - 1;
  if (argument.scalarBits < low || argument.scalarBits > high)
    return Status::invalidInput(place(kernel, i) + "value " +
                                std::to_string(argument.scalarBits) +
                                " does not fit " + elementTypeName(a.type));
  return Status::success();
}

} // namespace

Result<CheckedArguments>
checkArguments(const bundle::Kernel &kernel, const Plan &plan,
               const std::vector<LaunchArgument> &arguments,
               const Device &device) {
  if (arguments.size() != kernel.arguments.size())
    return Status::invalidInput(
        "kernel '" + kernel.name + "': " + std::to_string(arguments.size()) +
        " arguments given, expected " +
        std::to_string(kernel.arguments.size()) + " (inputs, then results)");
  std::vector<bool> usesOffset(arguments.size(), false);
  for (const Expr &e : plan.exprs)
    if (e.op == ExprOp::Offset)
      usesOffset[e.operands[0]] = true;
  CheckedArguments checked;
  fillDeviceProperties(device.info(), checked.input);
  checked.input.arguments.resize(arguments.size());
  checked.tensors.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    Status s =
        kernel.arguments[i].kind == ArgumentKind::Tensor
            ? checkTensor(kernel, i, arguments[i], usesOffset[i], device,
                          checked.input.arguments[i], checked.tensors[i])
            : checkScalar(kernel, i, arguments[i], checked.input.arguments[i]);
    if (!s.ok())
      return s;
  }
  return checked;
}

} // namespace helios::rt
