// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process around helios::bench::benchMain.

#include "support/BenchProcess.h"

using namespace helios;

int main(int argc, char **argv) {
  bench::Surroundings surroundings = tools::surround(
      argv[0], "helios-bench",
      "helios-bench: interrupted; files hold the cases that had ended\n");
  surroundings.examplesDir = HELIOS_EXAMPLES_DIR;
  // Carried to another machine, the programs bring them along.
  if (access(HELIOS_EXAMPLES_DIR, R_OK) != 0)
    surroundings.examplesDir =
        tools::ownFolder(argv[0], "helios-bench") + "/../examples";
  return bench::benchMain({argv + 1, argv + argc}, surroundings,
                          [] { return tools::interrupts != 0; });
}
