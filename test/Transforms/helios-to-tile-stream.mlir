// RUN: helios-opt --helios-to-tile --canonicalize --cse %s | FileCheck %s
// RUN: helios-opt --helios-to-tile --tile-prove-bounds %s | FileCheck %s --check-prefix=PROVED

// Items are numbers: whole tiles, then two parts of each share of the steps of those left over. Each has its tile by the order of tiles, its first step and so many of them;
// whole tiles have the epilogue, parts leave their sums in a place of their own.
// CHECK-LABEL: tile.program @gemm_full(
// CHECK-SAME: %[[PA:[^:]+]]: !tile.ptr<f16>, %[[PB:[^:]+]]: !tile.ptr<f16>, %[[PC:[^:]+]]: !tile.ptr<f16>, %[[PD:[^:]+]]: !tile.ptr<f16>, %[[PW:[^:]+]]: !tile.ptr<f32>,
// CHECK-SAME: %[[PLACES:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]+}}: index {tile.div = 8 : index
// CHECK-SAME: %[[WHOLE:[^:]+]]: index {tile.range = array<i64: 0, 2147483647>}, %[[TILES:[^:]+]]: index {tile.range = array<i64: 0, 2147483647>}, %[[SHARES:[^:]+]]: index {tile.range = array<i64: 0, 2147483647>}, %[[SHARE:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}, %[[COUNTED:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}) attributes
// CHECK: %[[W:.+]] = tile.view %[[PW]][%[[PLACES]]] strides[%{{.+}}, %{{.+}}] : <f32> -> <?x256x64xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
// CHECK: %[[ALL:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK: tile.items (%[[I:.+]]) in (%[[ALL]]) #tile.items<persistent> {
// CHECK: %[[ISWHOLE:.+]] = arith.cmpi ult
// CHECK: %[[ISPART:.+]] = arith.andi
// CHECK: %[[AT:.+]]:2 = tile.item_at %{{.+}} in (%{{.+}}, %{{.+}}) #tile.items<persistent, raster = [0, 4], cluster = [2, 1]>
// CHECK: %[[R:.+]] = arith.remui %[[AT]]#0, %c2
// CHECK: %[[ROW:.+]] = arith.muli %[[R]], %c128
// CHECK: %[[X:.+]] = scf.for
// CHECK: tile.dot
// CHECK: scf.if %[[ISWHOLE]] {
// CHECK: tile.load
// CHECK: tile.store %{{.+}} : tensor<128x64xf16>
// CHECK: }
// CHECK: scf.if %[[ISPART]] {
// CHECK: tile.store %[[X]], %[[W]][%{{.+}}, %[[ROW]], %c0] : tensor<128x64xf32>
// Places, rows of a cluster and columns are known to lie inside.
// PROVED-LABEL: tile.program @gemm_full(
// PROVED: tile.load {{.*}} in_bounds : {{.*}} -> tensor<128x64xf16>
// PROVED: tile.store {{.*}} in_bounds : tensor<128x64xf16>
// PROVED: tile.store {{.*}} in_bounds : tensor<128x64xf32>

// What adds up has pieces of the tiles left over, and walks the shares of one in the order of K.
// CHECK-LABEL: tile.program @gemm_aligned_parts_sum(
// CHECK-NOT: tile.dot
// CHECK: tile.items (%[[T:.+]], %[[P:.+]], %[[Q:.+]]) in (%{{.+}}, %c8, %c1) #tile.items<grid> {
// CHECK: %[[N:.+]] = arith.addi %{{.+}}, %[[T]]
// CHECK: tile.item_at %[[N]] in (%{{.+}}, %{{.+}}) #tile.items<persistent, raster = [0, 4], cluster = [2, 1]>
// CHECK: %[[PIECE:.+]] = arith.muli %[[P]], %c32
// CHECK: scf.for
// CHECK: %[[Y:.+]] = tile.load %{{.+}}[%{{.+}}, %[[PIECE]], %{{.+}}] : {{.*}} -> tensor<32x64xf32>
// CHECK: arith.addf %{{.+}}, %[[Y]]
// CHECK: tile.store %{{.+}} : tensor<32x64xf16>

// The plan: rounds of as many as run at once, of what they leave even shares, and whole ones of a tile where it has several.
// CHECK-LABEL: tile.plan @gemm
// CHECK: %[[ONCE:.+]] = tile.device {{ *}}clusters_of_2
// CHECK: %[[LEFT:.+]] = arith.remui %{{.+}}, %[[ONCE]]
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[LEFT]]
// CHECK: tile.dispatch @gemm_full
// CHECK: tile.dispatch @gemm_aligned_parts_sum
helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 64], groups = [2, 1], mma = [64, 64, 16], depth = 4, raster = 4, items = stream, cluster = [2, 1]>} {
  %d = helios.matmul %a, %b fused(%c : tensor<?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %y: f16):
    %z = arith.extf %y : f16 to f32
    %s = arith.addf %x, %z : f32
    %t = arith.truncf %s : f32 to f16
    helios.yield %t : f16
  }
  helios.return %d : tensor<?x?xf16>
}
