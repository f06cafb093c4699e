// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
//
// Packed matrices: a lane reads its 16 bytes at its number in the subgroup and puts a matrix together; the other way round it
// takes one apart.

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 8], div = [16, 1], align = 16, packed = #b>
!f = !frag.f<8x16xf16, #b>

// CHECK-LABEL: spirv.module @copy
// CHECK: spirv.Load "Input" %{{.+}} : i32
// CHECK: %[[P0:.+]] = spirv.Load "StorageBuffer" %{{.+}} : vector<4xi32>
// CHECK: %[[P1:.+]] = spirv.Load "StorageBuffer" %{{.+}} : vector<4xi32>
// CHECK: %[[U:.+]] = spirv.Undef : !spirv.coopmatrix<8x8xf16, Subgroup, MatrixB>
// CHECK: %[[W:.+]] = spirv.CompositeExtract %[[P0]][0 : i32]
// CHECK: %[[H:.+]] = spirv.Bitcast %[[W]] : i32 to vector<2xf16>
// CHECK: %[[E:.+]] = spirv.CompositeExtract %[[H]][0 : i32]
// CHECK: spirv.CompositeInsert %[[E]], %[[U]][0 : i32] : f16 into !spirv.coopmatrix<8x8xf16, Subgroup, MatrixB>
// CHECK: %[[M:.+]] = spirv.CompositeInsert %{{.+}}, %{{.+}}[7 : i32] : f16 into
// CHECK: %[[SUM:.+]] = spirv.FAdd %[[M]], %[[M]] : !spirv.coopmatrix<8x8xf16, Subgroup, MatrixB>
// CHECK: spirv.CompositeExtract %[[SUM]][0 : i32] : !spirv.coopmatrix<8x8xf16, Subgroup, MatrixB>
// CHECK: spirv.Store "StorageBuffer" %{{.+}}, %{{.+}} : vector<4xi32>
frag.kernel @copy(%pa: !tile.ptr<f16>, %pd: !tile.ptr<f16>, %n: index {tile.div = 16 : index, tile.range = array<i64: 16, 1024>})
    attributes {threads = 8 : i64, target = #spv.target<"lavapipe">} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %A = tile.view %pa[%n, %n] strides[%n] : <f16> -> !v
  %D = tile.view %pd[%n, %n] strides[%n] : <f16> -> !v
  %x = frag.read %A[%c8, %c0] in_bounds : !v -> !f
  %y = frag.map(%x, %x : !f, !f) -> !f {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    frag.yield %c : f16
  }
  frag.write %y, %D[%c0, %c0] in_bounds : !f, !v
  frag.return
}
