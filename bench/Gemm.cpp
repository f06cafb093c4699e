// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Gemm.h"
#include "RegionText.h"
#include "Split.h"

#include <algorithm>
#include <cstdlib>

namespace helios::bench {

using bundle::ElementType;

namespace {

constexpr ElementType kTypes[] = {
    ElementType::F16,  ElementType::BF16, ElementType::TF32,
    ElementType::F32,  ElementType::F64,  ElementType::E4M3,
    ElementType::E5M2, ElementType::I8,   ElementType::I32};

/// Behind the accumulator's type, where sums may stay in the engine.
const std::string kFast = "fast";

/// Lines that convert %from of type `a` to %to of type `b`; the value is
/// renamed if there is nothing to do.
std::string convert(std::string &value, ElementType a, ElementType b,
                    const std::string &name) {
  if (a == b)
    return "";
  const std::string types = std::string(" : ") + bundle::mlirTypeName(a) +
                            " to " + bundle::mlirTypeName(b) + "\n";
  const bool floatA = bundle::isFloat(a), floatB = bundle::isFloat(b);
  const uint32_t bitsA = bundle::elementBits(a), bitsB = bundle::elementBits(b);
  if (floatA && floatB &&
      bitsA == bitsB) { // f16 and bf16 have no direct conversion
    std::string lines = convert(value, a, ElementType::F32, name + "_wide");
    return lines + convert(value, ElementType::F32, b, name);
  }
  const char *op = floatA && floatB
                       ? (bitsA < bitsB ? "arith.extf" : "arith.truncf")
                   : floatB ? "arith.sitofp"
                   : floatA ? "arith.fptosi"
                            : (bitsA < bitsB ? "arith.extsi" : "arith.trunci");
  const std::string from = value;
  value = "%" + name;
  return "    " + value + " = " + op + " " + from + types;
}

std::string tensorType(const std::vector<int64_t> &extents, ElementType type) {
  std::string text = "tensor<";
  for (int64_t e : extents)
    text += (e < 0 ? "?" : std::to_string(e)) + "x";
  return text + bundle::mlirTypeName(type) + ">";
}

/// Whether a step of an epilogue gives one more result of what rows or columns
/// combine to.
bool isReduction(const Epilogue &e) {
  return e.fused == FusedShape::Rows || e.fused == FusedShape::Columns;
}

/// The extents of that result.
std::vector<int64_t> reducedExtents(const GemmFamily &g, const Epilogue &e,
                                    int64_t m, int64_t n, int64_t batch) {
  const int64_t kept = e.fused == FusedShape::Rows ? m : n;
  return g.batched ? std::vector<int64_t>{batch, kept}
                   : std::vector<int64_t>{kept};
}

/// A column of a grouped product has one element for each group.
std::vector<int64_t> fusedExtents(const GemmFamily &g, FusedShape shape,
                                  int64_t m, int64_t n, int64_t batch) {
  switch (shape) {
  case FusedShape::Row:
    return g.grouped ? std::vector<int64_t>{batch, 1, n}
                     : std::vector<int64_t>{n};
  case FusedShape::Column:
    return {m, 1};
  default:
    return g.batched ? std::vector<int64_t>{batch, m, n}
                     : std::vector<int64_t>{m, n};
  }
}

} // namespace

/// How many right operands a product has.
static size_t numRights(const GemmFamily &g) {
  return 1 + size_t(std::any_of(g.epilogue.begin(), g.epilogue.end(),
                                [](const Epilogue *e) {
                                  return e->fused == FusedShape::Pair;
                                }));
}

namespace {

/// What an argument says that is the same in many launches.
const char *const kConstant = " {helios.constant}";

/// Operands of a kernel that one clause of its product names.
struct OperandList {
  std::string arguments, names, types;

