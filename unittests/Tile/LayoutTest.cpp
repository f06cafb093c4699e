// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts: every element of a tile is held, by as many lanes as stated and by
// no register outside it; fragments stand where the PTX ISA's tables put them;
// shared memory has the strides and bytes that its padding says.

#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

using Shape = SmallVector<int64_t>;

class LayoutTest : public ::testing::Test {
protected:
  LayoutTest() {
    context.loadDialect<TileDialect, ptx::PtxDialect, spv::SpvDialect>();
  }

  LayoutAttrInterface layout(StringRef text) {
    Attribute attr = parseAttribute(text, &context);
    EXPECT_TRUE(attr) << text.str();
    return cast<LayoutAttrInterface>(attr);
  }
  MmaAttrInterface mma(StringRef text) {
    return cast<MmaAttrInterface>(parseAttribute(text, &context));
  }

  /// Expects every element of the tile to be held by exactly `copies` registers
  /// of all lanes together.
  void expectCover(StringRef text, ArrayRef<int64_t> shape, int64_t copies) {
    LayoutAttrInterface l = layout(text);
    ASSERT_TRUE(succeeded(
        l.verifyTile([&] { return emitError(UnknownLoc::get(&context)); },
                     shape, Float16Type::get(&context))))
        << text.str();
    Shape unit = l.getRegisterShape(shape.size());
    // An opaque matrix belongs to a group, not to a lane.
    int64_t lanes = l.hasCoordinates() ? l.getLaneCount() : 1;
    int64_t registers = l.getRegisterCount(shape);
    std::map<std::vector<int64_t>, int64_t> held;
    for (int64_t g = 0; g < l.getGroupCount(); ++g)
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t r = 0; r < registers; ++r) {
          Shape at = l.getCoordinates(shape, g, lane, r);
          ASSERT_EQ(at.size(), shape.size());
          for (size_t d = 0; d < at.size(); ++d) {
            ASSERT_GE(at[d], 0) << text.str();
            ASSERT_LE(at[d] + unit[d], shape[d])
                << text.str() << " group " << g << " lane " << lane
                << " register " << r;
            ASSERT_EQ(at[d] % unit[d], 0);
          }
          ++held[std::vector<int64_t>(at.begin(), at.end())];
        }
    int64_t units = 1;
    for (auto [s, u] : llvm::zip(shape, unit))
      units *= s / u;
    EXPECT_EQ(int64_t(held.size()), units) << text.str();
    for (auto &[at, n] : held)
      EXPECT_EQ(n, copies) << text.str();
  }

  MLIRContext context;
};

//===----------------------------------------------------------------------===//
// Coverage and replication
//===----------------------------------------------------------------------===//

TEST_F(LayoutTest, RegsCoverOnce) {
  expectCover("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [2, 1]>",
              {16, 32}, 1);
  expectCover("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [2, 1]>",
              {64, 96}, 1);
  expectCover("#tile.regs<vec = [2, 4], lanes = [4, 2], groups = [2, 3]>",
              {32, 48}, 1);
  expectCover("#tile.regs<vec = [4], lanes = [32], groups = [1]>", {256}, 1);
}

TEST_F(LayoutTest, InterleavedRowsCoverOnce) {
  expectCover("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [2, 1], "
              "interleave = [2, 1]>",
              {32, 64}, 1);
  expectCover("#tile.regs<vec = [1, 4], lanes = [16, 2], groups = [2, 1], "
              "interleave = [4, 2]>",
              {64, 16}, 1);
}

// Whether the lanes that move 128 bytes together are on different banks.
TEST_F(LayoutTest, InterleavingKeepsLanesOnDifferentBanks) {
  auto distinct = [&](RegsAttr regs, int64_t pitch) {
    bool all = true;
    for (int64_t first = 0; first < 32; first += 8) {
      std::map<int64_t, int64_t> banks;
      for (int64_t lane = first; lane < first + 8; ++lane) {
        Shape at = cast<LayoutAttrInterface>(Attribute(regs))
                       .getCoordinates(regs.getBlockShape(), 0, lane, 0);
        for (int64_t word = 0; word < 4; ++word)
          all &= ++banks[((at[0] * pitch + at[1]) / 2 + word) % 32] == 1;
      }
    }
    return all;
  };
  auto regs = [&](StringRef text) {
    return cast<RegsAttr>(Attribute(layout(text)));
  };
  // Rows of 64 bytes, 80 bytes apart.
  RegsAttr narrow =
      regs("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>");
  EXPECT_FALSE(distinct(narrow, 40));
  RegsAttr mended = interleaveForBanks(narrow, 2, 1, 40);
  EXPECT_TRUE(distinct(mended, 40));
  // Rows of 32 bytes, 48 bytes apart.
  RegsAttr narrower =
      regs("#tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>");
  EXPECT_FALSE(distinct(narrower, 24));
  EXPECT_TRUE(distinct(interleaveForBanks(narrower, 2, 1, 24), 24));
  // Whole lines of 128 bytes, and rows without padding that no order mends.
  RegsAttr wide =
      regs("#tile.regs<vec = [1, 8], lanes = [4, 8], groups = [1, 1]>");
  EXPECT_EQ(interleaveForBanks(wide, 2, 1, 72), wide);
  EXPECT_EQ(interleaveForBanks(narrow, 2, 1, 64), narrow);
}

