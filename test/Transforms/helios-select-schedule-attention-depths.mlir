// RUN: helios-opt --helios-select-schedule %s | FileCheck %s
// RUN: helios-compile %s --target vulkan:nvidia --emit=frag -o - | FileCheck --check-prefix=FITS %s

// Depths of which a half is no whole matrices: a slab of the result of 128 rows of 112 columns in f32, or of 64 rows of 208, takes more shared memory than
// there is, whatever the steps take.
// CHECK-LABEL: helios.kernel @odd(
// CHECK-SAME: schedule = #helios.schedule<tile = [64, 32, 112], groups = [4, 1]
// FITS: shared_bytes
helios.kernel @odd(%q: tensor<?x?x?x104xf16>, %k: tensor<?x?x?x104xf16>, %v: tensor<?x?x?x104xf16>) -> tensor<?x?x?x104xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x104xf16>, tensor<?x?x?x104xf16>, tensor<?x?x?x104xf16>) -> tensor<?x?x?x104xf16> acc f32
  helios.return %o : tensor<?x?x?x104xf16>
}

// CHECK-LABEL: helios.kernel @odd_causal(
// CHECK-SAME: schedule = #helios.schedule<tile = [32, 32, 208], groups = [2, 1]
helios.kernel @odd_causal(%q: tensor<?x?x?x200xbf16>, %k: tensor<?x?x?x200xbf16>, %v: tensor<?x?x?x200xbf16>) -> tensor<?x?x?x200xbf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x200xbf16>, tensor<?x?x?x200xbf16>, tensor<?x?x?x200xbf16>) -> tensor<?x?x?x200xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %seen = arith.cmpi sle, %j, %i : index
    helios.yield %seen : i1
  }
  helios.return %o : tensor<?x?x?x200xbf16>
}

// It is the value's depth that counts: 240 columns.
// CHECK-LABEL: helios.kernel @odd_values(
// CHECK-SAME: schedule = #helios.schedule<tile = [32, 32, 176], groups = [2, 1]
helios.kernel @odd_values(%q: tensor<?x?x?x168xf16>, %k: tensor<?x?x?x168xf16>, %v: tensor<?x?x?x240xf16>) -> tensor<?x?x?x240xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x168xf16>, tensor<?x?x?x168xf16>, tensor<?x?x?x240xf16>) -> tensor<?x?x?x240xf16> acc f32
  helios.return %o : tensor<?x?x?x240xf16>
}

// Weights in f32 and in bf16 lie beside each other: blocks of 64 keys for 128 queries would take 36 and 18 KB.
// CHECK-LABEL: helios.kernel @both_weights(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 48], groups = [8, 1]
helios.kernel @both_weights(%q: tensor<?x?x?x40xbf16>, %k: tensor<?x?x?x40xbf16>, %v: tensor<?x?x?x40xbf16>) -> tensor<?x?x?x40xbf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x40xbf16>, tensor<?x?x?x40xbf16>, tensor<?x?x?x40xbf16>) -> tensor<?x?x?x40xbf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %seen = arith.cmpi sle, %j, %i : index
    helios.yield %seen : i1
  }
  helios.return %o : tensor<?x?x?x40xbf16>
}
