// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s

// Every op and type, round trip. The programs of test/hard use them together.

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#any = #tile.slice<1, #acc, partial = or>
#s = #tile.shared<order = [1, 0], pad = 8>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>

// CHECK-LABEL: frag.kernel private @move(
// CHECK-SAME: attributes {cluster = 2 : i64, regs = 128 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_90a">, threads = 32 : i64}
frag.kernel private @move(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %f: f32, %pi: !tile.ptr<i32>)
    attributes {threads = 32 : i64, shared_bytes = 4096 : i64, cluster = 2 : i64, regs = 128 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: frag.id workgroup{{$}}
  %w0 = frag.id workgroup
  // CHECK: frag.id workgroups
  %w1 = frag.id workgroups
  // CHECK: frag.id cluster_rank
  %w2 = frag.id cluster_rank
  // CHECK: frag.id cluster{{$}}
  %cluster = frag.id cluster
  // CHECK: frag.id clusters
  %clusters = frag.id clusters
  // CHECK: frag.next %{{.*}}
  %w3 = frag.next %w0
  // CHECK: %[[M:.*]] = frag.shared 0 : !frag.mem<16x32xf16, #tile.shared<order = [1, 0], pad = 8>>
  %m = frag.shared 0 : !frag.mem<16x32xf16, #s>
  %vec = frag.shared 1280 : !frag.mem<16xf32, #tile.shared<order = [0]>>
  %mat = frag.shared 2048 : !frag.mem<16x16xf32, #tile.shared<order = [1, 0]>>
  // CHECK: frag.element %{{.*}}[%{{.*}}, %{{.*}}] : <?x?xi32, strides = [1, 1]> -> i32
  %numbers = tile.view %pi[%n, %n] : !tile.ptr<i32> -> !tile.view<?x?xi32, strides = [1, 1]>
  %number = frag.element %numbers[%z, %z] : !tile.view<?x?xi32, strides = [1, 1]> -> i32
  // CHECK: %[[G:.*]] = frag.read %{{.*}}[%{{.*}}, %{{.*}}] pad(1.000000e+00) in_bounds : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> <16x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>
  %g = frag.read %v[%z, %z] pad(1.0) in_bounds : !v -> !frag.f<16x32xf16, #r>
  // CHECK: frag.write %[[G]], %[[M]][%{{.*}}, %{{.*}}] : <16x32xf16, {{.*}}>, !frag.mem<16x32xf16, {{.*}}>
  frag.write %g, %m[%z, %z] : !frag.f<16x32xf16, #r>, !frag.mem<16x32xf16, #s>
  // CHECK: frag.barrier workgroup{{$}}
  frag.barrier workgroup
  // CHECK: frag.barrier subgroup
  frag.barrier subgroup
  // CHECK: frag.read %[[M]][%{{.*}}, %{{.*}}] : !frag.mem<16x32xf16, {{.*}}> -> <16x16xf16, #tile.operand<a
  %a = frag.read %m[%z, %z] : !frag.mem<16x32xf16, #s> -> !frag.f<16x16xf16, #a>
  // CHECK: frag.read %[[M]][%{{.*}}, %{{.*}}] trans : !frag.mem<16x32xf16, {{.*}}> -> <16x8xf16, #tile.operand<b
  %b = frag.read %m[%z, %z] trans : !frag.mem<16x32xf16, #s> -> !frag.f<16x8xf16, #b>
  // CHECK: frag.splat %{{.*}} : f32 -> <16x8xf32, #tile.acc<
  %c = frag.splat %f : f32 -> !acc
  // CHECK: frag.mma #ptx.mma_sync<[16, 8, 16], f16, f16, f32> %{{.*}}, %{{.*}}, %{{.*}} : <16x16xf16, {{.*}}>, <16x8xf16, {{.*}}>, <16x8xf32, {{.*}}>
  %d = frag.mma #mma %a, %b, %c : !frag.f<16x16xf16, #a>, !frag.f<16x8xf16, #b>, !acc
  // CHECK: frag.iota 0 : <16x8xindex
  %i0 = frag.iota 0 : !frag.f<16x8xindex, #acc>
  // CHECK: frag.iota 1 base %{{.*}} : <16x8xindex
  %i1 = frag.iota 1 base %n : !frag.f<16x8xindex, #acc>
  // CHECK: %[[S:.*]] = frag.reduce add %{{.*}}, lane dim 1 : <16x8xf32, {{.*}}> -> !frag.f<16xf32, #tile.slice<1, {{.*}}, partial = add>>
  %s = frag.reduce add %d, lane dim 1 : !acc -> !frag.f<16xf32, #sum>
  // CHECK: %[[T:.*]] = frag.reduce add %[[S]], group : <16xf32, {{.*}}> -> !frag.f<16xf32, #tile.slice<1, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>>>
  %t = frag.reduce add %s, group : !frag.f<16xf32, #sum> -> !row
  // CHECK: frag.map(%{{.*}}, %{{.*}}, %{{.*}} : !frag.f<16x8xf32, {{.*}}>, !frag.f<16xf32, {{.*}}>, !frag.f<16x8xindex, {{.*}}>) -> !frag.f<16x8xf32, {{.*}}>, !frag.f<16x8xf16, {{.*}}> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: index):
  // CHECK: frag.yield %{{.*}}, %{{.*}} : f32, f16
  %e:2 = frag.map(%d, %t, %i1 : !acc, !row, !frag.f<16x8xindex, #acc>) -> !acc, !frag.f<16x8xf16, #acc> {
  ^bb0(%x: f32, %y: f32, %i: index):
    %q = arith.addf %x, %y : f32
    %q1 = arith.mulf %q, %f : f32
    %h = arith.truncf %q1 : f32 to f16
    frag.yield %q1, %h : f32, f16
  }
  // CHECK: frag.map(%{{.*}}, %{{.*}} : !frag.f<16xf32, {{.*}}partial = add>>, !frag.f<16xf32, {{.*}}>) -> !frag.f<16xf32, {{.*}}partial = add>>
  %l = frag.map(%s, %t : !frag.f<16xf32, #sum>, !row) -> !frag.f<16xf32, #sum> {
  ^bb0(%x: f32, %y: f32):
    %q = math.fma %x, %y, %x : f32
    frag.yield %q : f32
  }
  %k = frag.map() -> !frag.f<16xi1, #any> {
    %true = arith.constant true
    frag.yield %true : i1
  }
  // CHECK: frag.reduce or %{{.*}}, all : <16xi1, {{.*}}> -> i1
  %vote = frag.reduce or %k, all : !frag.f<16xi1, #any> -> i1
  // CHECK: frag.write %{{.*}}, %{{.*}}[%{{.*}}] reduce add : <16xf32
  frag.write %t, %vec[%z] reduce add : !row, !frag.mem<16xf32, #tile.shared<order = [0]>>
  // CHECK: frag.read %{{.*}}[%{{.*}}] broadcast : !frag.mem<16xf32, {{.*}}> -> <16xf32, #tile.slice<1, #tile.opaque<
  %bc = frag.read %vec[%z] broadcast : !frag.mem<16xf32, #tile.shared<order = [0]>> -> !frag.f<16xf32, #tile.slice<1, #o>>
  %ob = frag.splat %f : f32 -> !frag.f<16x64xf32, #o>
  // CHECK: frag.slice %{{.*}} [0, 16] : <16x64xf32, {{.*}}> -> <16x32xf32
  %os = frag.slice %ob [0, 16] : !frag.f<16x64xf32, #o> -> !frag.f<16x32xf32, #o>
  // A partial vector of matrices goes to memory as one.
  %om = frag.reduce max %ob, lane dim 1 : !frag.f<16x64xf32, #o> -> !frag.f<16xf32, #tile.slice<1, #o, partial = max>>
  // CHECK: frag.write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : <16xf32, #tile.slice<1, {{.*}}, partial = max>>, !frag.mem<16x16xf32
  frag.write %om, %mat[%z, %z] : !frag.f<16xf32, #tile.slice<1, #o, partial = max>>, !frag.mem<16x16xf32, #tile.shared<order = [1, 0]>>
  // CHECK: frag.permute %{{.*}} : <16x32xf16, {{.*}}> -> <16x32xf16
  %pm = frag.permute %g : !frag.f<16x32xf16, #r> -> !frag.f<16x32xf16, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>>
  frag.return
}

