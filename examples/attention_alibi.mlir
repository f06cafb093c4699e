// ALiBi: each head lowers a score by its slope times the distance; causal.
helios.kernel @attention_alibi(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                               %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                               %slopes: tensor<?x1x1xf32> {helios.name = "slopes"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%slopes : tensor<?x1x1xf32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %slope: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %distance = arith.sitofp %d32 : i32 to f32
    %bias = arith.mulf %slope, %distance : f32
    %t = arith.addf %s, %bias : f32
    helios.yield %t : f32
  } mask {
  ^bb0(%slope: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
