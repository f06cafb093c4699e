// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: what the programs of attention that evaluate its regions have
// in common.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTION_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTION_H

#include "HeliosToTileMask.h"
#include "HeliosToTileProgram.h"
#include "HeliosToTileRegion.h"

namespace helios::totile {

class AttentionRegionEmitter : public ProgramEmitter {
public:
  AttentionRegionEmitter(mlir::OpBuilder &builder, const Product &product,
                         Variant variant, int64_t vectorBytes)
      : ProgramEmitter(builder, product, variant, vectorBytes),
        op(mlir::cast<AttentionOp>(product.op)), m(product.tile[product.m()]),
        n(product.tile[product.n()]),
        analysis(op, product.isPacked() ? MaskAnalysis::Scope::Heads
                                        : MaskAnalysis::Scope::Head) {}

protected:
  /// What a region computes of a block; `leading` is its arguments before the
  /// fused operands' elements.
  mlir::FailureOr<Varying> emitRegion(RegionEmitter &emitter,
                                      mlir::Region &region,
                                      llvm::ArrayRef<Varying> leading);
  /// Which elements of a block take part.
  mlir::FailureOr<mlir::Value> emitMaskRegion();
  /// Begins an item: forgets what was loaded for the one before.
  void enterItem();
  /// Loads the fused operands of which that holds, once for all regions that
  /// are emitted from here on.
  void loadOnce(llvm::function_ref<bool(llvm::ArrayRef<int64_t> axes)> of);
  /// The item, for what its mask says of blocks of keys.
  MaskAnalysis::Item item() {
    return {builder, firstQuery, lastQuery, blocks, m, n, valueOf};
  }

  AttentionOp op;
  int64_t m, n;        ///< of queries and keys in a tile
  Varying head, query; ///< of each row
  MaskAnalysis analysis;
  mlir::Value firstQuery, lastQuery, blocks; ///< of an item, and of all keys
  llvm::DenseMap<unsigned, Varying> fused;   ///< operands that are loaded once

  /// A value from outside of the regions. An index stands for half of what an
  /// offset of the target may be, or its negative, at most, which is beyond
  /// every place: sums are rearranged where they are compared with places, and
  /// do not overflow then (a window may be the largest number that there is).
  mlir::FailureOr<mlir::Value> outer(mlir::Value value);

private:
  /// The tile of a fused operand at the current offsets.
  Varying loadFused(unsigned number);
  /// A value of the mask's region that no item varies.
  mlir::FailureOr<mlir::Value> uniform(mlir::Value value);

  std::function<mlir::FailureOr<mlir::Value>(mlir::Value)> valueOf =
      [this](mlir::Value value) { return uniform(value); };
  llvm::DenseMap<mlir::Value, mlir::Value>
      uniformValues; ///< of the mask's region, of this item
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTION_H
