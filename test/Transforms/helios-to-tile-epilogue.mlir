// RUN: helios-opt --helios-to-tile --canonicalize --cse %s | FileCheck %s

// Per-row and per-matrix operands, a constant, indices, a scalar computed in the kernel, a batch with a broadcast operand.
// CHECK-LABEL: tile.program @everything_aligned(
// CHECK-SAME: %[[ALPHA:[^:]+]]: f32, %[[EXTENT:[^:]+]]: index) attributes
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK: %[[A:.+]] = tile.view %{{[^[]+}}[%[[BATCH:[^,]+]], %{{.+}}, %{{.+}}] strides[%{{.+}}, %{{.+}}] : <f32> -> <?x?x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
// CHECK: %[[B:.+]] = tile.view %{{.+}} : <f32> -> <?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
// CHECK: %[[ROW:.+]] = tile.view %{{.+}} : <f32> -> <?xf32, strides = [?]>
// CHECK: %[[ONE:.+]] = tile.view %{{.+}} : <f32> -> <?xf32, strides = [0]>
// CHECK: %[[TWO:.+]] = arith.mulf %[[ALPHA]], %[[ALPHA]] : f32
// CHECK: tile.items (%[[Z:.+]], %{{.+}}, %{{.+}}) in (%[[BATCH]], %{{.+}}, %{{.+}}) #tile.items<grid, raster = [1, 8]>
// CHECK: scf.for
// CHECK: tile.load %[[A]][%[[Z]], %{{.+}}, %{{.+}}] : {{.*}} -> tensor<16x8xf32>
// CHECK: tile.load %[[B]][%{{.+}}, %{{.+}}] : {{.*}} -> tensor<8x8xf32>
// CHECK-DAG: %[[R:.+]] = tile.load %[[ROW]][%[[M:.+]]] : {{.*}} -> tensor<16xf32>
// CHECK-DAG: %[[O:.+]] = tile.load %[[ONE]][%[[N:.+]]] : {{.*}} -> tensor<8xf32>
// CHECK-DAG: %[[RX:.+]] = tile.expand %[[R]], [1] : tensor<16xf32> -> tensor<16x8xf32>
// CHECK-DAG: %[[OX:.+]] = tile.expand %[[O]], [0] : tensor<8xf32> -> tensor<16x8xf32>
// CHECK-DAG: %[[I:.+]] = tile.iota 0 base %[[M]] : tensor<16xindex>
// CHECK-DAG: %[[J:.+]] = tile.iota 0 base %[[N]] : tensor<8xindex>
// CHECK-DAG: arith.cmpi uge, %{{.+}}, %{{.+}} : tensor<16x8xindex>
// CHECK-DAG: arith.cmpi eq, %[[Z]], %[[EXTENT]] : index
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[ZERO]] : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: tile.store %{{.+}}, %{{.+}}[%[[Z]], %[[M]], %[[N]]]
helios.kernel @everything(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>, %rows: tensor<?x1xf32>, %one: tensor<1x1x1xf32>, %alpha: f32)
    -> tensor<?x?x?xf32> attributes {schedule = #helios.schedule<tile = [16, 8, 8]>} {
  %two = arith.mulf %alpha, %alpha : f32
  %c0 = arith.constant 0 : index
  %extent = tensor.dim %a, %c0 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %d = helios.matmul %a, %b fused(%rows, %one : tensor<?x1xf32>, tensor<1x1x1xf32>)
      : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32> acc f32 {
  ^bb0(%x: f32, %r: f32, %o: f32, %z: index, %i: index, %j: index):
    %y = arith.mulf %x, %r : f32
    %u = arith.addf %y, %o : f32
    %v = arith.mulf %u, %two : f32
    %lower = arith.cmpi uge, %i, %j : index
    %last = arith.cmpi eq, %z, %extent : index
    %keep = arith.ori %lower, %last : i1
    %w = arith.select %keep, %v, %zero : f32
    helios.yield %w : f32
  }
  helios.return %d : tensor<?x?x?xf32>
}
