// Sliding window: a query takes part with the keys up to its own place, at most `window` of them.
helios.kernel @attention_window(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                %window: index {helios.name = "window"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %first = arith.subi %i, %window : index
    %causal = arith.cmpi sle, %j, %i : index
    %near = arith.cmpi sgt, %j, %first : index
    %keep = arith.andi %causal, %near : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
