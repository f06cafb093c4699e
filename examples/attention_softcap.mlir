// Soft-capping: scores stay between -cap and cap. The flags allow what makes it cheap: a product with the reciprocal of the cap,
// and the device's own hyperbolic tangent (relative error 2^-11 on CUDA), as kernels by hand have it.
helios.kernel @attention_softcap(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                 %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                 %cap: f32 {helios.name = "cap"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %u = arith.divf %s, %cap fastmath<arcp> : f32
    %t = math.tanh %u fastmath<afn> : f32
    %c = arith.mulf %t, %cap : f32
    helios.yield %c : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
