// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-lower-items,canonicalize,cse))' | FileCheck %s

// CHECK-LABEL: @grid
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @grid(%p: !tile.ptr<f16>, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[COUNT:.*]] = arith.muli %[[M]], %[[N]]
  // CHECK: %[[ID:.*]] = tile.id workgroup
  // CHECK: %[[MINE:.*]] = arith.cmpi ult, %[[ID]], %[[COUNT]]
  // CHECK: scf.if %[[MINE]]
  // CHECK-DAG: %[[J:.*]] = arith.remui %[[ID]], %[[N]]
  // CHECK-DAG: %[[I:.*]] = arith.divui %[[ID]], %[[N]]
  // CHECK: tile.load %{{.*}}[%[[I]], %[[J]]]
  tile.items (%i, %j) in (%m, %n) #tile.items<grid> {
    %x = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %x, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}

// CHECK-LABEL: @persistent
tile.program @persistent(%p: !tile.ptr<f16>, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[ID:.*]] = tile.id workgroup{{$}}
  // CHECK: %[[STRIDE:.*]] = tile.id workgroups
  // CHECK: scf.for %{{.*}} = %[[ID]] to %{{.*}} step %[[STRIDE]]
  // A band of 4 along dimension 0, the last one shorter; of up to eight columns, or half as many as it has rows, and of more rows than columns, one row after the other.
  // CHECK-DAG: %[[M32:.*]] = arith.index_castui %arg1
  // CHECK-DAG: %[[N32:.*]] = arith.index_castui %arg2
  // CHECK-DAG: %[[FEW:.*]] = arith.cmpi ule, %[[N32]], %c8
  // CHECK-DAG: %[[TALL:.*]] = arith.cmpi ult, %[[N32]], %[[M32]]
  // CHECK: %[[BOTH:.*]] = arith.andi %[[FEW]], %[[TALL]]
  // CHECK: %[[SIZE:.*]] = arith.select %[[BOTH]], %c1{{.*}}, %c4
  // CHECK: %[[WIDTH:.*]] = arith.muli %[[SIZE]], %[[N32]]
  // CHECK: arith.divui %{{.*}}, %[[WIDTH]]
  // CHECK: arith.minui %{{.*}}, %[[SIZE]]
  tile.items (%i, %j) in (%m, %n) #tile.items<persistent, raster = [0, 4]> {
    %x = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %x, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}

// -----

tile.program @ticket(%m: index) {
  // expected-error @+1 {{draws tickets, which no target of this version lowers; use grid or persistent}}
  tile.items (%i) in (%m) #tile.items<ticket> {
  }
  tile.return
}

// -----

// Clusters of two rows take items: both of a cluster's workgroups walk the same loop, each with the item at its place, even where the number
// of rows is odd. A band of 4 rows is two clusters of items.
// CHECK-LABEL: @cluster
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @cluster(%p: !tile.ptr<f16>, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[ROWS:.*]] = arith.ceildivui %[[M]], %[[C2:c2.*]] : index
  // CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %[[N]]
  // CHECK: %[[FIRST:.*]] = tile.id cluster{{$}}
  // CHECK: %[[STEP:.*]] = tile.id clusters
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[COUNT]] step %[[STEP]]
  // CHECK: %[[ROWS32:.*]] = arith.index_castui %[[ROWS]]
  // CHECK: %[[SIZE:.*]] = arith.select %{{.*}}, %c1{{[_a-z0-9]*}}, %c2{{[_a-z0-9]*}} : i32
  // CHECK: %[[LEFT:.*]] = arith.subi %[[ROWS32]]
  // CHECK: arith.minui %[[LEFT]], %[[SIZE]]
  // CHECK: %[[J32:.*]] = arith.divui
  // CHECK: %[[J:.*]] = arith.index_castui %[[J32]]
  // CHECK: %[[I2:.*]] = arith.muli %{{.*}}, %[[C2]]
  // CHECK: %[[RANK:.*]] = tile.rank 0 of [2, 1]
  // CHECK: %[[I:.*]] = arith.addi %[[I2]], %[[RANK]]
  // CHECK: tile.load %{{.*}}[%[[I]], %[[J]]]
  tile.items (%i, %j) in (%m, %n) #tile.items<persistent, raster = [0, 4], cluster = [2, 1]> {
    %x = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %x, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}

// CHECK-LABEL: @cluster_grid
tile.program @cluster_grid(%p: !tile.ptr<f16>, %m: index) {
  %v = tile.view %p[%m] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1]>
  // CHECK: %[[ALL:.*]] = arith.ceildivui
  // CHECK: %[[ID:.*]] = tile.id cluster{{$}}
  // CHECK: %[[MINE:.*]] = arith.cmpi ult, %[[ID]], %[[ALL]]
  // CHECK: scf.if %[[MINE]]
  // CHECK: tile.rank 0 of [4]
  tile.items (%i) in (%m) #tile.items<grid, cluster = [4]> {
    %x = tile.load %v[%i] : !tile.view<?xf16, strides = [1]> -> tensor<8xf16>
    tile.store %x, %v[%i] : tensor<8xf16>, !tile.view<?xf16, strides = [1]>
  }
  tile.return
}

// -----

