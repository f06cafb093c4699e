// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Rings whose sides meet at barriers in shared memory.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 8], groups = [1, 1]>
!mem = !frag.mem<64x64xbf16, #s>
!f = !frag.f<64x64xbf16, #rows>
!acc = !frag.f<64x64xf32, #acc>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
!pass = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), pass, readers = 1>>
!v = !tile.view<64x64xbf16, strides = [64, 1], div = [64, 1], align = 16>
!w = !tile.view<64x64xf32, strides = [64, 1], div = [64, 1], align = 16>

// Lanes of one role write, a product of another reads: every writing lane passes what it wrote into the engines' view and arrives, 128 of them
// end a phase of the full barrier. The reading role hands the slot back once the product has retired, by one lane.
// CHECK-LABEL: llvm.func @pass(
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-COUNT-2: nvvm.mbarrier.init {{.*}}, %[[ALL]]
// CHECK-COUNT-2: nvvm.mbarrier.init {{.*}}, %[[ONE]]
// The writing side waits for the phase before the first.
// CHECK: mbarrier.try_wait.parity{{.*}} %{{.*}}, %[[ONE]] : (i32, i32)
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: llvm.inline_asm {{.*}}"mbarrier.arrive.shared::cta.b64 _, [$0];"
// CHECK: mbarrier.try_wait.parity
// CHECK: wgmma.mma_async
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];"
frag.kernel @pass(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>)
    attributes {threads = 256 : i64, shared_bytes = 24608 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[] : !tile.ptr<bf16> -> !v
  %o = tile.view %q[] : !tile.ptr<f32> -> !w
  %ring = frag.shared 0 barriers 24576 : !pass
  %b = frag.shared 16384 : !mem
  frag.role lanes(0 to 128) {
    %x = frag.read %v[%z, %z] in_bounds : !v -> !f
    %s, %c1 = frag.acquire write %ring[%c0] : !pass
    %m = frag.slot_mem %s[0] : !mem
    frag.write %x, %m[%z, %z] : !f, !mem
    frag.release %s
    frag.yield
  }
  frag.role lanes(128 to 256) {
    %s, %c1 = frag.acquire read %ring[%c0] : !pass
    %m = frag.slot_mem %s[0] : !mem
    %d, %t = frag.mma_start #mma %m, %b trans : !mem, !mem -> !fly, !tok
    frag.release %s after(%t : !tok) count 0
    %y = frag.await %t (%d : !fly) : !tok -> !acc
    frag.write %y, %o[%z, %z] in_bounds : !acc, !w
    frag.yield
  }
  frag.return
}

// -----

!turn = !frag.ring<!tile.ring<2x(i32), pass>>
frag.kernel @other_target() attributes {threads = 128 : i64, shared_bytes = 64 : i64, target = #ptx.target<"sm_89">} {
  // expected-error @+1 {{expected a ring without barriers for sm_89, whose copies complete in groups}}
  %ring = frag.shared 0 barriers 32 : !turn
  frag.return
}
