// Text that a command line gives; each error names the parameter and its range.
// RUN: not helios-opt --helios-select-schedule=schedule=tile=1x2 %s 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not helios-opt --helios-select-schedule=schedule=depth=0 %s 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not helios-opt --helios-select-schedule=schedule=speed=9 %s 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not helios-opt --helios-select-schedule=schedule=depth=1,depth=2 %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not helios-opt --helios-select-schedule=schedule=strategy=quick %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: helios-opt --helios-select-schedule=schedule=default %s | FileCheck %s
// What a text leaves out follows from the target.
// RUN: sed 's/#spv.target<"nvidia">/#ptx.target<"sm_89">/' %s | helios-opt --helios-select-schedule=schedule=tile=128x64x32,groups=2x2 | FileCheck %s --check-prefix=GROUPS
// RUN: sed 's/#spv.target<"nvidia">/#ptx.target<"sm_90a">/' %s | helios-opt --helios-select-schedule=schedule=tile=128x256x64,groups=2x1 | FileCheck %s --check-prefix=ROLES
// RUN: sed 's/#spv.target<"nvidia">/#ptx.target<"sm_90a">/;s/f16/f32/g' %s | helios-opt --helios-select-schedule=schedule=tile=128x64x32,groups=2x2,depth=2 | FileCheck %s --check-prefix=SINGLE
// RUN: sed 's/#spv.target<"nvidia">/#ptx.target<"sm_90a">/' %s | helios-opt --helios-select-schedule=schedule=strategy=staged,tile=128x64x32 | FileCheck %s --check-prefix=STAGED

// COUNT: schedule parameter 'tile' must be 3 integers (m, n, k), each from 1 to 1024 with 'x' between, got '1x2'
// RANGE: schedule parameter 'depth' must be an integer from 1 to 16, got '0'
// KEY: unknown schedule parameter 'speed'; expected one of strategy, tile, groups, sliced_k, mma, depth, pad, raster, items, cluster, cluster_k, turns, epilogue_rows, unroll, ahead
// TWICE: schedule parameter 'depth' is given twice
// WORD: schedule parameter 'strategy' must be one of staged, groups, roles, got 'quick'
// CHECK: schedule = #helios.schedule<mma = [16, 16, 16]>
// GROUPS: schedule = #helios.schedule<strategy = groups, tile = [128, 64, 32], mma = [16, 8, 16], depth = 4>
// ROLES: schedule = #helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [2, 1], mma = [64, 256, 16], depth = 4, items = persistent>
// SINGLE: schedule = #helios.schedule<strategy = groups, tile = [128, 64, 32], mma = [32, 16, 4], depth = 2>
// STAGED: schedule = #helios.schedule<tile = [128, 64, 32], mma = [16, 8, 16]>
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
