// RUN: helios-opt %s --helios-to-ptx=device=sm_89 | FileCheck %s
// RUN: helios-opt %s --helios-to-tile-level=device=sm_89 | helios-opt --tile-to-ptx | FileCheck %s
// RUN: helios-opt %s --helios-to-tile-level=device=sm_89 --tile-to-frag-level | helios-opt --frag-to-ptx-level | FileCheck %s
// RUN: not helios-opt %s --helios-to-ptx=device=sm_70 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: unknown target row 'sm_70'; expected one of {{.*}}'sm_90a' 'sm_89' 'sm_86' 'sm_80'
//
// From a description to modules of llvm and nvvm, in one run or level by level.

// CHECK: gpu.module @linear_full attributes {helios.interface = {{.*}}sm = "sm_89"
// CHECK: llvm.func @linear_full
// CHECK: nvvm.mma.sync
helios.kernel @linear(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
