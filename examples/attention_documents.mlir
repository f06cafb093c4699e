// Several documents in one sequence: a query takes part with earlier keys of its own document, whose numbers a tensor holds
// that is given twice, seen by queries and by keys.
helios.kernel @attention_documents(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                   %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                   %ofQuery: tensor<?x1x?x1xi32> {helios.name = "of_query"},
                                   %ofKey: tensor<?x1x1x?xi32> {helios.name = "of_key"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%ofQuery, %ofKey : tensor<?x1x?x1xi32>, tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%x: i32, %y: i32, %n: index, %h: index, %i: index, %j: index):
    %same = arith.cmpi eq, %x, %y : i32
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %same, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