// CHECK-LABEL: frag.kernel @rings(
frag.kernel @rings(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 256 : i64, shared_bytes = 65664 : i64, synchronized} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: frag.release_dependents
  frag.release_dependents
  // CHECK: frag.await_dependencies
  frag.await_dependencies
  // CHECK: %[[R:.*]] = frag.shared 0 barriers 65536 : !frag.ring<<2x(
  %ring = frag.shared 0 barriers 65536 : !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
  // CHECK: frag.role lanes(0 to 128) regs(40) {
  frag.role lanes(0 to 128) regs(40) {
    // CHECK: %[[W:.*]], %{{.*}} = frag.acquire write %[[R]][%{{.*}}] : !frag.ring<
    %w, %c1 = frag.acquire write %ring[%c0] : !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
    // CHECK: %[[M:.*]] = frag.slot_mem %[[W]][0] : !frag.mem<64x64xf16, #tile.shared<order = [1, 0], swizzle = 128>>
    %m0 = frag.slot_mem %w[0] : !frag.mem<64x64xf16, #sw>
    %m1 = frag.slot_mem %w[1] : !frag.mem<64x64xf16, #sw>
    // CHECK: %[[T:.*]] = frag.copy_in #ptx.bulk %{{.*}}[%{{.*}}, %{{.*}}] into %[[M]] : !tile.view<{{.*}}> -> !frag.mem<64x64xf16
    %t0 = frag.copy_in #ptx.bulk %v[%z, %z] into %m0 : !v -> !frag.mem<64x64xf16, #sw>
    %t1 = frag.copy_in #ptx.bulk %v[%z, %z] into %m1 : !v -> !frag.mem<64x64xf16, #sw>
    // CHECK: frag.slot_put %{{.*}} into %[[W]][2] : index
    frag.slot_put %n into %w[2] : index
    // CHECK: frag.release %[[W]] after(%[[T]], %{{.*}} : !tile.token, !tile.token)
    frag.release %w after(%t0, %t1 : !tile.token, !tile.token)
    frag.yield
  }
  // CHECK: frag.role lanes(128 to 256 by 128) {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  frag.role lanes(128 to 256 by 128) {
  ^bb0(%r: index):
    %s, %c1 = frag.acquire read %ring[%c0] : !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
    // CHECK: frag.slot_get %{{.*}}[2] : index
    %i = frag.slot_get %s[2] : index
    // CHECK: frag.slot_mem %{{.*}}[0] at[%{{.*}}, %{{.*}}] : !frag.mem<64x64xf16
    %ma = frag.slot_mem %s[0] at [%z, %z] : !frag.mem<64x64xf16, #sw>
    %mb = frag.slot_mem %s[1] at [%z, %z] : !frag.mem<64x64xf16, #sw>
    // CHECK: %[[D:.*]], %[[K:.*]] = frag.mma_start #ptx.wgmma<n = 64, f16, f16, f32> %{{.*}}, %{{.*}} trans : !frag.mem<64x64xf16, {{.*}}>, !frag.mem<64x64xf16, {{.*}}> -> !frag.inflight<<64x64xf32, {{.*}}>>, !frag.token<"wgmma">
    %d0, %k0 = frag.mma_start #wg %ma, %mb trans : !frag.mem<64x64xf16, #sw>, !frag.mem<64x64xf16, #sw>
        -> !frag.inflight<!frag.f<64x64xf32, #wacc>>, !frag.token<"wgmma">
    // CHECK: frag.mma_start #ptx.wgmma<n = 64, f16, f16, f32> %{{.*}}, %{{.*}} trans, %[[D]] : !frag.inflight<
    %d1, %k1 = frag.mma_start #wg %ma, %mb trans, %d0 : !frag.inflight<!frag.f<64x64xf32, #wacc>> : !frag.mem<64x64xf16, #sw>, !frag.mem<64x64xf16, #sw>
        -> !frag.inflight<!frag.f<64x64xf32, #wacc>>, !frag.token<"wgmma">
    // CHECK: frag.await %{{.*}}() count 1 : !frag.token<"wgmma">
    frag.await %k0() count 1 : !frag.token<"wgmma">
    // CHECK: frag.await %{{.*}}(%{{.*}} : !frag.inflight<{{.*}}>) : !frag.token<"wgmma"> -> !frag.f<64x64xf32
    %d = frag.await %k1(%d1 : !frag.inflight<!frag.f<64x64xf32, #wacc>>) : !frag.token<"wgmma"> -> !frag.f<64x64xf32, #wacc>
    frag.release %s after(%k1 : !frag.token<"wgmma">)
    %h = frag.map(%d : !frag.f<64x64xf32, #wacc>) -> !frag.f<64x64xf16, #wa> {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to f16
      frag.yield %y : f16
    }
    %o = frag.shared 32768 : !frag.mem<64x64xf16, #sw>
    frag.write %h, %o[%z, %z] : !frag.f<64x64xf16, #wa>, !frag.mem<64x64xf16, #sw>
    // CHECK: frag.barrier replica proxy
    frag.barrier replica proxy
    // CHECK: frag.mma_start #ptx.wgmma<{{.*}}> %{{.*}}, %{{.*}} : !frag.f<64x64xf16, {{.*}}>, !frag.mem<64x64xf16
    %e0, %k2 = frag.mma_start #wg %h, %o : !frag.f<64x64xf16, #wa>, !frag.mem<64x64xf16, #sw>
        -> !frag.inflight<!frag.f<64x64xf32, #wacc>>, !frag.token<"wgmma">
    // CHECK: frag.await %{{.*}}(%{{.*}}) through(%{{.*}} : !frag.f<64x64xf16, {{.*}}>) : !frag.token<"wgmma"> -> !frag.f<64x64xf32, {{.*}}>, !frag.f<64x64xf16
    %e, %h1 = frag.await %k2(%e0 : !frag.inflight<!frag.f<64x64xf32, #wacc>>) through(%h : !frag.f<64x64xf16, #wa>) : !frag.token<"wgmma">
        -> !frag.f<64x64xf32, #wacc>, !frag.f<64x64xf16, #wa>
    // CHECK: frag.copy_out #ptx.bulk %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] reduce add : !frag.mem<64x64xf16, {{.*}}> -> !tile.view<
    %tc = frag.copy_out #ptx.bulk %o to %v[%z, %z] reduce add : !frag.mem<64x64xf16, #sw> -> !v
    frag.yield
  }
  frag.return
}
