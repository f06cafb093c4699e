// RUN: helios-opt --split-input-file --helios-to-tile %s | FileCheck %s

// Both results are stored from the one sum; a plan has two outputs, whose extents agree.
// CHECK-LABEL: tile.program @results_full
// CHECK: %[[A:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[B:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[D:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[E:.+]] = tile.view %{{.+}} : <f32> ->
// CHECK: %[[SUM:.+]] = scf.for
// CHECK: %[[T:.+]] = math.tanh %[[SUM]] : tensor<64x32xf32>
// CHECK: %[[Z:.+]] = arith.truncf %[[T]]
// CHECK: tile.store %[[Z]], %[[D]]
// CHECK: tile.store %[[SUM]], %[[E]]
// CHECK-LABEL: tile.plan @results
// CHECK-SAME: output_count = 2
// CHECK: tile.require %{{.+}}, "extent 0 of result0 must equal extent 0 of arg0"
// CHECK: tile.require %{{.+}}, "extent 1 of result1 must equal extent 1 of arg1"
helios.kernel @results(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf32>)
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [64, 32, 32]>} {
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %t = math.tanh %x : f32
    %z = arith.truncf %t : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d, %e : tensor<?x?xf16>, tensor<?x?xf32>
}

// -----

// Slices leave one sum; what adds them up has both results. One that another product reads lies in the workspace.
// CHECK-LABEL: tile.program @slices_0_full_slices
// CHECK-COUNT-1: tile.store
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.program @slices_0_aligned_sum
// CHECK-COUNT-2: tile.store
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.program @slices_1_full_slices
// CHECK-LABEL: tile.plan @slices
// CHECK: tile.workspace
helios.kernel @slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf16>)
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [64, 32, 32], split_k = 2>} {
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %t = math.tanh %x : f32
    %z = arith.truncf %t : f32 to f16
    %w = arith.truncf %x : f32 to f16
    helios.yield %z, %w : f16, f16
  }
  %f = helios.matmul %e, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d, %f : tensor<?x?xf16>, tensor<?x?xf16>
}
