// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Gemm.h"

namespace helios::bench {

const std::vector<Epilogue> &epilogues() {
  static const std::vector<Epilogue> table = {
      {"bias", "x + f[n]", FusedShape::Row,
       "{y} = arith.addf {x}, {f} : f32\n"},
      {"scale", "x * f[n]", FusedShape::Row,
       "{y} = arith.mulf {x}, {f} : f32\n"},
      {"row_scale", "x * f[m]", FusedShape::Column,
       "{y} = arith.mulf {x}, {f} : f32\n"},
      {"residual", "x + f[m, n]", FusedShape::Full,
       "{y} = arith.addf {x}, {f} : f32\n"},
      {"alpha_beta", "0.75 x + 0.5 f[m, n]", FusedShape::Full,
       "{alpha} = arith.constant 7.5e-01 : f32\n"
       "{beta} = arith.constant 5.0e-01 : f32\n"
       "{product} = arith.mulf {x}, {alpha} : f32\n"
       "{share} = arith.mulf {f}, {beta} : f32\n"
       "{y} = arith.addf {product}, {share} : f32\n"},
      {"pair", "x * (A C)[m, n]", FusedShape::Pair,
       "{y} = arith.mulf {x}, {f} : f32\n"},
      {"aux", "x, which is stored as one more result", FusedShape::Stored, ""},
      {"row_sum", "x, whose sum over n is one more result in f32",
       FusedShape::Rows, "add"},
      {"row_max", "x, whose largest over n is one more result in f32",
       FusedShape::Rows, "max"},
      {"column_sum", "x, whose sum over m is one more result in f32",
       FusedShape::Columns, "add"},
      {"column_max", "x, whose largest over m is one more result in f32",
       FusedShape::Columns, "max"},
      {"relu", "max(x, 0)", FusedShape::None,
       "{zero} = arith.constant 0.0 : f32\n"
       "{y} = arith.maximumf {x}, {zero} : f32\n"},
      {"clamp", "min(max(x, -1), 1)", FusedShape::None,
       "{low} = arith.constant -1.0 : f32\n"
       "{high} = arith.constant 1.0 : f32\n"
       "{above} = arith.maximumf {x}, {low} : f32\n"
       "{y} = arith.minimumf {above}, {high} : f32\n"},
      {"gelu", "x (1 + erf(x / sqrt(2))) / 2", FusedShape::None,
       "{root} = arith.constant 0.70710678118654752 : f32\n"
       "{half} = arith.constant 0.5 : f32\n"
       "{one} = arith.constant 1.0 : f32\n"
       "{scaled} = arith.mulf {x}, {root} : f32\n"
       "{erf} = math.erf {scaled} : f32\n"
       "{sum} = arith.addf {erf}, {one} : f32\n"
       "{part} = arith.mulf {x}, {half} : f32\n"
       "{y} = arith.mulf {part}, {sum} : f32\n"},
      {"gelu_tanh", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2",
       FusedShape::None,
       "{root} = arith.constant 0.79788456080286536 : f32\n"
       "{cubic} = arith.constant 0.044715 : f32\n"
       "{half} = arith.constant 0.5 : f32\n"
       "{one} = arith.constant 1.0 : f32\n"
       "{square} = arith.mulf {x}, {x} : f32\n"
       "{slope} = arith.mulf {square}, {cubic} : f32\n"
       "{factor} = arith.addf {slope}, {one} : f32\n"
       "{inner} = arith.mulf {x}, {factor} : f32\n"
       "{scaled} = arith.mulf {inner}, {root} : f32\n"
       "{tanh} = math.tanh {scaled} : f32\n"
       "{sum} = arith.addf {tanh}, {one} : f32\n"
       "{part} = arith.mulf {x}, {half} : f32\n"
       "{y} = arith.mulf {part}, {sum} : f32\n"},
      {"silu", "x / (1 + exp(-x))", FusedShape::None,
       "{one} = arith.constant 1.0 : f32\n"
       "{minus} = arith.negf {x} : f32\n"
       "{exp} = math.exp {minus} : f32\n"
       "{sum} = arith.addf {exp}, {one} : f32\n"
       "{y} = arith.divf {x}, {sum} : f32\n"},
      {"sigmoid", "1 / (1 + exp(-x))", FusedShape::None,
       "{one} = arith.constant 1.0 : f32\n"
       "{minus} = arith.negf {x} : f32\n"
       "{exp} = math.exp {minus} : f32\n"
       "{sum} = arith.addf {exp}, {one} : f32\n"
       "{y} = arith.divf {one}, {sum} : f32\n"},
      {"tanh", "tanh(x)", FusedShape::None, "{y} = math.tanh {x} : f32\n"},
      {"square", "x^2", FusedShape::None, "{y} = arith.mulf {x}, {x} : f32\n"},
  };
  return table;
}

const Epilogue *findEpilogue(const std::string &name) {
  for (const Epilogue &e : epilogues())
    if (name == e.name)
      return &e;
  return nullptr;
}

} // namespace helios::bench
