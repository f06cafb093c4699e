// A tensor says which keys take part, of earlier ones.
helios.kernel @keys(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %keys: tensor<?x1x1x?xi32>) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%keys : tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%key: i32, %b: index, %h: index, %i: index, %j: index):
    %least = arith.constant 3 : i32
    %marked = arith.cmpi sgt, %key, %least : i32
    %causal = arith.cmpi ule, %j, %i : index
    %keep = arith.andi %marked, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
