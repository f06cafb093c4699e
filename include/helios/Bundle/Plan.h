//===- Plan.h - Launch plans: formulas, variants, dispatches ----*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_PLAN_H
#define HELIOS_BUNDLE_PLAN_H

#include "helios/Bundle/ElementType.h"
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace helios::bundle {

/// Operations of launch formulas, on signed 64-bit integers. Overflow, division
/// by zero and unknown extents are errors of the value, raised only if the
/// value is used: `select` reads only the chosen side, `and`/`or` stop early.
enum class ExprOp : uint8_t {
  Const = 0,     ///< imm
  Extent = 1,    ///< operands: argument, dimension
  Stride = 2,    ///< operands: argument, dimension; in elements
  Alignment = 3, ///< operand: argument; largest power of two that divides the
                 ///< tensor's first byte's address, at most 256
  Scalar = 4,    ///< operand: argument; integers sign-extended (u8 zero-),
                 ///< floats: their bits (f32 sign-extended from 32 bits)
  Device = 5,    ///< operand: a DeviceProperty
  Offset = 6,    ///< operand: argument; elements between the start of what is
                 ///< bound and the tensor's first element (a plan that never
                 ///< uses it gets tensors at bindable offsets only)
  Add = 7,
  Sub = 8,
  Mul = 9,
  FloorDiv = 10,
  CeilDiv = 11,
  Rem = 12, ///< a - b * floordiv(a, b)
  Min = 13,
  Max = 14,
  Eq = 15,
  Ne = 16,
  Lt = 17,
  Le = 18,
  And = 19, ///< 1 if both are nonzero
  Or = 20,
  Not = 21,
  Select = 22, ///< operands: condition, if nonzero, if zero
};
inline constexpr uint8_t kNumExprOps = 23;

/// Facts of the device that a formula may ask for.
enum class DeviceProperty : uint32_t {
  ComputeUnits = 0, ///< SMs, CUs, cores; 16 where unknown
  SubgroupSize = 1,
  MaxStorageBufferRange = 2,
  SharedMemoryBytes = 3, ///< per workgroup
  MaxWorkgroupInvocations = 4,
  IsCpu = 5, ///< 1 for a software device
  /// Clusters of so many workgroups, each alone on a compute unit, that run at
  /// once: one at least.
  ClustersOf2 = 6,
  ClustersOf4 = 7,
  ClustersOf8 = 8,
};
inline constexpr uint32_t kNumDeviceProperties = 9;

const char *exprOpName(ExprOp op);
/// How many of `operands` are earlier expressions (0 for leaves).
unsigned exprOperandCount(ExprOp op);
const char *devicePropertyName(DeviceProperty property);

/// Index into Plan::exprs.
using ExprId = uint32_t;

/// One formula. Operands of the non-leaves are smaller expression indices.
struct Expr {
  ExprOp op = ExprOp::Const;
  uint32_t operands[3] = {0, 0, 0};
  int64_t imm = 0;
};

/// Must be nonzero, else the launch is refused as bad input with `message`.
struct Check {
  ExprId expr = 0;
  std::string message;
};

enum class BindingSource : uint8_t { Argument = 0, Workspace = 1 };
enum class Access : uint8_t { Read = 0, Write = 1, ReadWrite = 2 };

/// Memory that a dispatch uses; on Vulkan a storage buffer of descriptor set 0.
struct Binding {
  uint32_t binding = 0;
  BindingSource source = BindingSource::Argument;
  /// Argument number (a tensor).
  uint32_t argument = 0;
  /// Workspace: byte offset, a multiple of 256.
  ExprId workspaceOffset = 0;
  /// Workspace: bytes bound from there.
  ExprId workspaceBytes = 0;
  Access access = Access::Read;
  /// A dependent dispatch: whether it reads this before the dispatch in front
  /// has ended. An argument that is read, and stays the same meanwhile.
  bool early = false;
};

enum class PushKind : uint8_t {
  I32 = 0,   ///< must fit a signed 32-bit word
  Low32 = 1, ///< the low half of 64 bits
  High32 = 2,
};

/// One 32-bit word of push constants.
struct PushWord {
  ExprId expr = 0;
  PushKind kind = PushKind::I32;
};

/// What a parameter of a CUDA kernel holds.
enum class ParameterKind : uint8_t {
  Pointer = 0, ///< the address of a binding's first byte, 64 bits
  Scalar8 = 1, ///< a formula's value, which must fit
  Scalar16 = 2,
  Scalar32 = 3,
  Scalar64 = 4,
  TensorMap = 5, ///< 128 bytes by value, aligned to 64
};
inline constexpr uint8_t kNumParameterKinds = 6;
const char *parameterKindName(ParameterKind kind);
/// Bytes of a parameter; its alignment is the same, but 64 for tensor maps.
uint32_t parameterBytes(ParameterKind kind);

/// One parameter of a CUDA kernel, in the order of its declaration.
struct Parameter {
  ParameterKind kind = ParameterKind::Pointer;
  /// Pointer: a binding's number; tensor map: an index of
  /// Dispatch::tensorMaps.
  uint32_t index = 0;
  /// Scalars.
  ExprId expr = 0;
};

/// How a CUDA tensor map (descriptor of tiled bulk copies) is made of a
/// binding. Dimensions are innermost first. Elements outside of the extents
/// read as zero and are not written.
struct TensorMap {
  /// The number of the binding that it views, from its first byte.
  uint32_t binding = 0;
  ElementType type = ElementType::F16;
  /// One formula for each dimension, in elements.
  std::vector<ExprId> extents;
  /// One for each dimension but the innermost, whose stride is 1; in elements.
  std::vector<ExprId> strides;
  /// Elements that one copy moves along each dimension.
  std::vector<uint32_t> box;
  /// Bytes of the swizzle's atom in shared memory: 0 (none), 32, 64 or 128.
  uint32_t swizzle = 0;
};

/// One dispatch. `grid` workgroups in total; Vulkan launches them as (x, y, 1),
/// x <= 65535, and the kernel computes
/// `wg = WorkgroupId.x + WorkgroupId.y * NumWorkgroups.x` and returns for
/// wg >= its own count. CUDA launches (grid, 1, 1), at most 2^31 - 1. 0: no
/// launch.
struct Dispatch {
  uint32_t module = 0;
  std::string entryPoint;
  ExprId grid = 0;
  uint32_t workgroupSize[3] = {1, 1, 1};
  /// Vulkan: storage buffers. CUDA: what parameters and tensor maps point to.
  std::vector<Binding> bindings;
  /// Vulkan only.
  std::vector<PushWord> pushConstants;
  /// CUDA only, as are all the following.
  std::vector<Parameter> parameters;
  std::vector<TensorMap> tensorMaps;
  /// Workgroups along x that share a cluster; the grid is a multiple of it.
  uint32_t clusterSize = 1;
  /// Dynamic shared memory.
  uint32_t sharedBytes = 0;
  /// It may begin while the dispatch before it still runs; the code waits for
  /// that one's end by itself.
  bool dependent = false;
};

/// A way to compute the kernel under `guard`. The dispatches run in order, with
/// a memory barrier between.
struct Variant {
  std::string name;
  ExprId guard = 0;
  ExprId workspaceBytes = 0;
  std::vector<Dispatch> dispatches;
  /// What was specialised away, in words ("K % 32 == 0, rows 16-byte aligned").
  std::string facts;
};

/// Who put a schedule among those of a plan: whoever wrote or compiled the
/// kernel, the compiler's cost model, or a table of measurements.
enum class Origin : uint8_t { User = 0, Model = 1, Table = 2 };
inline constexpr uint8_t kNumOrigins = 3;
/// "the user", "the model", "the table".
const char *originName(Origin origin);

/// A schedule among which the guards of the variants choose. Nothing depends on
/// it: it tells why a launch is as it is.
struct Choice {
  std::string schedule;
  Origin origin = Origin::User;
  /// What a launch under it costs by the model, in any one unit.
  ExprId price = 0;
  /// Nonzero: the guards prefer it; a table of measurements says that they
  /// shall.
  ExprId taken = 0, tuned = 0;
};

/// Everything a launch needs to know, without code.
struct Plan {
  std::vector<Expr> exprs;
  std::vector<Check> checks;
  /// One entry for each result, one formula for each of its dimensions, in
  /// extents of the inputs only. May be empty (unknown).
  std::vector<std::vector<ExprId>> resultExtents;
  /// The first whose guard is nonzero is taken.
  std::vector<Variant> variants;
  /// What they choose among; one schedule for a kernel without a choice.
  std::vector<Choice> choices;
};

/// Appends formulas to a plan, each distinct one once.
class ExprBuilder {
public:
  explicit ExprBuilder(Plan &plan) : plan(plan) {
    for (size_t i = 0; i < plan.exprs.size(); ++i)
      known.emplace(key(plan.exprs[i]), static_cast<ExprId>(i));
  }

  ExprId constant(int64_t v) { return get(ExprOp::Const, 0, 0, 0, v); }
  ExprId extent(uint32_t arg, uint32_t dim) {
    return get(ExprOp::Extent, arg, dim);
  }
  ExprId stride(uint32_t arg, uint32_t dim) {
    return get(ExprOp::Stride, arg, dim);
  }
  ExprId alignment(uint32_t arg) { return get(ExprOp::Alignment, arg); }
  ExprId scalar(uint32_t arg) { return get(ExprOp::Scalar, arg); }
  ExprId offset(uint32_t arg) { return get(ExprOp::Offset, arg); }
  ExprId device(DeviceProperty p) {
    return get(ExprOp::Device, static_cast<uint32_t>(p));
  }
  ExprId add(ExprId a, ExprId b) { return get(ExprOp::Add, a, b); }
  ExprId sub(ExprId a, ExprId b) { return get(ExprOp::Sub, a, b); }
  ExprId mul(ExprId a, ExprId b) { return get(ExprOp::Mul, a, b); }
  ExprId floorDiv(ExprId a, ExprId b) { return get(ExprOp::FloorDiv, a, b); }
  ExprId ceilDiv(ExprId a, ExprId b) { return get(ExprOp::CeilDiv, a, b); }
  ExprId rem(ExprId a, ExprId b) { return get(ExprOp::Rem, a, b); }
  ExprId min(ExprId a, ExprId b) { return get(ExprOp::Min, a, b); }
  ExprId max(ExprId a, ExprId b) { return get(ExprOp::Max, a, b); }
  ExprId eq(ExprId a, ExprId b) { return get(ExprOp::Eq, a, b); }
  ExprId ne(ExprId a, ExprId b) { return get(ExprOp::Ne, a, b); }
  ExprId lt(ExprId a, ExprId b) { return get(ExprOp::Lt, a, b); }
  ExprId le(ExprId a, ExprId b) { return get(ExprOp::Le, a, b); }
  ExprId logicalAnd(ExprId a, ExprId b) { return get(ExprOp::And, a, b); }
  ExprId logicalOr(ExprId a, ExprId b) { return get(ExprOp::Or, a, b); }
  ExprId logicalNot(ExprId a) { return get(ExprOp::Not, a); }
  ExprId select(ExprId c, ExprId a, ExprId b) {
    return get(ExprOp::Select, c, a, b);
  }

  ExprId get(ExprOp op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
             int64_t imm = 0) {
    Expr e;
    e.op = op;
    e.operands[0] = a;
    e.operands[1] = b;
    e.operands[2] = c;
    e.imm = imm;
    auto [it, isNew] =
        known.emplace(key(e), static_cast<ExprId>(plan.exprs.size()));
    if (isNew)
      plan.exprs.push_back(e);
    return it->second;
  }

private:
  using Key = std::tuple<uint8_t, uint32_t, uint32_t, uint32_t, int64_t>;
  static Key key(const Expr &e) {
    return {static_cast<uint8_t>(e.op), e.operands[0], e.operands[1],
            e.operands[2], e.imm};
  }
  Plan &plan;
  std::map<Key, ExprId> known;
};

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_PLAN_H
