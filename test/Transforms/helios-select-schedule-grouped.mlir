// RUN: helios-opt --helios-select-schedule %s | FileCheck %s

// Tiles of rows of different groups share nothing and K is not split. Lanes need registers to look for groups: there are no tiles of
// more than 128 rows, and in turns none of 160 columns.
// CHECK-LABEL: helios.kernel @grouped
// CHECK-NOT: {{cluster =|split_k =|tile = \[(192|256), |tile = \[128, (1[6-9]|2).. 64\], groups = \[1, }}
// CHECK: tile = [128, 256, 64], groups = [2, 1]
// CHECK-NOT: {{cluster =|split_k =|tile = \[(192|256), |tile = \[128, (1[6-9]|2).. 64\], groups = \[1, }}
// CHECK: helios.matmul
helios.kernel @grouped(%a: tensor<?x?xbf16>, %b: tensor<?x?x?xbf16>, %ends: tensor<?xi32>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
