// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-name-locations: every op's location says which op it is.

#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_NAMELOCATIONS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;

namespace {

class NameLocations : public helios::impl::NameLocationsBase<NameLocations> {
public:
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<FileLineColRange>(op->getLoc()))
        op->setLoc(NameLoc::get(op->getName().getIdentifier(), op->getLoc()));
    });
  }
};

} // namespace
