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

static const std::vector<Row> kRows = {
    {"sm_90a", "NVIDIA Hopper (H100, H200)", 9, 0, true, 232448, 233472, 2048,
     132, 3350, 83, 12030, true, 8, kShapes},
    {"sm_89", "NVIDIA Ada (L4, L40S, RTX 40)", 8, 9, false, 101376, 102400,
     1536, 128, 864, 80, 12000, false, 1, kShapes},
    {"sm_86", "NVIDIA Ampere for graphics (A10, A40, RTX 30)", 8, 6, false,
     101376, 102400, 1536, 84, 696, 80, 12000, false, 1, kShapes},
    {"sm_80", "NVIDIA Ampere (A100)", 8, 0, false, 166912, 167936, 2048, 108,
     1555, 80, 12000, false, 1, kShapes},
};

const std::vector<Row> &helios::ptx::getRows() { return kRows; }

const Row *helios::ptx::findRow(std::string_view name) {
  for (const Row &row : kRows)
    if (name == row.name)
      return &row;
  return nullptr;
}
