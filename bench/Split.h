// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_SPLIT_H
#define HELIOS_BENCH_SPLIT_H

#include <string>
#include <vector>

namespace helios::bench {

/// The parts of `text` between separators, empty ones too; at least one.
inline std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

} // namespace helios::bench

#endif // HELIOS_BENCH_SPLIT_H
