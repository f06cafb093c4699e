// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: operands whose rows cannot be read in wide units. Rather than
// multiply them element by element, which every tile that reads them would pay
// for, a launch copies them into the workspace first, in rows filled up with
// zeros, where the programs for wide operands take them.

#include "HeliosToTilePlan.h"
#include "HeliosToTileProgram.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Rows of an item that each of its groups copies.
static constexpr int64_t kRowsOfGroup = 4;

Product Product::getCopy(unsigned operand, Attribute target,
                         int64_t vectorBytes) const {
  Product result = *this;
  result.part = Part::Copy;
  result.cluster = {1, 1};
  result.numResults = 1;
  result.groups.clear();
  Access from = accesses[operand];
  SumTile sum =
      SumTile::get(dyn_cast_or_null<tile::TargetAttrInterface>(target));
  // Half of a lane's elements that are added up lie side by side.
  int64_t lanes = sum.tile[1] / 4;
  SmallVector<int64_t> tile{kRowsOfGroup * sum.groups[0],
                            lanes *
                                vectorElements(from.elementType, vectorBytes)};
  result.extents.truncate(numBatch);
  result.tile.assign(numBatch, 1);
  for (int64_t axis = 0; axis < numBatch; ++axis)
    if (!llvm::is_contained(from.axes, axis))
      result.extents[axis] = 1;
  result.extents.append(2, ShapedType::kDynamic);
  for (int64_t axis : ArrayRef(from.axes).take_back(2))
    result.extents.push_back(extents[axis]);
  for (int i = 0; i < 2; ++i)
    result.tile.append(tile);
  Access to = from;
  int64_t last = from.axes.size();
  for (int64_t i : {2, 1}) {
    to.axes[last - i] = k() - i;
    from.axes[last - i] = k() + 2 - i;
  }
  from.anywhere = true;
  to.kept = Kept::Copy;
  result.accesses.assign({from, to});
  return result;
}

namespace {

class CopyEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    offsets[product.k()] = offsets[product.m()];
    offsets[product.k() + 1] = offsets[product.n()];
    store(load(0), 1);
    return success();
  }
};

} // namespace

FailureOr<Program> totile::emitCopy(OpBuilder &builder, const Product &product,
                                    ScheduleAttr schedule, Attribute target,
                                    int64_t vectorBytes, StringRef name) {
  return CopyEmitter(builder, product, Variant::Aligned, vectorBytes)
      .run(schedule, target, name);
}

/// Whether rows of an access cannot be read in wide units.
Value PlanEmitter::isNarrow(const Access &access) {
  Placed &tensor = placed(access);
  Value vector = index(vectorElements(access.elementType, vectorBytes));
  Value wide =
      compare(arith::CmpIPredicate::sle, index(vectorBytes), tensor.alignment);
  auto divides = [&](Value value) {
    conjoin(wide, compare(arith::CmpIPredicate::eq,
                          fold<arith::RemUIOp>(value, vector), index(0)));
  };
  divides(tensor.extents.back());
  for (Value stride : ArrayRef(tensor.strides).drop_back())
    divides(stride);
  return fold<arith::XOrIOp>(wide, boolean(true));
}

/// Elements of K that one wide access of any operand holds.
int64_t PlanEmitter::wholeUnits(const Product &product) {
  int64_t elements = 1;
  for (const OperandCopy &copy : programs.copies)
    elements = std::max(
        elements, vectorElements(product.accesses[copy.operand].elementType,
                                 vectorBytes));
  return elements;
}

/// Whether nothing but copies of all operands will do: the left one is narrow,
/// or K, along which some lie, has to be filled up.
Value PlanEmitter::needsAllCopies(const Product &product) {
  Value all = isNarrow(product.accesses.front());
  bool alongK = llvm::any_of(programs.copies, [&](const OperandCopy &copy) {
    return product.accesses[copy.operand].axes.back() == product.k();
  });
  if (alongK)
    all = fold<arith::OrIOp>(
        all, compare(arith::CmpIPredicate::ne,
                     fold<arith::RemUIOp>(extentOf(product, product.k()),
                                          index(wholeUnits(product))),
                     index(0)));
  return all;
}

