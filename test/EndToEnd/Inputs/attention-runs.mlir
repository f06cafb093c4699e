// Queries of 24 each make the same of their places, and nearly all the same of what a tensor says of them; they see keys of another number, in a
// window that moves with them, and the first few.
helios.kernel @runs(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %x: tensor<?x1x?x1xi32>, %y: tensor<1x1x1x?xi32>) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v fused(%x, %y : tensor<?x1x?x1xi32>, tensor<1x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%of: i32, %as: i32, %b: index, %h: index, %i: index, %j: index):
    %least = arith.constant -4 : i32
    %usual = arith.cmpi sge, %of, %least : i32
    %kind = arith.extui %usual : i1 to i32
    %key = arith.subi %as, %kind : i32
    %size = arith.constant 24 : index
    %block = arith.divui %i, %size : index
    %number = arith.index_cast %block : index to i32
    %other = arith.cmpi ne, %key, %number : i32
    %c40 = arith.constant 40 : index
    %behind = arith.addi %j, %c40 : index
    %far = arith.cmpi slt, %behind, %i : index
    %true = arith.constant true
    %near = arith.xori %far, %true : i1
    %c5 = arith.constant 5 : index
    %before = arith.addi %i, %c5 : index
    %seen = arith.cmpi uge, %before, %j : index
    %window = arith.andi %near, %seen : i1
    %c3 = arith.constant 3 : index
    %first = arith.cmpi ult, %j, %c3 : index
    %either = arith.ori %window, %first : i1
    %distance = arith.subi %i, %j : index
    %c60 = arith.constant 60 : index
    %recent = arith.cmpi ugt, %c60, %distance : index
    %any = arith.ori %either, %recent : i1
    %keep = arith.andi %other, %any : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
