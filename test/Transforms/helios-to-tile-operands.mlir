// RUN: helios-opt --helios-to-tile %s | FileCheck %s

// Copies past the registers take wide units of an operand's rows. Where the rows of a result, or of what is fused, cannot be written or read so, a
// program counts on operands alone: extents of K are multiples of a unit's elements, those of N are not. Another schedule stays for operands whose
// rows are no better.

// CHECK-LABEL: tile.program @bias_aligned
// CHECK-SAME: %{{[^:]*}}: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK-LABEL: tile.program @bias_operands
// CHECK-SAME: %{{[^:]*}}: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK: tile.view {{.*}} div = [8, 1], align = 16>
// CHECK: tile.view {{.*}} div = [8, 1], align = 16>
// CHECK: tile.view {{.*}}-> <?xbf16, strides = [?]>
// CHECK: tile.view {{.*}}-> <?x?xbf16, strides = [?, 1]>
// CHECK-LABEL: tile.program @bias_any
// CHECK: tile.plan @bias
// CHECK: tile.dispatch @bias_full
// CHECK: tile.dispatch @bias_aligned
// CHECK: tile.dispatch @bias_operands
// CHECK: tile.dispatch @bias_any
helios.kernel @bias(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 2], mma = [16, 8, 16], depth = 4>} {
  %d = helios.matmul %a, %b fused(%c : tensor<?xbf16>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%x: f32, %y: bf16):
    %e = arith.extf %y : bf16 to f32
    %z = arith.addf %x, %e : f32
    %r = arith.truncf %z : f32 to bf16
    helios.yield %r : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
