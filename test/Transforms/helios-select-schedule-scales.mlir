// RUN: helios-opt --split-input-file --helios-select-schedule --verify-diagnostics %s | FileCheck %s

// Of blocks of 128 columns a tile takes whole ones' divisors alone, of those of 128 elements along k every step one.
// CHECK-LABEL: helios.kernel @chosen
// CHECK-NOT: tile = [{{[0-9]+}}, {{48|80|96|112|144|160|176|192|208|224|240|256}}, {{[0-9]+}}]
// CHECK: strategy = roles, tile = [{{[0-9]+}}, {{16|32|64|128}}, 128]
// CHECK-NOT: tile = [{{[0-9]+}}, {{48|80|96|112|144|160|176|192|208|224|240|256}}, {{[0-9]+}}]
// CHECK: helios.matmul
helios.kernel @chosen(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

helios.kernel @steps(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 64], groups = [2, 2]>} {
  // expected-error @below {{expected a tile whose extent along k divides that of the blocks with a scale, 32, got 64; use another tile}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 32>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

helios.kernel @columns(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 128, 32], groups = [2, 2]>} {
  // expected-error @below {{expected a tile whose extent along n divides that of the blocks with a scale, 64, got 128; use another tile}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 64, 32>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
