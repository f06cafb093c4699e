// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Options.h"
#include "Split.h"
#include "helios/Bench/Peer.h"
#include "helios/Bench/Reference.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace helios::bench {

namespace {

Result<int64_t> parseNumber(const std::string &flag, const std::string &text,
                            int64_t least, int64_t most) {
  errno = 0;
  char *end = nullptr;
  const long long v = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno == ERANGE || v < least || v > most ||
      text[0] == ' ' || text[0] == '+')
    return Status::invalidInput(flag + ": expected a whole number from " +
                                std::to_string(least) + " to " +
                                std::to_string(most) + ", got '" + text + "'");
  return int64_t(v);
}

/// Text given for flags whose meaning depends on others.
struct Pending {
  std::vector<std::string> types, layouts, epilogues, prepack, weights, scales;
  std::string shapes;
  AttentionForm form;
  std::vector<std::string> given; ///< names of flags
};

struct Flag {
  const char *name;
  const char *value; ///< null: a switch
  const char *group;
  const char *help;
  std::function<Status(const std::string &flag, const std::string &text,
                       Options &, Pending &)>
      take;
};

using Take = decltype(Flag::take);

Take number(int64_t Options::*to, int64_t least, int64_t most) {
  return [=](const std::string &flag, const std::string &text, Options &o,
             Pending &) {
    auto v = parseNumber(flag, text, least, most);
    if (!v.ok())
      return v.status();
    o.*to = *v;
    return Status::success();
  };
}

Take word(std::string Options::*to) {
  return [=](const std::string &flag, const std::string &text, Options &o,
             Pending &) {
    if (text.empty())
      return Status::invalidInput(flag + ": expected a value, got nothing");
    o.*to = text;
    return Status::success();
  };
}

Take toggle(bool Options::*to) {
  return [=](const std::string &, const std::string &, Options &o, Pending &) {
    o.*to = true;
    return Status::success();
  };
}

Take list(std::vector<std::string> Pending::*to) {
  return
      [=](const std::string &, const std::string &text, Options &, Pending &p) {
        p.*to = split(text, ',');
        return Status::success();
      };
}

/// NAME=NUMBER[,NAME=NUMBER...]
template <typename T>
Take assignments(std::map<std::string, T> Options::*to, bool whole) {
  return [=](const std::string &flag, const std::string &text, Options &o,
             Pending &) {
    for (const std::string &part : split(text, ',')) {
      const size_t equals = part.find('=');
      const std::string value =
          equals == std::string::npos ? "" : part.substr(equals + 1);
      char *end = nullptr;
      errno = 0;
      const double v = std::strtod(value.c_str(), &end);
      if (equals == 0 || value.empty() || *end ||
          (whole && (v != std::trunc(v) || v < 0 || v > 0x1p40)))
        return Status::invalidInput(
            flag + ": expected NAME=" +
            (whole ? "EXTENT (a whole number from 0 to 2^40)" : "NUMBER") +
            " with commas between, got '" + part + "'");
      (o.*to)[part.substr(0, equals)] = T(v);
    }
    return Status::success();
  };
}

Status takeEnds(const std::string &flag, const std::string &text, Options &o,
                Pending &) {
  o.ends = {};
  if (text == "skewed")
    return Status::success();
  o.ends.kind = text == "even" ? GroupEnds::Even : GroupEnds::Given;
  if (text == "even")
    return Status::success();
  for (const std::string &part : split(text, ',')) {
    auto end = parseNumber(flag, part, INT32_MIN, INT32_MAX);
    if (!end.ok())
      return end.status();
    o.ends.given.push_back(*end);
  }
  return Status::success();
}

Status takeGarbage(const std::string &flag, const std::string &text, Options &o,
                   Pending &) {
  for (const std::string &part : split(text, ',')) {
    const auto words = split(part, ':');
    if (words.size() != 3 || words[0].empty())
      return Status::invalidInput(
          flag + ": expected NAME:DIM:FROM with commas between, got '" + part +
          "'");
    auto dim = parseNumber(flag, words[1], 0, 7),
         from = parseNumber(flag, words[2], 0, int64_t(1) << 40);
    for (const auto &number : {dim, from})
      if (!number.ok())
        return number.status();
    o.garbage.push_back({words[0], size_t(*dim), *from});
  }
  return Status::success();
}

