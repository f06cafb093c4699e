// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The flags of helios-bench.

#include "OptionsImpl.h"
#include "Split.h"
#include "helios/Bench/Peer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

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

Status takeTarget(const std::string &flag, const std::string &text, Options &o,
                  Pending &) {
  const std::string kind = text.substr(0, text.find(':'));
  if (kind != "vulkan" && kind != "cuda")
    return Status::invalidInput(
        flag + ": expected vulkan[:ROW] or cuda[:ROW], got '" + text + "'");
  o.target = text;
  return Status::success();
}

} // namespace

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
      {"--weights", "none|i8[:GROUP][:zero]|i4:GROUP[:zero][,...]", gemm,
       "how B is stored (default none: as it is multiplied): as integers, with "
       "a scale of B's type,\n"
       "and a zero point of 8 bits, for each GROUP elements along k, or each "
       "column; i4 has two in a\n"
       "byte that are GROUP/2 apart along k, the first in the low bits",
       list(&Pending::weights)},
      {"--factors-a", "none|rows|k|rows+k[,...]", gemm,
       "what elements of A are multiplied by on their way to the product "
       "(default none): a factor in\n"
       "f32 for each row, for each k, or both, as a normalisation of rows has",
       list(&Pending::factors)},
      {"--scales", "none|block[:EXTENT][,...]", gemm,
       "of products of e4m3 and e5m2 (default none): a scale for each row of A "
       "and EXTENT\n"
       "(default 128) elements along k, and for each block of B of EXTENT "
       "along k and n",
       list(&Pending::scales)},
      {"--constant", "none|a|b[,...]", gemm,
       "the operand that is constant (default none), with the scales and zero "
       "points of --weights:\n"
       "for Vulkan it is packed once, in the order of the target's matrices, "
       "and the time is\n"
       "that of the product alone; for CUDA it stays as it is and is read "
       "while the launch\n"
       "before still runs",
       list(&Pending::constant)},
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
       "time N launches at once, one after the other (rounded up to all sets "
       "of inputs), replayed from\n"
       "a recorded graph: without the host's time or a time stamp between them "
       "(default 0, each by itself)",
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
      {"--only-launches", nullptr, compiling,
       "compile only the programs that the given shapes take",
       toggle(&Options::onlyLaunches)},
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

} // namespace helios::bench
