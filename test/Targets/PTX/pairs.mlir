// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// Floats of 16 bits that lie in one word are computed as one vector, and bits of bytes become such vectors without the unit for conversions.

#b = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<8x16xi8, strides = [16, 1], align = 16>
!h = !tile.view<8x16xf16, strides = [16, 1], align = 16>
!w = !tile.view<8x16xbf16, strides = [16, 1], align = 16>

// The low four bits of bytes 0 and 1, and of 2 and 3, with their sign: 1024 + 8 is what has to go.
// CHECK-LABEL: llvm.func @low(
// CHECK-DAG: %[[ODD:.+]] = llvm.mlir.constant(dense<1.032000e+03> : vector<2xf16>)
// CHECK-DAG: %[[MASK:.+]] = llvm.mlir.constant(983055 : i32)
// CHECK-DAG: %[[BITS:.+]] = llvm.mlir.constant(1678271496 : i32)
// CHECK-NOT: llvm.sitofp
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.return
frag.kernel @low(%p: !tile.ptr<i8>, %q: !tile.ptr<f16>) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c4 = arith.constant 4 : i8
  %s = arith.constant 3.0 : f16
  %V = tile.view %p[] : !tile.ptr<i8> -> !v
  %W = tile.view %q[] : !tile.ptr<f16> -> !h
  %x = frag.read %V[%z, %z] in_bounds : !v -> !frag.f<8x16xi8, #b>
  %y = frag.map(%x : !frag.f<8x16xi8, #b>) -> !frag.f<8x16xf16, #b> {
  ^bb0(%e: i8):
    %r = arith.shli %e, %c4 : i8
    %f = arith.shrsi %r, %c4 : i8
    %g = arith.sitofp %f : i8 to f16
    %m = arith.mulf %g, %s : f16
    frag.yield %m : f16
  }
  frag.write %y, %W[%z, %z] in_bounds : !frag.f<8x16xf16, #b>, !h
  frag.return
}

// Without a sign, from bit 2 on.
// CHECK-LABEL: llvm.func @middle(
// CHECK-DAG: llvm.mlir.constant(dense<1.280000e+02> : vector<2xbf16>)
// CHECK-DAG: llvm.mlir.constant(458759 : i32)
// CHECK-NOT: llvm.uitofp
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.lshr %{{.+}}, %{{.+}} : i32
// CHECK: llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,r"
// CHECK: llvm.return
frag.kernel @middle(%p: !tile.ptr<i8>, %q: !tile.ptr<bf16>) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c2 = arith.constant 2 : i8
  %c7 = arith.constant 7 : i8
  %V = tile.view %p[] : !tile.ptr<i8> -> !v
  %W = tile.view %q[] : !tile.ptr<bf16> -> !w
  %x = frag.read %V[%z, %z] in_bounds : !v -> !frag.f<8x16xi8, #b>
  %y = frag.map(%x : !frag.f<8x16xi8, #b>) -> !frag.f<8x16xbf16, #b> {
  ^bb0(%e: i8):
    %r = arith.shrui %e, %c2 : i8
    %f = arith.andi %r, %c7 : i8
    %g = arith.uitofp %f : i8 to bf16
    frag.yield %g : bf16
  }
  frag.write %y, %W[%z, %z] in_bounds : !frag.f<8x16xbf16, #b>, !w
  frag.return
}

// A whole byte has no room beside the leading bit of a bf16: it becomes an f32, whose upper half is exact.
// CHECK-LABEL: llvm.func @whole(
// CHECK-DAG: llvm.mlir.constant(0x4B000080 : f32)
// CHECK-DAG: llvm.mlir.constant(30258 : i32)
// CHECK-NOT: llvm.sitofp
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.return
frag.kernel @whole(%p: !tile.ptr<i8>, %q: !tile.ptr<bf16>) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<i8> -> !v
  %W = tile.view %q[] : !tile.ptr<bf16> -> !w
  %x = frag.read %V[%z, %z] in_bounds : !v -> !frag.f<8x16xi8, #b>
  %y = frag.map(%x : !frag.f<8x16xi8, #b>) -> !frag.f<8x16xbf16, #b> {
  ^bb0(%e: i8):
    %g = arith.sitofp %e : i8 to bf16
    frag.yield %g : bf16
  }
  frag.write %y, %W[%z, %z] in_bounds : !frag.f<8x16xbf16, #b>, !w
  frag.return
}
