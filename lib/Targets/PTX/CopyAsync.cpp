// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cp.async: every lane copies units of 16 bytes, or of 4; what lies outside the
// view is filled with zeros.

#include "InlinePtx.h"
#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>
#include <utility>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

namespace {
/// Which units of a tile a lane copies: neighbours go along the fastest
/// dimension.
struct Units {
  SmallVector<AffineExpr> lane;
  SmallVector<SmallVector<int64_t>> registers;
  AffineExpr idle; ///< Not zero for lanes that have nothing to copy.
};
} // namespace

static Units unitsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> order,
                     int64_t unit, int64_t lanes, MLIRContext *ctx) {
  Units units;
  units.lane.assign(shape.size(), getAffineConstantExpr(0, ctx));
  units.registers.assign(1, SmallVector<int64_t>(shape.size(), 0));
  AffineExpr rest = getAffineDimExpr(1, ctx);
  for (int64_t d : order) {
    int64_t step = d == order[0] ? unit : 1;
    int64_t extent = shape[d] / step, side = std::gcd(lanes, extent);
    units.lane[d] = (lanes == side ? rest : rest % side) * step;
    rest = rest.floorDiv(side);
    lanes /= side;
    SmallVector<SmallVector<int64_t>> repeated;
    for (int64_t i = 0; i < extent; i += side)
      for (SmallVector<int64_t> at : units.registers) {
        at[d] = i * step;
        repeated.push_back(at);
      }
    units.registers = std::move(repeated);
  }
  units.idle = lanes == 1 ? getAffineConstantExpr(0, ctx) : rest;
  return units;
}

/// Copies a unit where a condition holds, and makes it zero elsewhere. LLVM has
/// the size in bytes as an operand alone, of which the assembler makes the
/// instruction's predicate by three more instructions.
static void copyOrZero(ImplicitLocOpBuilder &b, Value to, Value from,
                       int64_t unitBytes, Value condition) {
  std::string text =
      llvm::formatv("{{ .reg .pred p; not.pred p, $2; "
                    "cp.async.{0}.shared.global [$0], [$1], {1}, p; }",
                    unitBytes == 16 ? "cg" : "ca", unitBytes);
  inlinePtx(b, text, {}, {}, {to, from, condition});
}

LogicalResult KernelLowering::lowerCopyIn(frag::CopyInOp op) {
  if (isa<BulkAttr>(op.getCopy()))
    return lowerBulkIn(op);
  if (!isa<Async16Attr, Async4Attr>(op.getCopy()))
    return op.emitOpError(
               "expected #ptx.async16, #ptx.async4 or #ptx.bulk, got ")
           << op.getCopy();
  int64_t unitBytes = op.getCopy().getGranule();
  // PTX has the cache operator .cg for units of 16 bytes alone.
  auto cache = unitBytes == 16 ? NVVM::LoadCacheModifierKind::CG
                               : NVVM::LoadCacheModifierKind::CA;
  set(op.getToken(), Form::Scalar, {});
  OpBuilder::InsertionGuard guard(b);
  FailureOr<Global> global = globalOf(op, op.getView(), /*write=*/false);
  if (failed(global))
    return failure();
  FailureOr<SharedTile> tile = sharedTile(op, op.getDest());
  if (failed(tile))
    return failure();
  ArrayRef<int64_t> shape = op.getDest().getType().getShape();
  int64_t rank = shape.size(), lead = op.getOffsets().size() - rank;
  int64_t fast = tile->layout.getOrder()[0], bytes = bytesOf(tile->elementType),
          unit = std::max<int64_t>(1, unitBytes / bytes);
  Place from = originOf(op.getView(), op.getOffsets().size(), op.getOffsets());
  Place to = originOf(op.getDest(), rank, {});
  // Units are aligned on both sides.
  int64_t along = fast + lead;
  tile::ViewType view = global->view.getType();
  bool aligned =
      bytes <= unitBytes && global->contiguous == along && view.getAlign() &&
      view.getAlign() % unitBytes == 0 && shape[fast] % unit == 0 &&
      from.uniform[along].divisor % unit == 0 &&
      from.constant[along] % unit == 0 &&
      to.uniform[fast].divisor % unit == 0 && to.constant[fast] % unit == 0;
  for (auto [d, divisor] : llvm::enumerate(global->strideDivisors))
    aligned &= int64_t(d) == along || divisor % unit == 0;
  if (!aligned)
    return op.emitOpError("expected rows along dimension ")
           << along << " of units of " << unitBytes << " bytes at multiples of "
           << unitBytes << " bytes for " << op.getCopy() << ", got " << view
           << " into " << op.getDest().getType()
           << "; use lanes' loads and stores for such views";
  int64_t count = lanes.back().count;
  Units units =
      unitsOf(shape, tile->layout.getOrder(), unit, count, b.getContext());
  // The lanes in one line.
  from.layout = to.layout =
      tile::RegsAttr::get(b.getContext(), ArrayRef<int64_t>{1},
                          ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1});
  for (int64_t d = 0; d < rank; ++d)
    from.lane[d + lead] = to.lane[d] = units.lane[d];

  Value runs;
  if (Value idle = laneValue(to.layout, units.idle))
    runs = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, idle, i32(0));
  if (op.getPredicate()) {
    Value predicate = scalar(op.getPredicate());
    runs = runs ? Value(arith::AndIOp::create(b, runs, predicate)) : predicate;
  }
  if (runs) {
    auto branch =
        scf::IfOp::create(b, TypeRange(), runs, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  FailureOr<SmallVector<Value>> pointers =
      sharedAddresses(op, *tile, to, units.registers);
  if (failed(pointers))
    return failure();
  ArrayRef<int64_t> inside = op.getInside().value_or(ArrayRef<int64_t>());
  bool whole =
      tile::knownDivisor(global->view.getMixedSize(along)) % unit == 0 ||
      llvm::is_contained(inside, along);
  for (const SmallVector<int64_t> &reg : units.registers) {
    from.registers.emplace_back(lead, 0);
    llvm::append_range(from.registers.back(), reg);
  }
  if (op.getInBounds())
    global->sizes.clear();
  Bounds bounds = boundsOf(*global, from, inside);
  // What all lanes share is asked last: the assembler spills otherwise.
  Value all = std::exchange(bounds.all, Value());
  for (auto [at, pointer] : llvm::zip(from.registers, *pointers)) {
    Value isInside = inBounds(*global, from, bounds, at);
    if (all)
      isInside = isInside ? b.createOrFold<arith::AndIOp>(isInside, all) : all;
    Value address = globalAddress(*global, from, at);
    if (isInside && whole) {
      copyOrZero(b, pointer, address, unitBytes, isInside);
      continue;
    }
    Value size; // Null: all of it.
    if (!whole && !op.getInBounds()) {
      size = bytesInside(*global, from, at, along, bytes, unitBytes);
      if (isInside)
        size = arith::SelectOp::create(b, isInside, size, i32(0));
    }
    NVVM::CpAsyncOp::create(b, pointer, address, unitBytes, cache, size);
  }
  return success();
}
