// Powers, and functions that are not in every instruction set, as results of a product beside each other.
helios.kernel @pw(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %d:6 = helios.matmul %a, %b fused(%s : tensor<?xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c3 = arith.constant 3 : i32
    %jr = arith.remui %j, %c7 : index
    %jf = arith.index_cast %jr : index to i32
    %n = arith.subi %jf, %c3 : i32
    %yf = arith.sitofp %n : i32 to f32
    %half = arith.constant 0.5 : f32
    %big = arith.constant 1.0e6 : f32
    %one = arith.constant 1.0 : f32
    %yh = arith.mulf %yf, %half : f32
    %p1 = math.powf %x, %yf : f32
    %ax = math.absf %x : f32
    %p2 = math.powf %ax, %y : f32
    %p3 = math.fpowi %x, %n : f32, i32
    %ch = math.cosh %x : f32
    %axp = arith.addf %ax, %one : f32
    %ac = math.acosh %axp : f32
    %er = math.erfc %x : f32
    %q = arith.divf %x, %yf : f32
    %inf = math.isinf %q : f32
    %fin = math.isfinite %q : f32
    %e1 = arith.select %inf, %yf, %er : f32
    %e2 = arith.select %fin, %e1, %half : f32
    helios.yield %p1, %p2, %p3, %ch, %ac, %e2 : f32, f32, f32, f32, f32, f32
  }
  helios.return %d#0, %d#1, %d#2, %d#3, %d#4, %d#5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