TEST_F(LayoutTest, RegsReplicateWhereTheTileIsSmaller) {
  // 64 lanes over 16 of 64 rows: four groups hold the same.
  expectCover("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [8, 1]>",
              {16, 32}, 4);
  expectCover("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>",
              {8, 16}, 2);
}

TEST_F(LayoutTest, AccumulatorsCoverOnce) {
  expectCover("#tile.acc<#spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, "
              "f32, f32>, groups = [2, 2]>",
              {64, 128}, 1);
  expectCover(
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 4]>",
      {128, 256}, 1);
  expectCover(
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>",
      {16, 8}, 1);
  expectCover(
      "#tile.acc<#ptx.wgmma<n = 256, bf16, bf16, f32>, groups = [2, 1]>",
      {128, 256}, 1);
  // Any number of repetitions, and slices narrower than an instruction.
  expectCover(
      "#tile.acc<#ptx.wgmma<n = 176, bf16, bf16, f32>, groups = [1, 1]>",
      {64, 176}, 1);
  expectCover(
      "#tile.acc<#ptx.wgmma<n = 256, bf16, bf16, f32>, groups = [1, 1]>",
      {64, 64}, 1);
}

TEST_F(LayoutTest, OperandsAreReplicatedOverTheOtherSidesGroups) {
  expectCover("#tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, "
              "groups = [2, 4]>",
              {128, 32}, 4);
  expectCover("#tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, "
              "groups = [2, 4]>",
              {32, 256}, 2);
  expectCover(
      "#tile.operand<a, #ptx.wgmma<n = 128, bf16, bf16, f32>, groups = [2, 1]>",
      {128, 64}, 1);
  // A lane of the SIMT product needs whole rows of A: the eight lanes of a row
  // of lanes hold the same.
  expectCover("#tile.operand<a, #spv.simt<block = [4, 4, 4], lanes = [8, 8], "
              "f32, f32, f32>, groups = [1, 1]>",
              {32, 16}, 8);
  expectCover("#tile.operand<b, #spv.simt<block = [4, 4, 4], lanes = [8, 8], "
              "f32, f32, f32>, groups = [2, 1]>",
              {16, 64}, 16);
}

TEST_F(LayoutTest, OpaqueRegistersAreMatrices) {
  StringRef coop = "#tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, "
                   "lanes = 32>, groups = [2, 4]>";
  LayoutAttrInterface l = layout(coop);
  EXPECT_FALSE(l.hasCoordinates());
  EXPECT_EQ(l.getRegisterShape(2), Shape({16, 16}));
  EXPECT_EQ(l.getRegisterCount({128, 256}), 4 * 4);
  expectCover(coop, {128, 256}, 1);
  expectCover("#tile.opaque<a, #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>, "
              "groups = [2, 2]>",
              {64, 32}, 2);
  expectCover("#tile.opaque<b, #spv.coop<[16, 8, 16], f16, f16, f32, lanes = "
              "32>, groups = [2, 2]>",
              {32, 64}, 2);
}

TEST_F(LayoutTest, SlicesAreReplicatedAlongTheMissingDimension) {
  // Four lanes share a row of the accumulator; they and the column groups hold
  // the row's element.
  expectCover("#tile.slice<1, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, "
              "f32>, groups = [2, 2]>>",
              {64}, 4 * 2);
  expectCover("#tile.slice<0, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, "
              "f32>, groups = [2, 2]>>",
              {64}, 8 * 2);
  expectCover("#tile.slice<1, #tile.regs<vec = [1, 8], lanes = [8, 4], groups "
              "= [4, 1]>, partial = add>",
              {64}, 4);
  expectCover("#tile.slice<1, #tile.regs<vec = [1, 32], lanes = [8, 1], groups "
              "= [4, 1]>>",
              {64}, 1);
  LayoutAttrInterface l =
      layout("#tile.slice<1, #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, "
             "f16, f32, lanes = 32>, groups = [8, 1]>>");
  EXPECT_FALSE(l.hasCoordinates());
  EXPECT_EQ(l.getRegisterShape(1), Shape({16}));
  EXPECT_EQ(l.getRegisterCount({128}), 1);
}

