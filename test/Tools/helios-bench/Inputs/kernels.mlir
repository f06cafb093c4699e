helios.kernel @strange(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %m: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b fused(%m : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %f: f16, %i: index, %j: index):
    %c = arith.extf %f : f16 to f32
    %s = math.sin %x : f32
    %p = arith.mulf %s, %c : f32
    %lower = arith.cmpi sge, %i, %j : index
    %y = arith.select %lower, %p, %x : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}

helios.kernel @chain(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %t = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %t, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
