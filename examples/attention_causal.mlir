// Causal attention: a query takes part with the keys up to its own place, counted from the first query and the first key.
helios.kernel @attention_causal(%q: tensor<?x?x?x128xbf16> {helios.name = "Q"}, %k: tensor<?x?x?x128xbf16> {helios.name = "K"},
                                %v: tensor<?x?x?x128xbf16> {helios.name = "V"}) -> tensor<?x?x?x128xbf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x128xbf16>
}
