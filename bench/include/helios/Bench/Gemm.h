// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GEMM family as level-1 text. Epilogues exist here only, as lines of text:
// the compiler and the checker know none by name.

#ifndef HELIOS_BENCH_GEMM_H
#define HELIOS_BENCH_GEMM_H

#include "helios/Bundle/ElementType.h"
#include "helios/Bundle/Status.h"
#include <optional>
#include <string>
#include <vector>

namespace helios::bench {

/// The operand that an epilogue reads beside the sum.
enum class FusedShape {
  None,
  Row,    ///< one element for each column of D: tensor<?>
  Column, ///< one for each row: tensor<?x1>
  Full,   ///< as D
  Pair,   ///< an operand as B, whose product with A is read
  Stored, ///< none: the value is one more result, as D
  Rows,   ///< none: what rows of the value combine to is one more result
  Columns ///< the same of columns
};

/// A named epilogue: lines of MLIR in which {x} is the value so far, {y} the
/// value after, {f} the fused element, or that of the pair's sum (all f32), and
/// {name} any other value, made distinct for each use. Of what rows or columns
/// combine to, the name of the combination.
struct Epilogue {
  const char *name;
  const char *formula;
  FusedShape fused;
  const char *text;
};

/// All of them, in the order of --list-epilogues.
const std::vector<Epilogue> &epilogues();
const Epilogue *findEpilogue(const std::string &name);

/// How B is stored where it is not stored as it is multiplied: integers, which
/// a scale of A's type multiplies, less a zero point if there is one.
struct Weights {
  bundle::ElementType stored = bundle::ElementType::I8;
  int64_t parts = 1; ///< weights that are stored in one, of as many bits less
  int64_t group =
      0; ///< elements along k that share a scale; 0: all of a column
  bool zero = false;

  /// "i8:128:zero", "i4:128".
  std::string name() const;
};

/// What the elements of A are multiplied by, in f32, on their way to the
/// product: a factor of each row, of each k, or both.
struct Factors {
  bool rows = false, k = false;

  bool any() const { return rows || k; }
  /// "rows+k".
  std::string name() const;
};

/// One family of GEMMs: everything that is compiled in; extents are left to the
/// launch.
struct GemmFamily {
  bundle::ElementType a = bundle::ElementType::F16,
                      b = bundle::ElementType::F16;
  bundle::ElementType accumulator = bundle::ElementType::F32,
                      d = bundle::ElementType::F16;
  bool transposeA = false, transposeB = false;
  bool fastSums = false; ///< of e4m3 and e5m2: sums may stay in the engine
  std::vector<const Epilogue *> epilogue; ///< applied in order; empty: none
  std::optional<Weights> weights;
  Factors factors;
  /// Extent of the blocks that have scales, along k and n; 0: there are none.
  int64_t blocks = 0;
  bool batched = false;
  bool grouped =
      false; ///< rows of A belong to groups, each with a B of its own
  bool invariant = false; ///< rows do not depend on M, bit by bit
  bool constantA = false, constantB = false; ///< the same in many launches

  /// "f16:f16:f32:f16", "e4m3:e4m3:f32fast:bf16".
  std::string types() const;
  /// "nt".
  std::string layout() const;
  /// "bias+gelu", "none".
  std::string epilogueName() const;
};

/// Parsers of the command line's words; InvalidInput says what was expected.
Status parseTypes(const std::string &text, GemmFamily &family);
Status parseLayout(const std::string &text, GemmFamily &family);
Status parseEpilogue(const std::string &text, GemmFamily &family);
Status parseWeights(const std::string &text, GemmFamily &family);
Status parseScales(const std::string &text, GemmFamily &family);
Status parseFactors(const std::string &text, GemmFamily &family);
Status parseConstant(const std::string &text, GemmFamily &family);

/// The kernel's level-1 text; its name is "gemm".
std::string gemmText(const GemmFamily &family);

/// Extents of the inputs of gemmText's kernel. `batch` are the groups of a
/// grouped family.
std::vector<std::vector<int64_t>> gemmInputExtents(const GemmFamily &family,
                                                   int64_t m, int64_t n,
                                                   int64_t k, int64_t batch);
/// Extents of all arguments of gemmText's kernel (inputs, then D and what is
/// stored beside it). `batch` are the groups of a grouped family.
std::vector<std::vector<int64_t>> gemmExtents(const GemmFamily &family,
                                              int64_t m, int64_t n, int64_t k,
                                              int64_t batch);

} // namespace helios::bench

#endif // HELIOS_BENCH_GEMM_H
