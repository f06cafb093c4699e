// Results and reductions that a product has no part in, beside those it has: they lie as the product's result does where its elements have places, and
// narrow vectors change their places as f32.
//
// DEFINE: %{run} = helios-bench run %s --check-only --bundle-cache %t.cache
// DEFINE: %{check} = FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// RUN: %{run} --kernel columns --shapes "200x64,64x328,200x1,200x328" --device emulator:sm_90a | %{check}
// RUN: %{run} --kernel columns --shapes "200x64,64x328,200x1,200x328" --device emulator:sm_89 | %{check}
// RUN: %{run} --kernel rows --shapes "200x64,64x328,328" --device emulator:sm_90a | %{check}
// RUN: %if vulkan %{ %vkrun %{run} --kernel columns --shapes "40x64,64x72,40x1,40x72" --target vulkan:simt --device vulkan | %{check} %}
// RUN: %if vulkan %{ %vkrun %{run} --kernel columns --shapes "40x64,64x72,40x1,40x72" --target vulkan:lavapipe --device vulkan | %{check} %}
// RUN: %if vulkan %{ %vkrun %{run} --kernel rows --shapes "40x64,64x72,72" --target vulkan:simt --device vulkan | %{check} %}
// RUN: helios-compile %s --target vulkan:nvidia -o %t.nvidia.hlx
// RUN: helios-compile %s --target vulkan:nvidia-nv2 -o %t.nv2.hlx
// CHECK: passed

helios.kernel @columns(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %f: tensor<?x1xbf16>, %g: tensor<?x?xf32>)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d, %o, %q, %r, %s = helios.matmul %a, %b fused(%f, %g : tensor<?x1xbf16>, tensor<?x?xf32>)
      {reductions = [#helios.reduction<max, n>, #helios.reduction<add, n>, #helios.reduction<max, n>]}
      : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32, %e: bf16, %w: f32):
    %one = arith.constant 1.0 : f32
    %h = arith.mulf %e, %e : bf16
    %t = arith.truncf %x : f32 to bf16
    %y = arith.addf %t, %h : bf16
    %z = arith.extf %h : bf16 to f32
    helios.yield %h, %y, %z, %w, %one : bf16, bf16, f32, f32, f32
  }
  helios.return %d, %o, %q, %r, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

helios.kernel @rows(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %f: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d, %r, %s = helios.matmul %a, %b fused(%f : tensor<?xf32>) {reductions = [#helios.reduction<add, m>, #helios.reduction<max, m>]}
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32, %e: f32):
    %q = arith.mulf %e, %e : f32
    helios.yield %x, %x, %q : f32, f32, f32
  }
  helios.return %d, %r, %s : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
