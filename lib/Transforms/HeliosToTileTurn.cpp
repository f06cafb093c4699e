// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: an operand that is stored in rows along M or N, turned. Some
// instructions read rows along K alone, such as those of 8 and 32 bits from
// shared memory: a dispatch of its own writes such rows into the workspace.

#include "HeliosToTileProgram.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Bytes of a row along K, and rows, in an item: whole sectors of memory, and
/// as many columns of what is stored as lanes read side by side. Rows of 64 and
/// 128 bytes took 3 and 19 us longer for 4096x4096 bytes (docs/benchmarks).
static constexpr int64_t kTurnedBytes = 32, kTurnedRows = 256;

/// The operand in rows along K.
static Access turnedOf(const Access &stored) {
  Access result = stored;
  llvm::erase(result.axes, -1);
  std::swap(result.axes.back(), *std::prev(result.axes.end(), 2));
  result.kept = Kept::Turned;
  return result;
}

Product Product::getTurn(unsigned operand) const {
  Product result = *this;
  result.part = Part::Turn;
  result.operand = operand;
  result.cluster = {1, 1};
  result.groups.clear();
  result.grouped = result.anyRows = result.hasRowsOfOne = false;
  result.addsParts = false;
  result.numResults = 1;
  Access stored = accesses[operand], turned = turnedOf(stored);
  // Lanes write neighbouring elements of a row, each of which they read from a
  // row of its own.
  stored.narrow = true;
  result.extents.truncate(k() + 1);
  for (int64_t axis = 0; axis < k(); ++axis)
    if (!llvm::is_contained(turned.axes, axis))
      result.extents[axis] = 1;
  result.tile.assign(k() + 1, 1);
  result.tile[operand == 0 ? m() : n()] = kTurnedRows;
  result.tile[k()] = kTurnedBytes * 8 / tile::getStoredBits(stored.elementType);
  result.accesses = {stored, turned};
  return result;
}

Product Product::takingTurned(unsigned operand) const {
  Product result = *this;
  result.accesses[operand] = turnedOf(accesses[operand]);
  return result;
}

namespace {

class TurnEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    Value stored = load(0);
    auto type = cast<RankedTensorType>(stored.getType());
    auto turned = RankedTensorType::get(
        {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    store(tile::TransposeOp::create(builder, loc, turned, stored), 1);
    return success();
  }
};

} // namespace

FailureOr<Program> totile::emitTurn(OpBuilder &builder, const Product &product,
                                    Variant variant, ScheduleAttr schedule,
                                    Attribute target, int64_t vectorBytes,
                                    StringRef name) {
  return TurnEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
