// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of CUDA architectures. Limits are those of the CUDA programming guide's
// table of compute capabilities; a workgroup's shared memory is the opt-in
// maximum.

#include "helios/Targets/PTX/Rows.h"

using namespace helios::ptx;

static const std::vector<MmaShape> kShapes = {
    {16, 8, 16, "f16", "f16", "f32"},   {16, 8, 16, "f16", "f16", "f16"},
    {16, 8, 16, "bf16", "bf16", "f32"}, {16, 8, 8, "tf32", "tf32", "f32"},
    {16, 8, 32, "i8", "i8", "i32"},
};

/// From Ada on also floats of 8 bits, of either kind on either side.
static const std::vector<MmaShape> kShapesOfAda = [] {
  std::vector<MmaShape> shapes = kShapes;
  for (const char *a : {"f8E4M3FN", "f8E5M2"})
    for (const char *b : {"f8E4M3FN", "f8E5M2"})
      shapes.push_back({16, 8, 32, a, b, "f32", 84, 12040});
  return shapes;
}();

/// Figures of an H200 (docs/benchmarks). Of all rows: the bytes of a line, and
/// those that shared memory reads in a clock, are NVIDIA's. The weights of
/// grids follow kernels of 128x128 to 192x128 elements with mma.sync; there are
/// none from devices of the other rows, whose code is the same, so these take
/// them as they are. What lines that begin at lines take follows 130 kernels of
/// roles, of 64x32 to 192x192 elements, at 17 sizes; what is multiplied in a
/// clock is 94 % of the data sheet's rate. The other figures of roles and items
/// were fitted together to 340 sweeps of up to 110 kernels, of 64x16 to 256x176
/// elements, alone, in turns and in clusters, most of them at shapes that were
/// drawn at random: what these prices choose among kernels alone and in
/// clusters along one side takes 1.040 times the fastest on average, where it
/// was 1.063 with those before (sweep-clusters.jsonl). A processor takes in 64
/// bytes a clock. What a line outside of a tensor takes where all processors
/// fill up such was fitted to the same sweeps and 200 shapes more
/// (portfolio.jsonl). Operations and functions of items follow kernels with and
/// without GELU. Adding up slices was measured behind roles, by eight tiles at
/// 36 sizes; behind groups 20 sizes at which plans differ are 1.22 times as
/// fast by it in the mean as by two and a half times the dispatch, the slowest
/// 0.83. Copies of operands, and tiles without, follow 65 products of odd
/// extents from 17 to 8120, and 17 with little of K; how many bytes of results
/// caches take in, 24 products with little of K (sweep-little-k.jsonl). 30 of
/// 33 clusters of four run at once. What reading takes where operands have 100
/// MB or more, twice what the second level holds, is of an H100, which has two
/// thirds of an H200's bandwidth, at 6144³ and 8192³ (sweep-large.jsonl): what
/// 128x128 tiles took there, as if a third of what they ask for came from
/// memory. All of it comes from there once, at 4.19 TB/s and 1.76 GHz on an
/// H200 (docs/benchmarks), and at 0.9 of their bandwidth elsewhere, an estimate
/// (1.41 GHz of an A100). What stored lines take off their place, and where
/// there are more than caches take in, was set by hand to up to 16 schedules at
/// twelve sizes with little K (sweep-lines.jsonl); at their place they take
/// what copied ones do, an estimate. Making right operands of weights of 4 and
/// 8 bits, and how much longer tiles take that compute them, follow 4096x4096
/// and 14336x4096 with 128 to 4096 rows (docs/benchmarks/2026-11-27); on the
/// other rows an element takes what the two and a half bytes of one of 4 bits
/// do at their bandwidth and 1.8 GHz, an estimate. Copying a byte of an operand
/// follows 24x6648x3642 beside what its product takes (sweep-narrow.jsonl) and
/// two bytes at their bandwidth elsewhere. Turning a byte follows 4096x4096
/// bytes there and two bytes at their bandwidth elsewhere; tiles that read
/// elements of 8 and 32 bits one by one took 2.0 to 3.6 times as long for the
/// right operand and 2.8 to 5.4 times for the left one at 4096x4096x4096.
static helios::tile::TargetCosts costsOf(int64_t processors, double makeElement,
                                         double turnByte, double copyByte,
                                         double memoryByte,
                                         double copyDispatch = 3300) {
  return {
      processors,
      /*lineBytes=*/128,
      /*groups=*/16,
      /*staged=*/{2.0, 0.6, 2.0, 6.0},
      /*copied=*/{4.0, 0, 24.0, 0},
      /*roles=*/{3830, 128, 2.6, 1.7, 3.7, 2.0, 12, 44, 5500, 1930, 5, 0.91},
      /*items=*/
      {313, 0.06, 0.004, 0.047, 0.8, 0.066, 20e6, 0.018, 100e6, memoryByte, 2.6,
       5.0, 1.7},
      /*sumDispatch=*/4650,
      /*sumElement=*/0.35,
      copyDispatch,
      copyByte,
      /*scatteredElement=*/29,
      /*scatteredTile=*/175,
      /*packDispatch=*/0,
      /*packElement=*/0,
      /*makeDispatch=*/2000,
      makeElement,
      /*computing=*/1.5,
      /*turnDispatch=*/2000,
      turnByte,
      /*readingElements=*/2.5,
      /*stepAlone=*/{}};
}

static const std::vector<Row> kRows = {
    {"sm_90a", "NVIDIA Hopper (H100, H200)", 9, 0, true, 232448, 233472, 2048,
     3350, 83, 12030, true, true, 8, kShapesOfAda,
     costsOf(132, 0.11, 0.21, 0.13, 4.2e-4, 5800)},
    {"sm_89", "NVIDIA Ada (L4, L40S, RTX 40)", 8, 9, false, 101376, 102400,
     1536, 864, 80, 12000, false, false, 1, kShapesOfAda,
     costsOf(128, 0.67, 0.53, 0.53, 23e-4)},
    {"sm_86", "NVIDIA Ampere for graphics (A10, A40, RTX 30)", 8, 6, false,
     101376, 102400, 1536, 696, 80, 12000, false, false, 1, kShapes,
     costsOf(84, 0.54, 0.43, 0.43, 28e-4)},
    {"sm_80", "NVIDIA Ampere (A100)", 8, 0, false, 166912, 167936, 2048, 1555,
     80, 12000, false, false, 1, kShapes,
     costsOf(108, 0.31, 0.25, 0.25, 10e-4)},
};

const std::vector<Row> &helios::ptx::getRows() { return kRows; }

const Row *helios::ptx::findRow(std::string_view name) {
  for (const Row &row : kRows)
    if (name == row.name)
      return &row;
  return nullptr;
}
