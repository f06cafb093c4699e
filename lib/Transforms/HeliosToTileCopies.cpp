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

Product Product::getCopy(ArrayRef<unsigned> operands, Attribute target,
                         int64_t vectorBytes) const {
  Product result = *this;
  result.part = Part::Copy;
  result.cluster = {1, 1};
  result.groups.clear();
  result.extents.truncate(numBatch);
  result.tile.assign(numBatch, 1);
  result.accesses.clear();
  SumTile sum =
      SumTile::get(dyn_cast_or_null<tile::TargetAttrInterface>(target));
  for (unsigned operand : operands) {
    Access from = accesses[operand], to = from;
    int64_t first = result.extents.size(), last = from.axes.size() - 2;
    int64_t columns = sum.lanes * vectorElements(from.elementType, vectorBytes);
    result.extents.append(2, ShapedType::kDynamic);
    for (int64_t i : {0, 1}) {
      result.extents.push_back(extents[from.axes[last + i]]);
      to.axes[last + i] = first + i;
      from.axes[last + i] = first + 2 + i;
      result.tile.append({kRowsOfGroup * sum.groups[0], columns});
    }
    from.anywhere = true;
    to.kept = Kept::Copy;
    result.accesses.append({from, to});
  }
  return result;
}

bool Product::readsAlongK() const {
  return llvm::any_of(
      ArrayRef(accesses).take_front(firstFused()).drop_front(firstCaptured()),
      [&](const Access &access) {
        return llvm::is_contained(access.axes, k());
      });
}

bool Product::hasOddRows(int64_t vectorBytes) const {
  return multiplies() && !isAttention() &&
         !ShapedType::isDynamic(extents[k()]) && readsAlongK() &&
         llvm::any_of(ArrayRef(accesses).take_front(firstCaptured()),
                      [&](const Access &access) {
                        return access.axes.back() == k() &&
                               extents[k()] % vectorElements(access.elementType,
                                                             vectorBytes) !=
                                   0;
                      });
}

bool Product::isFilled(const Access &access, Variant variant) const {
  unsigned number = &access - accesses.data();
  if (part == Part::Copy)
    return number % 2 == 1;
  if (part == Part::Left || part == Part::Turn)
    return number + 1 == accesses.size() && access.axes.back() == k();
  auto product = dyn_cast<MatmulOp>(op);
  if (!product || !multiplies() ||
      (variant != Variant::Operands && variant != Variant::Aligned))
    return false;
  if (number >= firstCaptured() || !isWide(access, variant) ||
      access.axes.back() == k() || isDivided(access.axes.back()))
    return false;
  // Of what is written or fused in units as large, whole ones are known, also
  // where sums of slices come first.
  int64_t bits = tile::getStoredBits(access.elementType);
  if (part != Part::Whole && variant == Variant::Aligned &&
      access.axes.back() == n() &&
      llvm::any_of(product->getResults(), [&](OpResult result) {
        return !product.getReduction(result.getResultNumber()) &&
               tile::getStoredBits(getElementTypeOrSelf(result.getType())) <=
                   bits;
      }))
    return false;
  return llvm::none_of(ArrayRef(accesses).drop_front(firstFused()),
                       [&](const Access &other) {
                         return isWide(other, variant) &&
                                other.axes.back() == access.axes.back() &&
                                tile::getStoredBits(other.elementType) <= bits;
                       });
}

Product Product::ofWideRows(int64_t vectorBytes) const {
  Product result = *this;
  if (!multiplies() || isAttention() || ShapedType::isDynamic(extents[k()]) ||
      readsAlongK())
    return result;
  int64_t &depth = result.extents[k()];
  int64_t wholeUnits = 1;
  bool isCopied = false;
  // What a part makes of one lies in wide rows.
  for (const Access &access : ArrayRef(accesses).take_front(firstCaptured()))
    if (access.isVectorised(numBatch) && access.kept != Kept::Made) {
      int64_t unit = vectorElements(access.elementType, vectorBytes);
      wholeUnits = std::max(wholeUnits, unit);
      isCopied |= access.axes.back() == k() && depth % unit != 0;
    }
  if (isCopied)
    depth = llvm::alignTo(depth, wholeUnits);
  return result;
}

