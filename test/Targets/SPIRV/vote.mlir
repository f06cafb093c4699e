// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:nvidia --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
// RUN: helios-compile %examples/attention.mlir --target=vulkan:nvidia -o %t.hlx && helios-bundle %t.hlx | FileCheck %s --check-prefix=BUNDLE
//
// A branch that a subgroup takes if any element of a matrix is above a limit: matrices hold truth values as numbers, of which each lane looks at
// its own.

#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#oS = #tile.opaque<acc, #mma, groups = [2, 1]>
!S = !frag.f<32x16xf32, #oS>
!m = !frag.mem<32x16xf32, #tile.shared<order = [1, 0], pad = 4>>

// CHECK: spirv.module @branch Logical Vulkan requires #spirv.vce<v1.6, [{{.*}}GroupNonUniformVote
// CHECK: spirv.FOrdGreaterThan
// CHECK: spirv.Select %{{.*}}, %{{.*}}, %{{.*}} : i1, f32
// CHECK: %[[ANY:.*]] = spirv.mlir.loop control(Unroll) -> i1
// CHECK: spirv.FUnordNotEqual
// CHECK: spirv.LogicalOr
// CHECK: %[[VOTE:.*]] = spirv.GroupNonUniformAny <Subgroup> %[[ANY]] : i1
// CHECK: spirv.BranchConditional %[[VOTE]]
// CHECK: spirv.FMul %{{.*}} : !spirv.coopmatrix
// BUNDLE: subgroupVote
frag.kernel @branch(%x: f32) attributes {threads = 64 : i64, shared_bytes = 2560 : i64, synchronized, target = #spv.target<"nvidia">} {
  %c0 = arith.constant 0 : index
  %s = frag.splat %x : f32 -> !S
  %above = frag.map(%s : !S) -> !frag.f<32x16xi1, #oS> {
  ^bb0(%e: f32):
    %c = arith.cmpf ogt, %e, %x : f32
    frag.yield %c : i1
  }
  %any = frag.reduce or %above, all : !frag.f<32x16xi1, #oS> -> i1
  %r = scf.if %any -> !S {
    %t = frag.map(%s : !S) -> !S {
    ^bb0(%e: f32):
      %y = arith.mulf %e, %e : f32
      frag.yield %y : f32
    }
    scf.yield %t : !S
  } else {
    scf.yield %s : !S
  }
  %m = frag.shared 0 : !m
  frag.write %r, %m[%c0, %c0] : !S, !m
  frag.return
}