Status takeRandomShapes(const std::string &flag, const std::string &text,
                        Options &o, Pending &) {
  const auto words = split(text, ':');
  if (words.size() != 1 && words.size() != 3)
    return Status::invalidInput(flag + ": expected N or N:LEAST:MOST, got '" +
                                text + "'");
  RandomShapes random;
  int64_t *const to[] = {&random.count, &random.low, &random.high};
  const int64_t most[] = {100000, 1 << 20, 1 << 20};
  for (size_t i = 0; i < words.size(); ++i) {
    auto v = parseNumber(flag, words[i], 1, most[i]);
    if (!v.ok())
      return v.status();
    *to[i] = *v;
  }
  if (random.low > random.high)
    return Status::invalidInput(flag +
                                ": expected LEAST of at most MOST, got " +
                                words[1] + " and " + words[2]);
  o.randomShapes = random;
  return Status::success();
}

Status takeDevice(const std::string &flag, const std::string &text, Options &o,
                  Pending &) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  bool good = kind == "vulkan" || kind == "cuda" ||
              kind == "emulator" || // the runtime reads what follows
              kind == "null" || (colon == std::string::npos && kind == "auto");
  if (colon != std::string::npos && kind != "emulator")
    good = good && parseNumber(flag, text.substr(colon + 1), kind == "null",
                               kind == "null" ? 9999 : 1000)
                       .ok();
  if (!good)
    return Status::invalidInput(
        flag +
        ": expected auto, vulkan[:N], cuda[:N], emulator[:ROW] or null[:N], "
        "got '" +
        text + "'");
  o.device = text;
  return Status::success();
}

/// What is compiled if nobody says: what the device can run.
std::string targetFor(const std::string &device) {
  if (device.compare(0, 4, "cuda") == 0)
    return "cuda";
  if (device.compare(0, 8, "emulator") != 0)
    return "vulkan";
  const size_t row = device.find("sm_");
  return row == std::string::npos
             ? "cuda:sm_90a"
             : "cuda:" + device.substr(row, device.find(',', row) - row);
}

Status takeTarget(const std::string &flag, const std::string &text, Options &o,
                  Pending &) {
  const std::string kind = text.substr(0, text.find(':'));
  if (kind != "vulkan" && kind != "cuda")
    return Status::invalidInput(
        flag + ": expected vulkan[:ROW] or cuda[:ROW], got '" + text + "'");
  o.target = text;
  return Status::success();
}

