// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-schedule,tile-expand))' | FileCheck %s --check-prefix=EXPAND
// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-schedule,tile-expand),canonicalize,cse,tile.program(tile-allocate-shared),tile-distribute)' | FileCheck %s --check-prefix=FRAG

// Turns from their split on: the turn is passed on before the last slot's product is waited for, and a cursor is a number of slots.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>

// EXPAND: tile.role "math"
// EXPAND: tile.turn take
// EXPAND: tile.enter read
// EXPAND: tile.dot
// EXPAND: scf.for
// EXPAND: tile.dot
// EXPAND: tile.exit
// EXPAND: }
// EXPAND: tile.turn pass
// EXPAND-NEXT: tile.exit
// EXPAND-NEXT: tile.store

// FRAG: frag.role lanes(128 to 384 by 128)
// FRAG: ^bb0(%[[R:.*]]: index):
// FRAG: %[[N:.*]] = arith.index_cast %[[R]] : index to i32
// FRAG-NEXT: %[[START:.*]] = arith.addi %{{.*}}, %[[N]] : i32
// FRAG: scf.for {{.*}} iter_args(%[[C:.*]] = %[[START]]) -> (i32) {
// FRAG-NEXT: frag.turn take
// FRAG-NEXT: frag.acquire read %{{.*}}[%[[C]]]
// FRAG: frag.turn pass
// FRAG-NEXT: frag.await
// FRAG-NEXT: frag.release
// FRAG-NEXT: frag.write
// FRAG: arith.addi %{{.*}}, %{{.*}} : i32
tile.program @turns(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index},
                    %k: index {tile.range = array<i64: 2, 1000>})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 4, turns = 2>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %ring, %first = tile.ring : !ring
  tile.roles captures(%ring = %ring, %first = %first, %v = %v, %w = %w, %n = %n, %k = %k
      : !ring, !tile.cursor, !v, !w, index, index) {
    tile.role "load" lanes(1) regs(40) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %e = scf.for %t = %c0 to %n step %c1 iter_args(%c = %first) -> (!tile.cursor) {
        %f = scf.for %i = %c0 to %k step %c1 iter_args(%d = %c) -> (!tile.cursor) {
          %o, %d1 = tile.enter write %ring[%d] : !ring -> !tile.slot<write>
          %ta = tile.copy_in %v[%t, %i] into %o[0] : !v, !tile.slot<write>
          %tb = tile.copy_in %v[%i, %c0] into %o[1] : !v, !tile.slot<write>
          tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
          scf.yield %d1 : !tile.cursor
        }
        scf.yield %f : !tile.cursor
      }
    }
    tile.role "math" replicas(2) regs(232) {
    ^bb0(%r: index):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %start = tile.advance %first by %r
      %e = scf.for %t = %r to %n step %c2 iter_args(%c = %start) -> (!tile.cursor) {
        tile.turn take
        %x:2 = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero, %d = %c) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
          %s, %d1, %a, %b = tile.enter read %ring[%d] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>
          %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
          tile.exit %s after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
          scf.yield %y, %d1 : tensor<64x64xf32, #acc>, !tile.cursor
        }
        tile.turn pass
        tile.store %x#0, %w[%t, %c0] : tensor<64x64xf32, #acc>, !w
        %next = tile.advance %x#1 by %k
        scf.yield %next : !tile.cursor
      }
    }
  }
  tile.return
}
