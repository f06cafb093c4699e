// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of Vulkan devices. Limits are what the drivers report; shapes what
// VK_KHR_cooperative_matrix lists.

#include "helios/Targets/SPIRV/Rows.h"
#include <algorithm>

using namespace helios::spv;

/// Weights by which 128x128 to 192x128 elements with matrix instructions were
/// told apart on an H200 through Vulkan; so is the price of adding up slices.
/// Other devices were not measured and take the same.
helios::tile::TargetCosts Row::defaultCosts() {
  return {/*processors=*/128,
          /*lineBytes=*/128,
          /*groups=*/16,
          /*staged=*/{2.0, 0.6, 2.0, 6.0},
          /*copied=*/{},
          /*roles=*/{},
          /*items=*/{},
          /*sumDispatch=*/11720,
          /*sumElement=*/0.586,
          /*copyDispatch=*/0,
          /*copyByte=*/0,
          /*scatteredElement=*/0,
          /*scatteredTile=*/0,
          /*packDispatch=*/0,
          /*packElement=*/0,
          /*makeDispatch=*/0,
          /*makeElement=*/0,
          /*computing=*/0,
          /*turnDispatch=*/0,
          /*turnByte=*/0,
          /*readingElements=*/0,
          /*stepAlone=*/{}};
}

/// The same with the prices of packing and of adding up slices, which were
/// measured on that card alone, and that of a step alone, fitted to 50
/// schedules of f16, plain and packed before, where processors had one tile
/// each of 32x32 to 64x256, and K was 768 to 4096: they miss by 0.15 of a step
/// (docs/benchmarks). A microsecond was 90000 units.
static helios::tile::TargetCosts costsOfNvidia() {
  helios::tile::TargetCosts costs = Row::defaultCosts();
  costs.packDispatch = 3300;
  costs.packElement = 0.09;
  costs.makeDispatch = 3300;
  costs.makeElement = 0.13;
  costs.computing = 2;
  costs.sumDispatch = 2300;
  costs.sumElement = 0.2;
  costs.stepAlone = {20000, 1.5, 1, 0.09};
  return costs;
}

static std::vector<Row> makeRows() {
  return {
      {"nvidia",
       "NVIDIA GPUs with cooperative matrices (Turing and later)",
       32,
       49152,
       49152,
       1024,
       65536,
       0,
       256,
       "NVIDIA 535.54 (Turing or newer)",
       // 16x8 matrices run 5 % slower than 16x16 on Hopper, so the square ones
       // come first.
       {{16, 16, 16, "f16", "f16", "f32"},
        {16, 16, 16, "f16", "f16", "f16"},
        {16, 16, 16, "bf16", "bf16", "f32", "NVIDIA 575 (Ampere or newer)"},
        {16, 8, 16, "f16", "f16", "f32"},
        {16, 8, 16, "f16", "f16", "f16"},
        {16, 8, 8, "f16", "f16", "f32"},
        {16, 8, 8, "f16", "f16", "f16"},
        {16, 16, 32, "i8", "i8", "i32", "NVIDIA 580 (seen on Hopper)"},
        {16, 8, 32, "i8", "i8", "i32", "NVIDIA 580 (seen on Hopper)"}},
       /*laneOrder=*/true,
       costsOfNvidia()},
      {"rdna",
       "AMD RDNA3 and RDNA4",
       32,
       65536,
       65536,
       1024,
       0,
       64,
       128,
       "AMD RADV of Mesa 23.3 (RDNA3 or newer)",
       {{16, 16, 16, "f16", "f16", "f32"},
        {16, 16, 16, "f16", "f16", "f16"},
        {16, 16, 16, "i8", "i8", "i32"}}},
      {"xe",
       "Intel Xe2",
       16,
       65536,
       131072,
       1024,
       0,
       64,
       128,
       "Intel ANV of Mesa 24.0 (Xe2)",
       {{8, 16, 16, "f16", "f16", "f32"},
        {8, 16, 16, "f16", "f16", "f16"},
        {8, 16, 32, "i8", "i8", "i32"}}},
      // Metal's simdgroup matrices are 8x8 and of one floating-point type
      // (Metal Shading Language, section 6.7); MoltenVK's proposed support of
      // the extension (pull request 2753) lists those of f16.
      {"apple",
       "Apple GPUs through MoltenVK",
       32,
       32768,
       32768,
       1024,
       0,
       64,
       128,
       "MoltenVK with VK_KHR_cooperative_matrix",
       {{8, 8, 8, "f16", "f16", "f16"}, {8, 8, 8, "f32", "f32", "f32"}},
       /*laneOrder=*/false,
       Row::defaultCosts(),
       /*with=*/{},
       /*matricesAlone=*/true},
      // Vectors of 256 bits make subgroups of 8. Every accumulator of a lane is
      // code of its own, and compiling takes longer than in proportion to it.
      {"lavapipe",
       "Mesa lavapipe on a CPU",
       8,
       32768,
       32768,
       1024,
       0,
       16,
       256,
       "lavapipe of Mesa 26.0",
       {{8, 8, 8, "f16", "f16", "f32"},
        {8, 8, 8, "f16", "f16", "f16"},
        {8, 8, 8, "i8", "i8", "i32"}},
       /*laneOrder=*/true,
       Row::defaultCosts(),
       /*with=*/{},
       /*matricesAlone=*/false,
       /*meetsInBranches=*/false},
      {"simt",
       "any Vulkan 1.1 device, without matrix instructions",
       0,
       16384,
       16384,
       128,
       0,
       64,
       128,
       "any with Vulkan 1.1",
       {}},
  };
}

/// The row of the same devices whose drivers offer an extension, in front of
/// it.
static void addWith(std::vector<Row> &rows, std::string_view with,
                    const char *of, const char *name, const char *summary,
                    const char *driver) {
  auto base = std::find_if(rows.begin(), rows.end(), [&](const Row &row) {
    return row.name == std::string_view(of);
  });
  Row row = *base;
  row.name = name;
  row.summary = summary;
  row.driver = driver;
  row.with = with;
  rows.insert(base, row);
}

static std::vector<Row> makeAllRows() {
  std::vector<Row> rows = makeRows();
  addWith(rows, kMatrix2, "nvidia", "nvidia-nv2",
          "NVIDIA GPUs with VK_NV_cooperative_matrix2",
          "NVIDIA 570 (Turing or newer)");
  addWith(rows, kMatrix2, "lavapipe", "lavapipe-nv2",
          "Mesa lavapipe with VK_NV_cooperative_matrix2",
          "lavapipe of Mesa 26.0");
  // The specification is of 2026-07-31; no driver was seen to offer it yet.
  addWith(rows, kMaintenance1, "rdna", "rdna-ext",
          "AMD RDNA3 and RDNA4 with VK_EXT_cooperative_matrix_maintenance1",
          "one with VK_EXT_cooperative_matrix_maintenance1");
  addWith(rows, kMaintenance1, "xe", "xe-ext",
          "Intel Xe2 with VK_EXT_cooperative_matrix_maintenance1",
          "one with VK_EXT_cooperative_matrix_maintenance1");
  return rows;
}

const std::vector<Row> &helios::spv::getRows() {
  static const std::vector<Row> rows = makeAllRows();
  return rows;
}

const Row *helios::spv::findRow(std::string_view name) {
  for (const Row &row : getRows())
    if (name == row.name)
      return &row;
  return nullptr;
}
