// Each sequence of the batch has keys up to a length of its own, and blocks of a size that depends on it.
helios.kernel @padded(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %lengths: tensor<?x1x1x1xi32>) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%lengths : tensor<?x1x1x1xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%length: i32, %b: index, %h: index, %i: index, %j: index):
    %times = arith.constant 40 : i32
    %keys = arith.muli %length, %times : i32
    %end = arith.index_cast %keys : i32 to index
    %inside = arith.cmpi slt, %j, %end : index
    %one = arith.constant 1 : index
    %size = arith.constant 48 : index
    %next = arith.addi %b, %one : index
    %of = arith.muli %next, %size : index
    %x = arith.divui %i, %of : index
    %y = arith.divui %j, %of : index
    %other = arith.cmpi ne, %x, %y : index
    %keep = arith.andi %inside, %other : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
