// RUN: helios-opt %s --helios-set-target=device=lavapipe --helios-select-schedule=tuned=%S/Inputs/tuned.json -o %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// RUN: helios-opt %s --helios-set-target=device=nvidia --helios-select-schedule=tuned=%S/Inputs/tuned.json -o %t.row.out 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: helios-opt %s --helios-set-target=device=nvidia --helios-select-schedule -o %t.plain
// RUN: diff %t.row.out %t.plain
// RUN: sed 's/"compiler": "0.1.0"/"compiler": "0.0.9"/' %S/Inputs/tuned.json > %t.version
// RUN: helios-opt %s --helios-set-target=device=lavapipe --helios-select-schedule=tuned=%t.version -o %t.version.out 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo '{"format": "helios-tune/0", "entries": []}' > %t.old
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.old 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: echo '{"format": ' > %t.torn
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.torn 2>&1 | FileCheck %s --check-prefix=TORN
// RUN: sed 's/"upto": \[256, 256, 512\]/"upto": [256, 256]/' %S/Inputs/tuned.json > %t.short
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/"upto": \[256, 256, 512\]/"upto": [256, 256, 496]/' %S/Inputs/tuned.json > %t.empty
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: sed 's/"winner": "tile/"winner": 3, "no": "tile/' %S/Inputs/tuned.json > %t.type
// RUN: not helios-opt %s --helios-select-schedule=tuned=%t.type 2>&1 | FileCheck %s --check-prefix=TYPE

// NONE: error: table of schedules '{{.*}}.none': cannot be read: No such file or directory
// OLD: error: table of schedules '{{.*}}.old': expected the format 'helios-tune/1', got 'helios-tune/0'
// TORN: error: table of schedules '{{.*}}.torn': expected JSON:
// SHORT: error: table of schedules '{{.*}}.short': expected three extents, as in 'upto' at table.entries[0].above
// EMPTY: error: table of schedules '{{.*}}.empty': expected extents larger than in 'above' at table.entries[0].upto
// TYPE: error: table of schedules '{{.*}}.type': expected string at table.entries[0].winner

// What was measured comes behind the model's schedules, with the instruction filled in; what was wrong on a device is not chosen by the model.
// CHECK-LABEL: helios.kernel @plain(
// CHECK-NOT: tile = [16, 32, 64], groups = [1, 4]
// CHECK-SAME: #helios.schedule<tile = [16, 16, 16], groups = [1, 1], mma = [8, 8, 8], raster = 4>], modelled = [[#MODELLED:]] : i64
// CHECK-SAME: tuned = [#helios.tuned<[[#MODELLED]], above = [240, 240, 496], upto = [256, 256, 512], aligned = true>]
// SAID: remark: a schedule of the table '{{.*}}tuned.json' is left out: 'helios.matmul' op cannot have the schedule 'tile=17x16x16,groups=1x1': tile 17x16x16 is no multiple of
// ROW: remark: table of schedules '{{.*}}tuned.json' is ignored: expected measurements for row 'nvidia', got some for lavapipe, simt
// VERSION: remark: table of schedules '{{.*}}.version' is ignored: expected one of version 0.1.0, got others
helios.kernel @plain(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// Measured without an epilogue, so not for one that computes.
// CHECK-LABEL: helios.kernel @squared(
// CHECK-NOT: tuned
// CHECK: helios.matmul
helios.kernel @squared(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %x : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// A schedule that somebody gave stays.
// CHECK-LABEL: helios.kernel @given(
// CHECK-NOT: tuned
// CHECK-NOT: modelled
// CHECK: helios.matmul
// SAID: remark: table of schedules '{{.*}}tuned.json' is ignored: expected a kernel of one product that has no schedule, got one that has
helios.kernel @given(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<tile = [32, 32, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// Measured with a pair, so for pairs alone.
// CHECK-LABEL: helios.kernel @paired(
// CHECK-SAME: tile = [16, 24, 16], groups = [1, 1], mma = [8, 8, 8]
// CHECK-SAME: tuned = [#helios.tuned<{{[0-9]+}}, above = [240, 240, 496]
helios.kernel @paired(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %u = arith.mulf %x, %y : f32
    %z = arith.truncf %u : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
