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

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @several_groups(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [2, 2]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %wt = tile.transpose %w : tensor<64x32xbf16> -> tensor<32x64xbf16>
  %d = tile.dot %x, %wt, %zero : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  %m = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  // expected-error @+1 {{needs a reduction over lanes of 'tensor<64xf32, #tile.slice<1, #tile.acc<#ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>, groups = [2, 2]>, partial = max>>', whose lanes are in several groups; this version combines lanes of one group}}
  %e = tile.expand %m, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.subf %d, %e : tensor<64x64xf32>
  %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %t, %v[%a, %a] : tensor<64x64xbf16>, !v
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
