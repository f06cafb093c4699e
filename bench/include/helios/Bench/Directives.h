// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a description may tell the benchmark in comments of its own:
//   // helios-bench: shapes = 512x256,256x512      (extents of the inputs; ';'
//   between cases)
//   // helios-bench: scalars = iters=4096,groups=64
//   // helios-bench: flops = 2*16*16*16*8*iters*groups
//   // helios-bench: bytes = 2*16*256*4*iters*groups   (that a peak kernel of
//   memory moves)
//   // helios-bench: working_set_mib = 1024,16          (its tensors with an
//   open first extent together; a case for each)
//   // helios-bench: types = f16:f16:f32           (of a peak kernel: A, B and
//   accumulator)

#ifndef HELIOS_BENCH_DIRECTIVES_H
#define HELIOS_BENCH_DIRECTIVES_H

#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Evaluate.h"
#include "helios/Bundle/Status.h"
#include <map>
#include <string>
#include <vector>

namespace helios::bench {

/// The directives of a text by key; InvalidInput for a key that does not exist.
Result<std::map<std::string, std::string>>
parseDirectives(const std::string &text);

/// Evaluates a formula of numbers, + - * / and parentheses over: scalars by
/// name, NAME.D (extent D of argument NAME), and grid and invocations, the
/// workgroups and threads of the launch in total.
Result<double> evaluateFlops(const std::string &formula,
                             const bundle::Kernel &kernel,
                             const std::vector<std::vector<int64_t>> &extents,
                             const std::map<std::string, double> &scalars,
                             const bundle::ResolvedPlan &plan);

/// The same over named values only.
Result<double> evaluateFormula(const std::string &formula,
                               const std::map<std::string, double> &names);

} // namespace helios::bench

#endif // HELIOS_BENCH_DIRECTIVES_H
