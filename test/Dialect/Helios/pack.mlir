// RUN: helios-opt --split-input-file --verify-diagnostics %s | helios-opt --split-input-file --verify-diagnostics | FileCheck %s

#packing = #helios.packing<lhs, mma = [16, 8, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>
// CHECK-LABEL: @pack
// CHECK: helios.pack #helios.packing<lhs, mma = [16, 8, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>, %{{.+}} {transpose} : tensor<?x?xf16> -> tensor<?x?x32x8xf16>
helios.kernel @pack(%a: tensor<?x?xf16>) -> tensor<?x?x32x8xf16> {
  %p = helios.pack #packing, %a {transpose} : tensor<?x?xf16> -> tensor<?x?x32x8xf16>
  helios.return %p : tensor<?x?x32x8xf16>
}
