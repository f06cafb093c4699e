// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Kernels that begin while the dispatch before them runs: what touches global memory stands behind the wait.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>
frag.kernel @before(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  // expected-error @below {{touches global memory that is not constant; expected 'frag.await_dependencies' before it on every way, got none}}
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.await_dependencies
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}

// -----

// A constant may be read there, but not written, and nothing else read.
#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>
frag.kernel @constant(%p: !tile.ptr<f32> {tile.constant}, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  // expected-error @below {{touches global memory that is not constant; expected 'frag.await_dependencies' before it on every way, got none}}
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.await_dependencies
  frag.return
}

// -----

// expected-error @below {{expected 'tile.constant' of argument #0 to stand alone on a pointer, got unit on 'index'}}
frag.kernel @no_pointer(%n: index {tile.constant}) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  frag.return
}

// -----

// A store is no exception: the dispatch before may still read what it overwrites.
#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>
frag.kernel @other_role(%p: !tile.ptr<f32>, %n: index) attributes {threads = 64 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  frag.role lanes(0 to 32) {
    frag.await_dependencies
    %x = frag.read %v[%c0, %c0] : !v -> !f
  }
  frag.role lanes(32 to 64) {
    %x = frag.splat %z : f32 -> !f
    // expected-error @below {{touches global memory that is not constant; expected 'frag.await_dependencies' before it on every way, got none}}
    frag.write %x, %v[%c0, %n] : !f, !v
  }
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 64>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<32x32xf16, #s>), load, copy = #ptx.async16>>
frag.kernel @copy(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : i64}) attributes {threads = 32 : i64, shared_bytes = 2048 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 : !ring
  %s, %next = frag.acquire write %ring[%c] : !ring
  %m = frag.slot_mem %s[0] : !frag.mem<32x32xf16, #s>
  // expected-error @below {{touches global memory that is not constant; expected 'frag.await_dependencies' before it on every way, got none}}
  %t = frag.copy_in #ptx.async16 %v[%c0, %c0] into %m : !v -> !frag.mem<32x32xf16, #s>
  frag.release %s after(%t : !tile.token)
  frag.await_dependencies
  frag.return
}

// -----

// A workgroup on the other way would end without it.
frag.kernel @branch(%some: i1) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  scf.if %some {
    // expected-error @below {{expected one on every other way too, where workgroups without work come by, got 'scf.if' that has a way without}}
    frag.await_dependencies
  }
  frag.return
}

// -----

frag.kernel @other_way(%some: i1) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  scf.if %some {
  } else {
    // expected-error @below {{expected one on every other way too, where workgroups without work come by, got 'scf.if' that has a way without}}
    frag.await_dependencies
  }
  frag.return
}

// -----

frag.kernel @loop(%n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{expected one on every other way too, where workgroups without work come by, got 'scf.for' that has a way without}}
    frag.await_dependencies
  }
  frag.return
}

// -----

// One on either way is one on every way.
frag.kernel @both_ways(%some: i1) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  scf.if %some {
    // expected-note @below {{the first one}}
    frag.await_dependencies
  } else {
    frag.await_dependencies
  }
  // expected-error @below {{expected one on each way, got a second one}}
  frag.await_dependencies
  frag.return
}

// -----

frag.kernel @twice() attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  // expected-note @below {{the first one}}
  frag.await_dependencies
  frag.role lanes(0 to 32) {
    // expected-error @below {{expected one on each way, got a second one}}
    frag.await_dependencies
  }
  frag.return
}

// -----

frag.kernel @waits() attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  // expected-error @below {{expected a target whose dispatches overlap, got sm_89}}
  frag.await_dependencies
  frag.return
}

// -----

frag.kernel @lets() attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  // expected-error @below {{expected a target whose dispatches overlap, got sm_89}}
  frag.release_dependents
  frag.return
}