  void add(const std::string &name, const std::string &type,
           bool constant = false) {
    const char *comma = names.empty() ? "" : ", ";
    arguments += ", " + name + ": " + type + (constant ? kConstant : "");
    names += comma + name;
    types += comma + type;
  }
  std::string clause(const std::string &keyword) const {
    return " " + keyword + "(" + names + " : " + types + ")";
  }
};

/// What weights add to a kernel.
struct Prologue {
  std::string arguments, operands, region;
};

} // namespace

static Prologue prologueOf(const GemmFamily &g) {
  if (!g.weights)
    return {};
  const Weights &weights = *g.weights;
  const int64_t groups = weights.group ? -1 : 1;
  std::vector<int64_t> extents = g.transposeB
                                     ? std::vector<int64_t>{-1, groups}
                                     : std::vector<int64_t>{groups, -1};
  if (g.grouped)
    extents.insert(extents.begin(), -1);
  // Integers of 8 bits and their differences are exact in f16 and in bf16.
  const ElementType compute = g.b;
  const std::string type = std::string(" : ") + bundle::mlirTypeName(compute);
  std::string scale = tensorType(extents, g.b), zero, point = "%point", body,
              parameters = std::string("%stored: ") +
                           bundle::mlirTypeName(weights.stored) +
                           ", %factor: " + bundle::mlirTypeName(g.b);
  if (weights.zero) {
    zero = tensorType(extents, weights.stored);
    parameters +=
        std::string(", %point: ") + bundle::mlirTypeName(weights.stored);
    body += convert(point, weights.stored, compute, "zeropoint");
  }
  OperandList operands;
  for (size_t right = 0; right < numRights(g); ++right) {
    const std::string ofPair = right ? "OfPair" : "";
    operands.add("%scale" + ofPair, scale, g.constantB);
    if (weights.zero)
      operands.add("%zero" + ofPair, zero, g.constantB);
  }
  Prologue result;
  result.arguments = operands.arguments;
  result.operands = operands.clause("prologue");
  // Where several weights lie in one integer, the first in its low bits, two
  // shifts leave one of them.
  const std::string integer = bundle::mlirTypeName(weights.stored);
  const int64_t all = bundle::elementBits(weights.stored),
                bits = all / weights.parts;
  std::string yielded, types;
  for (int64_t part = 0; part < weights.parts; ++part) {
    const std::string number = std::to_string(part);
    std::string value = "%stored";
    auto shift = [&](const char *op, int64_t by) {
      if (by == 0)
        return;
      const std::string next = std::string("%") + op + number,
                        amount = next + "_by";
      body += "    " + amount + " = arith.constant " + std::to_string(by) +
              " : " + integer + "\n    " + next + " = arith." + op + " " +
              value + ", " + amount + " : " + integer + "\n";
      value = next;
    };
    shift("shli", all - (part + 1) * bits);
    shift("shrsi", all - bits);
    body += convert(value, weights.stored, compute, "weight" + number);
    if (weights.zero) {
      body += "    %shifted" + number + " = arith.subf " + value + ", " +
              point + type + "\n";
      value = "%shifted" + number;
    }
    body += "    %scaled" + number + " = arith.mulf " + value + ", %factor" +
            type + "\n";
    yielded += (part ? ", %scaled" : "%scaled") + number;
    types += (part ? ", " : "") + std::string(bundle::mlirTypeName(g.b));
  }
  result.region = " prologue {\n  ^bb0(" + parameters + "):\n" + body +
                  "    helios.yield " + yielded + " : " + types + "\n  }";
  return result;
}

/// The extents of the factors of A, each broadcast to A as it is stored: of
/// rows and of k.
static std::vector<std::vector<int64_t>> factorExtents(const GemmFamily &g,
                                                       int64_t m, int64_t k) {
  auto vector = [](bool isLast, int64_t extent) {
    return isLast ? std::vector<int64_t>{extent}
                  : std::vector<int64_t>{extent, 1};
  };
  std::vector<std::vector<int64_t>> extents;
  if (g.factors.rows)
    extents.push_back(vector(g.transposeA, m));
  if (g.factors.k)
    extents.push_back(vector(!g.transposeA, k));
  return extents;
}

/// What they add to a kernel.
static Prologue factorsOf(const GemmFamily &g) {
  if (!g.factors.any())
    return {};
  Prologue result;
  std::string operands, types,
      value = "%of_a",
      parameters = std::string("%of_a: ") + bundle::mlirTypeName(g.a),
      body = convert(value, g.a, ElementType::F32, "a32");
  size_t number = 0;
  for (const std::vector<int64_t> &extents : factorExtents(g, -1, -1)) {
    const std::string index = std::to_string(number++),
                      type = tensorType(extents, ElementType::F32),
                      comma = number > 1 ? ", " : "";
    result.arguments += ", %factor" + index + ": " + type;
    operands += comma + "%factor" + index;
    types += comma + type;
    parameters += ", %by" + index + ": f32";
    body += "    %scaled" + index + " = arith.mulf " + value + ", %by" + index +
            " : f32\n";
    value = "%scaled" + index;
  }
  result.operands = " prologue_a(" + operands + " : " + types + ")";
  body += convert(value, ElementType::F32, g.a, "left");
  result.region = " prologue_a {\n  ^bb0(" + parameters + "):\n" + body +
                  "    helios.yield " + value + " : " +
                  bundle::mlirTypeName(g.a) + "\n  }";
  return result;
}

std::string GemmFamily::types() const {
  return std::string(bundle::elementTypeName(a)) + ":" +
         bundle::elementTypeName(b) + ":" +
         bundle::elementTypeName(accumulator) + (fastSums ? kFast : "") + ":" +
         bundle::elementTypeName(d);
}

std::string GemmFamily::layout() const {
  return std::string(transposeA ? "t" : "n") + (transposeB ? "t" : "n");
}

std::string GemmFamily::epilogueName() const {
  std::string name;
  for (const Epilogue *e : epilogue)
    name += (name.empty() ? "" : "+") + std::string(e->name);
  return name.empty() ? "none" : name;
}

Status parseTypes(const std::string &text, GemmFamily &family) {
  std::string known;
  for (ElementType t : kTypes)
    known +=
        (known.empty() ? "" : ", ") + std::string(bundle::elementTypeName(t));
  auto parts = split(text, ':');
  ElementType *const places[] = {&family.a, &family.b, &family.accumulator,
                                 &family.d};
  if (parts.size() != 4)
    return Status::invalidInput(
        "--types: expected A:B:accumulate:D, four types with colons between "
        "(as f16:f16:f32:f16), got '" +
        text + "'");
  std::string &sum = parts[2];
  family.fastSums =
      sum.size() > kFast.size() &&
      sum.compare(sum.size() - kFast.size(), kFast.size(), kFast) == 0;
  if (family.fastSums)
    sum.resize(sum.size() - kFast.size());
  for (int i = 0; i < 4; ++i) {
    bool found = false;
    for (ElementType t : kTypes)
      if (parts[size_t(i)] == bundle::elementTypeName(t)) {
        *places[i] = t;
        found = true;
      }
    if (!found)
      return Status::invalidInput("--types: expected one of " + known +
                                  ", got '" + parts[size_t(i)] + "' in '" +
                                  text + "'");
  }
  if (bundle::isFloat(family.a) != bundle::isFloat(family.b) ||
      bundle::isFloat(family.a) != bundle::isFloat(family.accumulator))
    return Status::invalidInput("--types: expected A, B and the accumulator to "
                                "be all floats or all integers, got '" +
                                text + "'");
  if (family.fastSums &&
      !(bundle::isFloat(family.a) && bundle::elementBits(family.a) == 8))
    return Status::invalidInput("--types: expected '" + kFast +
                                "' behind the accumulator of products of e4m3 "
                                "and e5m2 only, got '" +
                                text + "'");
  return Status::success();
}

Status parseLayout(const std::string &text, GemmFamily &family) {
  const bool good = text.size() == 2 && (text[0] == 'n' || text[0] == 't') &&
                    (text[1] == 'n' || text[1] == 't');
  if (!good)
    return Status::invalidInput("--layout: expected nn, nt, tn or tt (A, then "
                                "B; t is transposed), got '" +
                                text + "'");
  family.transposeA = text[0] == 't';
  family.transposeB = text[1] == 't';
  return Status::success();
}

std::string Weights::name() const {
  return "i" + std::to_string(bundle::elementBits(stored) / parts) +
         (group ? ":" + std::to_string(group) : "") + (zero ? ":zero" : "");
}

Status parseWeights(const std::string &text, GemmFamily &family) {
  if (text == "none")
    return Status::success();
  auto parts = split(text, ':');
  Weights weights;
  size_t next = 1;
  bool good = parts[0] == "i8" || parts[0] == "i4";
  weights.parts = parts[0] == "i4" ? 2 : 1;
  if (next < parts.size() && parts[next] != "zero") {
    char *end = nullptr;
    weights.group = std::strtoll(parts[next].c_str(), &end, 10);
    good &= *end == 0 && weights.group > 0 && weights.group <= 1 << 20;
    ++next;
  }
  if (next < parts.size()) {
    weights.zero = parts[next] == "zero";
    good &= weights.zero;
    ++next;
  }
  good &= weights.group % weights.parts == 0 &&
          (weights.parts == 1 || weights.group > 0);
  if (!good || next != parts.size())
    return Status::invalidInput("--weights: expected none, i8[:GROUP][:zero] "
                                "(as i8:128) or i4:GROUP[:zero] of an even "
                                "group, got '" +
                                text + "'");
  if (!bundle::isFloat(family.b) || bundle::elementBits(family.b) != 16)
    return Status::invalidInput("--weights: expected f16 or bf16 to be what B "
                                "is multiplied as, got --types '" +
                                family.types() + "'");
  family.weights = weights;
  return Status::success();
}

std::string Factors::name() const {
  return rows && k ? "rows+k" : rows ? "rows" : k ? "k" : "none";
}

Status parseFactors(const std::string &text, GemmFamily &family) {
  for (bool rows : {false, true})
    for (bool k : {false, true})
      if (Factors{rows, k}.name() == text)
        family.factors = {rows, k};
  if (family.factors.name() != text)
    return Status::invalidInput(
        "--factors-a: expected none, rows, k or rows+k, got '" + text + "'");
  if (family.factors.any() && family.a != ElementType::F16 &&
      family.a != ElementType::BF16 && family.a != ElementType::F32)
    return Status::invalidInput("--factors-a: expected A of f16, bf16 or f32, "
                                "got --types '" +
                                family.types() + "'");
  return Status::success();
}

Status parseScales(const std::string &text, GemmFamily &family) {
  if (text == "none")
    return Status::success();
  auto parts = split(text, ':');
  family.blocks = 128;
  bool good = parts[0] == "block" && parts.size() <= 2;
  if (parts.size() == 2) {
    char *end = nullptr;
    family.blocks = std::strtoll(parts[1].c_str(), &end, 10);
    good &= *end == 0 && family.blocks > 0 && family.blocks <= 1 << 20;
  }
  if (!good)
    return Status::invalidInput(
        "--scales: expected none or block[:EXTENT] (as block:128), got '" +
        text + "'");
  auto isNarrow = [](ElementType type) {
    return bundle::isFloat(type) && bundle::elementBits(type) == 8;
  };
  if (!isNarrow(family.a) || !isNarrow(family.b) || family.fastSums)
    return Status::invalidInput("--scales: expected operands of e4m3 and e5m2 "
                                "that are added up in f32, got --types '" +
                                family.types() + "'");
  return Status::success();
}

Status parseConstant(const std::string &text, GemmFamily &family) {
  if (text != "a" && text != "b" && text != "none")
    return Status::invalidInput("--constant: expected a, b or none, got '" +
                                text + "'");
  family.constantA = text == "a";
  family.constantB = text == "b";
  return Status::success();
}

Status parseEpilogue(const std::string &text, GemmFamily &family) {
  family.epilogue.clear();
  if (text == "none")
    return Status::success();
  for (const std::string &name : split(text, '+')) {
    const Epilogue *e = findEpilogue(name);
    if (!e) {
      std::string known = "none";
      for (const Epilogue &k : epilogues())
        known += std::string(", ") + k.name;
      return Status::invalidInput("--epilogue: expected names of " + known +
                                  " with + between, got '" + name +
                                  "'; any other function can be written down "
                                  "and run with 'helios-bench run FILE.mlir'");
    }
    const bool isSecond =
        e->fused == FusedShape::Pair &&
        std::any_of(family.epilogue.begin(), family.epilogue.end(),
                    [&](const Epilogue *other) { return other == e; });
    if (isSecond)
      return Status::invalidInput("--epilogue: expected one '" + name +
                                  "' at most, got '" + text + "'");
    family.epilogue.push_back(e);
  }
  return Status::success();
}

std::string gemmText(const GemmFamily &g) {
  const std::vector<int64_t> matrix = g.batched
                                          ? std::vector<int64_t>{-1, -1, -1}
                                          : std::vector<int64_t>{-1, -1};
  const std::vector<int64_t> right =
      g.grouped ? std::vector<int64_t>{-1, -1, -1} : matrix;
  const std::string typeA = tensorType(matrix, g.a),
                    typeB =
                        tensorType(right, g.weights ? g.weights->stored : g.b),
                    typeD = tensorType(matrix, g.d);
  const ElementType compute =
      g.accumulator == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  std::string arguments = "%a: " + typeA + (g.constantA ? kConstant : "") +
                          ", %b: " + typeB + (g.constantB ? kConstant : ""),
              pair, sums, fused, fusedTypes, parameters, body;
  std::vector<std::string> stored; ///< elements beside that of D
  struct Reduced {
    const Epilogue *step;
    std::string value;
  };
  std::vector<Reduced> reduced; ///< and those that are combined
  const Prologue prologue = prologueOf(g), left = factorsOf(g);
  const char *ends = "tensor<?xi32>";
  if (g.grouped)
    arguments += std::string(", %ends: ") + ends;
  arguments += prologue.arguments + left.arguments;
  std::string scales;
  if (g.blocks) {
    const std::string type = tensorType({-1, -1}, g.accumulator);
    OperandList operands;
    operands.add("%scaleA", type);
    for (size_t right = 0; right < numRights(g); ++right)
      operands.add(right ? "%scaleOfPair" : "%scaleB", type);
    arguments += operands.arguments;
    scales = operands.clause("scales");
  }
  std::string value = "%x";
  if (!g.epilogue.empty())
    body += convert(value, g.accumulator, compute, "sum");
  for (size_t i = 0; i < g.epilogue.size(); ++i) {
    const Epilogue &e = *g.epilogue[i];
    const std::string number = std::to_string(i), result = "%y" + number;
    std::string f;
    if (e.fused == FusedShape::Stored) {
      stored.push_back(value);
      body += convert(stored.back(), compute, g.d, "aux" + number);
      continue;
    }
    if (isReduction(e)) {
      reduced.push_back({&e, value});
      continue;
    }
    if (e.fused == FusedShape::Pair) {
      arguments +=
          ", %f" + number + ": " + typeB + (g.constantB ? kConstant : "");
      pair = " pair(%f" + number + " : " + typeB + ")";
      f = "%c" + number;
      sums = ", " + f + ": " + bundle::mlirTypeName(g.accumulator);
      body += convert(f, g.accumulator, compute, "w" + number);
    } else if (e.fused != FusedShape::None) {
      const std::string type =
          tensorType(fusedExtents(g, e.fused, -1, -1, -1), g.d);
      arguments += ", %f" + number + ": " + type;
      fused += (fused.empty() ? "" : ", ") + std::string("%f") + number;
      fusedTypes += (fusedTypes.empty() ? "" : ", ") + type;
      parameters += ", %c" + number + ": " + bundle::mlirTypeName(g.d);
      f = "%c" + number;
      body += convert(f, g.d, compute, "w" + number);
    }
    std::string lines = fillRegion(e.text, "e" + number,
                                   {{"x", value}, {"y", result}, {"f", f}});
    if (compute == ElementType::F64) // the table is written in f32
      for (size_t at = 0; (at = lines.find(": f32", at)) != std::string::npos;)
        lines.replace(at, 5, ": f64");
    body += lines;
    value = result;
  }
  // D, and what is stored beside it.
  std::string types = typeD, names = "%d";
  for (size_t i = 0; i < stored.size(); ++i) {
    types += ", " + typeD;
    names += ", %aux" + std::to_string(i);
  }
  std::string reductions;
  for (size_t i = 0; i < reduced.size(); ++i) {
    const Epilogue &e = *reduced[i].step;
    types += ", " + tensorType(reducedExtents(g, e, -1, -1, -1), compute);
    names += ", %reduced" + std::to_string(i);
    reductions += std::string(i ? ", " : "") + "#helios.reduction<" + e.text +
                  (e.fused == FusedShape::Rows ? ", n>" : ", m>");
  }
  const bool isSingle = stored.empty() && reduced.empty();
  std::string text =
      "helios.kernel @gemm(" + arguments + ") -> " +
      (isSingle ? types : "(" + types + ")") + " {\n  " + names +
      " = helios.matmul %a, %b" + pair +
      (g.grouped ? std::string(" grouped(%ends : ") + ends + ")" : "") +
      prologue.operands + left.operands + scales;
  if (!fused.empty())
    text += " fused(" + fused + " : " + fusedTypes + ")";
  std::string flags;
  for (const auto &[set, name] : {std::pair(g.transposeA, "transpose_a"),
                                  std::pair(g.transposeB, "transpose_b"),
                                  std::pair(g.fastSums, "fast_accumulation"),
                                  std::pair(g.invariant, "batch_invariant")})
    if (set)
      flags += (flags.empty() ? "" : ", ") + std::string(name);
  if (g.weights && g.weights->group)
    flags += (flags.empty() ? "group = " : ", group = ") +
             std::to_string(g.weights->group) + " : i64";
  if (g.blocks) {
    const std::string extent = ", " + std::to_string(g.blocks);
    flags +=
        (flags.empty() ? "blocks = array<i64: 1" : ", blocks = array<i64: 1") +
        extent + extent + ">";
  }
  if (!reductions.empty())
    flags += (flags.empty() ? "reductions = [" : ", reductions = [") +
             reductions + "]";
  if (!flags.empty())
    text += " {" + flags + "}";
  text += " : (" + typeA + ", " + typeB + ") -> " + types + " acc " +
          bundle::mlirTypeName(g.accumulator) + prologue.region + left.region;
  if (!g.epilogue.empty()) {
    body += convert(value, compute, g.d, "stored");
    std::string yielded = value, elements = bundle::mlirTypeName(g.d);
    for (const std::string &element : stored) {
      yielded += ", " + element;
      elements += std::string(", ") + bundle::mlirTypeName(g.d);
    }
    for (const Reduced &own : reduced) {
      yielded += ", " + own.value;
      elements += std::string(", ") + bundle::mlirTypeName(compute);
    }
    text += std::string(" {\n  ^bb0(%x: ") +
            bundle::mlirTypeName(g.accumulator) + sums + parameters + "):\n" +
            body + "    helios.yield " + yielded + " : " + elements + "\n  }";
  }
  return text + "\n  helios.return " + names + " : " + types + "\n}\n";
}

/// One of the kernel's matrices, or one for each of a batch.
static std::vector<int64_t> matrixExtents(const GemmFamily &g, int64_t batch,
                                          int64_t rows, int64_t columns) {
  return g.batched ? std::vector<int64_t>{batch, rows, columns}
                   : std::vector<int64_t>{rows, columns};
}

std::vector<std::vector<int64_t>> gemmInputExtents(const GemmFamily &g,
                                                   int64_t m, int64_t n,
                                                   int64_t k, int64_t batch) {
  auto matrix = [&](int64_t rows, int64_t columns) {
    return matrixExtents(g, batch, rows, columns);
  };
  const int64_t stored = g.weights ? k / g.weights->parts : k;
  std::vector<std::vector<int64_t>> extents{
      g.transposeA ? matrix(k, m) : matrix(m, k),
      g.transposeB ? matrix(n, stored) : matrix(stored, n)};
  if (g.grouped) {
    extents[1].insert(extents[1].begin(), batch);
    extents.push_back({batch});
  }
  if (g.weights) {
    const int64_t groups = g.weights->group ? k / g.weights->group : 1;
    std::vector<int64_t> scales = g.transposeB
                                      ? std::vector<int64_t>{n, groups}
                                      : std::vector<int64_t>{groups, n};
    if (g.grouped)
      scales.insert(scales.begin(), batch);
    extents.insert(extents.end(), numRights(g) * (g.weights->zero ? 2 : 1),
                   scales);
  }
  for (std::vector<int64_t> &factors : factorExtents(g, m, k))
    extents.push_back(std::move(factors));
  if (g.blocks) {
    const int64_t alongK = k / g.blocks, alongN = (n + g.blocks - 1) / g.blocks;
    auto stored = [](bool transposed, int64_t rows, int64_t columns) {
      return transposed ? std::vector<int64_t>{columns, rows}
                        : std::vector<int64_t>{rows, columns};
    };
    extents.push_back(stored(g.transposeA, m, alongK));
    extents.insert(extents.end(), numRights(g),
                   stored(g.transposeB, alongK, alongN));
  }
  for (const Epilogue *e : g.epilogue)
    if (e->fused == FusedShape::Pair)
      extents.push_back(extents[1]);
    else if (e->fused != FusedShape::None && e->fused != FusedShape::Stored &&
             !isReduction(*e))
      extents.push_back(fusedExtents(g, e->fused, m, n, batch));
  return extents;
}

std::vector<std::vector<int64_t>> gemmExtents(const GemmFamily &g, int64_t m,
                                              int64_t n, int64_t k,
                                              int64_t batch) {
  std::vector<std::vector<int64_t>> extents =
      gemmInputExtents(g, m, n, k, batch);
  const std::vector<int64_t> result = matrixExtents(g, batch, m, n);
  extents.push_back(result);
  for (const Epilogue *e : g.epilogue)
    if (e->fused == FusedShape::Stored)
      extents.push_back(result);
  for (const Epilogue *e : g.epilogue)
    if (isReduction(*e))
      extents.push_back(reducedExtents(g, *e, m, n, batch));
  return extents;
}

} // namespace helios::bench
