// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Numbers.h"
#include "helios/Bench/Random.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace helios::bench;

namespace {

double decode(ElementType type, uint64_t bits) {
  uint8_t bytes[8];
  std::memcpy(bytes, &bits, 8);
  double value;
  decodeElements(type, bytes, 1, &value);
  return value;
}

uint64_t encode(ElementType type, double value) {
  uint8_t bytes[8] = {};
  encodeElements(type, &value, 1, bytes);
  uint64_t bits;
  std::memcpy(&bits, bytes, 8);
  return bits;
}

class SixteenBits : public testing::TestWithParam<ElementType> {};

TEST_P(SixteenBits, EveryPatternSurvivesDecodingAndEncoding) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = decode(GetParam(), bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode(GetParam(), encode(GetParam(), value))))
          << bits;
    else
      ASSERT_EQ(encode(GetParam(), value), bits) << value;
  }
}

TEST_P(SixteenBits, AgreesWithTheBundleLibraryBitForBit) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double mine = decode(GetParam(), bits),
                 theirs = helios::bundle::decodeElement(GetParam(), bits);
    if (std::isnan(mine))
      ASSERT_TRUE(std::isnan(theirs)) << bits;
    else
      ASSERT_EQ(mine, theirs) << bits;
  }
  const RandomStream random(1, 1);
  for (uint64_t i = 0; i < 200000; ++i) {
    // Uniform significands over all exponents that matter.
    const double value = std::ldexp(random.uniform(i),
                                    int(random.below(i + 1000000, 300)) - 160);
    ASSERT_EQ(encode(GetParam(), value),
              helios::bundle::encodeElement(GetParam(), value))
        << std::hexfloat << value;
    ASSERT_EQ(roundFloat(GetParam(), value),
              helios::bundle::roundTo(GetParam(), value))
        << std::hexfloat << value;
  }
}

