// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s

// Where shared memory has room for one workgroup a processor, the assembler need not save registers for a second.
// CHECK-LABEL: llvm.func @alone(
// CHECK-SAME: nvvm.minctasm = 1 : i32
frag.kernel @alone(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 60000 : i64, target = #ptx.target<"sm_89">} {
  frag.return
}

// The same where it has room for two of whose lanes each can have all registers.
// CHECK-LABEL: llvm.func @two(
// CHECK-SAME: nvvm.minctasm = 2 : i32
frag.kernel @two(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 50000 : i64, target = #ptx.target<"sm_89">} {
  frag.return
}

// CHECK-LABEL: llvm.func @many_lanes(
// CHECK-NOT: nvvm.minctasm
frag.kernel @many_lanes(%p: !tile.ptr<f32>) attributes {threads = 256 : i64, shared_bytes = 50000 : i64, target = #ptx.target<"sm_89">} {
  frag.return
}
