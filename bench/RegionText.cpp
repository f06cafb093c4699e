// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionText.h"

namespace helios::bench {

std::string fillRegion(const char *text, const std::string &prefix,
                       const std::map<std::string, std::string> &names) {
  std::string lines;
  bool atStart = true;
  for (const char *c = text; *c; ++c) {
    if (atStart)
      lines += "    ";
    atStart = *c == '\n';
    if (*c != '{') {
      lines += *c;
      continue;
    }
    std::string name;
    while (*++c != '}')
      name += *c;
    auto known = names.find(name);
    lines += known == names.end() ? "%" + prefix + "_" + name : known->second;
  }
  return lines;
}

} // namespace helios::bench
