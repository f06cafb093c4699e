// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in memory for the tests: what the compiler would put into a bundle.

#ifndef HELIOS_UNITTESTS_BENCH_BUILD_H
#define HELIOS_UNITTESTS_BENCH_BUILD_H

#include "helios/Bundle/Bundle.h"
#include <initializer_list>

namespace helios::bench::test {

using bundle::ElementType;
using bundle::Region;
using bundle::ScalarOp;
using bundle::ScalarOpKind;

inline uint32_t add(Region &region, ScalarOpKind kind, ElementType type,
                    std::initializer_list<uint32_t> operands = {},
                    uint32_t index = 0, double imm = 0) {
  ScalarOp op;
  op.kind = kind;
  op.type = type;
  op.index = index;
  op.imm = imm;
  op.intImm = int64_t(imm);
  unsigned n = 0;
  for (uint32_t operand : operands)
    op.operands[n++] = operand;
  region.result = region.append(op);
  return region.result;
}

/// d[batch.., m, n] = region(a b); a region that only stores if `region` is
/// empty.
struct GemmSpec {
  ElementType a = ElementType::F16, b = ElementType::F16,
              accumulator = ElementType::F32, d = ElementType::F16;
  bool transposeA = false, transposeB = false;
  uint32_t rank = 2;
  std::vector<std::pair<ElementType, uint32_t>> fused; ///< types and ranks
  Region region;
};

inline bundle::Kernel makeGemm(const GemmSpec &spec) {
  bundle::Kernel kernel;
  kernel.name = "gemm";
  bundle::Semantics semantics;
  auto argument = [&](const char *name, ElementType type, uint32_t rank,
                      bool isResult) {
    bundle::Argument a;
    a.name = name;
    a.type = type;
    a.isResult = isResult;
    a.extents.assign(rank, -1);
    kernel.arguments.push_back(a);
    semantics.slots.push_back({type, rank});
    return uint32_t(kernel.arguments.size() - 1);
  };
  bundle::Step step;
  step.kind = bundle::StepKind::Matmul;
  step.a = argument("a", spec.a, spec.rank, false);
  step.b = argument("b", spec.b, spec.rank, false);
  for (size_t f = 0; f < spec.fused.size(); ++f)
    step.fused.push_back(argument(f ? "g" : "f", spec.fused[f].first,
                                  spec.fused[f].second, false));
  step.dest = argument("d", spec.d, spec.rank, true);
  step.transposeA = spec.transposeA;
  step.transposeB = spec.transposeB;
  step.accumulator = spec.accumulator;
  step.region = spec.region;
  if (step.region.ops.empty()) {
    const uint32_t x =
        add(step.region, ScalarOpKind::Accumulator, spec.accumulator);
    if (spec.accumulator != spec.d)
      add(step.region, ScalarOpKind::Cast, spec.d, {x});
  }
  semantics.steps.push_back(step);
  kernel.semantics = semantics;
  return kernel;
}

} // namespace helios::bench::test

#endif // HELIOS_UNITTESTS_BENCH_BUILD_H
