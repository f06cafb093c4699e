// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Image.h"
#include "helios/Bench/Numbers.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace helios::bench;
using helios::bundle::ElementType;

namespace {

TEST(Image, GuardBandsAndPaddingAreWatched) {
  auto layout = layoutImage(ElementType::F16, {2, 3, 5}, 7, 2);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->strides, (std::vector<int64_t>{36, 12, 1}));
  EXPECT_EQ(layout->byteOffset, kGuardBytes + 2);
  auto image = poisonedImage(*layout);
  EXPECT_FALSE(findDamage(*layout, image));
  // Elements may change; everything else may not.
  for (int64_t offset = 0; offset < 30; ++offset)
    image[elementOffset(*layout, offset)] ^= 1;
  EXPECT_FALSE(findDamage(*layout, image));
  const uint64_t lastElement = elementOffset(*layout, 29);
  for (uint64_t at :
       {uint64_t(0), layout->byteOffset - 1, elementOffset(*layout, 4) + 2,
        lastElement + 2, layout->bytes - 1}) {
    auto damaged = image;
    damaged[at] ^= 0x10;
    EXPECT_TRUE(findDamage(*layout, damaged)) << at;
  }
}

TEST(Image, DifferentElementsAreFound) {
  auto layout = layoutImage(ElementType::F16, {2, 3, 5}, 7, 2);
  ASSERT_TRUE(layout.ok());
  const auto image = poisonedImage(*layout);
  auto other = image;
  // Between elements nothing counts.
  other[elementOffset(*layout, 4) + 2] ^= 1;
  EXPECT_FALSE(findDifference(*layout, image, other));
  other[elementOffset(*layout, 22) + 1] ^= 0x80;
  EXPECT_EQ(findDifference(*layout, image, other), "[1, 1, 2]");
  // A part of it, as a launch with fewer rows sees it.
  layout->extents = {1, 3, 5};
  EXPECT_FALSE(findDifference(*layout, image, other));
}

TEST(Image, PoisonIsNan) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F32, ElementType::F64})
    EXPECT_TRUE(
        std::isnan(helios::bundle::decodeElement(type, poisonBits(type))));
}

TEST(Image, InputsAreSurroundedByNan) {
  auto layout = layoutImage(ElementType::F32, {2, 2}, 1, 0);
  HostTensor t;
  t.extents = {2, 2};
  t.values = {1, 2, 3, 4};
  const auto image = inputImage(*layout, t);
  double row[6];
  decodeElements(ElementType::F32, image.data() + layout->byteOffset, 6, row);
  EXPECT_EQ(row[1], 2);
  EXPECT_TRUE(std::isnan(row[2]));
  EXPECT_EQ(row[3], 3);
  EXPECT_TRUE(std::isnan(row[5]));
}

TEST(Image, EmptyTensorsHaveGuardsOnly) {
  auto layout = layoutImage(ElementType::F16, {0, 5}, 0, 0);
  ASSERT_TRUE(layout.ok());
  auto image = poisonedImage(*layout);
  EXPECT_FALSE(findDamage(*layout, image));
  image[layout->byteOffset] ^= 1;
  EXPECT_TRUE(findDamage(*layout, image));
}

TEST(Image, OverflowIsRefused) {
  EXPECT_FALSE(layoutImage(ElementType::F16,
                           {int64_t(1) << 40, int64_t(1) << 40}, 0, false)
                   .ok());
}

TEST(Image, DimensionsMayLieInAnotherOrder) {
  // [2, 3, 4, 5] as [B, S, H, D] in memory.
  auto layout = layoutImage(ElementType::F16, {2, 3, 4, 5}, 1, 0, {0, 2, 1, 3});
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->strides, (std::vector<int64_t>{72, 6, 18, 1}));
  auto image = poisonedImage(*layout);
  EXPECT_FALSE(findDamage(*layout, image));
  // The padding behind row (0, 1, 0) is between elements of other heads.
  image[layout->byteOffset + (6 + 5) * 2] ^= 1;
  EXPECT_TRUE(findDamage(*layout, image));
}

} // namespace
