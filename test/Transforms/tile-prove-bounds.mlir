// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-prove-bounds))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1]>
// CHECK-LABEL: @items
tile.program @items(%p: !tile.ptr<f16>, %m: index {tile.div = 64 : index}, %k: index {tile.div = 48 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %tm = arith.ceildivui %m, %c64 : index
  %tk = arith.ceildivui %k, %c32 : index
  %t48 = arith.divui %k, %c32 : index
  tile.items (%i) in (%tm) #tile.items<grid> {
    %r = arith.muli %i, %c64 : index
    %half = arith.addi %r, %c32 : index
    scf.for %j = %c0 to %tk step %c1 {
      %c = arith.muli %j, %c32 : index
      // 32 does not divide the extent, a multiple of 48.
      // CHECK: tile.load
      // CHECK-NOT: in_bounds
      %x = tile.load %v[%r, %c] : !v -> tensor<64x32xf16>
      tile.store %x, %v[%r, %c] : tensor<64x32xf16>, !v
    }
    scf.for %j = %c0 to %t48 step %c1 {
      %c = arith.muli %j, %c32 : index
      // CHECK: tile.load {{.*}} in_bounds : {{.*}} tensor<64x32xf16>
      %x = tile.load %v[%r, %c] : !v -> tensor<64x32xf16>
      // CHECK: tile.store {{.*}} in_bounds
      tile.store %x, %v[%r, %c] : tensor<64x32xf16>, !v
      // CHECK: tile.load {{.*}} in_bounds : {{.*}} tensor<32x32xf16>
      %y = tile.load %v[%half, %c] : !v -> tensor<32x32xf16>
      // The slab reaches beyond the item.
      // CHECK: tile.store
      // CHECK-NOT: in_bounds
      tile.store %x, %v[%half, %c] : tensor<64x32xf16>, !v
    }
  }
  tile.return
}

