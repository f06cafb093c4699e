// One scale a column: nothing but the halves has groups.
// helios-bench: shapes = 16x256,32x128,32x1
helios.kernel @halves(%a: tensor<?x?xbf16>, %w: tensor<?x?xi8>, %scale: tensor<?x1xbf16>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %w prologue(%scale : tensor<?x1xbf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%x: i8, %s: bf16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to bf16
    %v = arith.sitofp %high : i8 to bf16
    %y = arith.mulf %u, %s : bf16
    %z = arith.mulf %v, %s : bf16
    helios.yield %y, %z : bf16, bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
