// RUN: helios-opt %s --convert-frag-to-spirv --split-input-file --verify-diagnostics
//
// What the SPIR-V target does not lower is an error that names the op.

// expected-error@+1 {{uses a cluster of 2 workgroups, which SPIR-V lacks}}
frag.kernel @cluster() attributes {threads = 8 : i64, cluster = 2 : i64} {
  frag.return
}

// -----

// expected-error@+1 {{expected argument #0 to be a pointer, an index or 32 bits wide, got 'f64'; push constants are 32-bit words}}
frag.kernel @wide(%x: f64) attributes {threads = 8 : i64} {
  frag.return
}

// -----

frag.kernel @roles() attributes {threads = 128 : i64} {
  // expected-error@+1 {{'frag.role' op is not lowered to SPIR-V yet; choose a schedule whose kernels do without it}}
  frag.role lanes(0 to 128) {
    frag.yield
  }
  frag.return
}

// -----

#rows = #tile.regs<vec = [1, 1], lanes = [1, 8], groups = [1, 1]>
frag.kernel @vote(%y: i32) attributes {threads = 8 : i64} {
  %x = arith.trunci %y : i32 to i1
  %f = frag.splat %x : i1 -> !frag.f<1x8xi1, #rows>
  // expected-error@+1 {{expected lanes of one subgroup, got '!frag.f<1x8xi1, }}
  %s = frag.reduce or %f, all : !frag.f<1x8xi1, #rows> -> i1
  frag.return
}

// -----

#oS = #tile.opaque<acc, #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>, groups = [1, 1]>
!v1 = !frag.mem<8xf32, #tile.shared<order = [0]>>
frag.kernel @vector(%x: f32) attributes {threads = 8 : i64, shared_bytes = 32 : i64, target = #spv.target<"lavapipe">} {
  %c0 = arith.constant 0 : index
  %f = frag.splat %x : f32 -> !frag.f<8xf32, #tile.slice<1, #oS>>
  %s = frag.shared 0 : !v1
  // expected-error@+1 {{of a vector of matrices is lowered to SPIR-V into memory of one dimension more; write the vector where lanes hold it}}
  frag.write %f, %s[%c0] : !frag.f<8xf32, #tile.slice<1, #oS>>, !v1
  frag.return
}

// -----

#rows = #tile.regs<vec = [1, 8], lanes = [8, 1], groups = [1, 1]>
!v1 = !frag.mem<8xf32, #tile.shared<order = [0]>>
frag.kernel @broadcast() attributes {threads = 8 : i64, shared_bytes = 32 : i64} {
  %c0 = arith.constant 0 : index
  %s = frag.shared 0 : !v1
  // expected-error@+1 {{expected 'broadcast' from shared memory into a full slice of a layout #tile.opaque}}
  %f = frag.read %s[%c0] broadcast : !v1 -> !frag.f<8xf32, #tile.slice<1, #rows>>
  frag.return
}

// -----

#row = #tile.regs<vec = [1], lanes = [8], groups = [1]>
frag.kernel @element(%p: !tile.ptr<f64>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n] : !tile.ptr<f64> -> !tile.view<?xf64, strides = [1]>
  // expected-error@+1 {{of 'f64' is not lowered to SPIR-V yet; f16, bf16, f32, i8 and i32 are}}
  %x = frag.read %V[%c0] : !tile.view<?xf64, strides = [1]> -> !frag.f<8xf64, #row>
  frag.return
}

// -----

#row = #tile.regs<vec = [1], lanes = [8], groups = [1]>
!s = !frag.mem<8xf16, #tile.shared<order = [0]>>
frag.kernel @narrow(%x: f32) attributes {threads = 8 : i64, shared_bytes = 16 : i64} {
  %c0 = arith.constant 0 : index
  %h = arith.truncf %x : f32 to f16
  %f = frag.splat %h : f16 -> !frag.f<8xf16, #row>
  %s = frag.shared 0 : !s
  // expected-error@+1 {{narrower stores would race within a word}}
  frag.write %f, %s[%c0] : !frag.f<8xf16, #row>, !s
  frag.return
}

// -----

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
!s = !frag.mem<8x8xf16, #tile.shared<order = [1, 0], pad = 4>>
frag.kernel @rows() attributes {threads = 8 : i64, shared_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %s = frag.shared 0 : !s
  // expected-error@+1 {{expected rows of cooperative matrices to start at multiples of 16 bytes (8 elements)}}
  %x = frag.read %s[%c0, %c0] : !s -> !frag.f<8x8xf16, #a>
  frag.return
}

// -----

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
!s = !frag.mem<8x16xf16, #tile.shared<order = [1, 0], swizzle = 32>>
frag.kernel @swizzle() attributes {threads = 8 : i64, shared_bytes = 256 : i64} {
  %c0 = arith.constant 0 : index
  %s = frag.shared 0 : !s
  // expected-error@+1 {{expected shared memory of a layout #tile.shared without swizzle or kperm}}
  %x = frag.read %s[%c0, %c0] : !s -> !frag.f<8x8xf16, #a>
  frag.return
}

// -----

