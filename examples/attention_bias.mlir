// An additive bias for each head and each pair of a query and a key.
helios.kernel @attention_bias(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                              %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                              %bias: tensor<?x?x?xf16> {helios.name = "bias"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x?x?xf16>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %c: f16, %b: index, %h: index, %i: index, %j: index):
    %c32 = arith.extf %c : f16 to f32
    %t = arith.addf %s, %c32 : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
