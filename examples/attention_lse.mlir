// Attention that also gives the logarithm of each row's sum of exponentials, as what combines parts or goes backward needs.
helios.kernel @attention_lse(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                             %v: tensor<?x?x?x64xf16> {helios.name = "V"}) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %o, %l = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
