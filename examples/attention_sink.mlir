// Learned sinks: place 0 of K and V belongs to nobody; its score is the head's sink, and a row of zeros in V makes it take weight alone.
helios.kernel @attention_sink(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                              %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                              %sinks: tensor<?x1x1xf32> {helios.name = "sinks"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%sinks : tensor<?x1x1xf32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %sink: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %is = arith.cmpi eq, %j, %c0 : index
    %t = arith.select %is, %sink, %s : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