// Parts of the steps: what is left behind the first one bounds them, as a signed number. A minimum without a sign says nothing where that is negative,
// and neither does a part that begins who knows where.
// CHECK-LABEL: tile.program @parts(
tile.program @parts(%p: !tile.ptr<f16>, %m: index {tile.range = array<i64: 64, 128>},
    %k: index {tile.range = array<i64: 1, 2147483647>, tile.div = 32 : index}, %ld: index, %slices: index {tile.range = array<i64: 1, 64>},
    %per: index {tile.range = array<i64: 1, 2147483647>}, %from: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %p[%m, %k] strides [%ld] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  %steps = arith.ceildivui %k, %c32 : index
  tile.items (%z) in (%slices) #tile.items<grid> {
    %first = arith.muli %z, %per : index
    %left = arith.subi %steps, %first : index
    %mine = arith.minsi %per, %left : index
    %unsigned = arith.minui %per, %left : index
    %some = arith.subi %steps, %from : index
    scf.for %s = %c0 to %mine step %c1 {
      %at = arith.addi %first, %s : index
      %c = arith.muli %at, %c32 : index
      // CHECK: tile.load {{.*}} in_bounds : {{.*}} tensor<64x32xf16>
      %x = tile.load %v[%c0, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x32xf16>
    }
    scf.for %s = %c0 to %left step %c1 {
      %at = arith.addi %s, %first : index
      %c = arith.muli %at, %c32 : index
      // CHECK: tile.load {{.*}} in_bounds : {{.*}} tensor<64x32xf16>
      %x = tile.load %v[%c0, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x32xf16>
    }
    // CHECK-NOT: in_bounds
    scf.for %s = %c0 to %unsigned step %c1 {
      %at = arith.addi %first, %s : index
      %c = arith.muli %at, %c32 : index
      %x = tile.load %v[%c0, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x32xf16>
    }
    scf.for %s = %c0 to %some step %c1 {
      %at = arith.addi %from, %s : index
      %c = arith.muli %at, %c32 : index
      %x = tile.load %v[%c0, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x32xf16>
    }
    scf.for %s = %c0 to %per step %c1 {
      %at = arith.addi %first, %s : index
      %c = arith.muli %at, %c32 : index
      %x = tile.load %v[%c0, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x32xf16>
    }
  }
  // CHECK: tile.return
  tile.return
}

// The least of several is at most each of them: of bounds of loops, and of coordinates.
// CHECK-LABEL: @minimum
tile.program @minimum(%p: !tile.ptr<f16>, %m: index {tile.range = array<i64: 1, 1000>}, %n: index {tile.div = 32 : index}, %i: index {tile.range = array<i64: 0, 1000>},
    %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %all = arith.ceildivui %n, %c32 : index
  %some = arith.minsi %i, %all : index
  %last = arith.subi %m, %c1 : index
  %row = arith.minsi %i, %last : index
  %unknown = arith.minsi %j, %last : index
  scf.for %s = %c0 to %some step %c1 {
    %c = arith.muli %s, %c32 : index
    // CHECK: tile.load {{.*}} in_bounds
    %x = tile.load %v[%row, %c] : !v -> tensor<1x32xf16>
    // CHECK: tile.load
    // CHECK-NOT: in_bounds
    %y = tile.load %v[%unknown, %c] : !v -> tensor<1x32xf16>
    %z = tile.load %v[%i, %c] : !v -> tensor<1x32xf16>
  }
  // CHECK: tile.return
  tile.return
}

// A cluster of items may reach beyond the bound, unless its extent divides the number of items.
// CHECK-LABEL: @cluster
tile.program @cluster(%p: !tile.ptr<f16>, %m: index {tile.div = 64 : index}, %n: index {tile.div = 128 : index}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %tm = arith.ceildivui %m, %c64 : index
  %tn = arith.ceildivui %n, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, cluster = [1, 2]> {
    %r = arith.muli %i, %c64 : index
    %c = arith.muli %j, %c64 : index
    // CHECK: tile.store {{.*}} in_bounds
    tile.store %zero, %v[%r, %c] : tensor<64x64xf16>, !v
  }
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, cluster = [2, 1]> {
    %r = arith.muli %i, %c64 : index
    %c = arith.muli %j, %c64 : index
    // CHECK: tile.store
    // CHECK-NOT: in_bounds
    tile.store %zero, %v[%r, %c] : tensor<64x64xf16>, !v
  }
  tile.return
}

// What is stored of K has the bound of K over its divisor, where that divides K.
// CHECK-LABEL: tile.program @divided(
tile.program @divided(%p: !tile.ptr<i8>, %n: index {tile.range = array<i64: 64, 128>}, %k: index {tile.div = 128 : index}, %odd: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %stored = arith.divui %k, %c2 : index
  %rest = arith.divui %odd, %c2 : index
  %v = tile.view %p[%n, %stored] strides [%k] : !tile.ptr<i8> -> !tile.view<?x?xi8, strides = [?, 1]>
  %w = tile.view %p[%n, %rest] strides [%k] : !tile.ptr<i8> -> !tile.view<?x?xi8, strides = [?, 1]>
  %steps = arith.ceildivui %k, %c128 : index
  %others = arith.ceildivui %odd, %c128 : index
  tile.items (%z) in (%c1) #tile.items<grid> {
    scf.for %s = %c0 to %steps step %c1 {
      %at = arith.muli %s, %c64 : index
      // CHECK: tile.load {{.*}} in_bounds
      %x = tile.load %v[%c0, %at] : !tile.view<?x?xi8, strides = [?, 1]> -> tensor<64x64xi8>
    }
    scf.for %s = %c0 to %others step %c1 {
      %at = arith.muli %s, %c64 : index
      // CHECK: tile.load
      // CHECK-NOT: in_bounds
      %x = tile.load %w[%c0, %at] : !tile.view<?x?xi8, strides = [?, 1]> -> tensor<64x64xi8>
    }
  }
  tile.return
}

// A loop that walks a range from its end stays in it, from its beginning on as well as from zero; one whose trips may be more does not, nor one that begins
// behind the end.
// CHECK-LABEL: tile.program @backwards(
tile.program @backwards(%p: !tile.ptr<f16>, %n: index {tile.div = 64 : index, tile.range = array<i64: 0, 1048576>},
                        %first: index {tile.range = array<i64: 0, 1048576>}, %more: index {tile.range = array<i64: 0, 1048576>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %c64] strides [%c64] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  %end = arith.ceildivui %n, %c64 : index
  %last = arith.subi %end, %c1 : index
  %behind = arith.addi %end, %c1 : index
  %rest = arith.subi %end, %first : index
  tile.items (%z) in (%c1) #tile.items<grid> {
    scf.for %i = %c0 to %end step %c1 {
      %block = arith.subi %last, %i : index
      %at = arith.muli %block, %c64 : index
      // CHECK: tile.load {{.*}} in_bounds
      %x = tile.load %v[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
    }
    scf.for %i = %c0 to %rest step %c1 {
      %block = arith.subi %last, %i : index
      %at = arith.muli %block, %c64 : index
      // CHECK: tile.load {{.*}} in_bounds
      %x = tile.load %v[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
    }
    scf.for %i = %c0 to %more step %c1 {
      %block = arith.subi %last, %i : index
      %at = arith.muli %block, %c64 : index
      // CHECK: tile.load
      // CHECK-NOT: in_bounds
      %x = tile.load %v[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
    }
    scf.for %i = %c0 to %end step %c1 {
      %block = arith.subi %behind, %i : index
      %at = arith.muli %block, %c64 : index
      // CHECK: tile.load
      // CHECK-NOT: in_bounds
      %x = tile.load %v[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
    }
  }
  tile.return
}

// -----

// A view that ends behind the last key that an item's queries may see: its end is a multiple of a block, and the blocks of the item end
// there; but not where the end is one short, or where blocks are counted from a number that they do not divide.
// CHECK-LABEL: tile.program @clipped(
tile.program @clipped(%p: !tile.ptr<f16>, %n: index {tile.div = 32 : index, tile.range = array<i64: 1, 1048576>},
                      %m: index {tile.range = array<i64: 1, 1048576>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %c95 = arith.constant 95 : index
  %all = arith.ceildivui %n, %c32 : index
  tile.items (%z) in (%m) #tile.items<grid> {
    %query = arith.muli %z, %c64 : index
    %reach = arith.addi %query, %c95 : index
    %up = arith.maxsi %reach, %c0 : index
    %blocks = arith.divui %up, %c32 : index
    %some = arith.maxsi %blocks, %c1 : index
    %end = arith.minsi %some, %all : index
    %behind = arith.addi %query, %c64 : index
    %visible = arith.minsi %behind, %n : index
    // CHECK: %[[V:.*]] = tile.view %{{.*}}[%{{.*}}, %c64]
    %v = tile.view %p[%visible, %c64] strides [%c64] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
    %short = arith.addi %query, %c63 : index
    %fewer = arith.minsi %short, %n : index
    %w = tile.view %p[%fewer, %c64] strides [%c64] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
    %odd = arith.muli %z, %c48 : index
    %oddReach = arith.addi %odd, %c95 : index
    %oddBlocks = arith.divui %oddReach, %c32 : index
    %oddEnd = arith.minsi %oddBlocks, %all : index
    %oddBehind = arith.addi %odd, %c64 : index
    %oddVisible = arith.minsi %oddBehind, %n : index
    %u = tile.view %p[%oddVisible, %c64] strides [%c64] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
    scf.for %i = %c0 to %end step %c1 {
      %at = arith.muli %i, %c32 : index
      // CHECK: tile.load %[[V]]{{.*}} in_bounds
      %x = tile.load %v[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<32x64xf16>
      // CHECK-NOT: in_bounds
      %y = tile.load %w[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<32x64xf16>
    }
    scf.for %i = %c0 to %oddEnd step %c1 {
      %at = arith.muli %i, %c32 : index
      %x = tile.load %u[%at, %c0] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<32x64xf16>
    }
  }
  tile.return
}

// Copies are told along which dimensions they need not look; lanes look along all.
// CHECK-LABEL: @sides
#s = #tile.shared<order = [1, 0], swizzle = 64>
#lanes = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
tile.program @sides(%p: !tile.ptr<f16>, %m: index, %k: index {tile.div = 32 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %tm = arith.ceildivui %m, %c64 : index
  %tk = arith.ceildivui %k, %c32 : index
  tile.items (%i) in (%tm) #tile.items<grid> {
    %r = arith.muli %i, %c64 : index
    scf.for %j = %c0 to %tk step %c1 {
      %c = arith.muli %j, %c32 : index
      // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {inside = array<i64: 1>} : {{.*}} -> tensor<64x32xf16, #tile.shared
      %x = tile.load %v[%r, %c] : !v -> tensor<64x32xf16, #s>
      // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}} -> tensor<64x32xf16, #tile.regs
      %y = tile.load %v[%r, %c] : !v -> tensor<64x32xf16, #lanes>
    }
  }
  tile.return
}

// Items by their number, places in a cluster, and a place that is at most the last.
// CHECK-LABEL: @item_at
tile.program @item_at(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index {tile.div = 128 : index}, %n: index, %places: index {tile.range = array<i64: 1, 1000>}, %x: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  %w = tile.view %q[%places] : !tile.ptr<f16> -> !tile.view<?x128x64xf16, strides = [8192, 64, 1]>
  %tm = arith.ceildivui %m, %c64 : index
  %tn = arith.divui %n, %c64 : index
  %i, %j = tile.item_at %x in (%tm, %tn) #tile.items<persistent, cluster = [2, 1]>
  %r = arith.muli %i, %c64 : index
  %c = arith.muli %j, %c64 : index
  // CHECK: tile.load {{.*}} in_bounds
  %y = tile.load %v[%r, %c] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
  %last = arith.constant 1 : index
  %most = arith.subi %places, %last : index
  %some = arith.maxsi %x, %c0 : index
  %place = arith.minsi %some, %most : index
  %in = arith.remui %i, %c2 : index
  %row = arith.muli %in, %c64 : index
  // CHECK: tile.store {{.*}} in_bounds
  tile.store %y, %w[%place, %row, %c0] : tensor<64x64xf16>, !tile.view<?x128x64xf16, strides = [8192, 64, 1]>
  // CHECK: tile.store
  // CHECK-NOT: in_bounds
  tile.store %y, %w[%some, %row, %c0] : tensor<64x64xf16>, !tile.view<?x128x64xf16, strides = [8192, 64, 1]>
  tile.return
}
