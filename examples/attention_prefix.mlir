// Prefix attention: every query takes part with the first `prefix` keys, and with those up to its own place.
helios.kernel @attention_prefix(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                %prefix: index {helios.name = "prefix"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %in = arith.cmpi slt, %j, %prefix : index
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.ori %in, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
