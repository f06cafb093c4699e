// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ldmatrix and stmatrix: eight rows of 16 bytes a matrix, one row's address a
// lane. A word of a fragment is one matrix where a quad of lanes holds a row.

#include "KernelLowering.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

namespace {

/// A fragment as matrices: word w is the matrix at `words[w]`.
struct Matrices {
  bool trans = false; ///< Rows in memory run against the words.
  int64_t rowDim = 0; ///< Dimension along which rows follow each other.
  SmallVector<AffineExpr> warp; ///< Of the warp's first lane.
  SmallVector<SmallVector<int64_t>> words;
};

/// Up to four matrices: their number and the steps from the first to the second
/// and third.
using Shape = std::tuple<unsigned, SmallVector<int64_t>, SmallVector<int64_t>>;

} // namespace

/// Whether the words of a fragment are matrices whose rows are 16 bytes of
/// memory.
static std::optional<Matrices> asMatrices(const SharedTile &tile,
                                          const Place &place, Type type) {
  Matrices result;
  int64_t rank = place.lane.size(), n = 4 / bytesOf(type);
  int64_t fast = tile.layout.getOrder()[0];
  if (rank != 2 || n < 1 || place.layout.getLaneCount() % 32 ||
      place.registers.size() % n)
    return std::nullopt;
  MLIRContext *ctx = tile.layout.getContext();
  tile::LayoutAttrInterface lanes = place.layout;
  AffineExpr group = getAffineDimExpr(0, ctx), lane = getAffineDimExpr(1, ctx);
  // A quad of lanes along which dimension?
  std::array<bool, 2> fits = {true, true};
  for (int64_t g = 0; g < lanes.getGroupCount(); ++g) {
    std::array<int64_t, 2> first = {0, 0};
    for (int64_t l = 0; l < place.layout.getLaneCount(); ++l) {
      std::array here = {evaluate(place.lane[0], g, l),
                         evaluate(place.lane[1], g, l)};
      if (l % 32 == 0)
        first = here;
      for (int64_t d : {0, 1})
        fits[d] &= here[d] - first[d] == l % 4 * n &&
                   here[1 - d] - first[1 - d] == l % 32 / 4 &&
                   first[d] % (4 * n) == 0 && first[1 - d] % 8 == 0;
      if (!fits[0] && !fits[1])
        return std::nullopt;
    }
  }
  int64_t along = fits[1] ? 1 : 0;
  result.trans = fast != along;
  // Only 16-bit elements are exchanged by the transposing form.
  if (result.trans && n != 2)
    return std::nullopt;
  result.rowDim = 1 - fast;
  int64_t unit = result.trans ? 8 : 4 * n;
  int64_t row = tile.shape[fast] + tile.layout.getPad();
  if (row * bytesOf(type) % 16 || place.uniform[fast].divisor % unit ||
      place.constant[fast] % unit)
    return std::nullopt;
  for (size_t i = 0; i < place.registers.size(); ++i) {
    SmallVector<int64_t> expected = place.registers[i - i % n];
    if (i % n == 0) {
      if (expected[fast] % unit || (result.trans && expected[along] % 8))
        return std::nullopt;
      result.words.push_back(expected);
    }
    expected[along] += i % n;
    if (place.registers[i] != expected)
      return std::nullopt;
  }
  AffineExpr first = place.layout.getLaneCount() == 32
                         ? getAffineConstantExpr(0, ctx)
                         : lane.floorDiv(32) * 32;
  for (AffineExpr expr : place.lane)
    result.warp.push_back(
        simplifyAffineExpr(expr.replaceDims({group, first}), 2, 0));
  return result;
}

/// How many of the words from `w` on one instruction takes.
static Shape shapeAt(const Matrices &matrices, size_t w) {
  auto step = [&](size_t from, size_t to) {
    SmallVector<int64_t> s(2);
    for (int d : {0, 1})
      s[d] = matrices.words[to][d] - matrices.words[from][d];
    return s;
  };
  auto forward = [](ArrayRef<int64_t> s) { return s[0] >= 0 && s[1] >= 0; };
  size_t left = matrices.words.size() - w;
  SmallVector<int64_t> none(2, 0);
  if (left >= 4 && step(w, w + 1) == step(w + 2, w + 3) &&
      forward(step(w, w + 1)) && forward(step(w, w + 2)))
    return {4, step(w, w + 1), step(w, w + 2)};
  if (left >= 2 && forward(step(w, w + 1)))
    return {2, step(w, w + 1), none};
  return {1, none, none};
}

