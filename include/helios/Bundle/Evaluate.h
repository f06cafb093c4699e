//===- Evaluate.h - Launch plans evaluated for real arguments ---*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_EVALUATE_H
#define HELIOS_BUNDLE_EVALUATE_H

#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace helios::bundle {

/// What is known of one argument at launch.
struct ArgumentValue {
  /// Tensor: elements along each dimension. Empty where not known yet (results
  /// during inferResultExtents).
  std::vector<int64_t> extents;
  /// Tensor: elements between neighbours along each dimension.
  std::vector<int64_t> strides;
  /// Largest power of two dividing the first element's byte address, <= 256.
  int64_t alignment = 256;
  /// Elements between what is bound and the first element.
  int64_t offset = 0;
  /// Scalar: see ExprOp::Scalar.
  int64_t scalar = 0;
};

struct PlanInput {
  std::vector<ArgumentValue> arguments;
  /// Indexed by DeviceProperty.
  int64_t device[kNumDeviceProperties] = {1, 0, INT64_MAX, 0, 0, 0, 1, 1, 1};

  /// Sets the compute units, and what so many make of clusters where nobody
  /// says how they are grouped.
  void setComputeUnits(int64_t units) {
    auto set = [&](DeviceProperty property, int64_t size) {
      int64_t count = units / size;
      device[static_cast<uint32_t>(property)] = count > 1 ? count : 1;
    };
    set(DeviceProperty::ComputeUnits, 1);
    set(DeviceProperty::ClustersOf2, 2);
    set(DeviceProperty::ClustersOf4, 4);
    set(DeviceProperty::ClustersOf8, 8);
  }
};

/// A formula's value or why it has none.
struct ExprValue {
  int64_t value = 0;
  enum class Error : uint8_t {
    None,
    Overflow,
    DivisionByZero,
    Unknown
  } error = Error::None;
  /// The formula where the error arose.
  ExprId origin = 0;
};

/// Evaluates every formula. Total: no input makes it fail, loop or overflow.
/// The plan must have passed validate() for this kernel.
std::vector<ExprValue> evaluateAll(const Plan &plan, const PlanInput &input);

struct ResolvedBinding {
  uint32_t binding = 0;
  BindingSource source = BindingSource::Argument;
  uint32_t argument = 0;
  uint64_t workspaceOffset = 0; ///< bytes
  uint64_t workspaceBytes = 0;
  Access access = Access::Read;
  bool early = false; ///< read before the dispatch in front has ended
};

struct ResolvedParameter {
  ParameterKind kind = ParameterKind::Pointer;
  /// Pointer: an index of ResolvedDispatch::bindings; tensor map: of
  /// tensorMaps.
  uint32_t index = 0;
  /// Scalars, in the low bits.
  uint64_t value = 0;
};

struct ResolvedTensorMap {
  /// An index of ResolvedDispatch::bindings.
  uint32_t binding = 0;
  ElementType type = ElementType::F16;
  std::vector<uint64_t> extents; ///< elements, innermost first
  std::vector<uint64_t> strides; ///< bytes, of dimensions 1 and beyond
  std::vector<uint32_t> box;
  uint32_t swizzle = 0;
};

struct ResolvedDispatch {
  uint32_t module = 0;
  std::string entryPoint;
  /// Workgroups in total; 0: nothing to launch.
  uint64_t groups = 0;
  uint32_t workgroupSize[3] = {1, 1, 1};
  std::vector<ResolvedBinding> bindings;
  std::vector<uint32_t> pushConstants;
  std::vector<ResolvedParameter> parameters;
  std::vector<ResolvedTensorMap> tensorMaps;
  uint32_t clusterSize = 1;
  uint32_t sharedBytes = 0;
  bool dependent = false;
};

/// A choice of a plan for real arguments.
struct ResolvedChoice {
  std::string schedule;
  Origin origin = Origin::User;
  /// The largest where the formula has no value.
  int64_t price = 0;
  bool taken = false, tuned = false;
};

/// A plan with every formula replaced by its value.
struct ResolvedPlan {
  uint32_t variant = 0;
  std::string variantName;
  uint64_t workspaceBytes = 0;
  std::vector<ResolvedDispatch> dispatches;
  /// As in the plan.
  std::vector<ResolvedChoice> choices;
};

/// The largest grid that a resolved dispatch may have: 65535 * 65535.
inline constexpr uint64_t kMaxGroups = uint64_t(65535) * 65535;
/// The largest workspace: 1 TiB.
inline constexpr uint64_t kMaxWorkspaceBytes = uint64_t(1) << 40;

/// Evaluates checks, picks the first variant whose guard is nonzero and
/// resolves its dispatches. InvalidInput: a check fails or a formula overflows,
/// named with its text. Unsupported: no variant's guard holds; says what each
/// wanted.
Result<ResolvedPlan> resolve(const Kernel &kernel, const Plan &plan,
                             const PlanInput &input);

/// Resolves variant number `variant` although an earlier one may apply; its own
/// guard must hold (Unsupported otherwise).
Result<ResolvedPlan> resolveVariant(const Kernel &kernel, const Plan &plan,
                                    const PlanInput &input, uint32_t variant);

/// Who chose the schedule of a launch, why, and what the `most` cheapest of the
/// others would have cost by the model; lines of text.
std::string explainChoice(const ResolvedPlan &plan, size_t most = 4);

/// Extents of every result from those of the inputs (which must be filled in
/// `input`; results' entries are ignored). Unsupported if the plan does not
/// say.
Result<std::vector<std::vector<int64_t>>>
inferResultExtents(const Kernel &kernel, const Plan &plan,
                   const PlanInput &input);

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_EVALUATE_H
