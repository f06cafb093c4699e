// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Attention.h"
#include "RegionText.h"
#include "Split.h"
#include "helios/Bench/Compile.h"
#include "helios/Bench/Options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace helios::bench {

using bundle::ElementType;

namespace {

constexpr ElementType kTypes[] = {ElementType::F16, ElementType::BF16,
                                  ElementType::F32};
constexpr double kDefaultCap = 50;

/// A score by name. In its lines {x} is the score so far, {y} the score after,
/// {n} the number in its name, {d} the distance of query and key in f32, not
/// negative, {b} the bias in f32, and {name} any other value, made distinct for
/// each use.
struct KnownScore {
  const char *name;
  bool hasNumber;
  bool needsSlope; ///< a scalar argument %slope: 8 over the number of heads
  bool needsBias;  ///< a tensor argument %bias [heads, queries, keys]
  const char *text;
};
const KnownScore kScores[] = {
    {"softcap", true, false, false,
     "{c} = arith.constant {n} : f32\n"
     "{q} = arith.divf {x}, {c} fastmath<arcp> : f32\n"
     "{t} = math.tanh {q} fastmath<afn> : f32\n"
     "{y} = arith.mulf {t}, {c} : f32\n"},
    {"alibi", false, true, false,
     "{one} = arith.constant 1 : index\n"
     "{next} = arith.addi %h, {one} : index\n"
     "{number} = arith.index_cast {next} : index to i32\n"
     "{float} = arith.sitofp {number} : i32 to f32\n"
     "{power} = arith.mulf {float}, %slope : f32\n"
     "{minus} = arith.negf {power} : f32\n"
     "{steep} = math.exp2 {minus} : f32\n"
     "{off} = arith.mulf {steep}, {d} : f32\n"
     "{y} = arith.subf {x}, {off} : f32\n"},
    {"bias", false, false, true, "{y} = arith.addf {x}, {b} : f32\n"},
};

const KnownScore *findScore(const std::string &name) {
  for (const KnownScore &s : kScores)
    if (name == s.name)
      return &s;
  return nullptr;
}

std::string numberText(double v) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9e", v);
  return text;
}

/// Lines that give %p, the query's place among the keys, which is %i where both
/// are equally many.
std::string placeLines(const AttentionFamily &f) {
  return f.isShifted ? "    %shift_index = arith.index_cast %shift : i32 to "
                       "index\n    %p = arith.addi %i, %shift_index : index\n"
                     : "";
}
std::string place(const AttentionFamily &f) {
  return f.isShifted ? "%p" : "%i";
}

bool needs(const AttentionForm &form, bool KnownScore::*what) {
  return std::any_of(
      form.scores.begin(), form.scores.end(),
      [&](const AttentionForm::Score &s) { return findScore(s.name)->*what; });
}
bool needsSlope(const AttentionForm &form) {
  return needs(form, &KnownScore::needsSlope);
}
bool needsBias(const AttentionForm &form) {
  return needs(form, &KnownScore::needsBias);
}

/// The arguments of a region behind the score, and of a mask.
std::string regionArguments(const AttentionFamily &f) {
  return (needsBias(f.form) ? std::string("%bias_element: ") +
                                  bundle::elementTypeName(f.element) + ", "
                            : "") +
         "%b: index, %h: index, %i: index, %j: index";
}

