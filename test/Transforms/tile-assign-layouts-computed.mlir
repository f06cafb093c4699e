// RUN: helios-opt --tile-assign-layouts %s | FileCheck %s
// RUN: helios-opt --tile-assign-layouts --tile-lower-items --tile-rings --tile-schedule %s | FileCheck %s --check-prefix=RING
//
// Where a strategy copies past the registers, a tile of which element-wise ops compute a product's operand is copied as it is stored. Lanes read
// it where the instruction wants the operand, and what is broadcast is loaded there. Both operands share a ring; the vector is loaded as early as
// copies are.

// CHECK-LABEL: tile.program @transposed
// CHECK: %[[W:.+]] = tile.load {{.*}} -> tensor<64x128xi8, #tile.shared<order = [1, 0], swizzle = 128>>
// CHECK: %[[T:.+]] = tile.transpose %[[W]]
// CHECK: %[[S:.+]] = tile.load {{.*}} -> tensor<64xf16, #tile.slice<0, {{.*}}tile.operand<b,
// CHECK: %[[R:.+]] = tile.convert_layout %[[T]] : {{.*}} -> tensor<128x64xi8, #tile.operand<b,
// CHECK: arith.sitofp %[[R]]
// CHECK-NOT: tile.convert_layout {{.*}}f16, #tile.operand<b{{.*}}#tile.shared
// CHECK: tile.dot

// RING-LABEL: tile.program @transposed
// RING: tile.ring : !tile.ring<4x(tensor<16x128xf16, {{.*}}>, tensor<64x128xi8, {{.*}}>)
// RING-NOT: tile.ring :
// RING: tile.load {{.*}}stage = 0{{.*}} -> tensor<64xf16
// RING: tile.convert_layout {{.*}}stage = 3{{.*}} -> tensor<128x64xi8
!a = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xi8, strides = [?, 1], div = [16, 1], align = 16>
!s = !tile.view<?x?xf16, strides = [?, ?]>
tile.program @transposed(%pa: !tile.ptr<f16>, %pw: !tile.ptr<i8>, %ps: !tile.ptr<f16>, %pd: !tile.ptr<f16>,
                         %m: index {tile.range = array<i64: 1, 2147483647>}, %n: index {tile.div = 64 : index, tile.range = array<i64: 1, 2147483647>},
                         %k: index {tile.div = 128 : index, tile.range = array<i64: 1, 2147483647>},
                         %la: index {tile.div = 8 : index, tile.range = array<i64: 0, 2147483647>}, %lw: index {tile.div = 16 : index, tile.range = array<i64: 0, 2147483647>},
                         %ls: index {tile.range = array<i64: 0, 2147483647>}, %ld: index {tile.div = 8 : index, tile.range = array<i64: 0, 2147483647>})
    attributes {config = #tile.config<groups = [1, 4], mma = [16, 8, 16], strategy = groups, depth = 4, pad = 8>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %groups = arith.divui %k, %c128 : index
  %A = tile.view %pa[%m, %k] strides[%la] : !tile.ptr<f16> -> !a
  %W = tile.view %pw[%n, %k] strides[%lw] : !tile.ptr<i8> -> !w
  %S = tile.view %ps[%groups, %n] strides[%c1, %ls] : !tile.ptr<f16> -> !s
  %D = tile.view %pd[%m, %n] strides[%ld] : !tile.ptr<f16> -> !a
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %rows = arith.ceildivui %m, %c16 : index
  %columns = arith.ceildivui %n, %c64 : index
  tile.items (%i, %j) in (%rows, %columns) #tile.items<grid> {
    %y = arith.muli %i, %c16 : index
    %x = arith.muli %j, %c64 : index
    %sum = scf.for %g = %c0 to %groups step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) {
      %z = arith.muli %g, %c128 : index
      %a = tile.load %A[%y, %z] : !a -> tensor<16x128xf16>
      %w = tile.load %W[%x, %z] : !w -> tensor<64x128xi8>
      %wt = tile.transpose %w : tensor<64x128xi8> -> tensor<128x64xi8>
      %s = tile.load %S[%g, %x] : !s -> tensor<64xf16>
      %e = tile.expand %s, [0] : tensor<64xf16> -> tensor<128x64xf16>
      %f = arith.sitofp %wt : tensor<128x64xi8> to tensor<128x64xf16>
      %b = arith.mulf %f, %e : tensor<128x64xf16>
      %d = tile.dot %a, %b, %acc : tensor<16x128xf16>, tensor<128x64xf16>, tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %r = arith.truncf %sum : tensor<16x64xf32> to tensor<16x64xf16>
    tile.store %r, %D[%y, %x] : tensor<16x64xf16>, !a
  }
  tile.return
}
