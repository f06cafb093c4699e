// The window has 1023 keys more than its argument says: of the largest argument that a number of helios-bench can be, as many as an index can count.
helios.kernel @window(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>, %less: index {helios.name = "less"}) -> tensor<?x?x?x128xbf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %more = arith.constant 1023 : index
    %window = arith.addi %less, %more : index
    %first = arith.subi %i, %window : index
    %causal = arith.cmpi sle, %j, %i : index
    %near = arith.cmpi sgt, %j, %first : index
    %keep = arith.andi %causal, %near : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x128xbf16>
}
