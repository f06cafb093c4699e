// RUN: helios-opt %s --tile-ring-sums --split-input-file --verify-diagnostics | FileCheck %s

// What the workgroups of a cluster add up goes through one ring for each type of tile, whose cursors loops and branches carry.

#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
#columns = #tile.acc<#ptx.wgmma<n = 32, bf16, bf16, f32>, groups = [1, 1]>
#few = #tile.regs<vec = [1, 4], lanes = [16, 8], groups = [1, 1]>

// CHECK-LABEL: tile.program @k
// CHECK: tile.role "math"
// CHECK-DAG: %[[WIDE:.*]], %[[W:.*]] = tile.ring : !tile.ring<1x(tensor<64x64xf32, #{{.*}}>), pass, scope = cluster, cluster = 2>
// CHECK-DAG: %[[NARROW:.*]], %[[N:.*]] = tile.ring : !tile.ring<1x(tensor<64x32xf32, #{{.*}}>), pass, scope = cluster, cluster = 2>
// CHECK: %[[RANK:.*]] = tile.rank 2 of [1, 1, 2]
// CHECK: scf.for {{.*}} iter_args(%[[CW:.*]] = %[[W]], %[[CR:.*]] = %[[W]], %{{.*}} = %[[N]], %{{.*}} = %[[N]])
// CHECK: %[[OWN:.*]], %[[NEXT:.*]] = tile.enter write %[[WIDE]][%[[CW]]]
// CHECK: tile.put %{{.*}} into %[[OWN]][0]
// CHECK-NEXT: tile.exit %[[OWN]]
// CHECK: %[[ALL:.*]], %{{.*}}, %[[T:.*]]:2 = tile.enter read %[[WIDE]][%[[CR]]]
// CHECK: %[[AT:.*]] = arith.muli %[[RANK]], %c32
// CHECK: %[[S0:.*]] = tile.slice %[[T]]#0 [%[[AT]], 0]
// CHECK: %[[Y0:.*]] = tile.convert_layout %[[S0]]
// CHECK: %[[S1:.*]] = tile.slice %[[T]]#1 [%[[AT]], 0]
// CHECK: %[[Y1:.*]] = tile.convert_layout %[[S1]]
// CHECK: tile.exit %[[ALL]] after(%[[Y0]], %[[Y1]]
// CHECK: arith.addf %[[Y0]], %[[Y1]]
// CHECK: scf.if
// CHECK: tile.enter write %[[NARROW]]
// CHECK: tile.enter read %[[NARROW]]
// CHECK: scf.yield %{{.*}}, %{{.*}} : !tile.cursor, !tile.cursor
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}} : !tile.cursor, !tile.cursor
// CHECK-NOT: tile.reduce_scatter
tile.program @k(%n: index, %some: i1)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 2]>, target = #ptx.target<"sm_90a">} {
  tile.roles captures(%n = %n, %some = %some : index, i1) {
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%r: index):
      %one = arith.constant 1 : index
      %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
      %z = arith.constant dense<1.0> : tensor<64x32xf32, #columns>
      %p = tile.rank 2 of [1, 1, 2]
      scf.for %i = %r to %n step %one {
        %y = tile.reduce_scatter %x[%p] : tensor<64x64xf32, #acc> -> tensor<32x64xf32, #rows>
        scf.if %some {
          %u = tile.reduce_scatter %z[%p] : tensor<64x32xf32, #columns> -> tensor<32x32xf32, #few>
        }
      }
    }
  }
  tile.return
}

// -----

// Whole numbers are added as such, four of them in order.

#acc = #tile.acc<#ptx.wgmma<n = 64, i8, i8, i32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>

// CHECK-LABEL: tile.program @whole
// CHECK: %[[T:.*]]:4 = tile.enter read
// CHECK: %[[A:.*]] = arith.addi %[[Y0:.*]], %[[Y1:.*]] :
// CHECK: %[[B:.*]] = arith.addi %[[A]], %[[Y2:.*]] :
// CHECK: arith.addi %[[B]], %{{.*}} :
tile.program @whole(%n: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 4]>, target = #ptx.target<"sm_90a">} {
  tile.roles captures(%n = %n : index) {
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%r: index):
      %x = arith.constant dense<1> : tensor<64x64xi32, #acc>
      %p = tile.rank 2 of [1, 1, 4]
      %y = tile.reduce_scatter %x[%p] : tensor<64x64xi32, #acc> -> tensor<16x64xi32, #rows>
    }
  }
  tile.return
}

// -----

#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
tile.program @parts(%p: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 4]>, target = #ptx.target<"sm_90a">} {
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{expected as many parts as the program's cluster has workgroups, 4, got 2}}
  %y = tile.reduce_scatter %x[%p] : tensor<64x64xf32, #acc> -> tensor<32x64xf32, #rows>
  tile.return
}

// -----

#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
tile.program @outside(%p: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 2]>, target = #ptx.target<"sm_90a">} {
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  // expected-error @below {{expected a role with one replica around it, got none}}
  %y = tile.reduce_scatter %x[%p] : tensor<64x64xf32, #acc> -> tensor<32x64xf32, #rows>
  tile.return
}

// -----

#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
tile.program @several(%n: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 2], turns = 2>, target = #ptx.target<"sm_90a">} {
  tile.roles captures(%n = %n : index) {
    tile.role "math" replicas(2) regs(232) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
      %p = tile.rank 2 of [1, 1, 2]
      // expected-error @below {{expected a role with one replica around it, got one with several}}
      %y = tile.reduce_scatter %x[%p] : tensor<64x64xf32, #acc> -> tensor<32x64xf32, #rows>
    }
  }
  tile.return
}
