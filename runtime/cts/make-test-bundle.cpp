//===- make-test-bundle.cpp - Writes the test bundle to a file -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "helios/Bundle/Serialize.h"
#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-test-bundle FILE\n");
    return 2;
  }
  helios::Result<std::vector<uint8_t>> bytes =
      helios::bundle::write(helios::cts::makeTestBundle());
  helios::Status s =
      bytes ? helios::bundle::writeFile(argv[1], *bytes) : bytes.status();
  if (!s.ok())
    std::fprintf(stderr, "make-test-bundle: %s\n", s.message().c_str());
  return s.exitCode();
}
