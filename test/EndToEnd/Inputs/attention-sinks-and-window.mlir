helios.kernel @streaming(%q: tensor<?x?x?x64xbf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xbf16> {helios.name = "K"},
                         %v: tensor<?x?x?x64xbf16> {helios.name = "V"}, %sinks: index {helios.name = "sinks"},
                         %window: index {helios.name = "window"}) -> tensor<?x?x?x64xbf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %first = arith.subi %i, %window : index
    %near = arith.cmpi sgt, %j, %first : index
    %sink = arith.cmpi slt, %j, %sinks : index
    %either = arith.ori %near, %sink : i1
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %either, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xbf16>
}
