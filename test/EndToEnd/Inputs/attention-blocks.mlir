// Queries see keys of their own block of 64, by arithmetic that says nothing of whole blocks of keys.
helios.kernel @blocks(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %o, %l = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %size = arith.constant 64 : index
    %x = arith.divui %i, %size : index
    %y = arith.divui %j, %size : index
    %same = arith.cmpi eq, %x, %y : index
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %same, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
