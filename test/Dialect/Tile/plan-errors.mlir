// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Launch plans: arithmetic that a loader evaluates, and dispatches that agree with their programs.

// -----

// expected-error @+1 {{expected argument #0 to be a ranked tensor or a scalar, got '!tile.ptr<f16>'}}
tile.plan @k(%a: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index

  tile.plan_yield %c0
}

// -----

tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{may not stand in a launch plan; expected arithmetic on index and i1, scf.if, tile.require or tile.dispatch}}
  scf.for %i = %c0 to %n step %n {
  }
  tile.plan_yield %c0
}

// -----

tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected arithmetic on index and i1 in a launch plan, got 'f32'}}
  %x = arith.constant 0.0 : f32
  tile.plan_yield %c0
}

// -----

tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected @p to be a program in scope}}
  tile.dispatch @p[%n] (%a) : tensor<?xf16>
  tile.plan_yield %c0
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 64>, tile.div = 8 : index}) {
  tile.return
}
tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected 2 arguments for @p, got 1}}
  tile.dispatch @p[%n] (%a) : tensor<?xf16>
  tile.plan_yield %c0
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 64>, tile.div = 8 : index}) {
  tile.return
}
tile.plan @k(%a: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected argument #0 of @p to be '!tile.ptr<f16>', got 'tensor<?xf32>'}}
  tile.dispatch @p[%n] (%a, %n) : tensor<?xf32>, index
  tile.plan_yield %c0
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 64>, tile.div = 8 : index}) {
  tile.return
}
tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c72 = arith.constant 72 : index
  // expected-error @+1 {{expected argument #1 of @p in [1, 64] as its fact says, got 72}}
  tile.dispatch @p[%n] (%a, %c72) : tensor<?xf16>, index
  tile.plan_yield %c0
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 64>, tile.div = 8 : index}) {
  tile.return
}
tile.plan @k(%a: tensor<?xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  // expected-error @+1 {{expected argument #1 of @p to be a multiple of 8 as its fact says, got 12}}
  tile.dispatch @p[%n] (%a, %c12) : tensor<?xf16>, index
  tile.plan_yield %c0
}
