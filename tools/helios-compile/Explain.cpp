// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Explain.h"
#include "Options.h"
#include "helios/Bundle/Evaluate.h"
#include "llvm/ADT/StringExtras.h"

using namespace helios;
using namespace helios::compile;

/// A dense tensor.
static bundle::ArgumentValue dense(std::vector<int64_t> extents) {
  bundle::ArgumentValue value;
  value.strides.assign(extents.size(), 1);
  for (size_t d = extents.size(); d-- > 1;)
    value.strides[d - 1] = value.strides[d] * std::max<int64_t>(1, extents[d]);
  value.extents = std::move(extents);
  return value;
}

/// Whether a kernel packs an operand of another, which has no choice.
static bool packs(const bundle::Bundle &bundle, const bundle::Kernel &kernel) {
  return llvm::any_of(bundle.kernels, [&](const bundle::Kernel &other) {
    return llvm::any_of(other.arguments, [&](const bundle::Argument &a) {
      return a.packedBy == kernel.name;
    });
  });
}

static Result<bundle::PlanInput>
inputFor(const bundle::Kernel &kernel, const bundle::Plan &plan,
         const std::vector<std::vector<int64_t>> &shapes,
         const std::map<std::string, int64_t> &scalars, int64_t processors) {
  bundle::PlanInput input;
  input.setComputeUnits(processors);
  size_t next = 0;
  for (const bundle::Argument &argument : kernel.arguments) {
    bundle::ArgumentValue &value = input.arguments.emplace_back();
    if (argument.kind == bundle::ArgumentKind::Scalar)
      if (auto given = scalars.find(argument.name); given != scalars.end())
        value.scalar = given->second;
    if (argument.isResult || argument.kind == bundle::ArgumentKind::Scalar)
      continue;
    if (next < shapes.size() && shapes[next].size() == argument.rank())
      value = dense(shapes[next]);
    else
      return Status::invalidInput(
          "--shapes: expected " + std::to_string(argument.rank()) +
          " extents of '" + argument.name + "' of kernel '" + kernel.name +
          "', got " +
          std::to_string(next < shapes.size() ? shapes[next].size() : 0));
    ++next;
  }
  if (next != shapes.size())
    return Status::invalidInput(
        "--shapes: expected the extents of " + std::to_string(next) +
        " tensors that kernel '" + kernel.name + "' takes, got " +
        std::to_string(shapes.size()));
  auto results = bundle::inferResultExtents(kernel, plan, input);
  if (!results)
    return results.status();
  size_t result = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].isResult)
      input.arguments[i] = dense((*results)[result++]);
  return input;
}

Result<std::string>
compile::explainLaunches(const RowReport &report, const bundle::Bundle &bundle,
                         const std::vector<std::vector<int64_t>> &shapes,
                         const std::map<std::string, int64_t> &scalars) {
  for (const auto &[name, value] : scalars)
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
      auto input = inputFor(kernel, plan, shapes, scalars, report.processors);
      if (!input)
        return input.status();
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