const std::vector<Flag> &flags() {
  static const char *const gemm = "gemm", *const attention = "attention",
                           *const run = "run", *const both = "measuring",
                           *const out = "output",
                           *const compiling = "compiling";
  static const std::vector<Flag> table = {
      {"--shapes", "MxNxK[,...]", gemm,
       "problem sizes, in any number; zero extents are legal",
       [](const std::string &, const std::string &text, Options &, Pending &p) {
         p.shapes = text;
         return Status::success();
       }},
      {"--random-shapes", "N[:LEAST:MOST]", gemm,
       "and N problems more, drawn with --seed: extents from LEAST to MOST "
       "(default 16 to 8192)\n"
       "whose logarithms are even, three quarters of them multiples of 8",
       takeRandomShapes},
      {"--types", "A:B:ACC:D[,...]", gemm,
       "element types of A, B, the accumulator and D, of f16, bf16, tf32, f32, "
       "f64, e4m3, e5m2, i8, i32\n"
       "(default f16:f16:f32:f16); of e4m3 and e5m2 the accumulator f32fast "
       "keeps\n"
       "sums in the engine, which adds them up with fewer bits",
       list(&Pending::types)},
      {"--layout", "nn|nt|tn|tt[,...]", gemm,
       "A, then B: n as [M, K] and [K, N], t transposed (default nn)",
       list(&Pending::layouts)},
      {"--epilogue", "NAME[+NAME...][,...]", gemm,
       "what is fused behind the sum (default none); see --list-epilogues",
       list(&Pending::epilogues)},
      {"--weights", "none|i8[:GROUP][:zero][,...]", gemm,
       "how B is stored (default none: as it is multiplied): as integers, with "
       "a scale of B's type,\n"
       "and a zero point, for each GROUP elements along k, or each column",
       list(&Pending::weights)},
      {"--scales", "none|block[:EXTENT][,...]", gemm,
       "of products of e4m3 and e5m2 (default none): a scale for each row of A "
       "and EXTENT\n"
       "(default 128) elements along k, and for each block of B of EXTENT "
       "along k and n",
       list(&Pending::scales)},
      {"--prepack", "none|a|b[,...]", gemm,
       "the operand that is constant (default none): it is packed once, in the "
       "order of the\n"
       "target's matrices, and the time is that of the product alone",
       list(&Pending::prepack)},
      {"--batch", "N", gemm,
       "that many products at once, A, B and D with a leading dimension",
       number(&Options::batch, 1, 1 << 20)},
      {"--groups", "N", gemm,
       "grouped products: rows of A belong to N groups, each of which has a B "
       "and a row of each fused\n"
       "operand of its own; M is the number of rows, --ends says how they are "
       "distributed",
       number(&Options::groups, 1, 1 << 20)},
      {"--batch-invariant", nullptr, gemm,
       "rows of the result do not depend on M, bit by bit: K is never split, "
       "and all\n"
       "schedules add up in one order",
       toggle(&Options::batchInvariant)},
      {"--shapes", "BxHxSxD[,...]", attention,
       "batch, heads, length and depth; BxHxSxDxDV where values have another "
       "depth, and behind\n"
       "it :KEYS and :KEYHEADS where keys have another length and number of "
       "heads (4x32x1x128:8192:8)",
       nullptr},
      {"--types", "T[:RESULT][,...]", attention,
       "of query, key and value, and of the result; f16, bf16, f32 (default "
       "f16)",
       nullptr},
      {"--layout", "bhsd|bshd", attention,
       "how tensors lie in memory: a head's rows together, or a row's heads "
       "(default bhsd)",
       nullptr},
      {"--causal", nullptr, attention,
       "query i sees keys up to i + KEYS - S: the last query sees all",
       [](const std::string &, const std::string &, Options &, Pending &p) {
         p.form.causal = true;
         return Status::success();
       }},
      {"--window", "N", attention,
       "of these, keys less than N before it; without --causal also less than "
       "N behind it",
       [](const std::string &flag, const std::string &text, Options &,
          Pending &p) {
         auto v = parseNumber(flag, text, 1, int64_t(1) << 30);
         if (!v.ok())
           return v.status();
         p.form.window = *v;
         return Status::success();
       }},
      {"--prefix", "N", attention,
       "with --causal or --window: every query sees the first N keys as well",
       [](const std::string &flag, const std::string &text, Options &,
          Pending &p) {
         auto v = parseNumber(flag, text, 1, int64_t(1) << 30);
         if (!v.ok())
           return v.status();
         p.form.prefix = *v;
         return Status::success();
       }},
      {"--score", "NAME[+NAME]|FILE.mlir", attention,
       "what becomes of scores: softcap[:CAP] (CAP tanh(x / CAP); default "
       "50), alibi\n"
       "(x - 2^(-8 (h + 1) / H) |i - j|), bias (x + BIAS[h, i, j], a tensor of "
       "the operands' type),\n"
       "or the region in a file: { ^bb0(%x: f32, %b: index, %h: index, "
       "%i: index, %j: index): ...\n"
       "helios.yield %y : f32 }",
       [](const std::string &, const std::string &text, Options &, Pending &p) {
         return parseScore(text, p.form);
       }},
      {"--lse", nullptr, attention,
       "also give the logarithm of each row's sum of exponentials",
       [](const std::string &, const std::string &, Options &, Pending &p) {
         p.form.hasLse = true;
         return Status::success();
       }},
      {"--shapes", "EXTENTS,...[;...]", run,
       "the extents of every input in order, with commas between, and ';' "
       "between cases\n"
       "(128x64,64x32;256x64,64x32)",
       nullptr},
      {"--kernel", "NAME", run,
       "which kernel of the file; needed if it has several",
       word(&Options::kernel)},
      {"--dims", "NAME=N[,...]", run,
       "extents by name: M, N, K and B (batch) of a kernel that is one product",
       assignments(&Options::dims, true)},
      {"--scalars", "NAME=X[,...]", run,
       "values of scalar arguments (default 1)",
       assignments(&Options::scalars, false)},
      {"--reference", "FILE", run,
       "a description (.mlir or .hlx) that says what kernels of the same names "
       "and arguments\n"
       "compute, for programs of level 2 or 3, which do not say it themselves",
       word(&Options::reference)},
      {"--device", "DEVICE", both,
       "auto, vulkan[:N], cuda[:N], emulator[:ROW] or null[:N] (default auto: "
       "the best GPU, else\n"
       "the CPU); N of null is how many processors plans are told of",
       takeDevice},
      {"--row", "NAME", both, "only implementations of this target row",
       word(&Options::row)},
      {"--ends", "skewed|even|N[,N...]", both,
       "where the groups of grouped products end (default skewed: a few have "
       "most rows)",
       takeEnds},
      {"--garbage", "NAME:DIM:FROM[,...]", both,
       "what input NAME holds from index FROM on along dimension DIM is NaN, "
       "which must not show\n"
       "where a mask says so",
       takeGarbage},
      {"--seed", "N", both, "of all inputs (default 1)",
       [](const std::string &flag, const std::string &text, Options &o,
          Pending &) {
         auto v = parseNumber(flag, text, 0, INT64_MAX);
         if (!v.ok())
           return v.status();
         o.seed = uint64_t(*v);
         return Status::success();
       }},
      {"--iters", "N", both,
       "timed launches a repetition (default: about half a second, 30 to 200 "
       "on a GPU, 3 to 30\n"
       "on a CPU)",
       number(&Options::iterations, 1, 1000000)},
      {"--warmup", "N", both,
       "launches before them, at least (default: 20 on a GPU, 1 on a CPU)",
       number(&Options::warmup, 0, 1000000)},
      {"--warmup-ms", "N", both,
       "and milliseconds of them, at least: clocks rise slowly (default: 300 "
       "on a GPU, 0 on a CPU)",
       number(&Options::warmupMs, 0, 600000)},
      {"--rest-ms", "N", both,
       "milliseconds without work before each timed launch: what the clocks "
       "give that a power\n"
       "limit lowers under launches back to back (default 0)",
       number(&Options::restMs, 0, 10000)},
      {"--graph", "N", both,
       "time N launches at once (rounded up to all sets of inputs), replayed "
       "from a recorded graph:\n"
       "without the host's time between them (CUDA; default 0, each by itself)",
       number(&Options::graph, 0, 10000)},
      {"--repetitions", "N", both,
       "of warm-up and timing (default: 3 on a GPU, 1 on a CPU)",
       number(&Options::repetitions, 1, 1000)},
      {"--rotate", "MIB", both,
       "inputs rotate over sets that together exceed this, so that no launch "
       "finds its\n"
       "operands in a cache (default 256 on a GPU, 0, one set, on a CPU)",
       number(&Options::rotateMiB, 0, 1 << 20)},
      {"--pad-rows", "N", both,
       "elements between the end of a row and the next: strides larger than "
       "extents",
       number(&Options::padRows, 0, 1 << 20)},
      {"--misalign", nullptr, both,
       "every tensor begins past a 256-byte boundary: by one element, or by "
       "the least that the\n"
       "device can bind (minStorageBufferOffsetAlignment)",
       toggle(&Options::misalign)},
      {"--check-only", nullptr, both, "check, do not time",
       toggle(&Options::checkOnly)},
      {"--whole", "N", both,
       "compare results of up to N * 2^30 multiply-adds whole (default 32 for "
       "each core of the\n"
       "host); larger ones as docs/benchmarking.md says",
       number(&Options::whole, 0, 1 << 30)},
      {"--ceilings", nullptr, both,
       "measure in the same run what the matrix instructions reach from "
       "registers alone, of which\n"
       "every figure is given as a share, and what memory reaches "
       "(examples/peak_*.mlir)",
       toggle(&Options::ceilings)},
      {"--ceiling-bundle", "FILE[,...]", both,
       "peak kernels (.hlx or .mlir) for --ceilings instead of those of the "
       "examples",
       [](const std::string &, const std::string &text, Options &o, Pending &) {
         o.ceilingBundles = split(text, ',');
         o.ceilings = true;
         return Status::success();
       }},
      {"--compare", "PEER", both,
       "measure a library in the same run, in turns with our kernel (CUDA). "
       "For gemm: cublas (the\n"
       "best of cuBLASLt's candidates) or cublas:sm80 (the best of all its "
       "configurations whose\n"
       "kernels need nothing later than Ampere). For attention: cudnn (its "
       "best engine; f16 and bf16,\n"
       "full or causal). Without the library, or such a kernel, the exit code "
       "is 3",
       [](const std::string &flag, const std::string &text, Options &o,
          Pending &) {
         const size_t colon = text.find(':');
         std::string known = "cublas";
         bool isKnown = text == "cublas" || text == "cudnn";
         for (const std::string &name : peerClasses()) {
           known += " or cublas:" + name;
           isKnown |= text == "cublas:" + name;
         }
         known += " for gemm, cudnn for attention";
         if (!isKnown)
           return Status::invalidInput(flag + ": expected " + known +
                                       ", got '" + text + "'");
         o.compare = text.substr(0, colon);
         o.compareClass =
             colon == std::string::npos ? "" : text.substr(colon + 1);
         return Status::success();
       }},
      {"--cublas", "PATH", both,
       "its libcublasLt.so (default: the system's, CUDA's, or that of "
       "python3's packages)",
       word(&Options::cublas)},
      {"--cudnn", "PATH", both,
       "likewise its libcudnn.so; its other libraries lie beside it",
       word(&Options::cudnn)},
      {"--schedule", "TEXT", compiling,
       "tuning parameters, passed to helios-compile", word(&Options::schedule)},
      {"--tuned", "FILE", compiling,
       "a table of measured schedules that helios-compile reads (helios-tune "
       "writes them)",
       word(&Options::tuned)},
      {"--target", "TARGET", compiling,
       "vulkan[:ROW] or cuda[:ROW] (default: what the device runs; "
       "for auto vulkan)",
       takeTarget},
      {"--bundle", "FILE", compiling,
       "a bundle made elsewhere instead of compiling", word(&Options::bundle)},
      {"--bundle-cache", "DIR", compiling,
       "where bundles are kept by the hash of their text; used without the "
       "compiler if it\n"
       "is missing (default: the user's cache folder)",
       word(&Options::bundleCache)},
      {"--compiler", "PATH", compiling,
       "helios-compile (default: beside helios-bench)",
       word(&Options::compiler)},
      {"--keep", "DIR", compiling, "keep every level-1 text and bundle there",
       word(&Options::keep)},
      {"--report", nullptr, out,
       "also print for each case who chose its schedule, why, and what others "
       "would have cost",
       toggle(&Options::report)},
      {"--json", "FILE", out,
       "everything, raw samples included (the format is in "
       "docs/benchmarking.md)",
       word(&Options::json)},
      {"--csv", "FILE", out, "the table", word(&Options::csv)},
      {"--baseline", "FILE", out,
       "compare with an earlier --json: SAME, FAST, SLOW or AMBIGUOUS; exit 5 "
       "if any is SLOW",
       word(&Options::baseline)},
      {"--threshold", "PERCENT", out,
       "the least difference that --baseline calls FAST or SLOW (default 1)",
       [](const std::string &flag, const std::string &text, Options &o,
          Pending &) {
         char *end = nullptr;
         const double v = std::strtod(text.c_str(), &end);
         if (text.empty() || *end || !(v >= 0 && v <= 100))
           return Status::invalidInput(
               flag + ": expected a number from 0 to 100, got '" + text + "'");
         o.threshold = v / 100;
         return Status::success();
       }},
      {"--list-epilogues", nullptr, out, "print them and their formulas",
       [](const std::string &, const std::string &, Options &o, Pending &) {
         o.command = Options::Command::ListEpilogues;
         return Status::success();
       }},
      {"--version", nullptr, out, "print the version",
       [](const std::string &, const std::string &, Options &o, Pending &) {
         o.command = Options::Command::Version;
         return Status::success();
       }},
      {"--help", nullptr, out, "print this text",
       [](const std::string &, const std::string &, Options &o, Pending &) {
         o.command = Options::Command::Help;
         return Status::success();
       }},
  };
  return table;
}

