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
    frag.write %x, %s[%c0, %c0] : !F, !S
    %y = frag.read %s[%c0, %c0] : !S -> !G
    // becomes
    frag.write %x, %s[%c0, %c0] : !F, !S
    frag.barrier workgroup
    %y = frag.read %s[%c0, %c0] : !S -> !G
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def VerifyLevel : Pass<"helios-verify-level", "::mlir::ModuleOp"> {
  let summary = "Check that a module is wholly of one level";
  let description = [{ Fails, naming the op and the level it belongs to, when an op of another level stands in the module. }];
  let options = [Option<"level", "level", "unsigned", "2", "The level: 1 (helios), 2 (tile), 3 (frag) or 4 (spirv, llvm)">];
}

#endif // HELIOS_TRANSFORMS_FRAGPASSES_TD
