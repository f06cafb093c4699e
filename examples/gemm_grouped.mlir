// The experts of a mixture: tokens lie sorted by expert, and %ends says on the device where the rows of each end. Each expert has
// weights and a bias of its own. Rows behind the last end belong to none and stay as they are.
//
// helios-bench: shapes = 300x128,8x192x128,8,8x1x192
helios.kernel @gemm_grouped(%x: tensor<?x?xbf16> {helios.name = "x"}, %w: tensor<?x?x?xbf16> {helios.name = "w"},
                            %ends: tensor<?xi32> {helios.name = "ends"}, %bias: tensor<?x1x?xbf16> {helios.name = "bias"}) -> tensor<?x?xbf16> {
  %d = helios.matmul %x, %w grouped(%ends : tensor<?xi32>) fused(%bias : tensor<?x1x?xbf16>) {transpose_b}
      : (tensor<?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%sum: f32, %b: bf16):
    %b32 = arith.extf %b : bf16 to f32
    %y = arith.addf %sum, %b32 : f32
    %z = arith.truncf %y : f32 to bf16
    helios.yield %z : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
