// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Options.h"
#include "helios/Bench/Random.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

std::vector<Options::Shape> drawShapes(const RandomShapes &random,
                                       uint64_t seed) {
  // A stream that no input draws from.
  const RandomStream stream(seed, UINT64_MAX);
  uint64_t drawn = 0;
  auto number = [&] { return (stream.uniform(drawn++) + 1) / 2; };
  auto extent = [&] {
    const double low = std::log(double(random.low)),
                 high = std::log(double(random.high));
    auto v = int64_t(std::llround(std::exp(low + (high - low) * number())));
    if (number() < 0.75)
      v = (v + 4) / 8 * 8;
    return std::clamp(v, random.low, random.high);
  };
  std::vector<Options::Shape> shapes;
  for (int64_t n = 0; n < random.count; ++n) {
    Options::Shape shape;
    shape.m = extent();
    shape.n = extent();
    shape.k = extent();
    shapes.push_back(shape);
  }
  return shapes;
}

} // namespace helios::bench