/// Flags that say something about one command only.
Status checkCommand(const std::string &command, const Pending &p) {
  for (const Flag &f : flags()) {
    const std::string group = f.group;
    const bool isOfCommand =
        group == "gemm" || group == "attention" || group == "run";
    if (!isOfCommand ||
        std::find(p.given.begin(), p.given.end(), f.name) == p.given.end())
      continue;
    std::string commands;
    bool fits = false;
    for (const Flag &other : flags())
      if (other.name == std::string(f.name)) {
        commands += (commands.empty() ? "" : " or ") + std::string(other.group);
        fits |= command == other.group;
      }
    if (!fits)
      return Status::invalidInput(std::string(f.name) +
                                  ": expected the command " + commands +
                                  ", got " + command);
  }
  return Status::success();
}

/// No tensor may be larger than the address space.
Status checkSize(const std::vector<int64_t> &extents) {
  const int64_t count = elementCount(extents);
  if (count >= 0 && count <= int64_t(1) << 56)
    return Status::success();
  std::string text;
  for (int64_t e : extents)
    text += (text.empty() ? "" : "x") + std::to_string(e);
  return Status::invalidInput(
      "--shapes: expected tensors of at most 2^56 elements, got one of " +
      text);
}

Status finishAttention(Options &o, const Pending &p) {
  if (p.shapes.empty())
    return Status::invalidInput(
        "--shapes: expected BxHxSxD[,...], got nothing; for example --shapes "
        "4x16x1024x128");
  for (const std::string &text : split(p.shapes, ',')) {
    auto shape = parseAttentionShape(text);
    if (!shape.ok())
      return shape.status();
    o.attentionShapes.push_back(*shape);
    for (int64_t depth : {shape->depth, shape->valueDepth})
      for (Status s :
           {checkSize({shape->batch, shape->heads, shape->queries, depth}),
            checkSize({shape->batch, shape->keyHeads, shape->keys, depth})})
        if (!s.ok())
          return s;
  }
  AttentionForm form = p.form;
  if (p.layouts.size() > 1 ||
      (p.layouts.size() == 1 && p.layouts[0] != "bhsd" &&
       p.layouts[0] != "bshd"))
    return Status::invalidInput("--layout: expected bhsd or bshd, got '" +
                                p.layouts.back() + "'");
  form.rowsOfHeads = p.layouts.size() == 1 && p.layouts[0] == "bshd";
  if (form.prefix && !form.causal && !form.window)
    return Status::invalidInput("--prefix: expected --causal or --window with "
                                "it, without which every query sees all keys");
  for (const std::string &types :
       p.types.empty() ? std::vector<std::string>{"f16"} : p.types) {
    AttentionFamily family;
    family.form = form;
    if (Status s = parseAttentionTypes(types, family); !s.ok())
      return s;
    o.attentions.push_back(family);
  }
  return Status::success();
}

