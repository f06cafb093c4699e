// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Partial vectors: which scalar ops are closed for which kind.

#include "helios/Dialect/Tile/IR/Partials.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

Attribute helios::tile::withoutPartial(Attribute layout) {
  if (auto acc = dyn_cast_or_null<AccAttr>(layout))
    return AccAttr::get(acc.getContext(), acc.getMma(), acc.getGroups(),
                        Partial::None);
  auto slice = dyn_cast_or_null<SliceAttr>(layout);
  if (!slice || slice.getPartial() == Partial::None)
    return layout;
  return SliceAttr::get(slice.getContext(), slice.getDim(), slice.getParent(),
                        Partial::None);
}

Partial helios::tile::getPartial(Attribute layout) {
  auto known = dyn_cast_or_null<LayoutAttrInterface>(layout);
  return known ? known.getPartialKind() : Partial::None;
}

int64_t helios::tile::getSliceCount(ArrayRef<int64_t> groups) {
  return groups.size() > 2 ? groups[2] : 1;
}

int64_t helios::tile::getSliceCount(Attribute layout) {
  if (auto acc = dyn_cast_or_null<AccAttr>(layout))
    return getSliceCount(acc.getGroups());
  if (auto operand = dyn_cast_or_null<OperandAttr>(layout))
    return getSliceCount(operand.getGroups());
  return 1;
}

LogicalResult
helios::tile::verifySlices(function_ref<InFlightDiagnostic()> emitError,
                           Attribute a, Attribute b, Attribute acc) {
  int64_t slices = getSliceCount(acc);
  for (Attribute operand : {a, b})
    if (isa_and_nonnull<OperandAttr>(operand) &&
        getSliceCount(operand) != slices)
      return emitError() << "expected operands in as many slices of k as the "
                            "accumulator, "
                         << slices << ", got " << getSliceCount(operand)
                         << " of " << operand;
  if (slices > 1 && getPartial(acc) != Partial::Add)
    return emitError() << "expected an accumulator with partial = add, of "
                       << slices << " slices of k, got " << acc;
  return success();
}

StoredTile helios::tile::getStored(LayoutAttrInterface layout,
                                   ArrayRef<int64_t> shape) {
  StoredTile stored{layout, SmallVector<int64_t>(shape)};
  if (layout.getPartialKind() == Partial::None)
    return stored;
  if (auto acc = dyn_cast<AccAttr>(Attribute(layout))) {
    // Slices are numbered slowest, so they are like more groups along m.
    ArrayRef<int64_t> groups = acc.getGroups();
    stored.layout = cast<LayoutAttrInterface>(Attribute(
        AccAttr::get(acc.getContext(), acc.getMma(),
                     {groups[2] * groups[0], groups[1]}, Partial::None)));
    stored.shape[0] *= groups[2];
  } else if (auto slice = dyn_cast<SliceAttr>(Attribute(layout));
             slice && !layout.hasCoordinates()) {
    int64_t dim = slice.getDim();
    stored.layout = slice.getParent();
    stored.shape.insert(
        stored.shape.begin() + dim,
        slice.getParent().getRegisterShape(shape.size() + 1)[dim]);
  }
  return stored;
}

/// True for a predicate under which `greater > smaller` stays true when
/// `greater` grows.
static bool isGreater(arith::CmpFPredicate p) {
  using P = arith::CmpFPredicate;
  return p == P::OGT || p == P::OGE || p == P::UGT || p == P::UGE;
}
static bool isLess(arith::CmpFPredicate p) {
  using P = arith::CmpFPredicate;
  return p == P::OLT || p == P::OLE || p == P::ULT || p == P::ULE;
}

std::optional<Partial> helios::tile::combinePartials(Operation *op,
                                                     ArrayRef<Partial> in) {
  auto is = [&](unsigned i, Partial kind) {
    return i < in.size() && in[i] == kind;
  };
  auto among = [&](Partial kind) {
    return llvm::all_of(
        in, [&](Partial p) { return p == kind || p == Partial::None; });
  };
  if (llvm::all_of(in, [](Partial p) { return p == Partial::None; }))
    return Partial::None;
  bool allAdd = llvm::all_of(in, [](Partial p) { return p == Partial::Add; });
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
          arith::NegFOp>(op))
    return allAdd ? std::optional(Partial::Add) : std::nullopt;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return is(0, Partial::Add) != is(1, Partial::Add) && among(Partial::Add)
               ? std::optional(Partial::Add)
               : std::nullopt;
  if (isa<arith::DivFOp>(op))
    return is(0, Partial::Add) && is(1, Partial::None)
               ? std::optional(Partial::Add)
               : std::nullopt;
  if (isa<math::FmaOp>(op))
    return is(0, Partial::Add) != is(1, Partial::Add) && is(2, Partial::Add) &&
                   among(Partial::Add)
               ? std::optional(Partial::Add)
               : std::nullopt;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          op))
    return among(Partial::Max) ? std::optional(Partial::Max) : std::nullopt;
  if (isa<arith::ExtFOp>(op))
    return in[0];
  if (isa<arith::TruncFOp>(op)) // rounding is monotone, but not additive
    return is(0, Partial::Max) ? std::optional(Partial::Max) : std::nullopt;
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    bool closed = (isGreater(cmp.getPredicate()) && is(0, Partial::Max) &&
                   is(1, Partial::None)) ||
                  (isLess(cmp.getPredicate()) && is(0, Partial::None) &&
                   is(1, Partial::Max));
    return closed ? std::optional(Partial::Or) : std::nullopt;
  }
  if (isa<arith::OrIOp>(op))
    return among(Partial::Or) ? std::optional(Partial::Or) : std::nullopt;
  if (isa<arith::AndIOp>(op))
    return is(0, Partial::Or) != is(1, Partial::Or) && among(Partial::Or)
               ? std::optional(Partial::Or)
               : std::nullopt;
  if (isa<arith::SelectOp>(op))
    return is(0, Partial::None) && in[1] == in[2] ? std::optional(in[1])
                                                  : std::nullopt;
  return std::nullopt;
}

LogicalResult helios::tile::verifyPartialRegion(Operation *op, Block &body,
                                                ArrayRef<Partial> inputs,
                                                ArrayRef<Partial> results) {
  DenseMap<Value, Partial> kinds;
  for (auto [arg, kind] : llvm::zip(body.getArguments(), inputs))
    kinds[arg] = kind;
  auto kindOf = [&](Value v) { return kinds.lookup_or(v, Partial::None); };
  for (Operation &inner : body.without_terminator()) {
    SmallVector<Partial> in = llvm::map_to_vector(inner.getOperands(), kindOf);
    std::optional<Partial> out = combinePartials(&inner, in);
    if (!out) {
      InFlightDiagnostic diag =
          inner.emitOpError("is not closed for partial operands (");
      llvm::interleaveComma(in, diag,
                            [&](Partial p) { diag << stringifyPartial(p); });
      return diag << "); convert them to a full layout with "
                     "tile.convert_layout first";
    }
    for (Value result : inner.getResults())
      kinds[result] = *out;
  }
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(body.getTerminator()->getOperands(), results)))
    if (Partial got = kindOf(std::get<0>(pair)), want = std::get<1>(pair);
        got != want && (got != Partial::None ||
                        want == Partial::Add)) // max and or are idempotent: a
                                               // full value is one of theirs
      return op->emitOpError("expected the type of result #")
             << i << " to say partial = " << stringifyPartial(got)
             << ", got partial = " << stringifyPartial(want);
  return success();
}
