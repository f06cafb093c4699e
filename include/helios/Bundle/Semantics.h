//===- Semantics.h - What a kernel computes, for checking -------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's meaning as a small program over whole tensors, so that a checker
// without LLVM can evaluate it in double precision. The compiler fills it from
// the level-1 description.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_SEMANTICS_H
#define HELIOS_BUNDLE_SEMANTICS_H

#include "helios/Bundle/ElementType.h"
#include <optional>
#include <string>
#include <vector>

namespace helios::bundle {

/// Operations on scalars. The second column of Semantics.cpp's table gives the
/// names, which are MLIR's (arith and math without the dialect prefix where one
/// word means both integers and floats; the result type decides).
enum class ScalarOpKind : uint8_t {
  // Leaves.
  Accumulator, ///< the matmul's accumulator element (of the accumulator type);
               ///< in an attention's score region the scaled product
  Fused,       ///< element of fused operand `index`
  Index,       ///< the result's coordinate along dimension `index` (I64); of
               ///< an attention's scores: batch, head, query, key
  Const,       ///< `imm` for floats, `intImm` for integers
  ScalarArg,   ///< the kernel's scalar argument number `index`
  // Arithmetic on floats or integers by type.
  Add,
  Sub,
  Mul,
  Div, ///< floats; integers: signed, towards zero
  DivU,
  FloorDiv,
  CeilDiv,
  Rem, ///< floats: fmod; integers: signed, sign of the dividend
  RemU,
  Neg,
  Abs,
  Minimum, ///< NaN propagates, -0 < +0 (arith.minimumf)
  Maximum,
  MinNum, ///< NaN is missing data (arith.minnumf)
  MaxNum,
  MinS,
  MaxS,
  MinU,
  MaxU,
  Fma,
  // math dialect.
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Sqrt,
  Rsqrt,
  Cbrt,
  Pow,
  IPow, ///< float or integer base, integer exponent
  Floor,
  Ceil,
  Round, ///< halves away from zero
  Trunc,
  RoundEven,
  CopySign,
  IsNan,
  IsInf,
  IsFinite,
  // Comparison: `index` holds a CmpPredicate; result I1.
  Cmp,
  Select, ///< operands: condition (I1), true value, false value
  // Bits of integers and I1.
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  // Conversions to `type`, rounding to nearest even.
  Cast,  ///< float to float, signed int to float, float to signed int,
         ///< sext/trunc
  CastU, ///< as Cast, but the integer side is unsigned (extui, uitofp, fptoui)
  Bitcast,
  Extent, ///< a leaf (I64): of the tensor argument `index`, dimension `intImm`
};
inline constexpr uint8_t kNumScalarOps =
    static_cast<uint8_t>(ScalarOpKind::Extent) + 1;

enum class CmpPredicate : uint8_t {
  Eq, ///< integers
  Ne,
  Slt,
  Sle,
  Sgt,
  Sge,
  Ult, ///< integers: unsigned; floats: unordered or less than
  Ule,
  Ugt,
  Uge,
  OEq, ///< floats, ordered
  OGt,
  OGe,
  OLt,
  OLe,
  ONe,
  Ord,
  UEq, ///< floats, unordered or ...
  UNe,
  Uno,
  AlwaysFalse,
  AlwaysTrue,
};
inline constexpr uint8_t kNumCmpPredicates =
    static_cast<uint8_t>(CmpPredicate::AlwaysTrue) + 1;

/// "add", "exp2", "minimum", ...
const char *scalarOpName(ScalarOpKind kind);
std::optional<ScalarOpKind> parseScalarOp(const std::string &name);
/// Number of operands that `kind` reads (0-3).
unsigned scalarOpArity(ScalarOpKind kind);
const char *cmpPredicateName(CmpPredicate predicate);

/// One operation in a region's SSA list.
struct ScalarOp {
  ScalarOpKind kind = ScalarOpKind::Const;
  /// Type of the result.
  ElementType type = ElementType::F32;
  /// Earlier operations of the same region (only the first arity() count).
  uint32_t operands[3] = {0, 0, 0};
  /// Fused: operand number; Index: dimension; ScalarArg, Extent: kernel
  /// argument; Cmp: predicate; Tanh: 1 if a device's approximation will do.
  uint32_t index = 0;
  double imm = 0;
  int64_t intImm = 0;
};

/// A function of scalars: the operations in order, and which one is its value.
struct Region {
  std::vector<ScalarOp> ops;
  uint32_t result = 0;