/// What grouped products do not go with.
Status checkGroups(const GemmFamily &family) {
  if (!family.grouped)
    return Status::success();
  const char *other = family.batched                         ? "--batch"
                      : family.transposeA                    ? "--layout t"
                      : family.constantA || family.constantB ? "--prepack"
                                                             : nullptr;
  for (const Epilogue *e : family.epilogue)
    if (e->fused == FusedShape::Stored)
      other = e->name;
  if (!other)
    return Status::success();
  return Status::invalidInput(
      std::string("--groups: expected rows of A as they are stored, and one "
                  "result of them, got ") +
      other);
}

Status finishGemm(Options &o, Pending p) {
  if (p.types.empty())
    p.types = {"f16:f16:f32:f16"};
  if (p.layouts.empty())
    p.layouts = {"nn"};
  if (p.epilogues.empty())
    p.epilogues = {"none"};
  if (p.prepack.empty())
    p.prepack = {"none"};
  if (p.weights.empty())
    p.weights = {"none"};
  if (p.scales.empty())
    p.scales = {"none"};
  if (p.shapes.empty() && o.randomShapes.count == 0)
    return Status::invalidInput("--shapes: expected MxNxK[,...], got nothing; "
                                "for example --shapes 512x512x512");
  for (const std::string &text :
       p.shapes.empty() ? std::vector<std::string>() : split(p.shapes, ',')) {
    auto extents = parseExtents("--shapes", text);
    if (!extents.ok())
      return extents.status();
    if (extents->size() != 3)
      return Status::invalidInput(
          "--shapes: expected three extents MxNxK, got '" + text + "'");
    o.shapes.push_back({(*extents)[0], (*extents)[1], (*extents)[2]});
  }
  for (const Options::Shape &drawn : drawShapes(o.randomShapes, o.seed))
    o.shapes.push_back(drawn);
  for (const std::string &types : p.types)
    for (const std::string &layout : p.layouts)
      for (const std::string &epilogue : p.epilogues)
        for (const std::string &prepack : p.prepack)
          for (const std::string &weights : p.weights)
            for (const std::string &scales : p.scales) {
              GemmFamily family;
              family.batched = o.batch > 0;
              family.grouped = o.groups > 0;
              family.invariant = o.batchInvariant;
              for (Status s :
                   {parseTypes(types, family), parseLayout(layout, family),
                    parseEpilogue(epilogue, family),
                    parsePrepack(prepack, family),
                    parseWeights(weights, family), parseScales(scales, family)})
                if (!s.ok())
                  return s;
              if (Status s = checkGroups(family); !s.ok())
                return s;
              o.families.push_back(family);
            }
  const int64_t batch = std::max<int64_t>({o.batch, o.groups, 1});
  for (const Options::Shape &s : o.shapes)
    for (auto [x, y] :
         {std::pair{s.m, s.k}, std::pair{s.k, s.n}, std::pair{s.m, s.n}})
      if (Status bad = checkSize({batch, x, y}); !bad.ok())
        return bad;
  for (const GemmFamily &family : o.families)
    for (const Options::Shape &s : o.shapes) {
      if (const int64_t group = family.weights ? family.weights->group : 0;
          group > 0 && s.k % group != 0)
        return Status::invalidInput(
            "--weights: expected K of whole groups of " +
            std::to_string(group) + ", got " + std::to_string(s.k) +
            "; give another group, or none for one scale a column");
      if (family.blocks && s.k % family.blocks != 0)
        return Status::invalidInput("--scales: expected K of whole blocks of " +
                                    std::to_string(family.blocks) + ", got " +
                                    std::to_string(s.k));
    }
  return Status::success();
}

