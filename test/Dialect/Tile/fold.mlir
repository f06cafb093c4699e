// RUN: helios-opt %s --canonicalize | FileCheck %s

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
#t = #tile.shared<order = [0, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>

// CHECK-LABEL: tile.program @fold
tile.program @fold(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[A:.*]] = tile.load
  %a = tile.load %v[%c0, %c0] : !v -> tensor<32x32xf16, #r>
  // A conversion to the same layout is its operand.
  %b = tile.convert_layout %a : tensor<32x32xf16, #r> -> tensor<32x32xf16, #r>
  // CHECK-NEXT: %[[S:.*]] = tile.convert_layout %[[A]]
  %s = tile.convert_layout %b : tensor<32x32xf16, #r> -> tensor<32x32xf16, #s>
  // So is the transpose of a transpose.
  %t0 = tile.transpose %s : tensor<32x32xf16, #s> -> tensor<32x32xf16, #t>
  %t1 = tile.transpose %t0 : tensor<32x32xf16, #t> -> tensor<32x32xf16, #s>
  // CHECK-NEXT: %[[D:.*]] = tile.convert_layout %[[S]]
  %d = tile.convert_layout %t1 : tensor<32x32xf16, #s> -> tensor<32x32xf16, #r>
  // CHECK-NEXT: tile.store %[[D]]
  tile.store %d, %v[%c0, %c0] : tensor<32x32xf16, #r>, !v
  tile.return
}

// What is not used is erased; what writes, waits or draws is not.
// CHECK-LABEL: tile.program @dead
tile.program @dead(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: tile.view
  // CHECK-NOT: tile.load
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %a = tile.load %v[%c0, %c0] : !v -> tensor<32x32xf16, #r>
  // CHECK: tile.next
  %t = tile.next %c0
  tile.return
}

// Constants stay in their role, and roles do not see each other's.
// CHECK-LABEL: tile.program @roles
// CHECK: tile.roles
// CHECK-NEXT: tile.role "a"
// CHECK-NEXT: arith.constant 7
// CHECK: tile.role "b"
// CHECK-NEXT: arith.constant 7
// CHECK-NOT: tile.role "idle"
tile.program @roles(%n: index) {
  %ring, %c = tile.ring : !tile.ring<1x(index), pass>
  tile.roles captures(%r = %ring, %k = %c : !tile.ring<1x(index), pass>, !tile.cursor) {
    tile.role "a" lanes(32) {
      %w, %c1 = tile.enter write %r[%k] : !tile.ring<1x(index), pass> -> !tile.slot<write>
      %c7 = arith.constant 7 : index
      tile.put %c7 into %w[0] : index, !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
    tile.role "b" lanes(32) {
      %s, %c1, %x = tile.enter read %r[%k] : !tile.ring<1x(index), pass> -> !tile.slot<read>, index
      %c7 = arith.constant 7 : index
      %y = arith.addi %x, %c7 : index
      %z = tile.next %y
      tile.exit %s : !tile.slot<read>
    }
    tile.role "idle" lanes(32) {
    }
  }
  tile.return
}
