// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_OPTIONS_H
#define HELIOS_BENCH_OPTIONS_H

#include "helios/Bench/Attention.h"
#include "helios/Bench/Gemm.h"
#include "helios/Bench/Inputs.h"
#include "helios/Bundle/Status.h"
#include <map>
#include <string>
#include <vector>

namespace helios::bench {

/// Where the tool stands: what main() knows and the library must not ask the
/// environment for.
struct Surroundings {
  std::string compiler;    ///< helios-compile beside the executable
  std::string cacheDir;    ///< ~/.cache/helios or as XDG_CACHE_HOME says
  std::string examplesDir; ///< of peak kernels; may be empty
};

/// How many problems to draw, and between which extents.
struct RandomShapes {
  int64_t count = 0, low = 16, high = 8192;
};

/// The command line, parsed.
struct Options {
  enum class Command { Gemm, Attention, Run, Help, Version, ListEpilogues };
  Command command = Command::Help;

  // gemm
  struct Shape {
    int64_t m, n, k;
  };
  std::vector<Shape> shapes; ///< given, then drawn
  RandomShapes randomShapes;
  std::vector<GemmFamily> families;
  int64_t batch = 0; ///< 0: not batched
  bool batchInvariant = false;

  // attention
  std::vector<AttentionShape> attentionShapes;
  std::vector<AttentionFamily> attentions; ///< one for each of --types

  // run
  std::vector<std::string> files;
  std::string reference; ///< says what the kernels compute; empty: they do
  std::string kernel;
  /// One entry for each case: extents of every input in order.
  std::vector<std::vector<std::vector<int64_t>>> inputShapes;
  std::map<std::string, int64_t> dims;
  std::map<std::string, double> scalars;

  // both
  std::string device = "auto", target, row,
              schedule; ///< target: of the device if empty
  uint64_t seed = 1;
  std::vector<Garbage> garbage;
  GroupEnds ends;
  int64_t groups = 0; ///< of rows, in grouped products; 0: none
  int64_t iterations = 0, warmup = -1,
          repetitions =
              0; ///< 0 and -1: chosen by the device and the time a launch takes
  int64_t warmupMs = -1;  ///< -1: 300 on a GPU, 0 on a CPU
  int64_t restMs = 0;     ///< without work before each timed launch
  int64_t graph = 0;      ///< launches timed at once; 0: each by itself
  int64_t rotateMiB = -1; ///< -1: 256 on a GPU, one set on a CPU
  int64_t whole = -1;     ///< 2^30 multiply-adds compared whole; -1: 32 a core
  int64_t padRows = 0;
  bool misalign = false, checkOnly = false, ceilings = false,
       report = false;       ///< why each case has its schedule
  bool onlyLaunches = false; ///< compile the programs of the cases alone
  int64_t processors = 0;    ///< of the device, once it is open
  std::string tuned; ///< a table of schedules for the compiler; empty: none
  std::string json, csv, baseline, bundle, bundleCache, compiler, keep;
  std::vector<std::string> ceilingBundles;
  double threshold = 0.01;
  std::string
      compare; ///< a peer to measure beside: "cublas", "cudnn"; empty: none
  std::string compareClass;  ///< of its kernels: "sm80"; empty: any
  std::string cublas, cudnn; ///< paths of their libraries; empty: looked for
};

/// The shapes of --random-shapes: M, N and K are independent and their
/// logarithms even between the limits; three quarters of the extents are
/// multiples of 8 where the limits allow. The same for the same seed.
std::vector<Options::Shape> drawShapes(const RandomShapes &random,
                                       uint64_t seed);

/// Parses the words after the program's name. InvalidInput names the flag, what
/// was expected and what was given.
Result<Options> parseOptions(const std::vector<std::string> &words,
                             const Surroundings &surroundings);

/// What --help prints; docs/benchmarking.md holds the same text, and a test
/// compares them.
std::string helpText();
/// What --list-epilogues prints.
std::string epilogueList();

/// Parses "4096x64" (zero extents are legal); `flag` is named in messages.
Result<std::vector<int64_t>> parseExtents(const std::string &flag,
                                          const std::string &text);

} // namespace helios::bench

#endif // HELIOS_BENCH_OPTIONS_H