Status finishRun(Options &o, const Pending &p) {
  if (o.files.empty() && o.bundle.empty())
    return Status::invalidInput(
        "run: expected a file (.mlir or .hlx), got nothing");
  if (!p.shapes.empty())
    for (const std::string &one : split(p.shapes, ';')) {
      o.inputShapes.emplace_back();
      for (const std::string &text : split(one, ',')) {
        auto extents = parseExtents("--shapes", text);
        if (!extents.ok())
          return extents.status();
        o.inputShapes.back().push_back(*extents);
      }
    }
  if (o.files.size() > 1)
    for (const auto &[flag, isGiven] :
         {std::pair{"--shapes", !o.inputShapes.empty()},
          {"--dims", !o.dims.empty()},
          {"--scalars", !o.scalars.empty()},
          {"--kernel", !o.kernel.empty()},
          {"--reference", !o.reference.empty()}})
      if (isGiven)
        return Status::invalidInput(std::string(flag) +
                                    ": expected one file beside it, got " +
                                    std::to_string(o.files.size()));
  if (!o.dims.empty() && !o.inputShapes.empty())
    return Status::invalidInput(
        "--dims: expected either --dims or --shapes, got both");
  return Status::success();
}

} // namespace

Result<std::vector<int64_t>> parseExtents(const std::string &flag,
                                          const std::string &text) {
  std::vector<int64_t> extents;
  for (const std::string &part : split(text, 'x')) {
    errno = 0;
    char *end = nullptr;
    const long long v = std::strtoll(part.c_str(), &end, 10);
    if (part.empty() || *end || part[0] == ' ' || part[0] == '+')
      return Status::invalidInput(
          flag + ": expected extents with x between (as 128x64), got '" + text +
          "'");
    if (v < 0)
      return Status::invalidInput(flag +
                                  ": expected extents of 0 or more, got " +
                                  part + " in '" + text + "'");
    if (errno == ERANGE || v > int64_t(1) << 40)
      return Status::invalidInput(flag +
                                  ": expected extents of at most 2^40, got " +
                                  part + " in '" + text + "'");
    extents.push_back(v);
  }
  if (const int64_t count = elementCount(extents);
      flag != "--shapes" && count < 0)
    return Status::invalidInput(
        flag + ": expected at most 2^63 elements, got '" + text + "'");
  return extents;
}

