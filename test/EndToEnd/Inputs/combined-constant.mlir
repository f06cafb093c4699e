// What rows combine to is a constant, and a number that the kernel is given.
helios.kernel @combined_constant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %alpha: f32) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d, %one, %given = helios.matmul %a, %b {reductions = [#helios.reduction<max, n>, #helios.reduction<max, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %constant = arith.constant 1.0 : f32
    helios.yield %x, %constant, %alpha : f32, f32, f32
  }
  helios.return %d, %one, %given : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
