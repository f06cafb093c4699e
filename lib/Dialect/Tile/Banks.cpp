// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lanes meet on a bank of shared memory.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {
/// 32 banks of four bytes, and as many bytes served at a time (CUDA C++
/// Programming Guide, "Shared Memory"). A wide access of many lanes is taken to
/// be served in turns of neighbouring lanes that move this much together, which
/// measured times agree with. Where memory has other banks the order of rows
/// changes no result and no access of global memory.
constexpr int64_t kBankBytes = 4, kBanks = 32;
} // namespace

/// Turns that shared memory takes for one access of a group whose lanes start
/// at these bytes: in each turn, the most words that any bank has to give.
static int64_t countTurns(ArrayRef<int64_t> starts, int64_t bytes) {
  int64_t together =
      std::max<int64_t>(1, kBankBytes * kBanks / std::max(bytes, kBankBytes));
  int64_t turns = 0;
  for (size_t first = 0; first < starts.size(); first += together) {
    DenseSet<int64_t> words;
    int64_t most = 0, load[kBanks] = {};
    for (int64_t start :
         starts.slice(first, std::min<size_t>(together, starts.size() - first)))
      for (int64_t at = start; at < start + bytes; at += kBankBytes)
        if (words.insert(at / kBankBytes).second)
          most = std::max(most, ++load[at / kBankBytes % kBanks]);
    turns += most;
  }
  return turns;
}

RegsAttr helios::tile::interleaveForBanks(RegsAttr layout, int64_t elementBytes,
                                          int64_t contiguous, int64_t pitch) {
  ArrayRef<int64_t> vec = layout.getVec(), lanes = layout.getLanes();
  int64_t rank = vec.size();
  if (rank < 2)
    return layout;
  int64_t other = contiguous == rank - 1 ? rank - 2 : rank - 1;
  SmallVector<int64_t> block = layout.getBlockShape();
  Builder b(layout.getContext());
  auto turns = [&](RegsAttr candidate) {
    AffineMap base = candidate.getBaseMap(block);
    SmallVector<int64_t> starts;
    for (int64_t lane = 0, e = layout.getLaneCount(); lane < e; ++lane) {
      SmallVector<Attribute> at;
      (void)base.constantFold({b.getIndexAttr(0), b.getIndexAttr(lane)}, at);
      auto coordinate = [&](int64_t d) {
        return cast<IntegerAttr>(at[d]).getInt();
      };
      starts.push_back((coordinate(other) * pitch + coordinate(contiguous)) *
                       elementBytes);
    }
    return countTurns(starts, vec[contiguous] * elementBytes);
  };
  RegsAttr best = layout;
  int64_t fewest = turns(layout);
  for (int64_t factor = 2; factor < lanes[other]; factor *= 2) {
    if (lanes[other] % factor)
      break;
    SmallVector<int64_t> interleave(rank, 1);
    interleave[other] = factor;
    auto candidate = RegsAttr::get(layout.getContext(), vec, lanes,
                                   layout.getGroups(), interleave);
    if (int64_t count = turns(candidate); count < fewest) {
      best = candidate;
      fewest = count;
    }
  }
  return best;
}