/// Places the copy of an operand behind `bytes` of the workspace. K is filled
/// up, so that all operands have as much of it.
void PlanEmitter::placeCopy(const Product &product, const OperandCopy &copy,
                            Value &bytes) {
  const Access &access = product.accesses[copy.operand];
  const Placed &operand = placed(access);
  SmallVector<Value> extents(operand.extents);
  for (auto [extent, axis] : llvm::zip(extents, access.axes))
    if (axis == product.k())
      extent = filledUp(builder, loc, extent, wholeUnits(product));
  std::string name = "the copy of " + operand.name;
  keep(access.tensor,
       inWorkspace(access.elementType, std::move(extents), bytes, name),
       Kept::Copy);
}

/// Whether so many copies take less than a product that reads element by
/// element loses by that. Several tiles of a processor hide a good part of each
/// other's waiting. A batch-invariant product is added up in the same way
/// whatever the number of its rows.
Value PlanEmitter::areWorthwhile(const Product &product, int64_t copies) {
  if (cast<MatmulOp>(product.op).getBatchInvariant())
    return boolean(true);
  auto target = cast<tile::TargetAttrInterface>(kernel.getTargetAttr());
  const tile::TargetCosts &costs = target.getCosts();
  // Tenths of what a tile alone takes: the first one, and each one more.
  constexpr int64_t first = 7, more = 3, both = first + more;
  Value units = tile::DeviceOp::create(builder, loc, builder.getIndexType(),
                                       tile::DeviceProperty::ComputeUnits);
  unsigned smallest = programs.schedules.size() - 1;
  enter(smallest);
  Value tiles = fold<arith::CeilDivUIOp>(
      items(programs.schedules[smallest].parts.front()), units);
  Value shares = fold<arith::AddIOp>(fold<arith::MulIOp>(tiles, index(more)),
                                     index(first));
  Value scattered = fold<arith::MulIOp>(
      fold<arith::MulIOp>(extentOf(product, product.k()), shares),
      index(std::llround(costs.scatteredElement)));
  return compare(arith::CmpIPredicate::sgt, scattered,
                 index(std::llround(both * costs.copyDispatch) * copies));
}

/// The ways of a launch that makes some copies first.
void PlanEmitter::launchCopied(const Product &whole, Value wanted,
                               ArrayRef<OperandCopy *> copies) {
  Value worthwhile = areWorthwhile(whole, copies.size());
  for (VariantPrograms &entry : programs.variants) {
    if (entry.variant != Variant::Aligned && entry.variant != Variant::Operands)
      continue;
    ScheduledProducts &scheduled = programs.schedules[entry.schedule];
    enter(entry.schedule);
    Value bytes = splits[entry.schedule].workspace;
    Value holds = wanted;
    for (OperandCopy *copy : copies) {
      placeCopy(whole, *copy, bytes);
      conjoin(holds, guard(copy->product, Variant::Aligned));
    }
    SmallVector<Product, 0> parts(scheduled.parts);
    for (Product &part : parts) {
      if (part.multiplies())
        for (OperandCopy *copy : copies)
          part.accesses[copy->operand].kept = Kept::Copy;
      conjoin(holds, guard(part, part.factsOf(entry.variant)));
    }
    conjoin(holds, chosen[entry.schedule]);
    conjoin(holds, worthwhile);
    branch(holds, [&](OpBuilder &way) {
      std::string name = nameOf(entry, /*isFirst=*/false) + "_copied";
      for (OperandCopy *copy : copies)
        dispatch(way, copy->product, copy->program, scheduled.schedule, name);
      for (auto [part, program] : llvm::zip(parts, entry.programs))
        dispatch(way, part, program, scheduled.schedule, name);
      return bytes;
    });
  }
}

/// Emits the ways of a launch that copies operands first: all, or all but the
/// left one.
void PlanEmitter::launchCopies() {
  if (programs.copies.empty())
    return;
  // Schedules have others, of the same tensors.
  Product whole = programs.schedules.front().products.front();
  SmallVector<OperandCopy *> all, right;
  Value rightIsNarrow = boolean(false);
  for (OperandCopy &copy : programs.copies) {
    all.push_back(&copy);
    if (copy.operand == 0)
      continue;
    right.push_back(&copy);
    rightIsNarrow = fold<arith::OrIOp>(rightIsNarrow,
                                       isNarrow(whole.accesses[copy.operand]));
  }
  Value needsAll = needsAllCopies(whole);
  if (!right.empty() && right.size() < all.size())
    launchCopied(
        whole,
        fold<arith::AndIOp>(rightIsNarrow,
                            fold<arith::XOrIOp>(needsAll, boolean(true))),
        right);
  launchCopied(whole, needsAll, all);
}
