// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches that are known by their extents alone.

#include "helios/Bundle/Launch.h"
#include <algorithm>

using namespace helios;
using namespace helios::bundle;

/// A tensor whose rows follow each other.
static ArgumentValue dense(std::vector<int64_t> extents) {
  ArgumentValue value;
  value.strides.assign(extents.size(), 1);
  for (size_t d = extents.size(); d-- > 1;)
    value.strides[d - 1] = value.strides[d] * std::max<int64_t>(1, extents[d]);
  value.extents = std::move(extents);
  return value;
}

Result<PlanInput> bundle::denseInput(const Kernel &kernel, const Plan &plan,
                                     const Launch &launch,
                                     int64_t computeUnits) {
  PlanInput input;
  input.setComputeUnits(computeUnits);
  size_t next = 0;
  for (const Argument &argument : kernel.arguments) {
    ArgumentValue &value = input.arguments.emplace_back();
    if (argument.kind == ArgumentKind::Scalar)
      if (auto given = launch.scalars.find(argument.name);
          given != launch.scalars.end())
        value.scalar = given->second;
    if (argument.isResult || argument.kind == ArgumentKind::Scalar)
      continue;
    if (next >= launch.extents.size() ||
        launch.extents[next].size() != argument.rank())
      return Status::invalidInput(
          "expected " + std::to_string(argument.rank()) + " extents of '" +
          argument.name + "' of kernel '" + kernel.name + "', got " +
          std::to_string(
              next < launch.extents.size() ? launch.extents[next].size() : 0));
    value = dense(launch.extents[next++]);
  }
  if (next != launch.extents.size())
    return Status::invalidInput(
        "expected the extents of " + std::to_string(next) +
        " tensors that kernel '" + kernel.name + "' takes, got " +
        std::to_string(launch.extents.size()));
  auto results = inferResultExtents(kernel, plan, input);
  if (!results.ok())
    return results.status();
  size_t result = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].isResult)
      input.arguments[i] = dense((*results)[result++]);
  return input;
}
