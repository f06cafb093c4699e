// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir -p %t
// RUN: helios-compile %s --target=cuda:sm_89 --emit=ptx -o %t/k.ptx
// RUN: helios-compile %s --target=cuda:sm_90a --emit=ptx -o %t/k.ptx
// RUN: %python %S/Inputs/assemble.py %ptxas %t | FileCheck %s --implicit-check-not='not clean'
// RUN: FileCheck %s --check-prefix=SINGLE < %t/k.sm_89.single_full.ptx
// RUN: FileCheck %s --check-prefix=TF32 < %t/k.sm_90a.tensor_t_full.ptx
// RUN: FileCheck %s --check-prefix=TF3289 < %t/k.sm_89.tensor_n_full.ptx
// RUN: FileCheck %s --check-prefix=HALF < %t/k.sm_90a.half_full.ptx
// RUN: FileCheck %s --check-prefix=BYTES < %t/k.sm_90a.bytes_t_full.ptx
// RUN: FileCheck %s --check-prefix=BYTES89 < %t/k.sm_89.bytes_n_full.ptx
// RUN: FileCheck %s --check-prefix=FLOATS < %t/k.sm_90a.floats_t_aligned.ptx
// RUN: FileCheck %s --check-prefix=FAST < %t/k.sm_90a.floats_fast_aligned.ptx
// RUN: FileCheck %s --check-prefix=FLOATS89 < %t/k.sm_89.floats_n_aligned.ptx
// RUN: FileCheck %s --check-prefix=BATCH < %t/k.sm_90a.batch_full.ptx
//
// Products of every kind become code that the assembler takes without a warning, on both classes of targets; those for aligned shapes spill
// no register.

// CHECK-DAG: k.sm_89.single_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_89.single_full.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.single_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.single_full.ptx: clean, 0 bytes
// f32 by the lanes themselves, four words at once from shared memory; never in tf32.
// SINGLE-NOT: ld.shared.b32
// SINGLE-NOT: mma.sync
// SINGLE: cp.async.cg
// SINGLE: ld.shared.v4.b32
// SINGLE: fma.rn.f32
helios.kernel @single(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// f32 in memory that may be multiplied as tf32: the choice is the type of the operands.
// CHECK-DAG: k.sm_89.tensor_t_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.tensor_t_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.tensor_t_any.ptx: clean, 0 bytes
// TF32-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
// TF32-DAG: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k8.f32.tf32.tf32
helios.kernel @tensor_t(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// Where k is not contiguous, words are read one by one: ldmatrix exchanges 16-bit elements only, and wgmma takes tf32 with k contiguous.
// CHECK-DAG: k.sm_89.tensor_n_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.tensor_n_aligned.ptx: clean, 0 bytes
// TF3289: cp.async.cg
// TF3289-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// TF3289-DAG: ld.shared.b32
// TF3289-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
helios.kernel @tensor_n(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf32>) : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %c: f32):
    %y = arith.addf %x, %c : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// CHECK-DAG: k.sm_89.half_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.half_aligned.ptx: clean, 0 bytes
// HALF: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f16.f16.f16
helios.kernel @half(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f16
  helios.return %d : tensor<?x?xf16>
}

// CHECK-DAG: k.sm_89.bytes_t_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.bytes_t_aligned.ptx: clean, 0 bytes
// BYTES: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.s32.s8.s8
helios.kernel @bytes_t(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// Where k is not contiguous, B goes through registers while A is copied past them.
// CHECK-DAG: k.sm_89.bytes_n_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.bytes_n_aligned.ptx: clean, 0 bytes
// BYTES89: cp.async.cg
// BYTES89: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// BYTES89: cvt.rn.f16x2.f32
helios.kernel @bytes_n(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %s: tensor<?xf32>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%s : tensor<?xf32>) : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xf16> acc i32 {
  ^bb0(%x: i32, %scale: f32):
    %f = arith.sitofp %x : i32 to f32
    %p = arith.mulf %f, %scale : f32
    %y = arith.truncf %p : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// Sums of floats of 8 bits leave the engine after each step. The lanes have waited for its products then, so the slot is handed back in the same trip.
// CHECK-DAG: k.sm_89.floats_t_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.floats_t_aligned.ptx: clean, 0 bytes
// FLOATS: .version 8.3
// FLOATS: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e5m2 {{.*}}, b, none, 1, 1;
// FLOATS: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e5m2 {{.*}}, b, all, 1, 1;
// FLOATS: wgmma.commit_group
// FLOATS: wgmma.wait_group.sync.aligned 0;
// FLOATS-NOT: bra
// FLOATS: mbarrier.arrive
// FLOATS-NOT: bra
// FLOATS: add.f32
// FLOATS: bra
helios.kernel @floats_t(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// CHECK-DAG: k.sm_90a.floats_fast_aligned.ptx: clean, 0 bytes
// FAST: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e4m3
// FAST: wgmma.wait_group.sync.aligned 1;
helios.kernel @floats_fast(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {transpose_b, fast_accumulation} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// mma.sync of them is a matter of PTX 8.4, where all else of the row is older.
// CHECK-DAG: k.sm_89.floats_n_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.floats_n_aligned.ptx: clean, 0 bytes
// FLOATS89: .version 8.4
// FLOATS89: mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32
// FLOATS89: add.f32
helios.kernel @floats_n(%a: tensor<?x?xf8E5M2>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf8E5M2>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// CHECK-DAG: k.sm_89.batch_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.batch_aligned.ptx: clean, 0 bytes
// BATCH-DAG: cp.async.bulk.tensor.3d.shared::cluster.global
// BATCH-DAG: cp.async.bulk.tensor.3d.global.shared::cta
helios.kernel @batch(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?x?xf16> acc f32
  helios.return %d : tensor<?x?x?xf16>
}

// One schedule: EndToEnd/cuda-products.test has sines in all.
// CHECK-DAG: k.sm_89.sine_aligned.ptx: clean, 0 bytes
// CHECK-DAG: k.sm_90a.sine_aligned.ptx: clean, 0 bytes
helios.kernel @sine(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %m: tensor<?xf16>, %n: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<tile = [128, 64, 64]>} {
  %d = helios.matmul %a, %b fused(%m, %n : tensor<?xf16>, tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %c0: f16, %c1: f16):
    %w0 = arith.extf %c0 : f16 to f32
    %w1 = arith.extf %c1 : f16 to f32
    %s = math.sin %x : f32
    %p = arith.mulf %s, %w0 : f32
    %y = arith.subf %p, %w1 : f32
    %stored = arith.truncf %y : f32 to f16
    helios.yield %stored : f16
  }
  helios.return %d : tensor<?x?xf16>
}
