// Causal attention where the last query is aligned with the last key, as in a decoder that has keys of earlier queries:
// `shift` is the number of keys less that of queries (tensor.dim gives extents as well).
helios.kernel @attention_causal_last(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                     %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                     %shift: index {helios.name = "shift"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %last = arith.addi %i, %shift : index
    %keep = arith.cmpi sle, %j, %last : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
