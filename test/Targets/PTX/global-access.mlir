// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// Global memory: 16, 8 or 4 bytes where stride, address and offset prove it and no access straddles the view's end; elements elsewhere.
// Nothing outside a view is touched. Addresses have 64 bits.

#wide = #tile.regs<vec = [1, 8], lanes = [8, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: llvm.func @aligned(
// CHECK: llvm.cond_br
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
frag.kernel @aligned(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = frag.read %V[%c0, %c0] pad(1.0) : !v -> !frag.f<8x16xf16, #wide>
  frag.write %x, %W[%c0, %c0] : !frag.f<8x16xf16, #wide>, !v
  frag.return
}

// The same without a divisor of the extent: an access could straddle the end.

// CHECK-LABEL: llvm.func @ragged(
// CHECK-COUNT-8: llvm.load {{.*}} -> f16
// CHECK-NOT: llvm.load
// CHECK-COUNT-8: llvm.store {{.*}} : f16, !llvm.ptr<1>
// CHECK-NOT: llvm.store
frag.kernel @ragged(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index, %l: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %x = frag.read %V[%c0, %c0] : !v -> !frag.f<8x16xf16, #wide>
  frag.write %x, %W[%c0, %c0] : !frag.f<8x16xf16, #wide>, !v
  frag.return
}

// Half the alignment, half the width; what is aliased is neither noalias nor readonly.

// CHECK-LABEL: llvm.func @aliased(
// CHECK-NOT: llvm.noalias
// CHECK-SAME: attributes
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK-NOT: llvm.load
frag.kernel @aliased(%p: !tile.ptr<f16> {tile.aliased}, %l: index {tile.div = 4 : i64})
    attributes {threads = 16 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] strides [%l] : !tile.ptr<f16> -> !tile.view<8x16xf16, strides = [?, 1], div = [4, 1], align = 8>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<8x16xf16, strides = [?, 1], div = [4, 1], align = 8> -> !frag.f<8x16xf16, #wide>
  frag.write %x, %V[%c0, %c0] in_bounds : !frag.f<8x16xf16, #wide>, !tile.view<8x16xf16, strides = [?, 1], div = [4, 1], align = 8>
  frag.return
}

// An argument that facts bound is known to have 31 bits, so that quotients are computed in 32.

// CHECK-LABEL: llvm.func @bounded(
// CHECK: %[[N:.*]] = llvm.trunc %arg1 : i64 to i32
// CHECK: llvm.zext %[[N]] : i32 to i64
frag.kernel @bounded(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 2147483647>})
    attributes {threads = 16 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %d = arith.divui %n, %c7 : index
  %V = tile.view %p[%d, %n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [16, 1]>
  %x = frag.read %V[%c0, %c0] : !tile.view<?x?xf16, strides = [16, 1]> -> !frag.f<8x16xf16, #wide>
  frag.write %x, %V[%d, %c0] : !frag.f<8x16xf16, #wide>, !tile.view<?x?xf16, strides = [16, 1]>
  frag.return
}
