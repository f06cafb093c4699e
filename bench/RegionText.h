// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions of level-1 kernels, written from lines with names to be put in.

#ifndef HELIOS_BENCH_REGIONTEXT_H
#define HELIOS_BENCH_REGIONTEXT_H

#include <map>
#include <string>

namespace helios::bench {

/// The lines of `text`, indented, with a value for each {name}: that of
/// `names`, or else %prefix_name, which no other prefix has.
std::string fillRegion(const char *text, const std::string &prefix,
                       const std::map<std::string, std::string> &names);

} // namespace helios::bench

#endif // HELIOS_BENCH_REGIONTEXT_H
