// RUN: helios-opt --helios-to-tile --canonicalize --cse %s | FileCheck %s

// Two products: the first result lies in the workspace, with rows of whole wide accesses, and the second reads it twice.
// CHECK: tile.program @mlp_0_full
// CHECK: tile.program @mlp_1_full
// CHECK: tile.program @mlp_0_aligned
// CHECK: tile.program @mlp_1_any
// CHECK-LABEL: tile.plan @mlp
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG: %[[C256:.+]] = arith.constant 256 : index
// CHECK-DAG: %[[M:.+]] = tile.extent %arg0, 0
// CHECK-DAG: %[[N:.+]] = tile.extent %arg1, 1
// CHECK: %[[V:.+]] = arith.ceildivui %[[N]], %[[C8]]
// CHECK: %[[LD:.+]] = arith.muli %[[V]], %[[C8]]
// CHECK: %[[E:.+]] = arith.muli %[[LD]], %[[M]]
// CHECK: %[[BYTES:.+]] = arith.muli %[[E]], %{{.+}}
// CHECK: %[[W:.+]] = tile.workspace %[[C0]] : <f16>
// CHECK: %[[P:.+]] = arith.ceildivui %[[BYTES]], %[[C256]]
// CHECK: %[[SIZE:.+]] = arith.muli %[[P]], %[[C256]]
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must equal extent 1 of the result of product 0"
// CHECK: scf.if
// CHECK: tile.dispatch @mlp_0_full[%{{.+}}] (%arg0, %arg1, %[[W]], {{.*}}%[[LD]]) {variant = "full"}
// CHECK: tile.dispatch @mlp_1_full[%{{.+}}] (%[[W]], %arg2, %[[W]], %arg3, {{.*}}) {variant = "full"}
// CHECK: scf.yield %[[SIZE]]
helios.kernel @mlp(%x: tensor<?x?xf16>, %w1: tensor<?x?xf16>, %w2: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {schedule = #helios.schedule<>} {
  %h = helios.matmul %x, %w1 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %h, %w2 fused(%h : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%y: f32, %r: f16):
    %z = arith.truncf %y : f32 to f16
    %s = arith.addf %z, %r : f16
    helios.yield %s : f16
  }
  helios.return %d : tensor<?x?xf16>
}