Result<Options> parseOptions(const std::vector<std::string> &words,
                             const Surroundings &surroundings) {
  Options o;
  o.compiler = surroundings.compiler;
  o.bundleCache =
      surroundings.cacheDir.empty() ? "" : surroundings.cacheDir + "/bundles";
  Pending pending;
  std::vector<std::string> positional;
  bool isInfo = false;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i], value;
    if (name.compare(0, 1, "-") != 0 || name == "-") {
      positional.push_back(name);
      continue;
    }
    if (name == "-h")
      name = "--help";
    const size_t equals = name.find('=');
    const bool attached = equals != std::string::npos;
    if (attached) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const Flag *flag = nullptr;
    for (const Flag &f : flags())
      if (name == f.name && f.take)
        flag = &f;
    if (!flag)
      return Status::invalidInput("unknown flag '" + name +
                                  "'; helios-bench --help lists them");
    if (!flag->value && attached)
      return Status::invalidInput(name + ": expected no value, got '" + value +
                                  "'");
    if (flag->value && !attached) {
      if (i + 1 >= words.size())
        return Status::invalidInput(name + ": expected " + flag->value +
                                    ", got nothing");
      value = words[++i];
    }
    pending.given.push_back(name);
    if (Status s = flag->take(name, value, o, pending); !s.ok())
      return s;
    isInfo |=
        name == "--help" || name == "--version" || name == "--list-epilogues";
  }
  if (isInfo)
    return o;
  if (o.target.empty())
    o.target = targetFor(o.device);
  if (positional.empty())
    return Status::invalidInput("expected a command, gemm, attention or run, "
                                "got nothing; "
                                "helios-bench --help shows how");
  if (positional[0] == "gemm")
    o.command = Options::Command::Gemm;
  else if (positional[0] == "attention")
    o.command = Options::Command::Attention;
  else if (positional[0] == "run")
    o.command = Options::Command::Run;
  else
    return Status::invalidInput(
        "expected the command gemm, attention or run, got '" + positional[0] +
        "'");
  if (o.command == Options::Command::Run)
    o.files.assign(positional.begin() + 1, positional.end());
  else if (positional.size() > 1)
    return Status::invalidInput(positional[0] + ": expected flags only, got '" +
                                positional[1] + "' too");
  if (!o.compare.empty() &&
      (o.command == Options::Command::Attention) != (o.compare == "cudnn"))
    return Status::invalidInput(
        "--compare: expected " +
        std::string(o.command == Options::Command::Attention ? "cudnn"
                                                             : "cublas") +
        " with the command " + positional[0] + ", got '" + o.compare + "'");
  if (o.command != Options::Command::Run && !o.reference.empty())
    return Status::invalidInput(
        "--reference: expected the command run, got " + positional[0] +
        ", whose kernels say themselves what they compute");
  if (o.command == Options::Command::Run && !o.files.empty() &&
      !o.bundle.empty())
    return Status::invalidInput(
        "--bundle: expected either a file after run or --bundle, got both");
  if (Status s = checkCommand(positional[0], pending); !s.ok())
    return s;
  if (Status s = o.command == Options::Command::Gemm ? finishGemm(o, pending)
                 : o.command == Options::Command::Attention
                     ? finishAttention(o, pending)
                     : finishRun(o, pending);
      !s.ok())
    return s;
  if (o.bundleCache.empty() && o.bundle.empty())
    return Status::invalidInput("--bundle-cache: expected a folder, as neither "
                                "HOME nor XDG_CACHE_HOME names one");
  return o;
}

