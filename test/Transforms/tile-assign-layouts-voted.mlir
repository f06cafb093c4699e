// RUN: helios-opt %s --helios-to-tile -o %t.mlir
// RUN: helios-opt %t.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s
// RUN: helios-opt %t.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-allocate-shared))' | FileCheck %s --check-prefix=SHARED
// RUN: helios-opt %t.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-expand,tile-lower-items,tile-assign-layouts,tile-allocate-shared),tile-distribute,frag.kernel(frag-insert-barriers))' | FileCheck %s --check-prefix=FRAG
// RUN: sed 's/target<"nvidia">/target<"nvidia-nv2">/' %s | helios-opt --helios-to-tile -o %t.nv2.mlir
// RUN: helios-opt %t.nv2.mlir --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s --check-prefix=MATRIX2

// What groups of lanes skip unless a score is above its limit. They ask matrices, without a barrier: limits and bases are carried as matrices with
// equal columns, of which rows are made in there alone.

// CHECK-LABEL: @voted_full
// CHECK: scf.for {{.*}} iter_args(%[[LIMIT:[^ ]*]] ={{.*}} -> (tensor<128xf32, #tile.slice<1, #tile.opaque<acc,
// CHECK: %[[MOST:.*]] = tile.reduce max {{.*}} partial = max>>
// CHECK-NEXT: %[[GROWS:.*]] = tile.map(%[[MOST]], %[[LIMIT]] {{.*}} -> tensor<128xi1, #tile.slice<1, #tile.opaque<acc, {{.*}} partial = or>>
// CHECK: tile.where voted %[[GROWS]]
// CHECK: %[[MAX:.*]] = tile.map(%{{.*}}, %[[MOST]] {{.*}} partial = max>>
// CHECK: tile.convert_layout %[[MAX]] {{.*}} -> tensor<128xf32, #tile.slice<1, #tile.regs<
// CHECK: arith.cmpf ogt, {{.*}} #tile.regs<
// CHECK: tile.convert_layout {{.*}} #tile.shared<order = [0]>> -> tensor<128xf32, #tile.slice<1, #tile.opaque<acc,
// CHECK: tile.yield
// CHECK-NOT: tile.convert_layout {{.*}}tensor<128xf32
// CHECK: scf.yield

// Values (4608 bytes) and weights, 80 bytes a row of 128, keep their places; rows of matrices have the same pitch and lie over these.
// SHARED-LABEL: @voted_full
// SHARED: tile.where voted
// SHARED: tile.convert_layout {{.*}}tile.offset = [[M:[0-9]+]] : i64} : {{.*}} partial = max>>
// SHARED: tile.convert_layout {{.*}}tile.offset = [[V:[0-9]+]] : i64} : {{.*}} -> tensor<128xf32, #tile.shared<order = [0]>>
// SHARED: arith.truncf
// SHARED: tile.convert_layout {{.*}}tile.offset = [[M]] : i64} : {{.*}} -> tensor<128x32xf16, #tile.shared<order = [1, 0], pad = 8>>

// Nobody waits for others where some do not go.
// FRAG-LABEL: @voted_full
// FRAG: scf.for
// FRAG: %[[VOTE:.*]] = frag.reduce or %{{.*}}, all
// FRAG: scf.if %[[VOTE]]
// FRAG-NOT: frag.barrier workgroup
// FRAG: frag.barrier subgroup
// FRAG-NOT: frag.barrier workgroup
// FRAG: } else {

// Where instructions combine rows, all of it stays in the matrices.
// MATRIX2-LABEL: @voted_full
// MATRIX2: tile.where voted
// MATRIX2-NOT: #tile.regs
// MATRIX2: %[[ALL:.*]] = tile.convert_layout {{.*}} partial = max>> -> tensor<128xf32, #tile.slice<1, #tile.opaque<acc,
// MATRIX2-NOT: #tile.regs
// MATRIX2: tile.yield
helios.kernel @voted(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16]>, target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}
