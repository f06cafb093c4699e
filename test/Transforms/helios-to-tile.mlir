// RUN: helios-opt --helios-to-tile %s | FileCheck %s
// RUN: helios-opt --helios-to-tile %s | FileCheck %s --check-prefix=PLAN
// RUN: helios-opt --helios-to-tile %s | FileCheck %s --check-prefix=NONE
// RUN: helios-opt --helios-to-tile --canonicalize --cse %s | helios-opt | FileCheck %s --check-prefix=ANY

// What is decided below this level is not here.
// NONE-NOT: tile.ring
// NONE-NOT: token
// NONE-NOT: barrier
// NONE-NOT: tile.sched
// NONE-NOT: tile.id
// NONE-NOT: tile.roles
// NONE-NOT: convert_layout
// NONE-NOT: #tile.{{regs|acc|operand|opaque|slice|shared}}
// NONE-NOT: helios.

// Whole tiles: every extent is a multiple of the tile, rows are contiguous and wide.
// CHECK-LABEL: tile.program @gemm_full(
// CHECK-SAME: %[[PA:[^:]+]]: !tile.ptr<f16>, %[[PB:[^:]+]]: !tile.ptr<f16>, %[[PC:[^:]+]]: !tile.ptr<f16>, %[[PD:[^:]+]]: !tile.ptr<f16>,
// CHECK-SAME: %[[M:[^:]+]]: index {tile.div = 64 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK-SAME: %[[N:[^:]+]]: index {tile.div = 32 : index
// CHECK-SAME: %[[K:[^:]+]]: index {tile.div = 16 : index
// CHECK-SAME: %[[LDA:[^:]+]]: index {tile.div = 8 : index, tile.range = array<i64: 0, 2147483647>}
// CHECK-SAME: %[[S:[^:]+]]: f32) attributes {config = #tile.config<groups = [2, 1], mma = [8, 8, 8], depth = 2, pad = 4, epilogue_rows = 16, unroll = 2>}
// CHECK: %[[A:.+]] = tile.view %[[PA]][%[[M]], %[[K]]] strides[%[[LDA]]] : <f16> -> <?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK: %[[B:.+]] = tile.view %[[PB]][%[[N]], %[[K]]]
// CHECK: %[[C:.+]] = tile.view %[[PC]][%[[N]]] : <f16> -> <?xf16, strides = [1], div = [1], align = 16>
// CHECK: %[[D:.+]] = tile.view %[[PD]][%[[M]], %[[N]]]
// CHECK: tile.items (%[[I:.+]], %[[J:.+]]) in (%{{.+}}, %{{.+}}) #tile.items<grid, raster = [0, 4]> {
// CHECK: %[[X:.+]] = scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (tensor<64x32xf32>)
// CHECK: %[[L:.+]] = tile.load %[[A]][%[[R:.+]], %[[Q:.+]]] : {{.*}} -> tensor<64x16xf16>
// CHECK: %[[P:.+]] = tile.load %[[B]][%[[W:.+]], %[[Q]]] : {{.*}} -> tensor<32x16xf16>
// CHECK: %[[PT:.+]] = tile.transpose %[[P]] : tensor<32x16xf16> -> tensor<16x32xf16>
// CHECK: %[[Y:.+]] = tile.dot %[[L]], %[[PT]], %[[ACC]]
// CHECK: scf.yield %[[Y]]
// The bias stays a vector until it is added; the scalar becomes a tile where it is needed.
// CHECK: %[[V:.+]] = tile.load %[[C]][%[[W]]] : {{.*}} -> tensor<32xf16>
// CHECK: %[[VW:.+]] = arith.extf %[[V]] : tensor<32xf16> to tensor<32xf32>
// CHECK: %[[VX:.+]] = tile.expand %[[VW]], [0] : tensor<32xf32> -> tensor<64x32xf32>
// CHECK: %[[U:.+]] = arith.addf %[[X]], %[[VX]] : tensor<64x32xf32>
// CHECK: %[[SX:.+]] = tile.expand %[[S]], [0, 1] : f32 -> tensor<64x32xf32>
// CHECK: %[[Z:.+]] = arith.mulf %[[U]], %[[SX]]
// CHECK: %[[H:.+]] = arith.truncf %[[Z]] : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK: tile.store %[[H]], %[[D]][%[[R]], %[[W]]]

// CHECK-LABEL: tile.program @gemm_aligned(
// CHECK-SAME: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]+}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}, %{{[^:]+}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK-LABEL: tile.program @gemm_any(
// K may be zero, and no stride is known.
// ANY-LABEL: tile.program @gemm_any(
// ANY-SAME: index {tile.range = array<i64: 0, 2147483647>}
// ANY: tile.view {{.*}} -> <?x?xf16, strides = [?, ?]>

// PLAN-LABEL: tile.plan @gemm(%arg0: tensor<?x?xf16>, %arg1: tensor<?x?xf16>, %arg2: tensor<?xf16>, %arg3: f32, %arg4: tensor<?x?xf16>)
// PLAN-SAME: arg_names = ["a", "arg1", "bias", "arg3", "result"], output_count = 1 : i64, schedule = "tile=64x32x16,groups=2x1,mma=8x8x8,depth=2,pad=4,raster=4,epilogue_rows=16,unroll=2"
// PLAN: tile.require %{{.+}}, "extent 1 of arg1 must equal extent 1 of a"
// PLAN: tile.require %{{.+}}, "extent 0 of bias must equal extent 0 of arg1"
// PLAN: tile.require %{{.+}}, "extent 0 of result must equal extent 0 of a"
// PLAN: tile.require %{{.+}}, "extent 1 of result must equal extent 0 of arg1"
// PLAN: scf.if
// PLAN: tile.dispatch @gemm_full[%{{.+}}] (%arg0, %arg1, %arg2, %arg4, {{.*}}, %arg3) {variant = "full"}
// PLAN: scf.if
// PLAN: tile.dispatch @gemm_aligned{{.*}} {variant = "aligned"}
// PLAN: scf.if
// PLAN: tile.dispatch @gemm_any{{.*}} {variant = "any"}
// PLAN: tile.plan_yield
helios.kernel @gemm(%a: tensor<?x?xf16> {helios.name = "a"}, %b: tensor<?x?xf16>, %bias: tensor<?xf16> {helios.name = "bias"}, %s: f32)
    -> tensor<?x?xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 16], groups = [2, 1], mma = [8, 8, 8], depth = 2,
                                                                pad = 4, raster = 4, epilogue_rows = 16, unroll = 2>} {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %c: f16):
    %e = arith.extf %c : f16 to f32
    %y = arith.addf %x, %e : f32
    %w = arith.mulf %y, %s : f32
    %z = arith.truncf %w : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
