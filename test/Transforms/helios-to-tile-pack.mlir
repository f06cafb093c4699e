// RUN: helios-opt --helios-to-tile --canonicalize --cse --split-input-file %s | FileCheck %s

#packing = #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [32, 64], lanes = 8, elements = 8>

// What packs: items cover all that is filled up, in tiles that divide it, and store whole matrices in bounds.
// CHECK-LABEL: tile.program @pack_aligned(
// CHECK-SAME: %[[PB:[^:]+]]: !tile.ptr<f16>, %[[PP:[^:]+]]: !tile.ptr<f16>, %[[N:[^:]+]]: index {{[^,]*, [^,]*}}, %[[K:[^:]+]]: index {tile.div = 8
// CHECK: %[[X:.+]] = tile.view %[[PB]][%[[N]], %[[K]]]
// CHECK: %[[KS:.+]] = arith.ceildivui %[[K]], %c32
// CHECK: %[[KF:.+]] = arith.muli %[[KS]], %c32
// CHECK: %[[NS:.+]] = arith.ceildivui %[[N]], %c64
// CHECK: %[[NF:.+]] = arith.muli %[[NS]], %c64
// CHECK: %[[P:.+]] = tile.view %[[PP]][%[[KF]], %[[NF]]] strides[%[[NF]]] : <f16> -> <?x?xf16, strides = [?, 8], div = [64, 1], align = 16, packed = #tile.opaque<b, #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>, groups = [1, 1]>>
// CHECK: %[[I:.+]] = arith.ceildivui %[[NF]], %c32
// CHECK: tile.items (%[[AT:.+]], %{{.+}}) in (%[[I]], %{{.+}}) #tile.items<grid> {
// CHECK: %[[T:.+]] = tile.load %[[X]]{{.*}} -> tensor<32x32xf16>
// CHECK: %[[U:.+]] = tile.transpose %[[T]]
// CHECK: tile.store %[[U]], %[[P]]{{.*}} in_bounds : tensor<32x32xf16>

// The plan gives the packed tensor's extents, and checks that it lies densely.
// CHECK-LABEL: tile.plan @pack(
// CHECK-DAG: tile.require %{{.+}}, "extent 0 of result must be that of the packed operand, in matrices of 8 of a multiple of 32 elements"
// CHECK-DAG: tile.require %{{.+}}, "extent 1 of result must be that of the packed operand, in matrices of 8 of a multiple of 64 elements"
// CHECK-DAG: tile.require %{{.+}}, "extent 2 of result must equal 8, the lanes"
// CHECK-DAG: tile.require %{{.+}}, "extent 3 of result must equal 8, the elements of a lane"
// CHECK-DAG: tile.require %{{.+}}, "stride 0 of result must be that of a packed operand, which lies densely"
// CHECK-DAG: tile.require %{{.+}}, "result must begin at a multiple of 16 bytes, as packed operands do"
helios.kernel @pack(%b: tensor<?x?xf16>) -> tensor<?x?x?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [1, 32, 32], groups = [1, 4], mma = [8, 8, 8]>} {
  %p = helios.pack #packing, %b {transpose} : tensor<?x?xf16> -> tensor<?x?x?x?xf16>
  helios.return %p : tensor<?x?x?x?xf16>
}

// What multiplies: the packed operand is loaded in bounds in every variant; N is known from the result.
// CHECK-LABEL: tile.program @gemm_any(
// CHECK: %[[P:.+]] = tile.view %{{.+}} packed = #tile.opaque<b, #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>, groups = [1, 1]>>
// CHECK: tile.items
// CHECK: scf.for
// CHECK: %[[Y:.+]] = tile.load %{{.+}}[%{{.+}}] : <?x?xf16, strides = [?, ?]>
// CHECK: %[[W:.+]] = tile.load %[[P]]{{.*}} in_bounds : {{.*}} -> tensor<16x32xf16>
// CHECK: tile.dot %[[Y]], %[[W]]
// CHECK-LABEL: tile.plan @gemm(
// CHECK-SAME: packed_by = ["", "pack", ""]
// CHECK: tile.require %{{.+}}, "extent 2 of arg1 must equal 8, the lanes"
helios.kernel @gemm(%a: tensor<?x?xf16>, %w: tensor<?x?x?x?xf16> {helios.packed_by = "pack"}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [16, 32, 16], groups = [1, 2], mma = [8, 8, 8]>} {
  %b = helios.unpack #packing, %w : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
