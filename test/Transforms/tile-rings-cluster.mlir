// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-rings,canonicalize))' | FileCheck %s

// Tiles that the workgroups of a cluster load alike are copied in parts, each by one of them into the slots of all.

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

// Workgroups one below the other have the same columns, so B is shared, A is not.
// CHECK-LABEL: @rows
// CHECK-DAG: %[[BOTH:.*]] = arith.constant 3 : i32
// CHECK: tile.ring : !tile.ring<4x(tensor<128x64xbf16, #{{.*}}>, tensor<256x64xbf16, #{{.*}}>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>
// CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}}[0] :
// CHECK: %[[RANK:.*]] = tile.rank 0 of [2, 1]
// CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}}[1] shared(%[[RANK]] of 2 to %[[BOTH]]) :
tile.program @rows(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 4, cluster = [2, 1]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %A = tile.view %pA[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %first = tile.id cluster
  %step = tile.id clusters
  %row = tile.rank 0 of [2, 1]
  scf.for %t = %first to %n step %step {
    %i2 = arith.muli %t, %c2 : index
    %i = arith.addi %i2, %row : index
    %m = arith.muli %i, %c128 : index
    %j = arith.muli %t, %c256 : index
    %x = scf.for %kt = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x256xf32, #acc>) {
      %k = arith.muli %kt, %c64 : index
      %a = tile.load %A[%m, %k] : !v -> tensor<128x64xbf16, #s>
      %b = tile.load %B[%j, %k] : !v -> tensor<256x64xbf16, #s>
      %bt = tile.transpose %b : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
      %y = tile.dot %a, %bt, %sum mma(#mma) : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
      scf.yield %y : tensor<128x256xf32, #acc>
    }
  }
  tile.return
}

// In a grid of workgroups each row shares A and each column B: the mask has a bit for each of them, from this one's row or column on.
// CHECK-LABEL: @grid
// CHECK-DAG: %[[ROW:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant 5 : i32
// CHECK: tile.ring {{.*}}scope = cluster, cluster = 4, multicast>
// CHECK: scf.for
// CHECK: %[[R:.*]] = tile.rank 0 of [2, 2]
// CHECK: %[[R2:.*]] = arith.muli %[[R]], %c2
// CHECK: %[[C:.*]] = tile.rank 1 of [2, 2]
// CHECK: %[[RI:.*]] = arith.index_castui %[[R2]] : index to i32
// CHECK: %[[MASKA:.*]] = arith.shli %[[ROW]], %[[RI]]
// CHECK: tile.copy_in {{.*}}[0] shared(%[[C]] of 2 to %[[MASKA]])
// CHECK: %[[R1:.*]] = tile.rank 0 of [2, 2]
// CHECK: %[[C1:.*]] = tile.rank 1 of [2, 2]
// CHECK: %[[CI:.*]] = arith.index_castui %[[C1]] : index to i32
// CHECK: %[[MASKB:.*]] = arith.shli %[[COLUMN]], %[[CI]]
// CHECK: tile.copy_in {{.*}}[1] shared(%[[R1]] of 2 to %[[MASKB]])
tile.program @grid(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 4, cluster = [2, 2]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.view %pA[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %row = tile.rank 0 of [2, 2]
  %column = tile.rank 1 of [2, 2]
  %x = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32, #acc>) {
    %a = tile.load %A[%row, %k] : !v -> tensor<128x64xbf16, #s>
    %b = tile.load %B[%column, %k] : !v -> tensor<256x64xbf16, #s>
    %bt = tile.transpose %b : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
    %y = tile.dot %a, %bt, %sum mma(#mma) : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
    scf.yield %y : tensor<128x256xf32, #acc>
  }
  tile.return
}

// Work items of a batch have three dimensions, and so has the cluster then: the rank along the second tells rows apart, B is shared.
// CHECK-LABEL: @batch
// CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}}[0] :
// CHECK: %[[RANK:.*]] = tile.rank 1 of [1, 2, 1]
// CHECK: tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %{{.*}}[1] shared(%[[RANK]] of 2 to
tile.program @batch(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 4, cluster = [2, 1]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.view %pA[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %first = tile.id cluster
  %row = tile.rank 1 of [1, 2, 1]
  %x = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32, #acc>) {
    %a = tile.load %A[%row, %k] : !v -> tensor<128x64xbf16, #s>
    %b = tile.load %B[%first, %k] : !v -> tensor<256x64xbf16, #s>
    %bt = tile.transpose %b : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
    %y = tile.dot %a, %bt, %sum mma(#mma) : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
    scf.yield %y : tensor<128x256xf32, #acc>
  }
  tile.return
}

// What every workgroup loads for itself stays its own: numbers of workgroups differ in all of them.
// CHECK-LABEL: @own
// CHECK: tile.ring : !tile.ring<4x(tensor<128x64xbf16, #{{.*}}>, tensor<256x64xbf16, #{{.*}}>), load, copy = #ptx.bulk>
// CHECK-NOT: shared(
tile.program @own(%pA: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 4, cluster = [2, 1]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.view %pA[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %wg = tile.id workgroup
  %x:2 = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %m = %wg) -> (tensor<128x256xf32, #acc>, index) {
    %a = tile.load %A[%m, %k] : !v -> tensor<128x64xbf16, #s>
    %b = tile.load %A[%wg, %k] : !v -> tensor<256x64xbf16, #s>
    %bt = tile.transpose %b : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
    %y = tile.dot %a, %bt, %sum mma(#mma) : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
    %m1 = arith.addi %m, %c64 : index
    scf.yield %y, %m1 : tensor<128x256xf32, #acc>, index
  }
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

// Who shares copies walks the same steps.
tile.program @steps(%pA: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 4, cluster = [2, 1]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %A = tile.view %pA[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %row = tile.rank 0 of [2, 1]
  %end = arith.muli %row, %c64 : index
  %x = scf.for %k = %c0 to %end step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32, #acc>) {
    // expected-error @below {{is copied for a cluster under control that differs between its workgroups; expected loops and conditions that all of them walk alike, or a schedule without a cluster}}
    %a = tile.load %A[%row, %k] : !v -> tensor<128x64xbf16, #s>
    %b = tile.load %A[%c0, %k] : !v -> tensor<256x64xbf16, #s>
    %bt = tile.transpose %b : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
    %y = tile.dot %a, %bt, %sum mma(#mma) : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
    scf.yield %y : tensor<128x256xf32, #acc>
  }
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

tile.program @engine(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2, cluster = [2, 1]>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
    // expected-error @below {{expected a copy engine that writes the shared memory of several workgroups, got #ptx.async16; choose a schedule without a cluster}}
    %t = tile.load %v[%c0, %k] : !v -> tensor<16x16xf16, #s>
    %u = tile.load %v[%k, %c0] : !v -> tensor<16x16xf16, #s>
    %fa = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %fb = tile.convert_layout %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %y = tile.dot %fa, %fb, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %y : tensor<16x16xf32, #acc>
  }
  tile.return
}
