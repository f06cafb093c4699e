// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Image.h"
#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <cstring>

namespace helios::bench {

namespace {

uint8_t guardByte(uint64_t offset) {
  return uint8_t(0xa5 ^ (offset * 151 + (offset >> 8) * 29));
}

/// Calls body(dense row, byte offset of its first element) for every row, in
/// parallel.
template <typename Body>
void forRows(const ImageLayout &layout, Body body) {
  const int64_t columns = layout.extents.empty() ? 1 : layout.extents.back();
  const int64_t count = elementCount(layout.extents);
  if (count == 0)
    return;
  const int64_t rows = count / columns;
  const int64_t band = std::max<int64_t>(1, 65536 / columns);
  parallelFor((rows + band - 1) / band, [&](int64_t task) {
    for (int64_t r = task * band; r < std::min(rows, (task + 1) * band); ++r)
      body(r, elementOffset(layout, r * columns), columns);
  });
}

} // namespace

Result<ImageLayout> layoutImage(bundle::ElementType type,
                                const std::vector<int64_t> &extents,
                                int64_t padRows, uint64_t misalign,
                                const std::vector<size_t> &order) {
  ImageLayout layout;
  layout.type = type;
  layout.extents = extents;
  layout.strides.assign(extents.size(), 1);
  int64_t stride = 1;
  bool overflow = false;
  for (size_t n = extents.size(); n-- > 0;) {
    const size_t d = order.empty() ? n : order[n];
    layout.strides[d] = stride;
    const bool isRow = d + 1 == extents.size() && extents.size() > 1;
    const int64_t step =
        std::max<int64_t>(extents[d], 1) + (isRow ? padRows : 0);
    overflow |= __builtin_mul_overflow(stride, step, &stride);
  }
  const auto size = int64_t(bundle::elementBytes(type));
  int64_t payload = 0;
  overflow |= __builtin_mul_overflow(stride, size, &payload) ||
              payload > INT64_MAX - 4 * int64_t(kGuardBytes);
  if (overflow)
    return Status::invalidInput("a tensor of " + formatExtents(extents) + " " +
                                bundle::elementTypeName(type) +
                                " is larger than 2^63 bytes");
  layout.byteOffset = kGuardBytes + misalign;
  layout.bytes =
      (layout.byteOffset + uint64_t(payload) + kGuardBytes + 255) / 256 * 256;
  return layout;
}

uint64_t elementOffset(const ImageLayout &layout, int64_t offset) {
  int64_t element = 0;
  for (size_t d = layout.extents.size(); d-- > 0;) {
    element += offset % layout.extents[d] * layout.strides[d];
    offset /= layout.extents[d];
  }
  return layout.byteOffset +
         uint64_t(element) * bundle::elementBytes(layout.type);
}

std::vector<uint8_t> inputImage(const ImageLayout &layout,
                                const HostTensor &values,
                                const RepeatedLines *rows,
                                const RepeatedLines *columns) {
  std::vector<uint8_t> image(layout.bytes, 0xff);
  const size_t rank = layout.extents.size();
  const int64_t rowCount = rank < 2 ? 1 : layout.extents[rank - 2];
  const int64_t storedRows = rank < 2 ? 1 : values.extents[rank - 2];
  const int64_t storedColumns = rank < 1 ? 1 : values.extents[rank - 1];
  forRows(layout, [&](int64_t row, uint64_t at, int64_t count) {
    const int64_t matrix = row / rowCount, within = row % rowCount;
    const int64_t storedRow =
        matrix * storedRows + (rows ? rows->map[size_t(within)] : within);
    const double *from = values.values.data() + storedRow * storedColumns;
    if (!columns)
      return encodeElements(layout.type, from, size_t(count),
                            image.data() + at);
    std::vector<double> line(static_cast<size_t>(count));
    for (int64_t c = 0; c < count; ++c)
      line[size_t(c)] = from[columns->map[size_t(c)]];
    encodeElements(layout.type, line.data(), size_t(count), image.data() + at);
  });
  return image;
}

uint64_t poisonBits(bundle::ElementType type) {
  switch (type) {
  case bundle::ElementType::F16:
    return 0x7e5a;
  case bundle::ElementType::BF16:
    return 0x7fda;
  case bundle::ElementType::F32:
  case bundle::ElementType::TF32:
    return 0x7fda5a5a;
  case bundle::ElementType::E4M3:
  case bundle::ElementType::E5M2:
    return 0x7f;
  case bundle::ElementType::F64:
    return 0x7ff8da5a5a5a5a5aull;
  default:
    return 0x5ada5a5ada5a5a5aull;
  }
}

std::vector<uint8_t> poisonedImage(const ImageLayout &layout) {
  std::vector<uint8_t> image(layout.bytes);
  for (uint64_t i = 0; i < layout.bytes; ++i)
    image[i] = guardByte(i);
  const uint64_t poison = poisonBits(layout.type);
  const uint32_t size = bundle::elementBytes(layout.type);
  forRows(layout, [&](int64_t, uint64_t at, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(image.data() + at + uint64_t(i) * size, &poison, size);
  });
  return image;
}

std::optional<std::string> findDamage(const ImageLayout &layout,
                                      const std::vector<uint8_t> &image) {
  const uint32_t size = bundle::elementBytes(layout.type);
  const int64_t columns = layout.extents.empty() ? 1 : layout.extents.back();
  const int64_t count = elementCount(layout.extents);
  // Rows as they lie in memory.
  std::vector<uint64_t> starts;
  for (int64_t row = 0; count > 0 && row < count / columns; ++row)
    starts.push_back(elementOffset(layout, row * columns));
  if (!std::is_sorted(starts.begin(), starts.end()))
    std::sort(starts.begin(), starts.end());
  uint64_t at = 0;
  auto scan = [&](uint64_t end) -> std::optional<std::string> {
    for (; at < end; ++at)
      if (image[at] != guardByte(at)) {
        const bool before = at < layout.byteOffset;
        const uint64_t distance =
            before ? layout.byteOffset - at : at - layout.byteOffset;
        return "byte " + std::to_string(distance) +
               (before ? " before" : " after the start of") +
               " the tensor, outside its elements, was overwritten";
      }
    return std::nullopt;
  };
  for (uint64_t start : starts) {
    if (auto damage = scan(start))
      return damage;
    at = start + uint64_t(columns) * size;
  }
  return scan(layout.bytes);
}

std::optional<std::string> findDifference(const ImageLayout &layout,
                                          const std::vector<uint8_t> &image,
                                          const std::vector<uint8_t> &other) {
  const uint32_t size = bundle::elementBytes(layout.type);
  for (int64_t i = 0; i < elementCount(layout.extents); ++i) {
    const uint64_t at = elementOffset(layout, i);
    if (std::memcmp(image.data() + at, other.data() + at, size) == 0)
      continue;
    std::string indices;
    int64_t rest = i;
    for (size_t d = layout.extents.size(); d-- > 0;) {
      indices = std::to_string(rest % layout.extents[d]) +
                (indices.empty() ? "" : ", ") + indices;
      rest /= layout.extents[d];
    }
    return "[" + indices + "]";
  }
  return std::nullopt;
}

} // namespace helios::bench
