//===- StreamChecks.cpp - What every stream checks of an operation -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StreamChecks.h"

namespace helios::rt {

namespace {

Status checkOwned(const Buffer *buffer, const Device &device,
                  const char *what) {
  if (buffer && buffer->device().get() == &device)
    return Status::success();
  return Status::invalidInput(std::string(what) + ": no buffer of device " +
                              device.info().id);
}

} // namespace

Status checkInside(const Buffer &buffer, uint64_t offset, uint64_t bytes,
                   const char *what) {
  uint64_t size = buffer.size();
  if (offset <= size && bytes <= size - offset)
    return Status::success();
  return Status::invalidInput(
      std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
      std::to_string(offset) + " leaves the buffer of " + std::to_string(size) +
      " bytes");
}

Status checkFill(const Buffer *buffer, uint64_t offset, uint64_t bytes,
                 const Device &device) {
  if (Status s = checkOwned(buffer, device, "fill"); !s.ok())
    return s;
  if (offset % 4 || bytes % 4)
    return Status::invalidInput("fill: offset " + std::to_string(offset) +
                                " and size " + std::to_string(bytes) +
                                " must be multiples of 4");
  return checkInside(*buffer, offset, bytes, "fill");
}

Status checkCopy(const Buffer *from, uint64_t fromOffset, const Buffer *to,
                 uint64_t toOffset, uint64_t bytes, const Device &device) {
  if (Status s = checkOwned(from, device, "copy"); !s.ok())
    return s;
  if (Status s = checkOwned(to, device, "copy"); !s.ok())
    return s;
  if (Status s = checkInside(*from, fromOffset, bytes, "copy from"); !s.ok())
    return s;
  if (Status s = checkInside(*to, toOffset, bytes, "copy to"); !s.ok())
    return s;
  // Wrapped buffers may lie in one another, so addresses are compared where
  // there are any.
  bool areNear = from == to;
  if (from->deviceAddress() && to->deviceAddress()) {
    fromOffset += from->deviceAddress();
    toOffset += to->deviceAddress();
    areNear = true;
  }
  if (areNear && fromOffset < toOffset + bytes && toOffset < fromOffset + bytes)
    return Status::invalidInput("copy: source and destination overlap");
  return Status::success();
}

Status checkWait(const Stream &other, const Device &device) {
  if (other.device().get() == &device)
    return Status::success();
  return Status::invalidInput(
      "wait: the stream belongs to another device than " + device.info().id);
}

Status checkReached(Event event, uint64_t serial) {
  if (event.serial <= serial)
    return Status::success();
  return Status::invalidInput("wait: event " + std::to_string(event.serial) +
                              " of a stream that is at " +
                              std::to_string(serial));
}

Status checkKept(Event event, uint64_t serial, uint64_t kept) {
  if (event.serial && event.serial <= serial && serial - event.serial < kept)
    return Status::success();
  return Status::invalidInput("event " + std::to_string(event.serial) +
                              " is not among the last " + std::to_string(kept) +
                              " of this stream (it is at " +
                              std::to_string(serial) + ")");
}

Status checkTimed(size_t rotation, uint32_t count) {
  if (rotation && count && count <= maxTimedLaunches)
    return Status::success();
  return Status::invalidInput(
      "time: " + std::to_string(count) + " launches of " +
      std::to_string(rotation) + " given; expected 1 to " +
      std::to_string(maxTimedLaunches) + " launches of at least one");
}

Status checkNotRecorded(bool recorded, const char *what) {
  return recorded ? Status::invalidInput(std::string(what) +
                                         ": the stream is being recorded")
                  : Status::success();
}

Status checkGraph(const Graph *graph, const Device &device) {
  if (graph && graph->device().get() == &device)
    return Status::success();
  return Status::invalidInput("replay: no graph of device " + device.info().id);
}

Status checkLaunch(const Launch *launch, const Device &device) {
  if (launch && launch->device().get() == &device)
    return Status::success();
  return Status::invalidInput("no launch of device " + device.info().id);
}

} // namespace helios::rt
