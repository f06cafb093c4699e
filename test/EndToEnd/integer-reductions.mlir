// What rows and columns combine to where the product is accumulated in integers, or in f16: elements of f32 that the region makes of them.
//
// RUN: split-file %s %t
// DEFINE: %{run} = helios-bench run --check-only --bundle-cache %t.cache
// DEFINE: %{check} = FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// RUN: %{run} %t/integers.mlir --shapes "133x96,200x96,200;64x64,64x64,64" --device emulator:sm_90a | %{check}
// RUN: %{run} %t/integers.mlir --shapes "133x96,200x96,200;64x64,64x64,64" --device emulator:sm_89 | %{check}
// RUN: %{run} %t/halves.mlir --shapes "133x96,96x200;64x64,64x64" --device emulator:sm_89 | %{check}
// RUN: %if vulkan %{ %vkrun %{run} %t/integers.mlir --shapes "43x96,40x96,40;64x64,64x64,64" --target vulkan:lavapipe --device vulkan | %{check} %}
// RUN: %if vulkan %{ %vkrun %{run} %t/integers.mlir --shapes "43x96,40x96,40;64x64,64x64,64" --target vulkan:simt --device vulkan | %{check} %}
// RUN: %if vulkan %{ %vkrun %{run} %t/halves.mlir --shapes "43x96,96x40;64x64,64x64" --target vulkan:lavapipe --device vulkan | %{check} %}
// CHECK-COUNT-2: passed

//--- integers.mlir
helios.kernel @integers(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d, %rows, %columns = helios.matmul %a, %b fused(%s : tensor<?xf32>) {transpose_b, reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]}
      : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32> acc i32 {
  ^bb0(%x: i32, %scale: f32):
    %y = arith.sitofp %x : i32 to f32
    %z = arith.mulf %y, %scale : f32
    helios.yield %z, %z, %z : f32, f32, f32
  }
  helios.return %d, %rows, %columns : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

//--- halves.mlir
helios.kernel @halves(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32>) {
  %d, %rows, %columns = helios.matmul %a, %b {reductions = [#helios.reduction<max, n>, #helios.reduction<add, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32> acc f16 {
  ^bb0(%x: f16):
    %y = arith.extf %x : f16 to f32
    %z = arith.mulf %y, %y : f32
    helios.yield %x, %y, %z : f16, f32, f32
  }
  helios.return %d, %rows, %columns : tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32>
}
