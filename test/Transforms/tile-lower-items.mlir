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
  // A band of 4 along dimension 0, the last one shorter.
  // CHECK: arith.minui %{{.*}}, %c4
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