std::string scoreClause(const AttentionFamily &f) {
  if (!f.form.scoreRegion.empty())
    return " score " + f.form.scoreRegion;
  if (f.form.scores.empty())
    return "";
  std::string body, value = "%x";
  if (needsSlope(f.form)) {
    // The distance, which is the same either way.
    body += placeLines(f) + "    %apart = arith.subi " + place(f) +
            ", %j : index\n"
            "    %apart_word = arith.index_cast %apart : index to i32\n"
            "    %apart_float = arith.sitofp %apart_word : i32 to f32\n"
            "    %distance = math.absf %apart_float : f32\n";
  }
  const bool widens = f.element != ElementType::F32;
  if (needsBias(f.form) && widens)
    body += std::string("    %bias_f32 = arith.extf %bias_element : ") +
            bundle::elementTypeName(f.element) + " to f32\n";
  for (size_t n = 0; n < f.form.scores.size(); ++n) {
    const AttentionForm::Score &s = f.form.scores[n];
    const std::string number = std::to_string(n), result = "%y" + number;
    body += fillRegion(findScore(s.name)->text, "s" + number,
                       {{"x", value},
                        {"y", result},
                        {"n", numberText(s.number)},
                        {"d", "%distance"},
                        {"b", widens ? "%bias_f32" : "%bias_element"}});
    value = result;
  }
  return " score {\n  ^bb0(%x: f32, " + regionArguments(f) + "):\n" + body +
         "    helios.yield " + value + " : f32\n  }";
}

std::string maskClause(const AttentionFamily &f) {
  std::vector<std::string> conditions;
  std::string body = placeLines(f);
  // Extents and places are not negative but for a shifted place.
  const std::string p = place(f), sign = f.isShifted ? "s" : "u";
  auto condition = [&](const std::string &line) {
    conditions.push_back("%c" + std::to_string(conditions.size()));
    body += "    " + conditions.back() + " = " + line + "\n";
  };
  if (f.form.causal)
    condition("arith.cmpi " + sign + "le, %j, " + p + " : index");
  if (f.form.window) {
    body += "    %width = arith.constant " + std::to_string(f.form.window) +
            " : index\n    %reach = arith.addi %j, %width : index\n";
    condition("arith.cmpi " + sign + "gt, %reach, " + p + " : index");
    if (!f.form.causal) {
      body += "    %ahead = arith.addi " + p + ", %width : index\n";
      condition("arith.cmpi " + sign + "gt, %ahead, %j : index");
    }
  }
  if (conditions.empty())
    return "";
  std::string value = conditions[0];
  for (size_t n = 1; n < conditions.size(); ++n) {
    const std::string both = "%both" + std::to_string(n);
    body += "    " + both + " = arith.andi " + value + ", " + conditions[n] +
            " : i1\n";
    value = both;
  }
  if (f.form.prefix) {
    body += "    %prefix = arith.constant " + std::to_string(f.form.prefix) +
            " : index\n    %in_prefix = arith.cmpi ult, %j, %prefix : index\n"
            "    %either = arith.ori " +
            value + ", %in_prefix : i1\n";
    value = "%either";
  }
  return " mask {\n  ^bb0(" + regionArguments(f) + "):\n" + body +
         "    helios.yield " + value + " : i1\n  }";
}

} // namespace

std::string AttentionShape::name() const {
  std::string text = std::to_string(batch) + "x" + std::to_string(heads) + "x" +
                     std::to_string(queries) + "x" + std::to_string(depth);
  if (valueDepth != depth)
    text += "x" + std::to_string(valueDepth);
  if (keys != queries || keyHeads != heads)
    text += ":" + std::to_string(keys);
  if (keyHeads != heads)
    text += ":" + std::to_string(keyHeads);
  return text;
}

Result<AttentionShape> parseAttentionShape(const std::string &text) {
  const auto parts = split(text, ':');
  auto extents = parseExtents("--shapes", parts[0]);
  if (!extents.ok())
    return extents.status();
  if (parts.size() > 3 || extents->size() < 4 || extents->size() > 5)
    return Status::invalidInput(
        "--shapes: expected BxHxSxD or BxHxSxDxDV, then :KEYS and "
        ":KEYHEADS where they differ (4x32x1x128:8192:8), got '" +
        text + "'");
  AttentionShape s;
  s.batch = (*extents)[0];
  s.heads = s.keyHeads = (*extents)[1];
  s.queries = s.keys = (*extents)[2];
  s.depth = (*extents)[3];
  s.valueDepth = extents->back();
  int64_t *const more[] = {&s.keys, &s.keyHeads};
  for (size_t n = 1; n < parts.size(); ++n) {
    auto one = parseExtents("--shapes", parts[n]);
    if (!one.ok())
      return one.status();
    if (one->size() != 1)
      return Status::invalidInput(
          "--shapes: expected a number behind ':', got '" + parts[n] +
          "' in '" + text + "'");
    *more[n - 1] = one->front();
  }
  if (s.depth < 1 || s.valueDepth < 1)
    return Status::invalidInput(
        "--shapes: expected depths of 1 or more, got '" + text + "'");
  if (s.heads != 0 && (s.keyHeads == 0 || s.heads % s.keyHeads != 0))
    return Status::invalidInput("--shapes: expected heads that are a multiple "
                                "of the key's, got " +
                                std::to_string(s.heads) + " and " +
                                std::to_string(s.keyHeads) + " in '" + text +
                                "'");
  return s;
}

