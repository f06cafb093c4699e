// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))'

!v = !tile.view<?x?xf16, strides = [?, 1]>
tile.program @shape(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">,
    config = #tile.config<groups = [1, 1], mma = [16, 16, 16]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16>
  // expected-error @+2 {{expected a matrix instruction of target 'lavapipe' for 'f16' x 'f16' -> 'f32' of shape 16x16x16, got none}}
  // expected-note @+1 {{the target has #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>}}
  %d = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.return
}

// -----

tile.program @no_target(%p: !tile.ptr<f16>, %n: index) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = arith.constant dense<0.0> : tensor<16x16xf16>
  // expected-error @+1 {{needs a target to choose a matrix instruction; give the program a 'target' attribute}}
  %d = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @uneven(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [8, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected a tile that 256 lanes hold evenly, got 'tensor<48x24xf16>', which they do not divide; use another tile or fewer groups}}
  %x = tile.load %v[%n, %n] : !v -> tensor<48x24xf16>
  tile.store %x, %v[%n, %n] : tensor<48x24xf16>, !v
  tile.return
}
