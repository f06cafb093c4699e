// A tensor says of each pair whether it takes part; heads share it.
helios.kernel @matrix(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %pairs: tensor<?x?xi32>) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%pairs : tensor<?x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%pair: i32, %b: index, %h: index, %i: index, %j: index):
    %least = arith.constant 3 : i32
    %keep = arith.cmpi sgt, %pair, %least : i32
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