std::string AttentionForm::name() const {
  std::string text;
  auto add = [&](const std::string &word) {
    text += (text.empty() ? "" : "+") + word;
  };
  if (causal)
    add("causal");
  if (window)
    add("window" + std::to_string(window));
  if (prefix)
    add("prefix" + std::to_string(prefix));
  for (const Score &s : scores) {
    char number[40];
    std::snprintf(number, sizeof(number), "%g", s.number);
    add(s.name + (findScore(s.name)->hasNumber ? number : ""));
  }
  if (!scoreRegion.empty())
    add("score");
  if (hasLse)
    add("lse");
  return text.empty() ? "none" : text;
}

Status parseScore(const std::string &text, AttentionForm &form) {
  form.scores.clear();
  form.scoreRegion.clear();
  if (text.size() > 5 && text.compare(text.size() - 5, 5, ".mlir") == 0) {
    auto read = readText(text);
    if (!read.ok())
      return read.status().withPrefix("--score: ");
    const size_t open = read->find('{'), close = read->rfind('}');
    if (open == std::string::npos || close == std::string::npos ||
        read->find("^bb0(", open) == std::string::npos)
      return Status::invalidInput(
          "--score: expected a region { ^bb0(%x: f32, %b: index, %h: index, "
          "%i: index, %j: index): ... helios.yield %y : f32 } in '" +
          text + "'");
    form.scoreRegion = read->substr(open, close + 1 - open);
    return Status::success();
  }
  for (const std::string &word : split(text, '+')) {
    const size_t colon = word.find(':');
    AttentionForm::Score s;
    s.name = word.substr(0, colon);
    const KnownScore *known = findScore(s.name);
    if (!known)
      return Status::invalidInput(
          "--score: expected names of softcap[:CAP], alibi and bias with + "
          "between, or a file FILE.mlir with a region, got '" +
          word + "'");
    if (colon != std::string::npos && !known->hasNumber)
      return Status::invalidInput("--score: expected " + s.name +
                                  " without a number, got '" + word + "'");
    s.number = kDefaultCap;
    if (colon != std::string::npos) {
      const std::string number = word.substr(colon + 1);
      char *end = nullptr;
      s.number = std::strtod(number.c_str(), &end);
      if (number.empty() || *end || !(s.number > 0) || s.number > 1e30)
        return Status::invalidInput("--score: expected a positive number "
                                    "behind '" +
                                    s.name + ":', got '" + number + "'");
    }
    form.scores.push_back(s);
  }
  return Status::success();
}

std::string AttentionFamily::types() const {
  const std::string e = bundle::elementTypeName(element);
  return e + ":" + e + ":f32:" + bundle::elementTypeName(result);
}

Status parseAttentionTypes(const std::string &text, AttentionFamily &family) {
  const auto parts = split(text, ':');
  if (parts.size() > 2)
    return Status::invalidInput("--types: expected a type for query, key and "
                                "value, and :RESULT where that differs (as "
                                "bf16:f32), got '" +
                                text + "'");
  for (size_t n = 0; n < parts.size(); ++n) {
    const ElementType *found =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](ElementType t) {
          return parts[n] == bundle::elementTypeName(t);
        });
    if (found == std::end(kTypes))
      return Status::invalidInput(
          "--types: expected one of f16, bf16, f32, got '" + parts[n] +
          "' in '" + text + "'");
    (n ? family.result : family.element) = *found;
  }
  if (parts.size() == 1)
    family.result = family.element;
  return Status::success();
}