  /// Appends an operation and returns its number.
  uint32_t append(ScalarOp op) {
    ops.push_back(op);
    return static_cast<uint32_t>(ops.size() - 1);
  }
};

/// A tensor of the program. Slots 0..n-1 are the kernel's n arguments in order
/// (a scalar argument's slot stays unused); later ones are temporaries.
struct Slot {
  ElementType type = ElementType::F32;
  uint32_t rank = 0;
};

enum class StepKind : uint8_t {
  /// dest[b.., m, n] = region(sum over k of A[b.., m, k] * B[b.., k, n]),
  /// leading
  /// dimensions of A and B broadcast as in numpy. With `ends`:
  /// dest[m, n] = region(sum over k of A[m, k] * B[g(m), k, n]), where g(m) is
  /// the first group whose end is greater than m; rows without one are left as
  /// they were. Fused operands then broadcast against [groups, m, n].
  Matmul = 0,
  /// dest[i..] = region(fused elements, i..)
  Elementwise = 1,
  /// With s[b, h, i, j] = region(scale * sum over d of A[b, h, i, d] * B[b, h /
  /// (heads of A / heads of B), j, d]) and the softmax over those j that the
  /// mask admits and whose score is not -inf: dest[b, h, i, e] = sum over j of
  /// softmax(s)[j] * C[b, .., j, e]. A row without such a j is 0.
  Attention = 2,
  /// dest is a with extents of 1 between its own.
  View = 3,
  /// dest lacks a dimension of a: the sum along it, or the largest element.
  Reduce = 4,
};
inline constexpr uint8_t kNumStepKinds =
    static_cast<uint8_t>(StepKind::Reduce) + 1;

/// What an attention has beyond the other steps.
struct AttentionPart {
  uint32_t value = 0; ///< slot; query is a, key is b
  /// Slot of the logarithm of each row's sum of exponentials [b, h, i], -inf
  /// for a row without a position; none if it is not wanted.
  std::optional<uint32_t> lse;
  /// None: one over the square root of the last extent of a.
  std::optional<double> scale;
  /// (Index, Fused, ScalarArg) -> I1; without operations every position takes
  /// part.
  Region mask;
};

/// One step. Fused operands broadcast against dest's trailing dimensions, an
/// attention's against those of its scores.
struct Step {
  StepKind kind = StepKind::Elementwise;
  uint32_t a = 0, b = 0; ///< slots; of products
  uint32_t dest = 0;
  bool transposeA = false; ///< A is [.., K, M]
  bool transposeB = false; ///< B is [.., N, K]
  ElementType accumulator = ElementType::F32;
  /// Sums of products of E4M3 and E5M2 may stay in an engine that keeps 14 bits
  /// of them; else after at most 128 elements they are added up in the
  /// accumulator's type.
  bool fastSums = false;
  /// Of a product: slot of the ends of groups of rows.
  std::optional<uint32_t> ends;
  /// Of a product of temporaries that are such elements times the scales of
  /// their blocks: what is multiplied are the elements, and the scales come to
  /// the sum over a block.
  bool hasScales = false;
  std::vector<uint32_t> fused; ///< slots
  Region region; ///< an attention's may be without operations: the identity
  /// Of an element-wise step: a fused operand that is `size` times shorter than
  /// dest along dimension `dim` of it has one element there for as many
  /// neighbouring ones, the last perhaps for fewer. With groups, the first
  /// fused operand is as dest, or, where it holds `parts` elements in one,
  /// shorter by that factor: its elements hold those of whole groups that are
  /// equal shares of a group apart.
  struct Groups {
    uint32_t dim = 0, size = 1, parts = 1;
  };
  std::vector<Groups> groups;
  AttentionPart attention;
  /// Of a reduction.
  struct Reduction {
    uint32_t dim = 0;     ///< of a, that dest lacks
    bool largest = false; ///< else the sum
  };
  Reduction reduction;
  /// Of a view: for each dimension of dest that of a, in order, or kUnit.
  std::vector<uint32_t> dims;
  static constexpr uint32_t kUnit = ~uint32_t(0);
};

struct Semantics {
  std::vector<Slot> slots;
  std::vector<Step> steps;
};

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_SEMANTICS_H
