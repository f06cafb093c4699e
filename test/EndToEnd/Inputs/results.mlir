// Results of two types, and the sums of a pair: what a gated layer's backward pass reads, in wider elements.
helios.kernel @gated(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>) -> (tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf32>) {
  %gate = helios.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %t = math.tanh %gate : tensor<?x?xf32>
  %linear = helios.matmul %x, %v : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %y = arith.mulf %t, %linear : tensor<?x?xf32>
  %d = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xf16>
  helios.return %gate, %d, %linear : tensor<?x?xf32>, tensor<?x?xf16>, tensor<?x?xf32>
}