AttentionFamily familyOf(const AttentionFamily &base,
                         const AttentionShape &shape) {
  AttentionFamily f = base;
  f.depth = shape.depth;
  f.valueDepth = shape.valueDepth;
  f.isShifted = shape.queries != shape.keys &&
                (f.form.causal || f.form.window || needsSlope(f.form));
  return f;
}

std::string attentionText(const AttentionFamily &f) {
  auto tensor = [](int64_t depth, ElementType type) {
    return "tensor<?x?x?x" + std::to_string(depth) + "x" +
           bundle::elementTypeName(type) + ">";
  };
  const std::string query = tensor(f.depth, f.element),
                    value = tensor(f.valueDepth, f.element),
                    result = tensor(f.valueDepth, f.result),
                    lse = "tensor<?x?x?xf32>";
  const std::string bias =
      std::string("tensor<?x?x?x") + bundle::elementTypeName(f.element) + ">";
  std::string arguments = "%q: " + query + ", %k: " + query + ", %v: " + value;
  if (needsBias(f.form))
    arguments += ", %bias: " + bias;
  if (f.isShifted)
    arguments += ", %shift: i32";
  if (needsSlope(f.form))
    arguments += ", %slope: f32";
  std::string names;
  for (const char *name : {"q", "k", "v", "bias", "shift", "slope"}) {
    const std::string from = std::string("%") + name + ":";
    const size_t at = arguments.find(from);
    if (at == std::string::npos)
      continue;
    const size_t end = std::min(arguments.find(", %", at), arguments.size());
    arguments.insert(end, std::string(" {helios.name = \"") + name + "\"}");
  }
  const bool hasLse = f.form.hasLse;
  return "helios.kernel @attention(" + arguments + ") -> " +
         (hasLse ? "(" + result + ", " + lse + ")" : result) + " {\n  %o" +
         (hasLse ? ", %lse" : "") + " = helios.attention %q, %k, %v" +
         (needsBias(f.form) ? " fused(%bias : " + bias + ")" : "") + " : (" +
         query + ", " + query + ", " + value + ") -> " + result +
         (hasLse ? " lse " + lse : "") + " acc f32" + scoreClause(f) +
         maskClause(f) + "\n  helios.return %o" + (hasLse ? ", %lse" : "") +
         " : " + result + (hasLse ? ", " + lse : "") + "\n}\n";
}

std::vector<std::vector<int64_t>>
attentionInputExtents(const AttentionFamily &f, const AttentionShape &s) {
  std::vector<std::vector<int64_t>> extents{
      {s.batch, s.heads, s.queries, s.depth},
      {s.batch, s.keyHeads, s.keys, s.depth},
      {s.batch, s.keyHeads, s.keys, s.valueDepth}};
  if (needsBias(f.form))
    extents.push_back({s.heads, s.queries, s.keys});
  if (f.isShifted)
    extents.emplace_back();
  if (needsSlope(f.form))
    extents.emplace_back();
  return extents;
}

std::vector<std::vector<int64_t>> attentionExtents(const AttentionFamily &f,
                                                   const AttentionShape &s) {
  std::vector<std::vector<int64_t>> extents = attentionInputExtents(f, s);
  extents.push_back({s.batch, s.heads, s.queries, s.valueDepth});
  if (f.form.hasLse)
    extents.push_back({s.batch, s.heads, s.queries});
  return extents;
}

std::map<std::string, double> attentionScalars(const AttentionFamily &f,
                                               const AttentionShape &s) {
  std::map<std::string, double> scalars;
  if (f.isShifted)
    scalars["shift"] = double(s.keys - s.queries);
  if (needsSlope(f.form))
    scalars["slope"] = 8 / double(std::max<int64_t>(s.heads, 1));
  return scalars;
}

} // namespace helios::bench
