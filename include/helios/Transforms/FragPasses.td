// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of level 3, and the level verifier.

#ifndef HELIOS_TRANSFORMS_FRAGPASSES_TD
#define HELIOS_TRANSFORMS_FRAGPASSES_TD

include "mlir/Pass/PassBase.td"

def FragInsertBarriers : Pass<"frag-insert-barriers", "::helios::frag::KernelOp"> {
  let summary = "Insert the barriers that shared-memory effects need";
  let description = [{
    A hazard is a read and a write, or two writes, of possibly equal bytes with no barrier between, through loops too. For a
    read after a write the barrier stands right after the last such write, so that later global loads are not behind it; for a
    write after a read right before the write. One barrier clears every hazard open at it.

    ```mlir
    #regs = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
    !f = !frag.f<8x4xf32, #regs>
    !m = !frag.mem<8x4xf32, #tile.shared<order = [1, 0]>>
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64, shared_bytes = 128 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      %s = frag.shared 0 : !m
      scf.for %k = %c0 to %n step %c1 {
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.write %x, %s[%c0, %c0] : !f, !m
        %g = frag.read %v[%c0, %k] : !v -> !f
        %y = frag.read %s[%c0, %c0] : !m -> !f
        frag.write %y, %v[%k, %c0] : !f, !v
      }
      frag.return
    }
    // becomes
    ...
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.barrier workgroup                               // the trip before may still read %s
        frag.write %x, %s[%c0, %c0] : !f, !m
        frag.barrier workgroup
        %g = frag.read %v[%c0, %k] : !v -> !f
        %y = frag.read %s[%c0, %c0] : !m -> !f
        frag.write %y, %v[%k, %c0] : !f, !v
      }
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def VerifyLevel : Pass<"helios-verify-level", "::mlir::ModuleOp"> {
  let summary = "Check that a module is wholly of one level";
  let description = [{
    Fails, naming the op and the level it belongs to, when an op of another level stands in the module. `arith` and
    `math` belong to levels 1 to 3, `scf` and `index` to 2 and 3; a `tile.plan` accompanies its programs down to the last level.

    ```mlir
    tile.program @k() {
      tile.return
    }
    // is refused, with level=3
    // 'tile.program' op belongs to level 2 (tile), but the module should be wholly of level 3 (frag)
    ```
  }];
  let options = [Option<"level", "level", "unsigned", "2", "The level: 1 (helios), 2 (tile), 3 (frag) or 4 (spirv, llvm)">];
}

#endif // HELIOS_TRANSFORMS_FRAGPASSES_TD