TEST_F(LayoutTest, TilesThatDoNotFitAreRefused) {
  auto fits = [&](StringRef text, ArrayRef<int64_t> shape) {
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    return succeeded(layout(text).verifyTile(
        [&] { return emitError(UnknownLoc::get(&context)); }, shape,
        Float16Type::get(&context)));
  };
  StringRef regs = "#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>";
  EXPECT_TRUE(fits(regs, {24, 96}));
  EXPECT_FALSE(fits(regs, {12, 32}));
  EXPECT_FALSE(fits(regs, {8, 4})); // less than one lane's vector
  EXPECT_FALSE(fits(regs, {8}));
  EXPECT_TRUE(fits(
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>",
      {16, 144}));
  EXPECT_FALSE(fits(
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>",
      {16, 12}));
  EXPECT_FALSE(fits("#tile.shared<order = [1, 0], swizzle = 128>", {64, 32}));
}

//===----------------------------------------------------------------------===//
// The PTX ISA's tables (groupID = lane / 4, threadID_in_group = lane mod 4)
//===----------------------------------------------------------------------===//

TEST_F(LayoutTest, MmaSync16816Accumulator) {
  // m16n8k16, C and D: row = groupID for c0, c1, groupID + 8 for c2, c3; col =
  // threadID_in_group * 2 + (i & 1).
  LayoutAttrInterface l = layout(
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({16, 8}), 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(l.getCoordinates({16, 8}, 0, lane, i),
                Shape({lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)}));
}

TEST_F(LayoutTest, RunsOfLanes) {
  auto acc = [&](StringRef type) {
    return layout(("#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, " + type +
                   ">, groups = [2, 2]>")
                      .str());
  };
  // A quad of lanes holds eight columns of a row; rows follow alone.
  EXPECT_EQ(getRunOfLanes(acc("f32"), {64, 64}, 1), 8);
  EXPECT_EQ(getRunOfLanes(acc("f32"), {64, 64}, 0), 1);
  EXPECT_EQ(
      getRunOfLanes(
          layout("#tile.regs<vec = [1, 8], lanes = [4, 8], groups = [4, 1]>"),
          {32, 64}, 1),
      64);
  EXPECT_EQ(getRunOfLanes(layout("#tile.regs<vec = [2, 1], lanes = [1, 32], "
                                 "groups = [1, 1]>"),
                          {8, 32}, 1),
            32);
}

