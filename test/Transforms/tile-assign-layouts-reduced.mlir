// RUN: helios-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(helios-to-tile,tile.program(tile-assign-layouts))' | FileCheck %s

// What several groups reduce lies in lines of each, also where it is loaded, since truth values do not go through memory.

// CHECK-LABEL: tile.program @pairs_any_ranges64(
// CHECK: tile.load {{.*}} -> tensor<16x256xi32, #tile.regs<vec = [1, 1], lanes = [1, 32], groups = [1, 8]>>
// CHECK: arith.cmpi sgt
// CHECK-NOT: tile.convert_layout
// CHECK: tile.reduce add %{{.*}}, 0 : tensor<16x256xi32, #tile.regs<vec = [1, 1], lanes = [1, 32], groups = [1, 8]>>
helios.kernel @pairs(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %pairs: tensor<?x?xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v fused(%pairs : tensor<?x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%pair: i32, %b: index, %h: index, %i: index, %j: index):
    %least = arith.constant 3 : i32
    %keep = arith.cmpi sgt, %pair, %least : i32
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// Numbers of keys are dealt out to all lanes while a loop carries them, and move once behind it, where each group combines all. Truth values lie as
// the numbers do that they choose from, though they are narrower.

// CHECK-LABEL: tile.program @blocks_any_ranges64(
// CHECK: scf.for
// CHECK: arith.cmpi eq, {{.*}} : tensor<256xindex, #tile.regs<vec = [[[V:.*]]], lanes = [32], groups = [8]>>
// CHECK-NOT: tile.convert_layout
// CHECK: arith.select {{.*}} : tensor<256xi1, #tile.regs<vec = [[[V]]], lanes = [32], groups = [8]>>, tensor<256xi32, #tile.regs<vec = [[[V]]], lanes = [32], groups = [8]>>
// CHECK-NOT: tile.convert_layout
// CHECK: scf.yield
// CHECK: tile.convert_layout
// CHECK: tile.reduce max
helios.kernel @blocks(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %size = arith.constant 512 : index
    %y = arith.divui %j, %size : index
    %same = arith.cmpi eq, %b, %y : index
    helios.yield %same : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
