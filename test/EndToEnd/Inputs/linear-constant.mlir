helios.kernel @linear(%x: tensor<?x?xf16>, %w: tensor<?x?xf16> {helios.constant, helios.name = "w"}) -> tensor<?x?xf16> {
  %d = helios.matmul %x, %w {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
