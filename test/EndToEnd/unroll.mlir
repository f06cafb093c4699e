// What a schedule says about unrolling reaches the SPIR-V: the driver's choice, the loop as it is, or three steps a trip and a loop for the rest.
// RUN: mkdir -p %t && rm -f %t/*
// RUN: helios-compile %s --target=vulkan:nvidia --schedule=tile=32x32x16,groups=1x1 --emit=spirv-text -o %t/driver
// RUN: helios-compile %s --target=vulkan:nvidia --schedule=tile=32x32x16,groups=1x1,unroll=1 --emit=spirv-text -o %t/one
// RUN: helios-compile %s --target=vulkan:nvidia --schedule=tile=32x32x16,groups=1x1,unroll=3 --emit=spirv-text -o %t/three
// RUN: FileCheck %s --input-file=%t/driver
// RUN: FileCheck %s --input-file=%t/one --check-prefix=ONE
// RUN: FileCheck %s --input-file=%t/three --check-prefix=THREE

// CHECK-LABEL: spirv.func @k_full
// CHECK: spirv.mlir.loop ->
// CHECK-COUNT-4: spirv.KHR.CooperativeMatrixMulAdd
// CHECK-NOT: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.Return

// ONE-LABEL: spirv.func @k_full
// ONE: spirv.mlir.loop control(DontUnroll) ->
// ONE-COUNT-4: spirv.KHR.CooperativeMatrixMulAdd
// ONE-NOT: spirv.KHR.CooperativeMatrixMulAdd
// ONE: spirv.Return

// THREE-LABEL: spirv.func @k_full
// THREE: spirv.mlir.loop control(DontUnroll) ->
// THREE-COUNT-12: spirv.KHR.CooperativeMatrixMulAdd
// THREE: spirv.mlir.loop control(DontUnroll) ->
// THREE-COUNT-4: spirv.KHR.CooperativeMatrixMulAdd
// THREE-NOT: spirv.KHR.CooperativeMatrixMulAdd
// THREE: spirv.Return
helios.kernel @k(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %d = helios.matmul %a, %b : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16> acc f32
  helios.return %d : tensor<512x512xf16>
}
