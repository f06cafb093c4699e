// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// One loop over blocks of keys. The scale goes with the logarithm of two into the exponential.

// CHECK-LABEL: tile.program @plain_full(
// CHECK: %[[RATIO:.*]] = arith.divui
// CHECK: tile.items (%[[B:.*]], %[[H:.*]], %[[I:.*]]) in
// CHECK: %[[M:.*]] = arith.muli %[[I]], %c64
// CHECK: %[[G:.*]] = arith.divui %[[H]], %[[RATIO]]
// CHECK: %[[Q:.*]] = tile.load {{.*}}[%[[B]], %[[H]], %[[M]], %c0]
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[MAX:.*]] = {{.*}}, %[[SUM:.*]] = {{.*}}, %[[O:.*]] = {{.*}})
// CHECK: %[[K:.*]] = tile.load {{.*}}[%[[B]], %[[G]], %[[N:.*]], %c0] {{.*}} -> tensor<32x128xf16>
// CHECK: %[[T:.*]] = tile.transpose %[[K]]
// CHECK: %[[S:.*]] = tile.dot %[[Q]], %[[T]],
// CHECK-NOT: tile.iota
// CHECK: %[[BM:.*]] = tile.reduce max %[[S]], 1
// CHECK: %[[NEW:.*]] = arith.maximumf %[[MAX]], %[[BM]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[NEW]]
// CHECK: %[[AT:.*]] = arith.select %[[NONE]], %{{.*}}, %[[NEW]]
// CHECK: %[[NEG:.*]] = arith.mulf %[[AT]]
// CHECK: %[[F:.*]] = math.exp2
// CHECK: math.fma %[[S]], %{{.*}}, %{{.*}} : tensor<64x32xf32>
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[BS:.*]] = tile.reduce add %[[P]], 1
// CHECK: %[[L:.*]] = math.fma %[[SUM]], %[[F]], %[[BS]]
// CHECK: %[[SO:.*]] = arith.mulf %[[O]]
// CHECK: %[[P16:.*]] = arith.truncf %[[P]]
// CHECK: %[[V:.*]] = tile.load {{.*}}[%[[B]], %[[G]], %[[N]], %c0] {{.*}} -> tensor<32x64xf16>
// CHECK: %[[NO:.*]] = tile.dot %[[P16]], %[[V]], %[[SO]]
// CHECK: scf.yield %[[NEW]], %[[L]], %[[NO]]
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[R]]#1
// CHECK: arith.select %[[EMPTY]]
// CHECK: tile.store
// CHECK: math.log2 %[[R]]#1
// CHECK: arith.select %[[EMPTY]]
// CHECK: tile.store {{.*}} : tensor<64xf32>
// Keys beyond the end take no part where tiles may reach over it.
// CHECK-LABEL: tile.program @plain_aligned(
// CHECK: arith.cmpi ult, {{.*}} : tensor<32xindex>
// CHECK: arith.select {{.*}} : tensor<64x32xi1>, tensor<64x32xf32>
// CHECK-LABEL: tile.plan @plain(
// CHECK: tile.require %{{.*}}, "extent 1 of arg0 must be a multiple of extent 1 of arg1"
// CHECK: tile.dispatch @plain_full[
helios.kernel @plain(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x64xf16>)
    -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) attributes {schedule = #helios.schedule<tile = [64, 32, 128], groups = [2, 1]>} {
  %o, %l = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}

// -----

// A depth that no instruction divides is padded; no tensor has whole tiles of it, so there is no program for those.

// CHECK-NOT: @narrow_full
// CHECK-LABEL: tile.program @narrow_aligned(
// CHECK: tile.load {{.*}} : <?x?x?x40xf16, {{.*}}> -> tensor<64x48xf16>
helios.kernel @narrow(%q: tensor<?x?x?x40xf16>, %k: tensor<?x?x?x40xf16>, %v: tensor<?x?x?x40xf16>)
    -> tensor<?x?x?x40xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 48], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>)
      -> tensor<?x?x?x40xf16> acc f32
  helios.return %o : tensor<?x?x?x40xf16>
}