std::string helpText() {
  std::string text = "helios-bench gemm --shapes MxNxK[,...] [flags]   checks "
                     "and times matrix products\n"
                     "helios-bench attention --shapes BxHxSxD[,...] [flags]   "
                     "checks and times attention\n"
                     "helios-bench run FILE.mlir|FILE.hlx... [flags]   checks "
                     "and times any kernel\n"
                     "\n"
                     "Every result is checked against a double-precision "
                     "reference before it may be called a time.\n"
                     "Exit status: 0 all right, 1 a wrong result, 2 usage or "
                     "bad input, 3 unsupported here, 4 device,\n"
                     "5 slower than the baseline.\n";
  std::string group;
  for (const Flag &f : flags()) {
    if (group != f.group) {
      group = f.group;
      text += "\n" + group + "\n";
    }
    std::string head = std::string("  ") + f.name +
                       (f.value ? std::string(" ") + f.value : "");
    constexpr size_t column = 34;
    text += head;
    size_t at = head.size();
    if (at + 1 > column) {
      text += "\n";
      at = 0;
    }
    std::string help = f.help;
    for (const std::string &line : split(help, '\n')) {
      text += std::string(column - at, ' ') + line + "\n";
      at = 0;
    }
  }
  return text;
}

std::string epilogueList() {
  std::string text = "none          x\n";
  for (const Epilogue &e : epilogues())
    text += std::string(e.name) +
            std::string(14 - std::string(e.name).size(), ' ') + e.formula +
            "\n";
  return text + "\nx is the sum; f is a fused operand of D's type: a vector "
                "over N, a column over M, or as D; C is a second\nright "
                "operand, stored as B.\n";
}

} // namespace helios::bench