namespace {

/// One program copies all operands: the items of one follow those of another.
class CopyEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  void enterItems(ScheduleAttr schedule, bool clustered) override {
    Value all;
    for (unsigned copy = 1; copy < product.accesses.size(); copy += 2) {
      Value count = constant(1);
      SmallVector<Value> &ofCopy = bounds.emplace_back();
      for (int64_t axis : product.accesses[copy].axes) {
        if (axis < 0)
          continue;
        ofCopy.push_back(
            product.isTiled(axis)
                ? arith::CeilDivUIOp::create(builder, loc, extents[axis],
                                             constant(product.tile[axis]))
                : extents[axis]);
        count = builder.createOrFold<arith::MulIOp>(loc, count, ofCopy.back());
      }
      counts.push_back(count);
      all = all ? arith::AddIOp::create(builder, loc, all, count) : count;
    }
    offsets.resize(product.extents.size());
    item = openItems(all,
                     tile::ItemsAttr::get(builder.getContext(),
                                          tile::Distribution::Grid, {}, -1, {}))
               .front();
  }

  LogicalResult emitItem() override {
    Value at = item;
    OpBuilder::InsertionGuard guard(builder);
    for (unsigned i = 0; i < counts.size(); ++i) {
      if (i + 1 < counts.size()) {
        Value isOfThis = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, at, counts[i]);
        auto either = scf::IfOp::create(builder, loc, isOfThis,
                                        /*withElseRegion=*/true);
        builder.setInsertionPointToStart(either.thenBlock());
        copy(i, at);
        builder.setInsertionPointToStart(either.elseBlock());
        at = arith::SubIOp::create(builder, loc, at, counts[i]);
      } else {
        copy(i, at);
      }
    }
    return success();
  }

  /// Copies the tile of this number of an operand.
  void copy(unsigned number, Value at) {
    ArrayRef<int64_t> from = product.accesses[2 * number].axes,
                      to = product.accesses[2 * number + 1].axes;
    size_t left = bounds[number].size();
    for (size_t dim = to.size(); dim-- > 0;) {
      if (to[dim] < 0)
        continue;
      Value tile = at;
      if (--left > 0) {
        Value bound = bounds[number][left];
        tile = arith::RemUIOp::create(builder, loc, at, bound);
        at = arith::DivUIOp::create(builder, loc, at, bound);
      }
      if (product.isTiled(to[dim]))
        tile = arith::MulIOp::create(builder, loc, tile,
                                     constant(product.tile[to[dim]]));
      offsets[to[dim]] = offsets[from[dim]] = tile;
    }
    store(load(2 * number), 2 * number + 1);
  }

  Value item;
  SmallVector<SmallVector<Value>> bounds; ///< tiles along the axes of a copy
  SmallVector<Value> counts;              ///< tiles of a copy
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
  for (unsigned operand : programs.copies.back().operands)
    elements =
        std::max(elements, vectorElements(product.accesses[operand].elementType,
                                          vectorBytes));
  return elements;
}

