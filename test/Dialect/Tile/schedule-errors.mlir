// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariant 8: a use at distance d of a definition is in a later stage, or in the same one and later in its order.

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  scf.for %i = %c0 to %n step %n {
    // expected-note @+1 {{the value, stage 1, order 0}}
    %a = tile.load %v[%i, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
    // expected-error @+1 {{is scheduled before a value it uses: expected a stage above 1, or that stage and an order after 0, got stage 0, order 1}}
    tile.store %a, %v[%i, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  }
  tile.return
}

// -----

// In one stage, the order decides.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  scf.for %i = %c0 to %n step %n {
    // expected-note @+1 {{the value, stage 0, order 2}}
    %a = tile.load %v[%i, %c0] {tile.sched = #tile.sched<stage = 0, order = 2>} : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
    // expected-error @+1 {{got stage 0, order 1}}
    tile.store %a, %v[%i, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  }
  tile.return
}

// -----

// What the loop carries gives one stage.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %z = arith.constant dense<0.0> : tensor<8x32xf16>
  %r = scf.for %i = %c0 to %n step %n iter_args(%x = %z) -> (tensor<8x32xf16>) {
    // expected-error @+1 {{is scheduled before a value it uses: expected a stage above 1, or that stage and an order after 0, got stage 0, order 1}}
    tile.store %x, %v[%i, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
    // expected-note @+1 {{the value of the previous iteration, stage 2, order 0}}
    %a = tile.load %v[%i, %c0] {tile.sched = #tile.sched<stage = 2, order = 0>} : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
    scf.yield %a : tensor<8x32xf16>
  }
  tile.return
}

// -----

// And one stage is enough: no error.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %z = arith.constant dense<0.0> : tensor<8x32xf16>
  %r = scf.for %i = %c0 to %n step %n iter_args(%x = %z) -> (tensor<8x32xf16>) {
    tile.store %x, %v[%i, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
    %a = tile.load %v[%i, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
    scf.yield %a : tensor<8x32xf16>
  }
  tile.return
}
