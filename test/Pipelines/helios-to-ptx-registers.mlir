// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir -p %t
// RUN: helios-compile %s --target=cuda:sm_90a --schedule=strategy=roles,tile=64x64x64,groups=1x1,depth=4,items=persistent --emit=ptx -o %t/k.ptx
// RUN: %python %S/Inputs/assemble.py %ptxas %t | FileCheck %s --implicit-check-not='not clean'
// RUN: FileCheck %s --check-prefix=ROW < %t/k.sm_90a.row_aligned.ptx
//
// One group that computes and one that copies could have more registers a lane than there are: they enter with the most that is a multiple
// of 8.

// CHECK-DAG: k.sm_90a.row_aligned.ptx: clean, 0 bytes
// ROW: .maxnreg 248
// ROW-NOT: setmaxnreg{{.*}}248
// ROW: setmaxnreg.dec.sync.aligned.u32 56
helios.kernel @row(%a: tensor<1x64xf16>, %b: tensor<64x64xf16>) -> tensor<1x64xf16> {
  %d = helios.matmul %a, %b : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16> acc f32
  helios.return %d : tensor<1x64xf16>
}