TEST_P(SixteenBits, TiesGoToEvenBetweenAnyTwoNeighbours) {
  const uint32_t infinity = GetParam() == ElementType::F16 ? 0x7c00 : 0x7f80;
  for (uint32_t bits = 0; bits + 1 < infinity; ++bits) {
    const double a = decode(GetParam(), bits), b = decode(GetParam(), bits + 1),
                 middle = (a + b) / 2;
    ASSERT_EQ(encode(GetParam(), middle), bits + (bits & 1))
        << std::hexfloat << middle;
    ASSERT_EQ(encode(GetParam(), std::nextafter(middle, 0)), bits);
    ASSERT_EQ(encode(GetParam(), std::nextafter(middle, INFINITY)), bits + 1);
    ASSERT_EQ(encode(GetParam(), -middle), 0x8000u | (bits + (bits & 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, SixteenBits,
                         testing::Values(ElementType::F16, ElementType::BF16));

TEST(Numbers, HalfOverflowsAtItsTie) {
  EXPECT_EQ(encode(ElementType::F16, 65519.999), 0x7bffu);
  EXPECT_EQ(encode(ElementType::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(ElementType::F16, -1e300), 0xfc00u);
  EXPECT_EQ(encode(ElementType::F16, std::numeric_limits<double>::max()),
            0x7c00u);
}

TEST(Numbers, HalfSubnormalsAndZeros) {
  EXPECT_EQ(encode(ElementType::F16, 0x1p-24), 1u);
  EXPECT_EQ(encode(ElementType::F16, 0x1p-25), 0u);
  EXPECT_EQ(encode(ElementType::F16, std::nextafter(0x1p-25, 1)), 1u);
  EXPECT_EQ(encode(ElementType::F16, -0.0), 0x8000u);
  EXPECT_EQ(encode(ElementType::F16, -1e-300), 0x8000u);
  EXPECT_EQ(encode(ElementType::F16, 0x1p-14), 0x0400u);
}

TEST(Numbers, RoundsOnceFromDouble) {
  // Through float this would tie and round down.
  const double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(encode(ElementType::F16, value), 0x3c01u);
  // Half of a last place rounds to even; the low 13 bits are zero.
  EXPECT_EQ(encode(ElementType::TF32, 1 + 0x1p-11), 0x3f800000u);
  EXPECT_EQ(encode(ElementType::TF32, 1 + 0x1p-11 + 0x1p-40), 0x3f802000u);
  EXPECT_EQ(encode(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
}

TEST(Numbers, EightBits) {
  EXPECT_EQ(encode(ElementType::E4M3, 448), 0x7eu);
  EXPECT_EQ(encode(ElementType::E4M3, 464), 0x7eu); // a tie with the NaN's
  EXPECT_EQ(encode(ElementType::E4M3, 465), 0x7fu);
  EXPECT_EQ(encode(ElementType::E4M3, -INFINITY), 0xffu);
  EXPECT_EQ(encode(ElementType::E4M3, 0x1p-9), 1u);
  EXPECT_EQ(encode(ElementType::E4M3, 0x1p-10), 0u);
  EXPECT_EQ(encode(ElementType::E4M3, -0x1p-6), 0x88u);
  EXPECT_EQ(encode(ElementType::E5M2, 57344), 0x7bu);
  EXPECT_EQ(encode(ElementType::E5M2, 61440), 0x7cu);
  EXPECT_EQ(encode(ElementType::E5M2, 0x1p-16), 1u);
  EXPECT_EQ(encode(ElementType::E5M2, 1.125), 0x3cu);
  EXPECT_TRUE(std::isnan(decode(ElementType::E4M3, 0xff)));
  for (ElementType type : {ElementType::E4M3, ElementType::E5M2})
    for (unsigned bits = 0; bits < 256; ++bits) {
      const double value = decode(type, bits);
      if (!std::isnan(value)) {
        EXPECT_EQ(encode(type, value), bits);
        EXPECT_EQ(roundFloat(type, value), value);
      }
    }
}

TEST(Numbers, NanStaysNan) {
  for (ElementType type : {ElementType::E4M3, ElementType::E5M2}) {
    EXPECT_TRUE(std::isnan(decode(type, encode(type, NAN))));
    EXPECT_TRUE(std::isnan(roundFloat(type, NAN)));
  }
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F32, ElementType::F64}) {
    EXPECT_TRUE(std::isnan(decode(type, encode(type, NAN))));
    EXPECT_TRUE(std::isnan(roundFloat(type, NAN)));
    EXPECT_EQ(roundFloat(type, -INFINITY), -INFINITY);
  }
}

TEST(Numbers, SingleMatchesTheMachine) {
  const RandomStream random(2, 1);
  for (uint64_t i = 0; i < 200000; ++i) {
    const double value =
        std::ldexp(random.uniform(i), int(random.below(i, 300)) - 155);
    ASSERT_EQ(roundFloat(ElementType::F32, value), double(float(value)))
        << std::hexfloat << value;
  }
}

TEST(Numbers, IntegersTruncateAndWrap) {
  EXPECT_EQ(decode(ElementType::I8, encode(ElementType::I8, 130)), -126);
  EXPECT_EQ(decode(ElementType::U8, encode(ElementType::U8, -1)), 255);
  EXPECT_EQ(decode(ElementType::I32, encode(ElementType::I32, -2.9)), -2);
}

TEST(Random, IsAFunctionOfSeedStreamAndCounter) {
  EXPECT_EQ(RandomStream(1, 2).bits(3), RandomStream(1, 2).bits(3));
  EXPECT_NE(RandomStream(1, 2).bits(3), RandomStream(1, 3).bits(3));
  EXPECT_NE(RandomStream(1, 2).bits(3), RandomStream(2, 2).bits(3));
  double sum = 0, squares = 0, neighbours = 0;
  const RandomStream random(7, 0);
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double v = random.uniform(uint64_t(i));
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
    sum += v;
    squares += v * v;
    neighbours += v * random.uniform(uint64_t(i) + 1);
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.01);
  EXPECT_NEAR(neighbours / n, 0, 0.01);
}

} // namespace
