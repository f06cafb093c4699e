//===- Arguments.cpp - Parameters of a kernel on a command line -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "emulator/Numbers.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace helios {

namespace {

struct TypeName {
  const char *name;
  uint32_t bytes;
  emu::TensorMap::Element element;
};
using M = emu::TensorMap::Element;
const TypeName types[] = {
    {"u8", 1, M::Bits},   {"s8", 1, M::Bits},  {"b8", 1, M::Bits},
    {"u16", 2, M::Bits},  {"b16", 2, M::Bits}, {"u32", 4, M::Bits},
    {"s32", 4, M::I32},   {"b32", 4, M::Bits}, {"u64", 8, M::Bits},
    {"s64", 8, M::Bits},  {"b64", 8, M::Bits}, {"f16", 2, M::F16},
    {"bf16", 2, M::BF16}, {"f32", 4, M::F32},  {"f64", 8, M::F64}};

const TypeName *find(const std::string &name) {
  for (const TypeName &t : types)
    if (name == t.name)
      return &t;
  return nullptr;
}

/// The bits of a number of a type; 0x... are bits of any type.
bool encode(const TypeName &t, const std::string &text, uint64_t &bits) {
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  bool isFloat = t.element == M::F16 || t.element == M::BF16 ||
                 t.element == M::F32 || t.element == M::F64;
  if (!isFloat || text.compare(0, 2, "0x") == 0) {
    bits = text[0] == '-' ? uint64_t(std::strtoll(begin, &end, 0))
                          : std::strtoull(begin, &end, 0);
  } else {
    double v = std::strtod(begin, &end);
    bits = t.element == M::F16
               ? emu::roundTo(emu::kF16, v, emu::Rounding::Nearest)
           : t.element == M::BF16
               ? emu::roundTo(emu::kBF16, v, emu::Rounding::Nearest)
           : t.element == M::F32 ? emu::bitsOf<uint32_t>(float(v))
                                 : emu::bitsOf<uint64_t>(v);
  }
  return !text.empty() && *end == 0 && errno == 0;
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

bool numbers(const std::string &text, std::vector<uint64_t> &out) {
  for (const std::string &p : split(text, 'x')) {
    char *end = nullptr;
    out.push_back(std::strtoull(p.c_str(), &end, 10));
    if (p.empty() || *end)
      return false;
  }
  return true;
}

} // namespace

std::string HostBuffer::element(uint64_t n) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data + n * elementBytes, elementBytes);
  char text[40];
  if (type == "f16" || type == "bf16")
    std::snprintf(
        text, sizeof(text), "%.9g",
        emu::valueOf(type == "f16" ? emu::kF16 : emu::kBF16, uint32_t(bits)));
  else if (type == "f32")
    std::snprintf(text, sizeof(text), "%.9g",
                  double(emu::bitsOf<float>(uint32_t(bits))));
  else if (type == "f64")
    std::snprintf(text, sizeof(text), "%.17g", emu::bitsOf<double>(bits));
  else if (type[0] == 's')
    std::snprintf(
        text, sizeof(text), "%lld",
        static_cast<long long>(int64_t(bits << (64 - 8 * elementBytes)) >>
                               (64 - 8 * elementBytes)));
  else if (type[0] == 'b')
    std::snprintf(text, sizeof(text), "0x%0*llx", int(2 * elementBytes),
                  static_cast<unsigned long long>(bits));
  else
    std::snprintf(text, sizeof(text), "%llu",
                  static_cast<unsigned long long>(bits));
  return text;
}