// The longest first, folded: rows of items in groups that make two rounds of all workgroups, from the front in even rounds and from the back in
// odd ones.
// CHECK-LABEL: @folded
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @folded(%p: !tile.ptr<f16>, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[ID:.*]] = tile.id workgroup{{$}}
  // CHECK: %[[IDS:.*]] = tile.id workgroups
  // CHECK-DAG: %[[W:.*]] = arith.index_castui %[[ID]]
  // CHECK-DAG: %[[WS:.*]] = arith.index_castui %[[IDS]]
  // CHECK-DAG: %[[LEN:.*]] = arith.index_castui %[[N]]
  // CHECK-DAG: %[[ROWS:.*]] = arith.index_castui %[[M]]
  // CHECK: %[[TWO:.*]] = arith.muli %[[WS]], %c2
  // CHECK: %[[FIT:.*]] = arith.divui %[[TWO]], %[[LEN]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[WS]], %c1
  // CHECK: %[[MIRROR:.*]] = arith.subi %[[LAST]], %[[W]]
  // CHECK: %[[COUNT:.*]] = arith.index_castui %{{.*}} : i32 to index
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[COUNT]] step %c1
  // CHECK: %[[ODD:.*]] = arith.cmpi eq
  // CHECK: arith.select %[[ODD]], %[[MIRROR]], %[[W]]
  // CHECK: %[[ROW:.*]] = arith.index_castui %{{.*}} : i32 to index
  // CHECK: %[[END:.*]] = arith.subi %[[LEN]], %c1
  // CHECK: %[[PLACE:.*]] = arith.divui
  // CHECK: %[[DOWN:.*]] = arith.subi %[[END]], %[[PLACE]]
  // CHECK: %[[J:.*]] = arith.index_castui %[[DOWN]] : i32 to index
  // CHECK: tile.load %{{.*}}[%[[ROW]], %[[J]]]
  tile.items (%i, %j) in (%m, %n) #tile.items<persistent, longest_first = 1> {
    %x = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %x, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}

// -----

// The longest first, an item a workgroup: rows in groups of about 512 items, and within one the longest of all its rows begin.
// CHECK-LABEL: @grouped
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @grouped(%p: !tile.ptr<f16>, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[ID:.*]] = tile.id workgroup{{$}}
  // CHECK: scf.if
  // CHECK-DAG: %[[LEN:.*]] = arith.index_castui %[[N]]
  // CHECK-DAG: %[[ROWS:.*]] = arith.index_castui %[[M]]
  // CHECK: %[[FIT:.*]] = arith.divui %c512{{.*}}, %[[LEN]]
  // CHECK: %[[ATLEAST:.*]] = arith.maxui %[[FIT]], %c1
  // CHECK: %[[GROUPS:.*]] = arith.ceildivui %{{.*}}, %[[ATLEAST]]
  // CHECK: %[[TAKEN:.*]] = arith.ceildivui %{{.*}}, %[[GROUPS]]
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[GROUPS]], %c1
  // CHECK: %[[W:.*]] = arith.index_castui %[[ID]]
  // CHECK: %[[SIZE:.*]] = arith.muli %[[TAKEN]], %[[LEN]]
  // CHECK: %[[Q:.*]] = arith.divui %[[W]], %[[SIZE]]
  // CHECK: %[[GROUP:.*]] = arith.minui %[[Q]], %[[WHOLE]]
  // CHECK: %[[ISWHOLE:.*]] = arith.cmpi ult, %[[GROUP]], %[[WHOLE]]
  // CHECK: %[[INROWS:.*]] = arith.select %[[ISWHOLE]], %[[TAKEN]]
  // CHECK: arith.remui %[[PLACE:.*]], %[[INROWS]]
  // CHECK: %[[END:.*]] = arith.subi %[[LEN]], %c1
  // CHECK: %[[DEEP:.*]] = arith.divui %[[PLACE]], %[[INROWS]]
  // CHECK: arith.subi %[[END]], %[[DEEP]]
  tile.items (%i, %j) in (%m, %n) #tile.items<grid, longest_first = 1> {
    %x = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %x, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}

// -----

// The item with a number: of a cluster's workgroups each its own where the program has clusters, else the first.
// CHECK-LABEL: @at
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[X:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @at(%p: !tile.ptr<f16>, %x: index, %m: index, %n: index) {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK-DAG: %[[J:.*]] = arith.remui %[[X]], %[[N]]
  // CHECK-DAG: %[[I:.*]] = arith.divui %[[X]], %[[N]]
  // CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c2
  // CHECK-NOT: tile.rank
  // CHECK: tile.load %{{.*}}[%[[ROW]], %[[J]]]
  %i, %j = tile.item_at %x in (%m, %n) #tile.items<persistent, cluster = [2, 1]>
  %y = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
  tile.store %y, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  tile.return
}

// CHECK-LABEL: @at_clusters
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[COUNT:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index)
tile.program @at_clusters(%p: !tile.ptr<f16>, %count: index, %m: index, %n: index) attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2, cluster = [2, 1]>} {
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  // CHECK: %[[FIRST:.*]] = tile.id cluster{{$}}
  // CHECK: %[[STEP:.*]] = tile.id clusters
  // CHECK: scf.for %[[X:.*]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]]
  // CHECK: %[[I2:.*]] = arith.muli %{{.*}}, %c2
  // CHECK: %[[RANK:.*]] = tile.rank 0 of [2, 1]
  // CHECK: %[[I:.*]] = arith.addi %[[I2]], %[[RANK]]
  // CHECK: tile.load %{{.*}}[%[[I]], %{{.*}}]
  tile.items (%x) in (%count) #tile.items<persistent> {
    %i, %j = tile.item_at %x in (%m, %n) #tile.items<persistent, cluster = [2, 1]>
    %y = tile.load %v[%i, %j] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<8x8xf16>
    tile.store %y, %v[%j, %i] : tensor<8x8xf16>, !tile.view<?x?xf16, strides = [?, 1]>
  }
  tile.return
}
