// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-rings))'

#s = #tile.shared<order = [1, 0], swizzle = 32>
#regs = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @pad(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @below {{expected zero outside of the view, which is what copies into shared memory fill in, got 1.000000e+00}}
  %t = tile.load %v[%n, %n] pad(1.0) : !v -> tensor<16x16xf16, #s>
  %x = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #regs>
  tile.return
}

// -----

#odd = #tile.shared<order = [1, 0], pad = 1>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @layout(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @below {{expected rows that start at multiples of 16 bytes for cp.async}}
  %t = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #odd>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#regs = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @branch(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %b: i1)
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  scf.for %i = %c0 to %n step %c1 {
    scf.if %b {
      // expected-error @below {{is copied under a condition inside of a loop; expected copies into shared memory in loops only}}
      %t = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #s>
      %x = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #regs>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#regs = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @items(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  tile.items (%i) in (%n) #tile.items<grid> {
    // expected-error @below {{is copied into shared memory inside of 'tile.items'; expected scf.for around it, or scf.if around all loops; run tile-lower-items first}}
    %t = tile.load %v[%i, %n] : !v -> tensor<16x16xf16, #s>
    %x = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #regs>
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @between(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %t = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #s>
  %fa = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
  // expected-error @below {{stands between copies into shared memory that one product reads and uses one of them; expected it before or after them}}
  tile.store %fa, %v[%n, %n] : tensor<16x16xf16, #a>, !v
  %u = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #s>
  %fb = tile.convert_layout %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
  %y = tile.dot %fa, %fb, %zero mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#regs = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @end(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %t = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #s>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{reads a tile in shared memory where its end cannot be named; expected a value that it gives to depend on it}}
    %x = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #regs>
    tile.store %x, %v[%i, %n] : tensor<16x16xf16, #regs>, !v
  }
  tile.return
}
