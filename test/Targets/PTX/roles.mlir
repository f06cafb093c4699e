// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Roles: a chain of branches on the warpgroup's number, which a shuffle makes uniform; the budget of registers comes first. A role that only
// issues copies and counts runs on one lane. Each replica has a barrier of its own.

#s = #tile.shared<order = [1, 0], swizzle = 128>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 8], groups = [1, 1]>
!v = !tile.view<?x64xbf16, strides = [64, 1], div = [64, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!mem = !frag.mem<64x64xbf16, #s>
!f = !frag.f<64x64xbf16, #rows>

// CHECK-LABEL: llvm.func @roles(
// CHECK-SAME: nvvm.maxnreg = 168 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// Full barriers count one arrival, empty ones two, one a reader.
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: nvvm.mbarrier.init {{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init {{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init {{.*}}, %[[TWO]]
// CHECK: nvvm.mbarrier.init {{.*}}, %[[TWO]]
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.cond_br
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.elect.sync
// CHECK: mbarrier.try_wait.parity
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;
// CHECK: nvvm.setmaxregister increase 232
// CHECK: mbarrier.try_wait.parity
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: @$1 mbarrier.arrive.shared::cta.b64 _, [$0];
frag.kernel @roles(%p: !tile.ptr<bf16>, %n: index, %q: !tile.ptr<bf16>)
    attributes {threads = 384 : i64, shared_bytes = 16416 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n] : !tile.ptr<bf16> -> !v
  %u = tile.view %q[%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 16384 : !ring
  frag.role lanes(0 to 128) regs(40) {
    %e = scf.for %i = %z to %n step %c64 iter_args(%c = %c0) -> (i32) {
      %w, %c1 = frag.acquire write %ring[%c] : !ring
      %m = frag.slot_mem %w[0] : !mem
      %t = frag.copy_in #ptx.bulk %v[%i, %z] into %m : !v -> !mem
      frag.release %w after(%t : !tile.token)
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(232) {
  ^bb0(%r: index):
    %e = scf.for %i = %z to %n step %c64 iter_args(%c = %c0) -> (i32) {
      %s, %c1 = frag.acquire read %ring[%c] : !ring
      %m = frag.slot_mem %s[0] : !mem
      %x = frag.read %m[%z, %z] : !mem -> !f
      frag.barrier replica
      frag.release %s
      %at = arith.addi %i, %r : index
      frag.write %x, %u[%at, %z] : !f, !v
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.return
}

// Turns: a replica waits at a barrier of its own, the one before arrives there; the last replica passes the first turn on.
// CHECK-LABEL: llvm.func @turns(
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: "bar.arrive $0, $1;", "r,r,~{memory}" %{{.*}}, %[[COUNT]]
// CHECK: nvvm.barrier id = %[[MINE:.*]] number_of_threads = %[[COUNT]]
// CHECK: mbarrier.try_wait.parity
// CHECK: %[[NEXT:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: "bar.arrive $0, $1;", "r,r,~{memory}" %{{.*}}, %[[COUNT]]
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: mbarrier.arrive.shared::cta.b64
!solo = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
frag.kernel @turns(%p: !tile.ptr<bf16>, %n: index, %q: !tile.ptr<bf16>)
    attributes {threads = 384 : i64, shared_bytes = 16416 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n] : !tile.ptr<bf16> -> !v
  %u = tile.view %q[%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 16384 : !solo
  frag.role lanes(0 to 128) regs(40) {
    %e = scf.for %i = %z to %n step %c64 iter_args(%c = %c0) -> (i32) {
      %w, %c1 = frag.acquire write %ring[%c] : !solo
      %m = frag.slot_mem %w[0] : !mem
      %t = frag.copy_in #ptx.bulk %v[%i, %z] into %m : !v -> !mem
      frag.release %w after(%t : !tile.token)
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(232) {
  ^bb0(%r: index):
    %one = arith.constant 1 : i32
    %rc = arith.index_cast %r : index to i32
    %start = arith.addi %c0, %rc : i32
    %low = arith.muli %r, %c64 : index
    %e = scf.for %i = %low to %n step %c128 iter_args(%c = %start) -> (i32) {
      frag.turn take
      %s, %c1 = frag.acquire read %ring[%c] : !solo
      frag.turn pass
      %m = frag.slot_mem %s[0] : !mem
      %x = frag.read %m[%z, %z] : !mem -> !f
      frag.barrier replica
      frag.release %s
      frag.write %x, %u[%i, %z] : !f, !v
      %c2 = arith.addi %c1, %one : i32
      scf.yield %c2 : i32
    }
    frag.yield
  }
  frag.return
}

// A ring of scalars: one lane writes, every lane of the other side reads and says when it is done.
!turn = !frag.ring<!tile.ring<2x(i32), pass>>
#line = #tile.regs<vec = [1], lanes = [128], groups = [1]>
!w = !tile.view<128xi32, strides = [1]>
// CHECK-LABEL: llvm.func @scalars(
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: nvvm.mbarrier.init {{.*}}, %[[ALL]]
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];"
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];"
frag.kernel @scalars(%p: !tile.ptr<i32>, %n: i32)
    attributes {threads = 256 : i64, shared_bytes = 64 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[] : !tile.ptr<i32> -> !w
  %ring = frag.shared 0 barriers 32 : !turn
  frag.role lanes(0 to 128) {
    %w, %c1 = frag.acquire write %ring[%c0] : !turn
    frag.slot_put %n into %w[0] : i32
    frag.release %w
    frag.yield
  }
  frag.role lanes(128 to 256) {
    %s, %c1 = frag.acquire read %ring[%c0] : !turn
    %x = frag.slot_get %s[0] : i32
    frag.release %s
    %f = frag.splat %x : i32 -> !frag.f<128xi32, #line>
    frag.write %f, %v[%z] in_bounds : !frag.f<128xi32, #line>, !w
    frag.yield
  }
  frag.return
}

// -----

frag.kernel @uncapped() attributes {threads = 256 : i64, target = #ptx.target<"sm_90a">} {
  // expected-error @+1 {{expected the kernel to cap registers at entry ('regs'), else a role's budget has no effect}}
  frag.role lanes(0 to 128) regs(40) {
    frag.yield
  }
  frag.return
}

// -----

frag.kernel @budget() attributes {threads = 256 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  // expected-error @+1 {{expected whole warpgroups of 128 lanes for a register budget, got lanes 0 to 64}}
  frag.role lanes(0 to 64) regs(40) {
    frag.yield
  }
  frag.return
}

// -----

frag.kernel @behind() attributes {threads = 256 : i64, target = #ptx.target<"sm_90a">} {
  frag.role lanes(0 to 128) {
    frag.yield
  }
  // expected-error @+1 {{expected nothing but roles behind the first role of a kernel; put it into a role}}
  frag.barrier workgroup
  frag.return
}

// -----

frag.kernel @lanes() attributes {threads = 256 : i64, target = #ptx.target<"sm_90a">} {
  // expected-error @+1 {{expected roles of whole warps of 32 lanes}}
  frag.role lanes(0 to 16) {
    frag.yield
  }
  frag.return
}

// -----

// A loop of a role counts in a word where its bounds are known to fit, two instructions a trip less.
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x64xbf16, strides = [64, 1], div = [64, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 1>>
!mem = !frag.mem<64x64xbf16, #s>
// CHECK-LABEL: llvm.func @counts(
// CHECK: nvvm.setmaxregister decrease
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK: nvvm.setmaxregister increase
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
frag.kernel @counts(%p: !tile.ptr<bf16>, %n: index {tile.range = array<i64: 1, 2147483000>}, %m: index {tile.range = array<i64: 1, 2147483647>})
    attributes {threads = 256 : i64, shared_bytes = 16416 : i64, regs = 128 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 16384 : !ring
  frag.role lanes(0 to 128) regs(40) {
    %e = scf.for %i = %z to %n step %c64 iter_args(%c = %c0) -> (i32) {
      %w, %c1 = frag.acquire write %ring[%c] : !ring
      %mem = frag.slot_mem %w[0] : !mem
      %t = frag.copy_in #ptx.bulk %v[%i, %z] into %mem : !v -> !mem
      frag.release %w after(%t : !tile.token)
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.role lanes(128 to 256) regs(216) {
    %e = scf.for %i = %z to %m step %c64 iter_args(%c = %c0) -> (i32) {
      %s, %c1 = frag.acquire read %ring[%c] : !ring
      frag.release %s
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.return
}