/// Calls `access(word, count, pointer)` for every instruction.
static LogicalResult forEachAccess(
    const Matrices &matrices, const Place &place,
    function_ref<FailureOr<SmallVector<Value>>(const Place &,
                                               ArrayRef<SmallVector<int64_t>>)>
        addresses,
    function_ref<void(size_t, unsigned, Value)> access) {
  std::map<Shape, SmallVector<size_t>> byShape;
  for (size_t w = 0; w < matrices.words.size();) {
    Shape shape = shapeAt(matrices, w);
    byShape[shape].push_back(w);
    w += std::get<0>(shape);
  }
  for (const auto &[shape, starts] : byShape) {
    const auto &[count, second, third] = shape;
    Place rows = place;
    rows.lane = matrices.warp;
    AffineExpr lane = getAffineDimExpr(1, place.layout.getContext());
    AffineExpr low = lane.floorDiv(8) % 2, high = lane.floorDiv(16) % 2;
    for (int64_t d : {0, 1}) {
      if (d == matrices.rowDim)
        rows.lane[d] = rows.lane[d] + lane % 8;
      rows.lane[d] = rows.lane[d] + low * second[d] + high * third[d];
    }
    SmallVector<SmallVector<int64_t>> first;
    for (size_t w : starts)
      first.push_back(matrices.words[w]);
    FailureOr<SmallVector<Value>> pointers = addresses(rows, first);
    if (failed(pointers))
      return failure();
    for (auto [w, pointer] : llvm::zip(starts, *pointers))
      access(w, count, pointer);
  }
  return success();
}

FailureOr<bool> KernelLowering::readMatrices(frag::ReadOp op,
                                             const SharedTile &tile,
                                             const Place &place) {
  // The instruction reads memory of its own workgroup alone.
  if (tile.workgroup)
    return false;
  std::optional<Matrices> matrices =
      asMatrices(tile, place, op.getType().getElementType());
  if (!matrices)
    return false;
  MLIRContext *ctx = b.getContext();
  auto layout = matrices->trans ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  SmallVector<Value> words(matrices->words.size());
  LogicalResult result = forEachAccess(
      *matrices, place,
      [&](const Place &rows, ArrayRef<SmallVector<int64_t>> regs) {
        return sharedAddresses(op, tile, rows, regs);
      },
      [&](size_t w, unsigned count, Value pointer) {
        Type word = b.getI32Type();
        Type type = count == 1 ? word
                               : Type(LLVM::LLVMStructType::getLiteral(
                                     ctx, SmallVector<Type>(count, word)));
        Value loaded =
            NVVM::LdMatrixOp::create(b, type, pointer, count, layout,
                                     NVVM::LdStMatrixShapeAttr::get(ctx, 8, 8),
                                     NVVM::LdStMatrixEltType::B16);
        for (unsigned i = 0; i < count; ++i)
          words[w + i] =
              count == 1 ? loaded
                         : Value(LLVM::ExtractValueOp::create(b, loaded, i));
      });
  if (failed(result))
    return failure();
  set(op.getResult(), Form::Words, words);
  return true;
}

FailureOr<bool> KernelLowering::writeMatrices(frag::WriteOp op,
                                              const SharedTile &tile,
                                              const Place &place) {
  Type type = op.getFragment().getType().getElementType();
  if (row().major < 9 || bytesOf(type) != 2)
    return false;
  std::optional<Matrices> matrices = asMatrices(tile, place, type);
  if (!matrices)
    return false;
  SmallVector<Value> parts = words(op.getFragment());
  auto layout = matrices->trans ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  LogicalResult result = forEachAccess(
      *matrices, place,
      [&](const Place &rows, ArrayRef<SmallVector<int64_t>> regs) {
        return sharedAddresses(op, tile, rows, regs);
      },
      [&](size_t w, unsigned count, Value pointer) {
        NVVM::StMatrixOp::create(
            b, pointer, ValueRange(ArrayRef(parts).slice(w, count)), layout,
            NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
            NVVM::LdStMatrixEltType::B16);
      });
  return failed(result) ? FailureOr<bool>(failure()) : FailureOr<bool>(true);
}