Status Arguments::addBuffer(Item &item, const std::vector<std::string> &parts) {
  const TypeName *t = parts.size() > 2 ? find(parts[1]) : nullptr;
  char *end = nullptr;
  uint64_t count =
      parts.size() > 2 ? std::strtoull(parts[2].c_str(), &end, 10) : 0;
  if (!t || !end || *end || count > uint64_t(1) << 32)
    return Status::invalidInput("--arg " + item.text +
                                ": expected buffer:TYPE:COUNT[:INIT][:in]");
  auto b = std::make_unique<HostBuffer>();
  b->type = t->name;
  b->elementBytes = t->bytes;
  b->count = count;
  uint64_t bytes = count * t->bytes;
  b->memory.reset(new uint8_t[bytes + 512]);
  b->data = b->memory.get() +
            (256 - reinterpret_cast<uintptr_t>(b->memory.get()) % 256);
  std::string init = parts.size() > 3 ? parts[3] : "zero";
  b->readOnly = parts.size() > 4 && parts[4] == "in";
  if (parts.size() > 5 || (parts.size() > 4 && !b->readOnly))
    return Status::invalidInput("--arg " + item.text +
                                ": expected nothing or 'in' at its end");
  b->initialized.assign(bytes, init != "none");
  std::memset(b->data, init == "none" ? 0xcd : 0, bytes);
  uint64_t random = 88172645463325252ull + items.size();
  uint64_t constant = 0;
  bool fills = init == "iota" || init == "random";
  if (init[0] == '@') {
    FILE *f = std::fopen(init.c_str() + 1, "rb");
    size_t got = f ? std::fread(b->data, 1, bytes, f) : 0;
    if (f)
      std::fclose(f);
    if (got != bytes)
      return Status::invalidInput(
          "--arg " + item.text + ": expected " + std::to_string(bytes) +
          " bytes in " + init.substr(1) + ", got " + std::to_string(got));
  } else if (!fills && init != "none" && init != "zero" &&
             !encode(*t, init, constant)) {
    return Status::invalidInput("--arg " + item.text +
                                ": expected none, zero, iota, random, a number "
                                "or @FILE, got '" +
                                init + "'");
  }
  for (uint64_t n = 0; n < count && (fills || constant); ++n) {
    uint64_t v = constant;
    if (init == "iota") {
      encode(*t, std::to_string(n), v);
    } else if (init == "random") {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      // Small multiples of 1/4: sums of products of them are exact.
      encode(*t,
             std::to_string(
                 (int(random >> 32 & 15) - 8) *
                 (t->element == M::Bits || t->element == M::I32 ? 1 : 0.25)),
             v);
      if (t->element == M::Bits || t->element == M::I32)
        v = random >> 32;
    }
    std::memcpy(b->data + n * t->bytes, &v, t->bytes);
  }
  uint64_t address = reinterpret_cast<uint64_t>(b->data);
  item.bytes.resize(8);
  std::memcpy(item.bytes.data(), &address, 8);
  item.buffer = std::move(b);
  return Status::success();
}

Status Arguments::addMap(Item &item, const std::vector<std::string> &parts) {
  auto wrong = [&](const std::string &what) {
    return Status::invalidInput(
        "--arg " + item.text + ": " + what +
        "; it is map:ARG:EXTENTS:STRIDES:BOX:SWIZZLE, innermost first, in "
        "elements with x between, strides of dimensions 1 and beyond ('-' for "
        "one dimension)");
  };
  if (parts.size() != 6)
    return wrong("expected six parts");
  const HostBuffer *b = buffer(parts[1]);
  if (!b)
    return wrong("'" + parts[1] + "' is no buffer that was given before");
  const TypeName *t = find(b->type);
  std::vector<uint64_t> extents, strides, box;
  if (!numbers(parts[2], extents) ||
      (parts[3] != "-" && !numbers(parts[3], strides)) ||
      !numbers(parts[4], box) || extents.size() > 5 ||
      extents.size() != box.size() || strides.size() + 1 != extents.size())
    return wrong("the numbers do not fit each other");
  emu::TensorMap map;
  map.element = t->element;
  map.elementBytes = uint8_t(t->bytes);
  map.rank = uint8_t(extents.size());
  map.swizzle = uint8_t(std::atoi(parts[5].c_str()));
  map.address = reinterpret_cast<uint64_t>(b->data);
  for (size_t d = 0; d < extents.size(); ++d) {
    map.extents[d] = uint32_t(extents[d]);
    map.box[d] = uint16_t(box[d]);
    if (d)
      map.strides[d - 1] = strides[d - 1] * t->bytes;
  }
  if (const char *why = emu::checkTensorMap(map))
    return wrong(why);
  item.bytes.resize(sizeof(map));
  std::memcpy(item.bytes.data(), &map, sizeof(map));
  return Status::success();
}

