// A value that is rounded and widened again is another one than before, whatever a driver says of floats.
// REQUIRES: vulkan
// RUN: %vkrun helios-bench run %s --shapes "60x60,60x60;64x64,64x64" --target vulkan:lavapipe --check-only --device vulkan | FileCheck %s
// RUN: %vkrun helios-bench run %s --shapes "60x60,60x60;64x64,64x64" --target vulkan:simt --check-only --device vulkan | FileCheck %s
// CHECK-COUNT-2: passed
// RUN: helios-compile %s --target=vulkan:simt --emit=spirv-text -o - | FileCheck %s --check-prefix=TEXT
// TEXT: %[[T:.+]] = spirv.FConvert %{{.+}} {no_contraction} : f32 to f16
// TEXT-NEXT: spirv.FConvert %[[T]] {no_contraction} : f16 to f32

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
