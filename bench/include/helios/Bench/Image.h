// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors as bytes of a device buffer: guard bands on both sides, rows that may
// be padded, poison where a kernel must write.

#ifndef HELIOS_BENCH_IMAGE_H
#define HELIOS_BENCH_IMAGE_H

#include "helios/Bench/Reference.h"
#include "helios/Bundle/ElementType.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helios::bench {

/// Where a tensor's elements lie in its buffer.
struct ImageLayout {
  bundle::ElementType type = bundle::ElementType::F32;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides; ///< in elements, last dimension contiguous
  uint64_t byteOffset = 0;      ///< of the first element
  uint64_t bytes = 0;           ///< of the whole buffer, guard bands included
};

/// Bytes on either side of a tensor that no kernel may touch.
inline constexpr uint64_t kGuardBytes = 4096;

/// Lays a tensor out with `padRows` elements after each row (of tensors of rank
/// 2 or more) and its first element `misalign` bytes (less than 256) past the
/// alignment of 256 bytes. `order` lists dimensions as they lie in memory,
/// outermost first and the last one last; empty: as they are numbered.
/// InvalidInput if it does not fit 63 bits.
Result<ImageLayout> layoutImage(bundle::ElementType type,
                                const std::vector<int64_t> &extents,
                                int64_t padRows, uint64_t misalign,
                                const std::vector<size_t> &order = {});

/// An input's bytes. What is not an element is filled with ones (a NaN in every
/// float type). `rows` and `columns`, where given, say which stored line of the
/// second-last or last dimension stands at each place.
std::vector<uint8_t> inputImage(const ImageLayout &layout,
                                const HostTensor &values,
                                const RepeatedLines *rows = nullptr,
                                const RepeatedLines *columns = nullptr);

/// A result's bytes before a launch: poison in every element, a pattern that
/// depends on the place everywhere else.
std::vector<uint8_t> poisonedImage(const ImageLayout &layout);
/// The poison: a NaN with a payload that no operation makes, or for integers an
/// unlikely number.
uint64_t poisonBits(bundle::ElementType type);

/// The first byte outside the elements that differs from poisonedImage, in
/// words; nothing if all are intact.
std::optional<std::string> findDamage(const ImageLayout &layout,
                                      const std::vector<uint8_t> &image);

/// The indices of the first element of `layout` whose bits differ between two
/// images, as in "[3, 5]"; nothing if all are equal.
std::optional<std::string> findDifference(const ImageLayout &layout,
                                          const std::vector<uint8_t> &image,
                                          const std::vector<uint8_t> &other);

/// Byte offset of the element at dense offset `offset`.
uint64_t elementOffset(const ImageLayout &layout, int64_t offset);

} // namespace helios::bench

#endif // HELIOS_BENCH_IMAGE_H
