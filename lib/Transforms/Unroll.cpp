// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-unroll: loops that are marked so hold several trips in one.

#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace helios {
#define GEN_PASS_DEF_FRAGUNROLL
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using tile::TileDialect;

namespace {

int64_t tripsOf(scf::ForOp loop) {
  auto trips = loop->getAttrOfType<IntegerAttr>(TileDialect::kUnrollAttr);
  return trips ? trips.getInt() : 1;
}

struct Unroll : helios::impl::FragUnrollBase<Unroll> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (tripsOf(loop) > 1)
        loops.push_back(loop);
    });
    Attribute once = Builder(&getContext()).getI64IntegerAttr(1);
    for (scf::ForOp loop : loops) {
      // What remains of a compiler's freedom to unroll ends here.
      int64_t trips = tripsOf(loop);
      loop->setAttr(TileDialect::kUnrollAttr, once);
      FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, trips);
      if (failed(unrolled)) {
        loop.emitOpError("could not be unrolled ")
            << trips << " times; expected a positive step";
        return signalPassFailure();
      }
      if (auto rest = unrolled->epilogueLoopOp)
        (*rest)->setAttr(TileDialect::kUnrollAttr, once);
    }
  }
};

} // namespace