/// Whether nothing but copies of all operands will do: the left one is narrow,
/// which a part may make anew, or any where there is no copy of fewer, or K,
/// along which some lie, has to be filled up.
Value PlanEmitter::needsAllCopies(const Product &product) {
  ArrayRef<unsigned> operands = programs.copies.back().operands;
  bool anyOne = programs.copies.size() == 1;
  Value all =
      programs.narrowLeft ? isNarrow(product.accesses.front()) : boolean(false);
  for (unsigned operand : operands)
    if (anyOne || operand == 0)
      all = fold<arith::OrIOp>(all, isNarrow(product.accesses[operand]));
  bool alongK = llvm::any_of(operands, [&](unsigned operand) {
    return product.accesses[operand].axes.back() == product.k();
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
void PlanEmitter::placeCopy(const Product &product, unsigned operandNumber,
                            Value &bytes) {
  const Access &access = product.accesses[operandNumber];
  const Placed &operand = placed(access);
  SmallVector<Value> extents(operand.extents);
  for (auto [extent, axis] : llvm::zip(extents, access.axes))
    if (axis == product.k())
      extent = filledUp(extent, wholeUnits(product));
  std::string name = "the copy of " + operand.name;
  keep(access.tensor,
       inWorkspace(access.elementType, std::move(extents), bytes, name),
       Kept::Copy);
}

/// Whether copies take less than a product that reads element by element loses
/// by that. Several tiles of a processor hide a good part of each other's
/// waiting. A batch-invariant product is added up in the same way whatever the
/// number of its rows.
Value PlanEmitter::areWorthwhile(const Product &product) {
  if (cast<MatmulOp>(product.op).getBatchInvariant())
    return boolean(true);
  auto target = cast<tile::TargetAttrInterface>(kernel.getTargetAttr());
  const tile::TargetCosts &costs = target.getCosts();
  // Tenths of what a step of a tile alone takes: the first one's, and those of
  // as many as there are for a processor.
  constexpr int64_t first = 6, more = 4, both = first + more;
  Value units = device(tile::DeviceProperty::ComputeUnits);
  unsigned smallest = programs.schedules.size() - 1;
  enter(smallest);
  const Product &part = programs.schedules[smallest].parts.front();
  // Shares of a processor, of which as many as there are processors make one.
  Value tiles = fold<arith::MaxUIOp>(items(part), units);
  Value shares = fold<arith::AddIOp>(fold<arith::MulIOp>(tiles, index(more)),
                                     fold<arith::MulIOp>(units, index(first)));
  Value elements =
      filledUp(extentOf(product, product.k()), part.tile[part.k()]);
  Value scattered = fold<arith::AddIOp>(
      fold<arith::MulIOp>(fold<arith::MulIOp>(elements, shares),
                          index(std::llround(costs.scatteredElement))),
      fold<arith::MulIOp>(tiles,
                          index(std::llround(both * costs.scatteredTile))));
  return compare(arith::CmpIPredicate::sgt, scattered,
                 fold<arith::MulIOp>(
                     units, index(std::llround(both * costs.copyDispatch))));
}

/// The ways of a launch that makes copies first.
void PlanEmitter::launchCopied(const Product &whole, Value wanted,
                               OperandCopies &copies) {
  Value worthwhile = areWorthwhile(whole);
  // What the first schedule turns is not copied, which others would need.
  int64_t turn = programs.schedules.front().schedule.getTurn();
  for (VariantPrograms &entry : programs.variants) {
    ScheduledProducts &scheduled = programs.schedules[entry.schedule];
    if ((entry.variant != Variant::Aligned &&
         entry.variant != Variant::Operands) ||
        makesRight(scheduled.schedule) || scheduled.schedule.getTurn() != turn)
      continue;
    enter(entry.schedule);
    Value bytes = splits[entry.schedule].workspace;
    for (unsigned operand : copies.operands)
      placeCopy(whole, operand, bytes);
    Value holds = wanted;
    conjoin(holds, guard(copies.product, Variant::Aligned));
    SmallVector<Product, 0> parts(scheduled.parts);
    SmallVector<Program> launched(entry.programs);
    for (auto [part, program] : llvm::zip(parts, launched)) {
      if (part.part == Part::Left) {
        // Rows are filled up along K alone, to whole units of their elements.
        const Access &made = part.accesses.back();
        int64_t units = wholeUnits(whole);
        if (made.axes.back() == whole.k() &&
            units == vectorElements(made.elementType, vectorBytes))
          keep(made.tensor, madeInWorkspace(part, units, bytes), made.kept);
        else
          conjoin(holds, compare(arith::CmpIPredicate::eq,
                                 fold<arith::RemUIOp>(
                                     extentOf(whole, whole.k()), index(units)),
                                 index(0)));
        program = *programs.narrowLeft;
        conjoin(holds, guard(part, Variant::Any));
        continue;
      }
      if (part.multiplies())
        for (unsigned operand : copies.operands)
          part.accesses[operand].kept = Kept::Copy;
      conjoin(holds, guard(part, part.factsOf(entry.variant)));
    }
    conjoin(holds, chosen[entry.schedule]);
    conjoin(holds, worthwhile);
    branch(holds, [&](OpBuilder &way) {
      std::string name = nameOf(entry, /*isFirst=*/false) + "_copied";
      dispatch(way, copies.product, copies.program, scheduled.schedule, name);
      for (auto [part, program] : llvm::zip(parts, launched))
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
  Value needsAll = needsAllCopies(whole);
  if (programs.copies.size() > 1) {
    Value wanted = boolean(false);
    for (unsigned operand : programs.copies.front().operands)
      wanted = fold<arith::OrIOp>(wanted, isNarrow(whole.accesses[operand]));
    wanted = fold<arith::AndIOp>(wanted,
                                 fold<arith::XOrIOp>(needsAll, boolean(true)));
    launchCopied(whole, wanted, programs.copies.front());
  }
  launchCopied(whole, needsAll, programs.copies.back());
}
