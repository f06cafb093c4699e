// RUN: helios-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s
// RUN: helios-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-allocate-shared))' | FileCheck %s --check-prefix=SHARED
// RUN: helios-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-allocate-shared),tile-distribute,frag.kernel(frag-insert-barriers))' | FileCheck %s --check-prefix=FRAG
// RUN: sed 's/target<"nvidia">/target<"nvidia-nv2">/' %s | helios-opt --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s --check-prefix=MATRIX2
// RUN: sed 's/target<"nvidia">/target<"nvidia-nv2">/' %s | helios-opt --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-allocate-shared),tile-distribute,frag.kernel(frag-insert-barriers))' | FileCheck %s --check-prefix=MATRIX2-FRAG
// RUN: sed 's/f16/bf16/g' %s > %t.lanes.mlir && helios-opt %t.lanes.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s --check-prefix=LANES
// RUN: sed 's/"nvidia"/"nvidia-nv2"/' %t.lanes.mlir > %t.mlir && helios-opt %t.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %t.mlir --check-prefix=MATRIX2

// Products that feed each other through matrices of whose elements nobody knows the places: what is computed on the way stays in them. Maxima
// of rows are combined by lanes that own rows and come back as matrices with equal columns; sums wait for the end of the loop; what is asked of
// places is asked where lanes have them, and comes as numbers.

// What a group exchanges within itself lies apart from keys and values (5120): truth values, what is left of maxima and weights over each other,
// 80 bytes a row, and vectors by themselves.
// SHARED: shared_bytes = 9216
// SHARED: scf.for
// SHARED: tile.convert_layout %{{.*}} {tile.offset = 5120 : i64} : {{.*}} -> tensor<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>
// SHARED: tile.convert_layout %{{.*}} {tile.offset = 0 : i64} : {{.*}} -> tensor<64x32xf16, #tile.shared<order = [1, 0], pad = 8>>
// SHARED: tile.convert_layout %{{.*}} {tile.offset = 0 : i64} : {{.*}} partial = max>> -> tensor<64xf32, #tile.slice<1, #tile.regs
// SHARED: tile.convert_layout %{{.*}} {tile.offset = 7680 : i64} : {{.*}} -> tensor<64xf32, #tile.shared<order = [0]>>
// SHARED: arith.truncf
// SHARED: tile.convert_layout %{{.*}} {tile.offset = 0 : i64} : {{.*}} -> tensor<64x32xf16, #tile.shared<order = [1, 0], pad = 8>>

// So barriers of subgroups order it.
// FRAG: scf.for
// FRAG: %[[S:.*]] = frag.shared 0 : !frag.mem<64x16xf32, #tile.shared<order = [1, 0], pad = 4>>
// FRAG-NEXT: frag.barrier subgroup
// FRAG-NEXT: frag.write %{{.*}}, %[[S]]{{.*}} partial = max>>, !frag.mem
// FRAG-NEXT: frag.barrier subgroup
// FRAG-NEXT: %[[R:.*]] = frag.read %[[S]]{{.*}} -> <64x16xf32, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [4, 1]>>
// FRAG-NEXT: %[[P:.*]] = frag.reduce max %[[R]], lane dim 1
// FRAG-NEXT: frag.reduce max %[[P]], group
// FRAG: frag.write %{{.*}}, !frag.mem<64xf32,
// FRAG-NOT: frag.barrier
// FRAG: frag.write %{{.*}}, !frag.mem<64xf32,
// FRAG-NEXT: frag.barrier subgroup
// FRAG: frag.read %{{.*}} broadcast : !frag.mem<64xf32, #tile.shared<order = [0]>> -> <64xf32, #tile.slice<1, #tile.opaque<acc,
// FRAG-NOT: frag.barrier workgroup
// FRAG: frag.reduce add
// FRAG: scf.yield

