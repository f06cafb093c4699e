// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention family as level-1 text. Masks and scores by name exist here
// only, as lines of regions: the compiler and the checker know none.

#ifndef HELIOS_BENCH_ATTENTION_H
#define HELIOS_BENCH_ATTENTION_H

#include "helios/Bundle/ElementType.h"
#include "helios/Bundle/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace helios::bench {

/// Extents of one attention: query [batch, heads, queries, depth], key [batch,
/// keyHeads, keys, depth], value [batch, keyHeads, keys, valueDepth].
struct AttentionShape {
  int64_t batch = 0, heads = 0, queries = 0, depth = 0, valueDepth = 0,
          keys = 0, keyHeads = 0;

  /// "4x16x4096x128", "32x32x1x128:8192:8".
  std::string name() const;
};

/// BxHxSxD or BxHxSxDxDV, then :KEYS and :KEYHEADS where they differ.
Result<AttentionShape> parseAttentionShape(const std::string &text);

/// Which positions take part and what becomes of scores, and how the tensors
/// lie: all that is compiled in but types and depths.
struct AttentionForm {
  bool causal = false;
  int64_t window = 0; ///< 0: none
  int64_t prefix = 0; ///< keys that every query sees whatever these say
  /// softcap:CAP, alibi, bias, one behind the other; or the text of a region.
  struct Score {
    std::string name;
    double number = 0;
  };
  std::vector<Score> scores;
  std::string scoreRegion; ///< "{ ^bb0(...): ... }"; replaces scores
  bool hasLse = false;
  bool rowsOfHeads = false; ///< in memory [B, S, H, D], else [B, H, S, D]

  /// "causal+window128+softcap", "none".
  std::string name() const;
};

/// Sets what scores become: names with + between, or a file with a region.
Status parseScore(const std::string &text, AttentionForm &form);

/// One kernel: what is compiled, extents but the depths left to the launch.
struct AttentionFamily {
  bundle::ElementType element = bundle::ElementType::F16,
                      result = bundle::ElementType::F16;
  int64_t depth = 0, valueDepth = 0;
  AttentionForm form;
  /// The number of queries may differ from that of keys: masks and scores
  /// count from the last of both.
  bool isShifted = false;

  /// "bf16:bf16:f32:bf16": of query and key, value, accumulator, result.
  std::string types() const;
};

/// T or T:RESULT.
Status parseAttentionTypes(const std::string &text, AttentionFamily &family);

/// The family that serves a shape.
AttentionFamily familyOf(const AttentionFamily &base,
                         const AttentionShape &shape);

/// The kernel's level-1 text; its name is "attention".
std::string attentionText(const AttentionFamily &family);

/// Extents of the inputs of attentionText's kernel, none for scalars.
std::vector<std::vector<int64_t>>
attentionInputExtents(const AttentionFamily &family,
                      const AttentionShape &shape);
/// Extents of all arguments of attentionText's kernel (inputs, then results).
std::vector<std::vector<int64_t>>
attentionExtents(const AttentionFamily &family, const AttentionShape &shape);
/// Values of its scalars.
std::map<std::string, double> attentionScalars(const AttentionFamily &family,
                                               const AttentionShape &shape);

} // namespace helios::bench

#endif // HELIOS_BENCH_ATTENTION_H
