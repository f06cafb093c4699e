// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t/k.spv
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.nested.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.branch.spv %}
//
// Loops and branches are structured control flow with phis. All values of a back edge pass through arguments of the continue block:
// a nested loop's result used on the edge itself would be serialised as id 0. A loop marked with tile.unroll stays as it is; the
// driver may unroll others.

// CHECK-LABEL: spirv.func @nested
// CHECK: %[[OUTER:.*]]:2 = spirv.mlir.loop -> f32, i32
// CHECK: spirv.Branch ^[[H:.*]](%{{.*}}, %{{.*}}, %{{.*}} : i32, f32, i32)
// CHECK: ^[[H]](%[[IV:.*]]: i32, %[[X:.*]]: f32, %[[C:.*]]: i32):
// CHECK: spirv.SLessThan %[[IV]]
// CHECK: spirv.BranchConditional %{{.*}}, ^[[BODY:.*]], ^[[M:.*]]
// CHECK: ^[[BODY]]:
// CHECK: %[[INNER:.*]] = spirv.mlir.loop control(DontUnroll) -> f32
// CHECK: spirv.Branch ^[[L:.*]](%[[INNER]], %{{.*}} : f32, i32)
// CHECK: ^[[L]](%[[NX:.*]]: f32, %[[NC:.*]]: i32):
// CHECK: %[[NEXT:.*]] = spirv.IAdd %[[IV]]
// CHECK: spirv.Branch ^[[H]](%[[NEXT]], %[[NX]], %[[NC]]
// CHECK: ^[[M]]:
// CHECK: spirv.mlir.merge %[[X]], %[[C]] : f32, i32
frag.kernel @nested(%p: !tile.ptr<f32>, %n: index) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x0 = arith.constant 1.0 : f32
  %V = tile.view %p[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0, %c = %c0) -> (f32, index) {
    %y = scf.for %j = %c0 to %i step %c1 iter_args(%z = %x) -> (f32) {
      %w = arith.addf %z, %x : f32
      scf.yield %w : f32
    } {tile.unroll = 1 : i64}
    %d = arith.addi %c, %i : index
    scf.yield %y, %d : f32, index
  }
  %k = arith.index_cast %r#1 : index to i32
  %kf = arith.sitofp %k : i32 to f32
  %s = arith.addf %r#0, %kf : f32
  %f = frag.splat %s : f32 -> !frag.f<64xf32, #tile.regs<vec = [1], lanes = [64], groups = [1]>>
  frag.write %f, %V[%c0] : !frag.f<64xf32, #tile.regs<vec = [1], lanes = [64], groups = [1]>>, !tile.view<?xf32, strides = [1]>
  frag.return
}

// A branch's fragments are phis of the merge block: packets where one side has packets, matrices as matrices.
#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
#wide = #tile.regs<vec = [1, 8], lanes = [8, 1], groups = [1, 1]>
!c = !frag.f<8x8xf32, #acc>
!g = !frag.f<8x8xf16, #wide>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!s = !frag.mem<8x8xf16, #tile.shared<order = [1, 0]>>
!t = !frag.mem<8x8xf32, #tile.shared<order = [1, 0]>>

// CHECK-LABEL: spirv.func @branch
// CHECK: %[[R:.*]]:2 = spirv.mlir.selection -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>, vector<4xi32>
// CHECK: ^[[M:.*]](%[[A:.*]]: !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>, %[[B:.*]]: vector<4xi32>):
// CHECK-NEXT: spirv.mlir.merge %[[A]], %[[B]]
// CHECK: spirv.KHR.CooperativeMatrixStore {{.*}}, %[[R]]#0
// CHECK: spirv.Store "Workgroup" {{.*}}, %[[R]]#1
frag.kernel @branch(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : i64}, %k: index) attributes {threads = 8 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f16
  %V = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %s = frag.shared 0 : !s
  %t = frag.shared 128 : !t
  %is = arith.cmpi ult, %k, %n : index
  %r:2 = scf.if %is -> (!c, !g) {
    %x = frag.splat %zero : f32 -> !c
    %g = frag.read %V[%c0, %c0] : !v -> !g
    scf.yield %x, %g : !c, !g
  } else {
    %x = frag.splat %one : f32 -> !c
    %g = frag.splat %half : f16 -> !g
    scf.yield %x, %g : !c, !g
  }
  frag.write %r#0, %t[%c0, %c0] : !c, !t
  frag.write %r#1, %s[%c0, %c0] : !g, !s
  frag.return
}