TEST_F(LayoutTest, MmaSync16816OperandA) {
  // row = groupID for 0 <= i < 2 or 4 <= i < 6, else groupID + 8; col =
  // threadID_in_group * 2 + (i & 1), + 8 for i >= 4.
  LayoutAttrInterface l = layout("#tile.operand<a, #ptx.mma_sync<[16, 8, 16], "
                                 "bf16, bf16, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({16, 16}), 8);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 8; ++i) {
      bool low = i < 2 || (i >= 4 && i < 6);
      EXPECT_EQ(l.getCoordinates({16, 16}, 0, lane, i),
                Shape({lane / 4 + (low ? 0 : 8),
                       lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
}

TEST_F(LayoutTest, MmaSync16816OperandB) {
  // row = threadID_in_group * 2 + (i & 1), + 8 for i >= 2; col = groupID.
  LayoutAttrInterface l = layout("#tile.operand<b, #ptx.mma_sync<[16, 8, 16], "
                                 "f16, f16, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({16, 8}), 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(l.getCoordinates({16, 8}, 0, lane, i),
                Shape({lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4}));
}

TEST_F(LayoutTest, MmaSyncExchanged) {
  // Each side is the transpose of what the instruction takes it for: A of its
  // B, B of its A, and the accumulator of its own.
  auto sameTransposed = [&](StringRef exchanged, StringRef own,
                            ArrayRef<int64_t> shape) {
    LayoutAttrInterface l = layout(exchanged.str()), o = layout(own.str());
    Shape transposed{shape[1], shape[0]};
    ASSERT_EQ(l.getRegisterCount(shape), o.getRegisterCount(transposed));
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < l.getRegisterCount(shape); ++i) {
        Shape at = o.getCoordinates(transposed, 0, lane, i);
        EXPECT_EQ(l.getCoordinates(shape, 0, lane, i), Shape({at[1], at[0]}));
      }
  };
  for (auto [type, acc, k] :
       {std::tuple("bf16", "f32", 16), std::tuple("i8", "i32", 32)}) {
    auto mma = [&, type = type, acc = acc, k = k](StringRef shape) {
      return ("#ptx.mma_sync<[" + shape + ", " + Twine(k) + "], " + type +
              ", " + type + ", " + acc + ">, groups = [1, 1]>")
          .str();
    };
    std::string exchanged = mma("8, 16"), own = mma("16, 8");
    sameTransposed("#tile.operand<a, " + exchanged, "#tile.operand<b, " + own,
                   {8, k});
    sameTransposed("#tile.operand<b, " + exchanged, "#tile.operand<a, " + own,
                   {k, 16});
    sameTransposed("#tile.acc<" + exchanged, "#tile.acc<" + own, {8, 16});
  }
}

TEST_F(LayoutTest, MmaSync8BitOperandA) {
  // m16n8k32 of 8-bit elements: col = threadID_in_group * 4 + (i & 3), + 16 for
  // i >= 8; row + 8 for 4 <= i < 8 and i >= 12.
  LayoutAttrInterface l = layout("#tile.operand<a, #ptx.mma_sync<[16, 8, 32], "
                                 "i8, i8, i32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({16, 32}), 16);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 16; ++i) {
      bool low = i < 4 || (i >= 8 && i < 12);
      EXPECT_EQ(l.getCoordinates({16, 32}, 0, lane, i),
                Shape({lane / 4 + (low ? 0 : 8),
                       lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)}));
    }
}

TEST_F(LayoutTest, MmaSyncTf32OperandA) {
  // m16n8k8 of 32-bit elements: a0 (groupID, t), a1 (groupID + 8, t), a2
  // (groupID, t + 4), a3 (groupID + 8, t + 4).
  LayoutAttrInterface l = layout("#tile.operand<a, #ptx.mma_sync<[16, 8, 8], "
                                 "f32, f32, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({16, 8}), 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(l.getCoordinates({16, 8}, 0, lane, i),
                Shape({lane / 4 + (i & 1) * 8, lane % 4 + (i >= 2 ? 4 : 0)}));
}

TEST_F(LayoutTest, WgmmaAccumulator) {
  // D of m64nNk16: warp w holds rows 16 w to 16 w + 15; d[i] at row (lane mod
  // 32) / 4 (+ 8 for (i / 2) odd), column 8 (i / 4) + 2 (lane mod 4) + (i & 1).
  LayoutAttrInterface l = layout(
      "#tile.acc<#ptx.wgmma<n = 128, bf16, bf16, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({64, 128}), 64);
  for (int64_t lane = 0; lane < 128; ++lane)
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(l.getCoordinates({64, 128}, 0, lane, i),
                Shape({lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2) * 8,
                       i / 4 * 8 + lane % 4 * 2 + i % 2}));
}

TEST_F(LayoutTest, WgmmaOperandA) {
  // A in registers of m64nNk16, 16-bit elements: four 32-bit registers a lane.
  LayoutAttrInterface l = layout("#tile.operand<a, #ptx.wgmma<n = 128, bf16, "
                                 "bf16, f32>, groups = [1, 1]>");
  ASSERT_EQ(l.getRegisterCount({64, 16}), 8);
  for (int64_t lane = 0; lane < 128; ++lane)
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(l.getCoordinates({64, 16}, 0, lane, i),
                Shape({lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2) * 8,
                       i / 4 * 8 + lane % 4 * 2 + i % 2}));
}

//===----------------------------------------------------------------------===//
// Equal places, transposes
//===----------------------------------------------------------------------===//

TEST_F(LayoutTest, SixteenBitAccumulatorsAreOperands) {
  StringRef w = "#ptx.wgmma<n = 128, bf16, bf16, f32>",
            m = "#ptx.mma_sync<[16, 8, 16], f16, f16, f32>";
  auto acc = [&](StringRef mma) {
    return layout(("#tile.acc<" + mma + ", groups = [1, 1]>").str());
  };
  auto operand = [&](StringRef mma) {
    return layout(("#tile.operand<a, " + mma + ", groups = [1, 1]>").str());
  };
  EXPECT_TRUE(acc(w).isSamePlace({64, 128}, operand(w)));
  EXPECT_TRUE(acc(m).isSamePlace({16, 64}, operand(m)));
  EXPECT_TRUE(
      acc(w).isSamePlace({64, 64}, acc("#ptx.wgmma<n = 64, bf16, bf16, f32>")));
  EXPECT_FALSE(acc(w).isSamePlace({64, 128}, acc(m)));
  // Eight bits a register hold other columns than the accumulator's.
  StringRef b = "#ptx.mma_sync<[16, 8, 32], i8, i8, i32>";
  EXPECT_FALSE(acc(b).isSamePlace({16, 64}, operand(b)));
}

TEST_F(LayoutTest, PlacesOfPartialAndFullDiffer) {
  StringRef acc =
      "#tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>";
  LayoutAttrInterface full = layout(("#tile.slice<1, " + acc + ">").str());
  LayoutAttrInterface sum =
      layout(("#tile.slice<1, " + acc + ", partial = add>").str());
  EXPECT_FALSE(full.isSamePlace({16}, sum));
  EXPECT_EQ(sum.getPartialKind(), Partial::Add);
}

TEST_F(LayoutTest, TransposesExchangeCoordinates) {
  LayoutAttrInterface l =
      layout("#tile.regs<vec = [1, 8], lanes = [32, 1], groups = [2, 1]>");
  auto t = dyn_cast_or_null<LayoutAttrInterface>(l.getTransposed());
  ASSERT_TRUE(t);
  for (int64_t g = 0; g < 2; ++g)
    for (int64_t lane = 0; lane < 32; ++lane) {
      Shape a = l.getCoordinates({64, 8}, g, lane, 3),
            b = t.getCoordinates({8, 64}, g, lane, 3);
      EXPECT_EQ(a, Shape({b[1], b[0]}));
    }
  // Lanes in two dimensions are numbered along the last one: no plain layout
  // has the transposed places.
  EXPECT_FALSE(
      layout("#tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>")
          .getTransposed());
  EXPECT_EQ(layout("#tile.shared<order = [1, 0], pad = 8>").getTransposed(),
            Attribute(layout("#tile.shared<order = [0, 1], pad = 8>")));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST_F(LayoutTest, SharedStridesAndBytes) {
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context);
  auto shared = [&](StringRef text) {
    return cast<SharedAttr>(Attribute(layout(text)));
  };
  EXPECT_EQ(shared("#tile.shared<order = [1, 0]>").getStrides({32, 64}),
            Shape({64, 1}));
  EXPECT_EQ(
      shared("#tile.shared<order = [1, 0], pad = 8>").getStrides({32, 64}),
      Shape({72, 1}));
  EXPECT_EQ(
      shared("#tile.shared<order = [0, 1], pad = 4>").getStrides({32, 64}),
      Shape({1, 36}));
  EXPECT_EQ(layout("#tile.shared<order = [1, 0]>").getBytes({32, 64}, f16),
            32 * 64 * 2);
  EXPECT_EQ(
      layout("#tile.shared<order = [1, 0], pad = 8>").getBytes({32, 64}, f16),
      32 * 72 * 2);
  EXPECT_EQ(
      layout("#tile.shared<order = [0, 1], pad = 4>").getBytes({32, 64}, f32),
      36 * 64 * 4);
  EXPECT_EQ(layout("#tile.shared<order = [1, 0], swizzle = 128>")
                .getBytes({128, 64}, f16),
            16384);
  EXPECT_EQ(layout("#tile.shared<order = [1, 0], swizzle = 128>")
                .getBytes({64, 176}, f16),
            64 * 192 * 2); // rows are filled up
  EXPECT_EQ(layout("#tile.shared<order = [0]>").getBytes({6}, f16),
            16); // whole 16-byte units
  EXPECT_TRUE(layout("#tile.shared<order = [0]>").isMemory());
  EXPECT_EQ(layout("#tile.shared<order = [0]>").getLaneCount(), 0);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

TEST_F(LayoutTest, FragmentsRepeatInPartsOfAnInstruction) {
  MmaAttrInterface w = mma("#ptx.wgmma<n = 256, bf16, bf16, f32>");
  EXPECT_EQ(w.getMmaShape(), Shape({64, 256, 16}));
  EXPECT_EQ(w.getFragmentShape(Side::Acc), Shape({64, 8}));
  EXPECT_EQ(w.getFragmentShape(Side::A), Shape({64, 16}));
  EXPECT_EQ(w.getEngine(), "wgmma");
  EXPECT_EQ(mma("#ptx.wgmma<n = 64, i8, i8, i32>").getMmaShape(),
            Shape({64, 64, 32}));
  MmaAttrInterface m = mma("#ptx.mma_sync<[16, 8, 16], f16, f16, f32>");
  EXPECT_EQ(m.getFragmentShape(Side::B), Shape({16, 8}));
  EXPECT_EQ(m.getEngine(), "");
}

} // namespace
