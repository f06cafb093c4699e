// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of Vulkan devices. Limits are what the drivers report; shapes what
// VK_KHR_cooperative_matrix lists.

#include "helios/Targets/SPIRV/Rows.h"

using namespace helios::spv;

// NVIDIA from Turing on. 16x8 matrices run 5 % slower than 16x16 on Hopper, so
// the square ones come first.
static const CoopShape kNvidiaShapes[] = {
    {16, 16, 16, "f16", "f16", "f32"},   {16, 16, 16, "f16", "f16", "f16"},
    {16, 16, 16, "bf16", "bf16", "f32"}, {16, 8, 16, "f16", "f16", "f32"},
    {16, 8, 16, "f16", "f16", "f16"},    {16, 8, 8, "f16", "f16", "f32"},
    {16, 8, 8, "f16", "f16", "f16"},
};
// AMD RDNA3 and RDNA4.
static const CoopShape kRdnaShapes[] = {{16, 16, 16, "f16", "f16", "f32"},
                                        {16, 16, 16, "f16", "f16", "f16"}};
// Intel Xe2.
static const CoopShape kXeShapes[] = {{8, 16, 16, "f16", "f16", "f32"},
                                      {8, 16, 16, "f16", "f16", "f16"}};
// Mesa's software rasteriser with 256-bit vectors: subgroups of 8.
static const CoopShape kLavapipeShapes[] = {{8, 8, 8, "f16", "f16", "f32"},
                                            {8, 8, 8, "f16", "f16", "f16"}};

static const Row kRows[] = {
    {"nvidia", "NVIDIA GPUs with cooperative matrices (Turing and later)", 32,
     49152, 49152, 1024, 65536, 256, kNvidiaShapes},
    {"rdna", "AMD RDNA3 and RDNA4", 32, 65536, 65536, 1024, 0, 128,
     kRdnaShapes},
    {"xe", "Intel Xe2", 16, 65536, 131072, 1024, 0, 128, kXeShapes},
    {"lavapipe", "Mesa lavapipe on a CPU", 8, 32768, 32768, 1024, 0, 256,
     kLavapipeShapes},
    {"simt",
     "any Vulkan 1.1 device, without matrix instructions",
     0,
     16384,
     16384,
     128,
     0,
     128,
     {}},
};

llvm::ArrayRef<Row> helios::spv::getRows() { return kRows; }

const Row *helios::spv::findRow(llvm::StringRef name) {
  for (const Row &row : kRows)
    if (name == row.name)
      return &row;
  return nullptr;
}
