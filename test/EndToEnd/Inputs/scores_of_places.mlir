// Attention whose scores are computed of no product of query and key.
!t = tensor<?x?x?x64xbf16>
!w = tensor<?x?x?x128xf16>

// Every key weighs the same.
helios.kernel @same(%q: !t {helios.name = "Q"}, %k: !t {helios.name = "K"}, %v: !t {helios.name = "V"}) -> !t {
  %o = helios.attention %q, %k, %v : (!t, !t, !t) -> !t acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    helios.yield %one : f32
  }
  helios.return %o : !t
}

// Places alone say what a key weighs.
helios.kernel @places(%q: !t {helios.name = "Q"}, %k: !t {helios.name = "K"}, %v: !t {helios.name = "V"}) -> !t {
  %o = helios.attention %q, %k, %v : (!t, !t, !t) -> !t acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %distance = arith.sitofp %d32 : i32 to f32
    helios.yield %distance : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : !t
}

// Nobody sees a key: results are zero.
helios.kernel @none(%q: !w {helios.name = "Q"}, %k: !w {helios.name = "K"}, %v: !w {helios.name = "V"}) -> !w {
  %o = helios.attention %q, %k, %v : (!w, !w, !w) -> !w acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %never = arith.cmpi slt, %j, %j : index
    helios.yield %never : i1
  }
  helios.return %o : !w
}
