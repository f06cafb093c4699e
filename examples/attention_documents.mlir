// Several documents in one sequence: a query takes part with earlier keys of its own document, whose numbers a tensor holds.
helios.kernel @attention_documents(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                                   %v: tensor<?x?x?x64xf16> {helios.name = "V"},
                                   %documents: tensor<?x?xi32> {helios.name = "documents"}) -> tensor<?x?x?x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %documents, %c0 : tensor<?x?xi32>
  %s = tensor.dim %documents, %c1 : tensor<?x?xi32>
  %ofQuery = tensor.expand_shape %documents [[0, 1], [2, 3]] output_shape [%b, 1, %s, 1] : tensor<?x?xi32> into tensor<?x1x?x1xi32>
  %ofKey = tensor.expand_shape %documents [[0, 1], [2, 3]] output_shape [%b, 1, 1, %s] : tensor<?x?xi32> into tensor<?x1x1x?xi32>
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
