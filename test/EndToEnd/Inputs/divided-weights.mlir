// Weights of 8 bits divided by a number for each group of 128 along K.
helios.kernel @divided_weights(%a: tensor<?x?xbf16>, %w: tensor<?x?xi8>, %by: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %w prologue(%by : tensor<?x?xbf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%x: i8, %s: bf16):
    %weight = arith.sitofp %x : i8 to bf16
    %quotient = arith.divf %weight, %s : bf16
    helios.yield %quotient : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
