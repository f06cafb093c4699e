// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:simt --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
//
// Packets that the next trip will use are loaded in this one. Whether they were inside the view is carried with them and asked where they are
// written, so that nobody waits for them before this trip's work.

#wide = #tile.regs<vec = [1, 8], lanes = [16, 4], groups = [1, 1]>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 4], groups = [1, 1]>
#part = #tile.slice<1, #rows, partial = max>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!s = !frag.mem<16x32xf16, #tile.shared<order = [1, 0], pad = 8>>
!f = !frag.f<16x32xf16, #wide>
// CHECK: spirv.mlir.loop -> vector<4xi32>, i1
// CHECK: ^bb1(%{{.*}}: i32, %[[PACKET:.*]]: vector<4xi32>, %[[INSIDE:.*]]: i1
// CHECK: ^bb2
// CHECK: %[[ALL:.*]] = spirv.CompositeConstruct %[[INSIDE]], %[[INSIDE]], %[[INSIDE]], %[[INSIDE]]
// CHECK: %[[KEPT:.*]] = spirv.Select %[[ALL]], %[[PACKET]], %{{.*}} : vector<4xi1>, vector<4xi32>
// CHECK: spirv.Store "Workgroup" %{{.*}}, %[[KEPT]]
// CHECK: spirv.Load "StorageBuffer" %{{.*}} : vector<4xi32>
// CHECK-NOT: vector<4xi1>
// CHECK: spirv.mlir.merge
frag.kernel @guards(%p: !tile.ptr<f16>, %m: index, %n: index {tile.div = 8 : index}) attributes {threads = 64 : i64, shared_bytes = 1280 : i64, synchronized, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %s = frag.shared 0 : !s
  %x = frag.read %V[%c0, %c0] : !v -> !f
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%a = %x) -> (!f) {
    frag.barrier workgroup
    frag.write %a, %s[%c0, %c0] : !f, !s
    frag.barrier workgroup
    %next = frag.read %V[%i, %c0] : !v -> !f
    %h = frag.read %s[%c0, %c0] : !s -> !frag.f<16x32xf16, #rows>
    %q = frag.reduce max %h, lane dim 1 : !frag.f<16x32xf16, #rows> -> !frag.f<16xf16, #part>
    %t = frag.reduce max %q, group : !frag.f<16xf16, #part> -> !frag.f<16xf16, #tile.slice<1, #rows>>
    scf.yield %next : !f
  }
  frag.write %r, %V[%c0, %c0] : !f, !v
  frag.return
}
