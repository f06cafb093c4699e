// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Explain.h"
#include "Options.h"
#include "llvm/ADT/STLExtras.h"

using namespace helios;
using namespace helios::compile;

/// Whether a kernel packs an operand of another, which has no choice.
static bool packs(const bundle::Bundle &bundle, const bundle::Kernel &kernel) {
  return llvm::any_of(bundle.kernels, [&](const bundle::Kernel &other) {
    return llvm::any_of(other.arguments, [&](const bundle::Argument &a) {
      return a.packedBy == kernel.name;
    });
  });
}

Result<std::string> compile::explainLaunches(const RowReport &report,
                                             const bundle::Bundle &bundle,
                                             const bundle::Launch &launch) {
  for (const auto &[name, value] : launch.scalars)
    if (llvm::none_of(bundle.kernels, [&, n = name](const auto &kernel) {
          return llvm::any_of(
              kernel.arguments, [&](const bundle::Argument &argument) {
                return argument.kind == bundle::ArgumentKind::Scalar &&
                       !bundle::isFloat(argument.type) && argument.name == n;
              });
        }))
      return Status::invalidInput(
          "--scalars: expected integers that a kernel takes, got '" + name +
          "'");
  std::string text;
  for (const bundle::Kernel &kernel : bundle.kernels) {
    if (packs(bundle, kernel))
      continue;
    for (const bundle::Implementation &implementation :
         kernel.implementations) {
      const bundle::Plan &plan = implementation.plan;
      auto input =
          bundle::denseInput(bundle, kernel, plan, launch, report.processors);
      if (!input)
        return input.status().withPrefix("--shapes: ");
      auto resolved = bundle::resolve(kernel, plan, *input);
      if (!resolved)
        return resolved.status();
      text += "launch of '" + kernel.name + "' for " + targetName(report.row) +
              ", " + std::to_string(report.processors) +
              " processors: " + bundle::explainChoice(*resolved);
    }
  }
  return text;
}
