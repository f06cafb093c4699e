// RUN: helios-opt --helios-to-tile --canonicalize --cse --split-input-file %s | FileCheck %s

// Scores are not multiplied by their scale (0.125) where the exponential can take it along: to base 2 it multiplies by 0.125 log2(e). A slope that a
// distance is multiplied by is divided by the scale before it meets the tile.

// CHECK-LABEL: tile.program @alibi_full(
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant dense<8.000000e+00> : tensor<64xf32>
// CHECK-DAG: %[[BASE:.*]] = arith.constant dense<0.180336878> : tensor<64x32xf32>
// CHECK: %[[SLOPES:.*]] = tile.load {{.*}} -> tensor<64xf32>
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[STEEP:.*]] = arith.mulf %[[SLOPES]], %[[EIGHT]] : tensor<64xf32>
// CHECK: %[[EACH:.*]] = tile.expand %[[STEEP]]
// CHECK: %[[BIAS:.*]] = arith.mulf %[[EACH]], %{{.*}} : tensor<64x32xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[S]], %[[BIAS]] : tensor<64x32xf32>
// CHECK-NOT: arith.mulf {{.*}} : tensor<64x32xf32>
// CHECK: math.fma %[[SUM]], %[[BASE]]
helios.kernel @alibi(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %slopes: tensor<?x1x1xf32>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v fused(%slopes : tensor<?x1x1xf32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %slope: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %distance = arith.sitofp %d32 : i32 to f32
    %bias = arith.mulf %slope, %distance : f32
    %t = arith.addf %s, %bias : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A quotient that may be a product, and products: one before what has to have the value, none behind it.

// CHECK-LABEL: tile.program @softcap_full(
// CHECK-DAG: %[[IN:.*]] = arith.constant dense<0.00416666688> : tensor<64x32xf32>
// CHECK-DAG: %[[OUT:.*]] = arith.constant dense<43.2808495> : tensor<64x32xf32>
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[X:.*]] = arith.mulf %[[S]], %[[IN]] : tensor<64x32xf32>
// CHECK: %[[T:.*]] = math.tanh %[[X]]
// CHECK-NOT: arith.mulf {{.*}} : tensor<64x32xf32>
// CHECK: math.fma %[[T]], %[[OUT]]
helios.kernel @softcap(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 30.0 : f32
    %u = arith.divf %s, %cap fastmath<arcp> : f32
    %t = math.tanh %u : f32
    %c = arith.mulf %t, %cap : f32
    helios.yield %c : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Without the flag a quotient is one, of the value itself. A negative factor would turn the order of scores round, so they are multiplied by it.

// CHECK-LABEL: tile.program @exact_full(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<1.250000e-01> : tensor<64x32xf32>
// CHECK-DAG: %[[THIRTY:.*]] = arith.constant dense<3.000000e+01> : tensor<64x32xf32>
// CHECK-DAG: %[[MINUS:.*]] = arith.constant dense<-2.000000e+00> : tensor<64x32xf32>
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[X:.*]] = arith.mulf %[[S]], %[[SCALE]] : tensor<64x32xf32>
// CHECK: %[[Q:.*]] = arith.divf %[[X]], %[[THIRTY]] : tensor<64x32xf32>
// CHECK: %[[Y:.*]] = arith.mulf %[[Q]], %[[MINUS]] : tensor<64x32xf32>
// CHECK: math.fma %[[Y]]
helios.kernel @exact(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %thirty = arith.constant 30.0 : f32
    %minus = arith.constant -2.0 : f32
    %u = arith.divf %s, %thirty : f32
    %c = arith.mulf %u, %minus : f32
    helios.yield %c : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A term of a sum that is a whole tile, and no product with less, would be divided element by element: the scores are multiplied instead.

// CHECK-LABEL: tile.program @bias_full(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<1.250000e-01> : tensor<64x32xf32>
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[C:.*]] = arith.extf
// CHECK: %[[X:.*]] = arith.mulf %[[S]], %[[SCALE]] : tensor<64x32xf32>
// CHECK: arith.addf %[[X]], %[[C]]
helios.kernel @bias(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %bias: tensor<?x?xf16>)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x?xf16>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %c: f16, %b: index, %h: index, %i: index, %j: index):
    %c32 = arith.extf %c : f16 to f32
    %t = arith.addf %s, %c32 : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A product of two values with factors has both; a number that is known at launch takes the factor before it meets the tile.

// CHECK-LABEL: tile.program @square_full(
// CHECK-DAG: %[[SMALL:.*]] = arith.constant 1.562500e-02 : f32
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[P:.*]] = arith.mulf %[[S]], %[[S]] : tensor<64x32xf32>
// CHECK: %[[N:.*]] = arith.mulf %{{.*}}, %[[SMALL]] : f32
// CHECK: %[[EACH:.*]] = tile.expand %[[N]]
// CHECK: %[[X:.*]] = arith.mulf %[[P]], %[[EACH]] : tensor<64x32xf32>
// CHECK: math.exp %[[X]]
helios.kernel @square(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %n: f32)
    -> tensor<?x?x?x64xf16> attributes {schedule = #helios.schedule<tile = [64, 32, 64], groups = [2, 1]>} {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %p = arith.mulf %s, %s : f32
    %x = arith.mulf %p, %n : f32
    %e = math.exp %x : f32
    helios.yield %e : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