// Where instructions combine rows of matrices and hand accumulators on as operands, neither leaves the matrices.
// MATRIX2: scf.for {{.*}} -> (tensor<64xf32, #tile.slice<1, #tile.opaque<acc, {{[^)]*}}groups = [4, 1]>>>, tensor<64xf32, {{.*}} partial = add>>, tensor<64x32xf32,
// MATRIX2: %[[MAX:.*]] = tile.reduce max %{{.*}} partial = max>>
// MATRIX2-NEXT: tile.convert_layout %[[MAX]] {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.opaque<acc, {{.*}}groups = [4, 1]>>>
// MATRIX2-NOT: #tile.shared<order = [0]>
// MATRIX2: %[[P:.*]] = arith.truncf
// MATRIX2: tile.convert_layout %[[P]] {{.*}} -> tensor<64x32xf16, #tile.opaque<a,
// MATRIX2: tile.dot
// MATRIX2: scf.yield
// Some drivers round whole matrices to bf16 towards zero: lanes do it, unless weights get to their product without memory.
// LANES: arith.truncf {{.*}} to tensor<64x32xbf16, #tile.regs
// MATRIX2-FRAG: scf.for
// MATRIX2-FRAG: %[[M:.*]] = frag.reduce max %{{.*}}, lane dim 1
// MATRIX2-FRAG-NEXT: frag.reduce max %[[M]], group
// MATRIX2-FRAG: frag.permute %{{.*}} -> <64x32xf16, #tile.opaque<a,
// MATRIX2-FRAG: frag.mma
// MATRIX2-FRAG: scf.yield

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @chain
tile.program @chain(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"nvidia">, config = #tile.config<groups = [4, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %masked = arith.constant dense<0xFF800000> : tensor<64x32xf32>
  %q = tile.load %v[%a, %a] : !v -> tensor<64x32xf16>
  // CHECK: scf.for {{.*}} -> (tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [4, 1]>>>, tensor<64xf32, #tile.slice<1, #tile.opaque<acc, {{.*}}>, partial = add>>, tensor<64x32xf32, #tile.opaque<acc,
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %none, %l = %zeros, %o = %zero) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>) {
    %k = tile.load %v[%i, %a] : !v -> tensor<32x32xf16>
    %kt = tile.transpose %k : tensor<32x32xf16> -> tensor<32x32xf16>
    // CHECK: %[[S:.*]] = tile.dot
    %s = tile.dot %q, %kt, %zero : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    // Two choices are one.
    // CHECK: arith.cmpi slt, {{.*}} : tensor<64x32xindex, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [4, 1]>>
    %j = tile.iota 1 base %i : tensor<64x32xindex>
    %end = tile.expand %n, [0, 1] : index -> tensor<64x32xindex>
    %in = arith.cmpi slt, %j, %end : tensor<64x32xindex>
    %s1 = arith.select %in, %s, %masked : tensor<64x32xi1>, tensor<64x32xf32>
    // CHECK: %[[BOTH:.*]] = arith.andi
    // CHECK: %[[NUMBER:.*]] = arith.uitofp %[[BOTH]]
    // CHECK: %[[WRITTEN:.*]] = tile.convert_layout %[[NUMBER]] : {{.*}} -> tensor<64x32xf16, #tile.shared<
    // CHECK: %[[READ:.*]] = tile.convert_layout %[[WRITTEN]] : {{.*}} -> tensor<64x32xf16, #tile.opaque<acc,
    // CHECK: %[[MASKED:.*]] = tile.map(%[[READ]], %[[S]], %{{.*}} -> tensor<64x32xf32, #tile.opaque<acc,
    // CHECK: arith.cmpf une
    // CHECK: arith.select
    // CHECK-NOT: tile.map
    %row = tile.iota 0 base %a : tensor<64x32xindex>
    %keep = arith.cmpi sle, %j, %row : tensor<64x32xindex>
    %s2 = arith.select %keep, %s1, %masked : tensor<64x32xi1>, tensor<64x32xf32>
    // CHECK: %[[PART:.*]] = tile.reduce{{ +}}max %[[MASKED]], 1 : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.opaque<acc, {{.*}}>, partial = max>>
    // CHECK-NEXT: %[[MAX:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [4, 1]>>>
    // CHECK: %[[NEW:.*]] = arith.maximumf %{{.*}}, %[[MAX]]
    %t = tile.reduce max %s2, 1 : tensor<64x32xf32> -> tensor<64xf32>
    %m1 = arith.maximumf %m, %t : tensor<64xf32>
    // Vectors on their way to matrices are written where they are computed, so that one barrier orders them.
    // CHECK: %[[V:.*]] = tile.convert_layout %[[NEW]] : {{.*}} -> tensor<64xf32, #tile.shared<order = [0]>>
    // CHECK: %[[F:.*]] = math.exp2
    // CHECK-NEXT: tile.convert_layout %[[F]] : {{.*}} -> tensor<64xf32, #tile.shared<order = [0]>>
    %d = arith.subf %m, %m1 : tensor<64xf32>
    %f = math.exp2 %d : tensor<64xf32>
    // CHECK: %[[EQUAL:.*]] = tile.convert_layout %[[V]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.opaque<acc, {{.*}}>>>
    // CHECK: %[[E:.*]] = tile.expand %[[EQUAL]], [1]
    // CHECK: arith.subf %[[MASKED]], %[[E]] : tensor<64x32xf32, #tile.opaque<acc,
    // CHECK: %[[P:.*]] = math.exp2
    %x = tile.expand %m1, [1] : tensor<64xf32> -> tensor<64x32xf32>
    %e = arith.subf %s2, %x : tensor<64x32xf32>
    %w = math.exp2 %e : tensor<64x32xf32>
    // CHECK: tile.reduce{{ +}}add %[[P]], 1 : {{.*}} partial = add>>
    // CHECK-NOT: partial = add>> -> tensor<64xf32, #tile.slice<1, #tile.regs
    // CHECK: tile.map
    %u = tile.reduce add %w, 1 : tensor<64x32xf32> -> tensor<64xf32>
    %l1 = math.fma %l, %f, %u : tensor<64xf32>
    // CHECK: arith.mulf {{.*}} : tensor<64x32xf32, #tile.opaque<acc,
    %y = tile.expand %f, [1] : tensor<64xf32> -> tensor<64x32xf32>
    %o1 = arith.mulf %o, %y : tensor<64x32xf32>
    // CHECK: arith.truncf %[[P]] : {{.*}} to tensor<64x32xf16, #tile.opaque<acc,
    %h = arith.truncf %w : tensor<64x32xf32> to tensor<64x32xf16>
    %b = tile.load %v[%i, %a] : !v -> tensor<32x32xf16>
    %o2 = tile.dot %h, %b, %o1 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %m1, %l1, %o2 : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  }
  // Behind the loop lanes own rows.
  // CHECK: tile.convert_layout %{{.*}} : {{.*}} partial = add>> -> tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [4, 1]>>>
  %z = tile.expand %r#1, [1] : tensor<64xf32> -> tensor<64x32xf32>
  %g = arith.divf %r#2, %z : tensor<64x32xf32>
  %h = arith.truncf %g : tensor<64x32xf32> to tensor<64x32xf16>
  tile.store %h, %v[%a, %a] : tensor<64x32xf16>, !v
  tile.return
}
