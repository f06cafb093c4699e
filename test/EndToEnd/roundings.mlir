// A value that is rounded and widened again is another one than before, whatever a driver says of floats: it is rounded by integers. The results are what
// rounding took off, what it left of values beyond the largest and below the smallest normal one, and of what was computed in f16.
// REQUIRES: vulkan
// DEFINE: %{run} = %vkrun helios-bench run %s --shapes "60x60,60x60;64x64,64x64" --check-only --device vulkan
// DEFINE: %{check} = FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// RUN: %{run} --kernel rounded_off --target vulkan:lavapipe | %{check}
// RUN: %{run} --kernel rounded_off --target vulkan:simt | %{check}
// RUN: %{run} --kernel extremes --target vulkan:lavapipe | %{check}
// RUN: %{run} --kernel extremes --target vulkan:simt | %{check}
// CHECK-COUNT-2: passed
// RUN: helios-compile %s --target=vulkan:simt --emit=spirv-text -o - | FileCheck %s --check-prefix=TEXT --implicit-check-not="f32 to f16"
// To nearest even, by carrying; beyond the largest one; small ones in multiples of 2^-24.
// TEXT-LABEL: @rounded_off_full
// TEXT: spirv.Constant 4095 : i32
// TEXT: spirv.Constant -8192 : i32
// TEXT: spirv.Constant 5.96046448E-8 : f32
// TEXT: spirv.Constant 1199562752 : i32
// What was computed in f16 is said to be precise.
// TEXT-LABEL: @extremes_full
// TEXT: spirv.FMul {{.+}} {no_contraction} : f16
// TEXT: spirv.FConvert {{.+}} {no_contraction} : f16 to f32

helios.kernel @rounded_off(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %t = arith.truncf %x : f32 to f16
    %e = arith.extf %t : f16 to f32
    %z = arith.subf %x, %e : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

helios.kernel @extremes(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %d, %s, %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %i: index, %j: index):
    %c1000 = arith.constant 1.0e3 : f32
    %large = arith.mulf %x, %c1000 : f32
    %t = arith.truncf %large : f32 to f16
    %e = arith.extf %t : f16 to f32
    %little = arith.constant 1.23e-7 : f32
    %small = arith.mulf %x, %little : f32
    %u = arith.truncf %small : f32 to f16
    %f = arith.extf %u : f16 to f32
    %many = arith.constant 16777216.0 : f32
    %count = arith.mulf %f, %many : f32
    %n = arith.index_cast %j : index to i32
    %m = arith.sitofp %n : i32 to f16
    %square = arith.mulf %m, %m : f16
    %g = arith.extf %square : f16 to f32
    helios.yield %e, %count, %g : f32, f32, f32
  }
  helios.return %d, %s, %p : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
