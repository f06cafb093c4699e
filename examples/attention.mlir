// Attention: softmax(Q·Kᵀ / sqrt(D))·V, every query with every key.
helios.kernel @attention(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                         %v: tensor<?x?x?x64xf16> {helios.name = "V"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}
