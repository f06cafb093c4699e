// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes that serve the pipelines and their tests.

#ifndef HELIOS_TRANSFORMS_DRIVERPASSES_TD
#define HELIOS_TRANSFORMS_DRIVERPASSES_TD

include "mlir/Pass/PassBase.td"

def HeliosSetTarget : Pass<"helios-set-target", "::mlir::ModuleOp"> {
  let summary = "Give kernels and programs without a target row the named one";
  let description = [{
    Sets `target` on every `helios.kernel`, `tile.program` and `frag.kernel` that has none. One that has another row is an error.

    ```mlir
    tile.program @k() {
      tile.return
    }
    // becomes, with device=lavapipe
    tile.program @k() attributes {target = #spv.target<"lavapipe">} {
      tile.return
    }
    ```

    ```mlir
    tile.program @k() {
      tile.return
    }
    // is refused, with device=none
    // unknown target row 'none'; expected one of 'nvidia-nv2'
    ```
  }];
  let options = [Option<"device", "device", "std::string", "\"\"", "Row of the table of Vulkan devices, e.g. nvidia">];
  let dependentDialects = ["::helios::spv::SpvDialect", "::helios::ptx::PtxDialect"];
}

def HeliosRoundTrip : Pass<"helios-round-trip", "::mlir::ModuleOp"> {
  let summary = "Print the module, parse the text and go on with what it says";
  let description = [{
    Fails if the text does not parse, or if printing it again gives another text. Whatever an op knows and its text does not
    say is lost by this pass, so a test that still passes shows that the text says everything.

    ```mlir
    tile.program @k(%n: index {tile.div = 8 : index}) attributes {config = #tile.config<groups = [2, 2]>} {
      tile.return
    }
    // is unchanged
    ```
  }];
}

def NameLocations : Pass<"helios-name-locations", "::mlir::ModuleOp"> {
  let summary = "Let every op's location say which op it is";
  let description = [{
    Passes hand locations on, not names. This one, run before all others, makes `loc("helios.matmul"("gemm.mlir":5:8))` of
    `loc("gemm.mlir":5:8)`, so that whatever becomes of an op still tells which one it was: the PTX of `helios-compile --debug-info`
    lists the names, and findings of the emulator say them. Locations that have a name, or no place in a file, stay as they are.

    What is printed without locations is the same:

    ```mlir
    tile.program @k(%n: index) {
      tile.return
    }
    // is unchanged
    ```
  }];
}

#endif // HELIOS_TRANSFORMS_DRIVERPASSES_TD
