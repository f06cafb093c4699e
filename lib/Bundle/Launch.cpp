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

/// What the kernel of the bundle that packs an argument makes of a tensor of
/// such extents.
static Result<std::vector<int64_t>>
packedExtents(const Bundle &bundle, const Kernel &packer,
              const std::vector<int64_t> &extents, int64_t computeUnits) {
  Launch launch;
  launch.extents = {extents};
  auto input = denseInput(bundle, packer, packer.implementations.front().plan,
                          launch, computeUnits);
  if (!input.ok())
    return input.status();
  return input->arguments.back().extents;
}

Result<PlanInput> bundle::denseInput(const Bundle &bundle, const Kernel &kernel,
                                     const Plan &plan, const Launch &launch,
                                     int64_t computeUnits) {
  PlanInput input;
  input.setComputeUnits(computeUnits);
  size_t inputs = 0, tensors = 0;
  for (const Argument &argument : kernel.arguments) {
    tensors += argument.kind != ArgumentKind::Scalar;
    inputs += argument.kind != ArgumentKind::Scalar && !argument.isResult;
  }
  const size_t given = launch.extents.size();
  size_t next = 0;
  for (const Argument &argument : kernel.arguments) {
    ArgumentValue &value = input.arguments.emplace_back();
    if (argument.kind == ArgumentKind::Scalar) {
      if (auto scalar = launch.scalars.find(argument.name);
          scalar != launch.scalars.end())
        value.scalar = scalar->second;
      continue;
    }
    if (argument.isResult && given == inputs)
      continue;
    const Kernel *packer = argument.packedBy.empty()
                               ? nullptr
                               : bundle.findKernel(argument.packedBy);
    const size_t rank = packer ? packer->arguments[0].rank() : argument.rank();
    if (next >= given || launch.extents[next].size() != rank)
      return Status::invalidInput(
          "expected " + std::to_string(rank) + " extents of '" + argument.name +
          "' of kernel '" + kernel.name + "', got " +
          std::to_string(next < given ? launch.extents[next].size() : 0));
    std::vector<int64_t> extents = launch.extents[next++];
    if (packer) {
      auto packed = packedExtents(bundle, *packer, extents, computeUnits);
      if (!packed.ok())
        return packed.status();
      extents = *std::move(packed);
    }
    value = dense(std::move(extents));
  }
  if (next != given)
    return Status::invalidInput(
        "expected the extents of " + std::to_string(inputs) +
        " tensors that kernel '" + kernel.name + "' takes, or of " +
        std::to_string(tensors) + " with its results, got " +
        std::to_string(given));
  if (given != inputs)
    return input;
  if (plan.resultExtents.empty())
    return Status::invalidInput(
        "expected the extents of the results of kernel '" + kernel.name +
        "' behind those of its inputs, which do not say them once they are "
        "packed, got those of " +
        std::to_string(given) + " tensors");
  auto results = inferResultExtents(kernel, plan, input);
  if (!results.ok())
    return results.status();
  size_t result = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].isResult)
      input.arguments[i] = dense((*results)[result++]);
  return input;
}
