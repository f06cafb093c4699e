// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process around helios::bench::tuneMain.

#include "helios/Bench/Tune.h"
#include "support/BenchProcess.h"

using namespace helios;

int main(int argc, char **argv) {
  const bench::Surroundings surroundings = tools::surround(
      argv[0], "helios-tune",
      "helios-tune: interrupted; the database has what was measured before\n");
  return bench::tuneMain({argv + 1, argv + argc}, surroundings,
                         [] { return tools::interrupts != 0; });
}