const HostBuffer *Arguments::buffer(const std::string &name) const {
  bool memory = name[0] == 'm';
  const std::vector<Item> &from = memory ? memories : items;
  char *end = nullptr;
  uint64_t n = std::strtoull(name.c_str() + memory, &end, 10);
  return *end == 0 && end != name.c_str() + memory && n < from.size()
             ? from[n].buffer.get()
             : nullptr;
}

Status Arguments::addMemory(const std::string &text) {
  Item item;
  item.text = text;
  std::vector<std::string> parts = split("buffer:" + text, ':');
  Status s = addBuffer(item, parts);
  if (s.ok())
    memories.push_back(std::move(item));
  return s;
}

Status Arguments::add(const std::string &text) {
  Item item;
  item.text = text;
  std::vector<std::string> parts = split(text, ':');
  Status s;
  if (parts[0] == "buffer") {
    s = addBuffer(item, parts);
  } else if (parts[0] == "map") {
    s = addMap(item, parts);
  } else {
    const TypeName *t = find(parts[0]);
    uint64_t bits = 0;
    if (!t || parts.size() != 2 || !encode(*t, parts[1], bits))
      return Status::invalidInput("--arg " + text +
                                  ": expected TYPE:VALUE, buffer:... or "
                                  "map:... (see --help)");
    item.bytes.resize(t->bytes);
    std::memcpy(item.bytes.data(), &bits, t->bytes);
  }
  if (s.ok())
    items.push_back(std::move(item));
  return s;
}

Status Arguments::pack(const emu::ptx::Kernel &kernel,
                       emu::LaunchConfig &config) {
  if (items.size() != kernel.parameters.size()) {
    std::string text = "kernel '" + kernel.name + "' has " +
                       std::to_string(kernel.parameters.size()) +
                       " parameters, got " + std::to_string(items.size()) +
                       " times --arg; the parameters have";
    for (const emu::ptx::Parameter &p : kernel.parameters)
      text += " " + std::to_string(p.bytes);
    return Status::invalidInput(text + " bytes");
  }
  config.parameters.assign(kernel.parameterBytes, 0);
  config.memory.clear();
  auto range = [&](const Item &item, const std::string &name) {
    if (!item.buffer)
      return;
    emu::MemoryRange r;
    r.address = reinterpret_cast<uint64_t>(item.buffer->data);
    r.bytes = item.buffer->count * item.buffer->elementBytes;
    r.writable = !item.buffer->readOnly;
    r.initialized = item.buffer->initialized.data();
    r.name = name;
    config.memory.push_back(r);
  };
  for (size_t n = 0; n < memories.size(); ++n)
    range(memories[n], "memory " + std::to_string(n));
  for (size_t n = 0; n < items.size(); ++n) {
    const Item &item = items[n];
    const emu::ptx::Parameter &p = kernel.parameters[n];
    if (item.bytes.size() != p.bytes)
      return Status::invalidInput("--arg " + item.text + " has " +
                                  std::to_string(item.bytes.size()) +
                                  " bytes, parameter " + std::to_string(n) +
                                  " has " + std::to_string(p.bytes));
    std::memcpy(config.parameters.data() + p.offset, item.bytes.data(),
                p.bytes);
    range(item, "argument " + std::to_string(n));
  }
  return Status::success();
}

} // namespace helios