#row = #tile.regs<vec = [1], lanes = [8], groups = [1]>
frag.kernel @unknown(%x: f32) attributes {threads = 8 : i64} {
  %f = frag.splat %x : f32 -> !frag.f<8xf32, #row>
  %g = frag.map(%f : !frag.f<8xf32, #row>) -> !frag.f<8xf32, #row> {
  ^bb0(%e: f32):
    // expected-error@+1 {{'math.clampf' op is not lowered to SPIR-V yet; write it with other functions of math}}
    %y = math.clampf %e to [%e, %e] : f32
    frag.yield %y : f32
  }
  frag.return
}

// -----

// Limits of the target row.
// expected-error@+1 {{needs 132 bytes of push constants, but target 'simt' has 128; use fewer scalar arguments}}
frag.kernel @push(%0: i32, %1: i32, %2: i32, %3: i32, %4: i32, %5: i32, %6: i32, %7: i32, %8: i32, %9: i32, %10: i32, %11: i32,
    %12: i32, %13: i32, %14: i32, %15: i32, %16: i32, %17: i32, %18: i32, %19: i32, %20: i32, %21: i32, %22: i32, %23: i32,
    %24: i32, %25: i32, %26: i32, %27: i32, %28: i32, %29: i32, %30: i32, %31: i32, %32: i32)
    attributes {threads = 64 : i64, target = #spv.target<"simt">} {
  frag.return
}

// -----

// expected-error@+1 {{needs 256 invocations a workgroup, but target 'simt' has 128; choose fewer lane groups}}
frag.kernel @threads() attributes {threads = 256 : i64, target = #spv.target<"simt">} {
  frag.return
}

// -----

#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
// expected-error@+1 {{multiplies by #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 8>, which target 'lavapipe' does not list}}
frag.kernel @shape(%y: f32) attributes {threads = 8 : i64, target = #spv.target<"lavapipe">} {
  %h = arith.constant 1.0 : f16
  %a = frag.splat %h : f16 -> !frag.f<16x16xf16, #a>
  %b = frag.splat %h : f16 -> !frag.f<16x16xf16, #b>
  %c = frag.splat %y : f32 -> !frag.f<16x16xf32, #acc>
  %d = frag.mma #mma %a, %b, %c : !frag.f<16x16xf16, #a>, !frag.f<16x16xf16, #b>, !frag.f<16x16xf32, #acc>
  frag.return
}

// -----

#mma = #spv.coop<[8, 8, 8], i8, i8, i32, lanes = 8>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
frag.kernel @integers(%x: i32) attributes {threads = 8 : i64} {
  %f = frag.splat %x : i32 -> !frag.f<8x8xi32, #acc>
  // expected-error@+1 {{of 'i32' matrices is not lowered to SPIR-V yet}}
  %g = frag.map(%f : !frag.f<8x8xi32, #acc>) -> !frag.f<8x8xi32, #acc> {
  ^bb0(%e: i32):
    %y = arith.addi %e, %e : i32
    frag.yield %y : i32
  }
  frag.return
}

// -----

#mma = #spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, i32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
frag.kernel @mixed(%x: f32, %y: i32) attributes {threads = 64 : i64} {
  %a = frag.splat %x : f32 -> !frag.f<32x4xf32, #a>
  %b = frag.splat %x : f32 -> !frag.f<4x32xf32, #b>
  %c = frag.splat %y : i32 -> !frag.f<32x32xi32, #acc>
  // expected-error@+1 {{expected f16, bf16 or f32 accumulated in f32, or i8 in i32, got 'f32' in 'i32'}}
  %d = frag.mma #mma %a, %b, %c : !frag.f<32x4xf32, #a>, !frag.f<4x32xf32, #b>, !frag.f<32x32xi32, #acc>
  frag.return
}

// -----

#row = #tile.regs<vec = [1], lanes = [8], groups = [1]>
frag.kernel @wide(%y: f32) attributes {threads = 8 : i64} {
  %f = frag.splat %y : f32 -> !frag.f<8xf32, #row>
  %g = frag.map(%f : !frag.f<8xf32, #row>) -> !frag.f<8xf32, #row> {
  ^bb0(%e: f32):
    %x = arith.extf %e : f32 to f64
    // expected-error@+1 {{'math.isfinite' op is not lowered to SPIR-V yet; write it with other functions of math}}
    %finite = math.isfinite %x : f64
    %z = arith.select %finite, %e, %y : f32
    frag.yield %z : f32
  }
  frag.return
}

// -----

#oS = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
frag.kernel @truths(%x: f32) attributes {threads = 32 : i64, target = #spv.target<"nvidia">} {
  %f = frag.splat %x : f32 -> !frag.f<16x16xf32, #oS>
  %t = frag.map(%f : !frag.f<16x16xf32, #oS>) -> !frag.f<16x16xi1, #oS> {
  ^bb0(%e: f32):
    %c = arith.cmpf ogt, %e, %x : f32
    frag.yield %c : i1
  }
  // expected-error@+1 {{of matrices of truth values is not lowered to SPIR-V yet; hand on numbers}}
  %u = frag.map(%t, %f : !frag.f<16x16xi1, #oS>, !frag.f<16x16xf32, #oS>) -> !frag.f<16x16xf32, #oS> {
  ^bb0(%c: i1, %e: f32):
    %s = arith.select %c, %e, %x : f32
    frag.yield %s : f32
  }
  frag.return
}
