//===- make-test-bundle.cpp - Writes the test bundle to a file -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "helios/Bundle/Serialize.h"
#include "vulkan/SelfTest.h"
#include <cstdio>
#include <cstring>

using namespace helios;
using namespace helios::bundle;

namespace {

/// The self-test's kernels for one shape of every combination of types that a
/// driver may list, so that each module can be validated without the hardware.
Bundle productBundles() {
  using E = ElementType;
  const E types[][4] = {
      {E::F16, E::F16, E::F16, E::F16},   {E::F16, E::F16, E::F32, E::F32},
      {E::BF16, E::BF16, E::F32, E::F32}, {E::BF16, E::BF16, E::BF16, E::BF16},
      {E::I8, E::I8, E::I32, E::I32},     {E::U8, E::I8, E::I32, E::I32},
      {E::U8, E::U8, E::I32, E::I32},     {E::F32, E::F32, E::F32, E::F32},
      {E::F64, E::F64, E::F64, E::F64},   {E::F16, E::F16, E::F32, E::F16},
      {E::I16, E::I16, E::I32, E::I32},
  };
  Bundle all;
  all.producer = "helios self-test";
  for (const E *t : types)
    for (bool saturating : {false, true}) {
      if (saturating && isFloat(t[3]))
        continue;
      MatrixShape shape;
      shape.m = 16;
      shape.n = 8;
      shape.k = 32;
      shape.a = t[0];
      shape.b = t[1];
      shape.c = t[2];
      shape.result = t[3];
      shape.saturating = saturating;
      Bundle one = rt::matrixProductBundle(shape, 32, true, true);
      Kernel k = one.kernels[0];
      k.name = toString(shape);
      k.implementations[0].plan.variants[0].dispatches[0].module =
          static_cast<uint32_t>(all.modules.size());
      one.modules[0].name = k.name;
      all.modules.push_back(one.modules[0]);
      all.kernels.push_back(k);
    }
  return all;
}

} // namespace

int main(int argc, char **argv) {
  bool products = argc == 3 && std::strcmp(argv[2], "--products") == 0;
  if (argc != 2 && !products) {
    std::fprintf(stderr, "usage: make-test-bundle FILE [--products]\n");
    return 2;
  }
  Result<std::vector<uint8_t>> bytes =
      write(products ? productBundles() : cts::makeTestBundle());
  Status s = bytes ? writeFile(argv[1], *bytes) : bytes.status();
  if (!s.ok())
    std::fprintf(stderr, "make-test-bundle: %s\n", s.message().c_str());
  return s.exitCode();
}
