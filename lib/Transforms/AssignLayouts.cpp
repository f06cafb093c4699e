// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: every tile gets a layout, every change of layout an op.
//
// Two steps. *Inference* finds the layout of each value forward to a fixed
// point, with products, loads and stores as anchors. *Rewriting* sets the types
// and converts operands; a conversion that goes through memory is two ops.

#include "MatrixWork.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace helios {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Registers of a lane that hold neither tiles that loops carry nor operands:
/// addresses and counters.
constexpr int64_t kOtherRegisters = 48;
/// Of a lane whose copies another role starts.
constexpr int64_t kOtherRegistersOfRole = 32;

/// What memory moves at least, even for less.
constexpr int64_t kSectorBytes = 32;

class LayoutAssignment {
public:
  explicit LayoutAssignment(ProgramOp program)
      : program(program), context(program.getContext()) {}

  LogicalResult run() {
    FailureOr<int64_t> perGroup = getLanesPerGroup(program);
    if (failed(perGroup))
      return failure();
    lanes = *perGroup;
    groups = 1;
    for (int64_t g : getGroups(program))
      groups *= g;
    if (TargetAttrInterface row = program.getTargetRow()) {
      vectorBytes = row.getVectorBytes();
      if (ConfigAttr config = program.getTuning())
        copy = row.getCopy(stringifyStrategy(config.getStrategy()));
    }
    if (failed(findMatrices()))
      return failure();
    collectComponents();
    if (failed(infer()))
      return failure();
    return rewrite(program.getBody());
  }

private:
  //===------------------------------------------------------------------===//
  // Components: tiles that element-wise ops tie together
  //===------------------------------------------------------------------===//

  /// The layout of products' results, if their elements have no known places.
  LogicalResult findMatrices() {
    WalkResult walk = program.walk([&](DotOp dot) -> WalkResult {
      FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
      if (failed(mma))
        return WalkResult::interrupt();
      auto layout = dyn_cast_or_null<LayoutAttrInterface>(
          (*mma).getLayout(Side::Acc, getGroups(program)));
      if (layout && !layout.hasCoordinates())
        matrices = layout;
      return WalkResult::advance();
    });
    if (matrices)
      mergeChoices(program);
    return failure(walk.wasInterrupted());
  }

  static RankedTensorType tileType(Value v) {
    return dyn_cast<RankedTensorType>(v.getType());
  }

  static Operation *yieldOf(WhereOp where) {
    return where.getBody().front().getTerminator();
  }

  void collectComponents() {
    program.walk([&](Operation *op) {
      if (isElementwise(op)) {
        for (Value operand : op->getOperands())
          if (tileType(operand))
            components.unionSets(op->getResult(0).getAsOpaquePointer(),
                                 operand.getAsOpaquePointer());
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (auto [arg, init, yield, result] :
             llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getYieldedValues(), loop.getResults()))
          if (tileType(arg))
            for (Value v : {Value(init), Value(yield), Value(result)})
              components.unionSets(Value(arg).getAsOpaquePointer(),
                                   v.getAsOpaquePointer());
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region :
             {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            for (auto [yield, result] :
                 llvm::zip(region->front().getTerminator()->getOperands(),
                           branch.getResults()))
              if (tileType(result))
                components.unionSets(result.getAsOpaquePointer(),
                                     yield.getAsOpaquePointer());
      } else if (auto where = dyn_cast<WhereOp>(op)) {
        for (auto [old, yield, result] :
             llvm::zip(where.getOld(), yieldOf(where)->getOperands(),
                       where.getResults()))
          for (Value v : {Value(old), Value(yield)})
            components.unionSets(result.getAsOpaquePointer(),
                                 v.getAsOpaquePointer());
      }
    });
    // What each component touches in memory decides how wide its accesses are.
    program.walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op))
        noteAccess(load.getResult(), load.getView().getType(), /*store=*/false);
      else if (auto store = dyn_cast<StoreOp>(op))
        noteAccess(store.getTile(), store.getView().getType(), /*store=*/true);
    });
  }

  struct Access {
    int64_t bytes = 0;
    int64_t contiguous = -1;
    bool store = false;
  };

  const void *leader(Value v) {
    return *components.findLeader(components.insert(v.getAsOpaquePointer()));
  }

  void noteAccess(Value tile, ViewType view, bool store) {
    Access &access = accesses[leader(tile)];
    int64_t bytes = getElementBytes(view.getElementType());
    access.bytes = access.bytes ? std::min(access.bytes, bytes) : bytes;
    int64_t dim =
        view.getContiguousDim() - (view.getRank() - tileType(tile).getRank());
    if (dim >= 0 && (access.contiguous < 0 || (store && !access.store))) {
      access.contiguous = dim;
      access.store = store;
    }
  }

  /// The layout for a tile and what it is computed with: the accumulator's
  /// where that has coordinates, else wide accesses.
  Attribute preferred(Value v) {
    RankedTensorType type = tileType(v);
    leader(v);
    for (const void *member : components.members(v.getAsOpaquePointer()))
      if (Attribute layout =
              layouts.lookup(Value::getFromOpaquePointer(member));
          isa_and_nonnull<AccAttr>(layout))
        return layout;
    Access access = accesses.lookup(leader(v));
    // What is exchanged with matrices alone stays in the group that has them.
    if (matrices && !access.bytes && type.getRank() == 2 &&
        matrices.getGroupGrid()[1] == 1) {
      auto rows = cast<LayoutAttrInterface>(getRowsLayout(matrices, 1));
      if (succeeded(
              rows.verifyTile(silent, type.getShape(), type.getElementType())))
        return rows;
    }
    int64_t bytes =
        access.bytes ? access.bytes : getElementBytes(type.getElementType());
    int64_t contiguous =
        access.contiguous >= 0 && access.contiguous < type.getRank()
            ? access.contiguous
            : type.getRank() - 1;
    RegsAttr wide = getWideLayout(context, type.getShape(), bytes, contiguous,
                                  lanes, groups, vectorBytes);
    // The way to and from other layouts leads through rows of this pitch.
    return wide ? interleaveForBanks(wide, bytes, contiguous,
                                     sharedPitch(type, contiguous, bytes))
                : wide;
  }

  /// Elements from one row of an exchanged tile to the next.
  int64_t sharedPitch(RankedTensorType type, int64_t fastest, int64_t bytes) {
    ConfigAttr config = program.getTuning();
    int64_t unit = std::max<int64_t>(1, vectorBytes / bytes);
    int64_t pad = config && config.getPad() >= 0 ? config.getPad() : unit;
    return llvm::alignTo(type.getDimSize(fastest), unit) +
           llvm::alignTo(pad, unit);
  }

  //===------------------------------------------------------------------===//
  // Inference
  //===------------------------------------------------------------------===//

  LayoutAttrInterface get(Value v) {
    return dyn_cast_or_null<LayoutAttrInterface>(layouts.lookup(v));
  }

  void set(Value v, Attribute layout) {
    if (!layout || !tileType(v) || layouts.lookup(v) == layout)
      return;
    layouts[v] = layout;
    changed = true;
  }

  /// A cast of the width keeps matrices without coordinates as they are;
  /// everything else is computed where places are known. Not a cast to bf16:
  /// drivers convert whole matrices to it by truncation (seen on an H200),
  /// which is not the rounding of arith.truncf.
  static bool keepsOpaque(Operation *op) {
    return isa<arith::TruncFOp, arith::ExtFOp>(op) &&
           !getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
  }

  /// Vectors that are only broadcast are loaded where their broadcast needs
  /// them.
  Attribute demandedByExpand(Value v) {
    leader(v);
    for (const void *member : components.members(v.getAsOpaquePointer()))
      for (Operation *user : Value::getFromOpaquePointer(member).getUsers())
        if (auto expand = dyn_cast<ExpandOp>(user);
            expand && expand.getDims().size() == 1)
          if (auto layout = get(expand.getResult());
              layout && layout.hasCoordinates())
            return SliceAttr::get(context, expand.getDims()[0], layout,
                                  Partial::None);
    return {};
  }

  /// Where lanes own what a partial vector of matrices is combined to.
  SliceAttr rowsOf(SliceAttr slice) {
    return SliceAttr::get(context, slice.getDim(),
                          getRowsLayout(slice.getParent(), slice.getDim()),
                          Partial::None);
  }

  /// Vectors that are broadcast to work on matrices alone are taken there.
  Attribute matricesOfUsers(ExpandOp expand) {
    Attribute layout;
    if (!isa<FloatType>(expand.getType().getElementType()))
      return {};
    for (Operation *user : expand->getUsers()) {
      if (!isElementwise(user) || !work.contains(user))
        return {};
      LayoutAttrInterface result = get(user->getResult(0));
      if (!result || result.hasCoordinates())
        return {};
      layout = result;
    }
    return layout;
  }

  void inferElementwise(Operation *op) {
    Attribute opaque, known;
    SliceAttr waiting;
    for (Value operand : op->getOperands()) {
      LayoutAttrInterface layout =
          tileType(operand) ? get(operand) : LayoutAttrInterface();
      if (!layout)
        continue;
      if (auto slice = dyn_cast<SliceAttr>(Attribute(layout));
          slice && !layout.hasCoordinates())
        waiting = slice;
      else if (!layout.hasCoordinates() || layout.isMemory())
        opaque = layout;
      else if (!known)
        known = layout;
    }
    Attribute result = known;
    if (waiting) {
      // A vector of matrices goes on waiting where the op is closed for it.
      Partial kind = kindOfResult(op);
      result = kind != Partial::None
                   ? withPartial(withoutPartial(waiting), kind)
               : known ? withoutPartial(known)
                       : Attribute(rowsOf(waiting));
    } else if (opaque && !cast<LayoutAttrInterface>(opaque).isMemory() &&
               work.contains(op)) {
      result = opaque;
    } else if (known)
      result = withPartial(withoutPartial(known), kindOfResult(op));
    else if (opaque)
      result = keepsOpaque(op) ? opaque : preferred(op->getResult(0));
    for (Value v : op->getResults())
      set(v, result);
  }

  //===------------------------------------------------------------------===//
  // Vectors that are still to be combined over lanes
  //===------------------------------------------------------------------===//

  static Attribute withPartial(Attribute layout, Partial kind) {
    auto slice = dyn_cast_or_null<SliceAttr>(layout);
    return slice && kind != Partial::None
               ? SliceAttr::get(slice.getContext(), slice.getDim(),
                                slice.getParent(), kind)
               : layout;
  }

  /// What is still to be combined in the result of an element-wise op, whose
  /// operands are taken as they are where it is closed for them. What a loop
  /// carries may become partial as the op's other operands are.
  Partial kindOfResult(Operation *op) {
    SmallVector<Partial> kinds;
    Partial other = Partial::None;
    for (Value operand : op->getOperands()) {
      kinds.push_back(getPartial(layouts.lookup(operand)));
      if (kinds.back() != Partial::None)
        other = kinds.back();
    }
    if (other == Partial::None)
      return Partial::None;
    SmallVector<Partial> carried = kinds;
    for (auto [operand, kind] : llvm::zip(op->getOperands(), carried))
      if (isa<BlockArgument>(operand) && !layouts.lookup(operand))
        kind = other;
    for (ArrayRef<Partial> in : {carried, kinds})
      if (std::optional<Partial> kind = combinePartials(op, in))
        return *kind;
    return Partial::None;
  }

  /// Whether an element-wise op takes this operand as partial as it is.
  bool takesPartial(Operation *op) {
    return isElementwise(op) &&
           combinePartials(
               op, llvm::map_to_vector(
                       op->getOperands(),
                       [&](Value v) { return getPartial(layouts.lookup(v)); }))
               .has_value();
  }

  /// Whether every lane may begin with this value, so that what is combined is
  /// this value once.
  bool isNeutral(Value v, Partial kind) {
    if (getPartial(layouts.lookup(v)) == kind)
      return true;
    auto constant = v.getDefiningOp<arith::ConstantOp>();
    auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                          : SplatElementsAttr();
    if (!splat)
      return false;
    // A maximum with itself is the same.
    if (kind != Partial::Add)
      return true;
    if (auto f = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>()))
      return f.getValue().isZero();
    return splat.getSplatValue<APInt>().isZero();
  }

  /// What loops carry stays partial where nothing in the loop needs it whole:
  /// lanes then meet once, behind the loop. True if a layout had to change.
  bool completeCarried() {
    bool completed = false;
    program.walk([&](scf::ForOp loop) {
      for (auto [arg, init] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
        Partial kind = getPartial(layouts.lookup(arg));
        if (kind == Partial::None)
          continue;
        bool stays = isNeutral(init, kind) &&
                     llvm::all_of(arg.getUsers(), [&](Operation *user) {
                       return takesPartial(user);
                     });
        if (!stays)
          completed |= whole.insert(arg).second;
      }
    });
    return completed;
  }

  //===------------------------------------------------------------------===//
  // Tiles that are copied into shared memory
  //===------------------------------------------------------------------===//

  static InFlightDiagnostic silent() { return {}; }

  /// Whether a product can take this side out of shared memory as it lies
  /// there.
  bool isTaken(DotOp dot, Side side, Attribute layout) {
    FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
    if (failed(mma))
      return false;
    if (bitEnumContainsAny((*mma).getPlaces(side), Place::Shared) &&
        succeeded((*mma).checkOperand(silent, side, layout)))
      return true;
    return bitEnumContainsAny((*mma).getPlaces(side), Place::Registers) &&
           (*mma).canLoad(side, layout);
  }

  /// Whether only products read a tile, and can from this layout.
  bool isTakenByAll(Value tile, Attribute layout) {
    if (tile.use_empty())
      return false;
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      if (auto dot = dyn_cast<DotOp>(use.getOwner()))
        return use.getOperandNumber() < 2 &&
               isTaken(dot, Side(use.getOperandNumber()), layout);
      auto transpose = dyn_cast<TransposeOp>(use.getOwner());
      return transpose &&
             isTakenByAll(transpose.getResult(),
                          cast<LayoutAttrInterface>(layout).getTransposed());
    });
  }

  /// Checks that a tile starts and continues at units that the engine moves.
  LogicalResult checkUnits(LoadOp load, int64_t contiguous) {
    ViewType view = load.getView().getType();
    auto viewOp = load.getView().getDefiningOp<ViewOp>();
    int64_t unit = copy.getGranule(),
            bytes = getElementBytes(view.getElementType());
    bool fits = view.getAlign() > 0 && view.getAlign() % unit == 0;
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (d != contiguous)
        fits &= view.getStrideDivisor(d) * bytes % unit == 0;
    fits &= knownDivisor(load.getOffsets()[contiguous]) * bytes % unit == 0;
    fits &= viewOp &&
            knownDivisor(viewOp.getMixedSize(contiguous)) * bytes % unit == 0;
    if (fits)
      return success();
    return load.emitOpError("expected rows that start and end at multiples of ")
           << unit << " bytes, which strategy '"
           << stringifyStrategy(program.getTuning().getStrategy())
           << "' copies at once, got " << view
           << " at an offset or of an extent that facts do not prove to be "
              "such; state 'align', 'div' and tile.div, or use strategy = "
              "staged";
  }

  /// The layout into which the strategy's engine copies a tile past the
  /// registers; null if it goes through them.
  FailureOr<Attribute> copiedLayout(LoadOp load) {
    RankedTensorType type = load.getType();
    ViewType view = load.getView().getType();
    int64_t contiguous =
        view.getContiguousDim() - (view.getRank() - type.getRank());
    if (!copy || type.getRank() != 2 || view.getGather() >= 0 ||
        !load.getPad().isZero())
      return Attribute();
    // Where rows are not known to be contiguous, the check below says so.
    Attribute layout =
        copy.getSharedLayout(type.getShape(), type.getElementType(),
                             std::max<int64_t>(0, contiguous));
    if (!layout || !isTakenByAll(load.getResult(), layout))
      return Attribute();
    if (contiguous < 0)
      return load.emitOpError("expected a view with a dimension of stride one, "
                              "along which strategy '")
             << stringifyStrategy(program.getTuning().getStrategy())
             << "' copies, got " << view << "; use strategy = staged";
    if (failed(checkUnits(load, view.getContiguousDim())))
      return failure();
    return layout;
  }

  LogicalResult inferOp(Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
      if (failed(mma))
        return failure();
      dot.setMmaAttr(*mma);
      set(dot.getResult(), (*mma).getLayout(Side::Acc, getGroups(program)));
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      FailureOr<Attribute> copied = copiedLayout(load);
      if (failed(copied))
        return failure();
      Attribute layout = *copied;
      if (load.getType().getRank() == 1)
        layout = demandedByExpand(load.getResult());
      set(load.getResult(), layout ? layout : preferred(load.getResult()));
    } else if (auto expand = dyn_cast<ExpandOp>(op)) {
      if (isa<RankedTensorType>(expand.getSource().getType())) {
        Attribute layout = matricesOfUsers(expand);
        set(expand.getResult(),
            layout ? layout : preferred(expand.getResult()));
      }
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      set(slice.getResult(), get(slice.getTile()));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      LayoutAttrInterface from = get(reduce.getTile());
      bool inMatrices = from && !from.hasCoordinates();
      if (inMatrices && canReduceMatrices(reduce)) {
        // What is left of a sum may wait for the others of its loop; what is
        // compared is wanted at once.
        auto slice = SliceAttr::get(context, reduce.getDim(), from,
                                    partialOf(reduce.getKind()));
        set(reduce.getResult(),
            reduce.getKind() == ReduceKind::Add ? slice : rowsOf(slice));
        return success();
      }
      // Nobody knows which lane holds what of an opaque tile.
      if (inMatrices)
        from = cast<LayoutAttrInterface>(preferred(reduce.getTile()));
      if (from) {
        // Where no other lane shares an element of the result, nothing is left
        // to combine.
        auto full =
            SliceAttr::get(context, reduce.getDim(), from, Partial::None);
        RankedTensorType type = tileType(reduce.getResult());
        LayoutAttrInterface places = full;
        bool whole = places.getGroupCount() * places.getLaneCount() *
                         places.getRegisterCount(type.getShape()) ==
                     type.getNumElements();
        set(reduce.getResult(),
            whole ? full
                  : SliceAttr::get(context, reduce.getDim(), from,
                                   partialOf(reduce.getKind())));
      }
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      LayoutAttrInterface have = get(transpose.getTile());
      set(transpose.getResult(),
          have && have.isMemory()
              ? have.getTransposed()
              : sharedFor(transpose.getTile()).getTransposed());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [arg, init, yield, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                     loop.getYieldedValues(), loop.getResults())) {
        Attribute layout = layouts.lookup(yield);
        if (!layout)
          layout = layouts.lookup(init);
        if (whole.contains(arg))
          layout = withoutPartial(layout);
        set(arg, layout);
        set(result, layout);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [yield, result] :
           llvm::zip(branch.thenYield().getOperands(), branch.getResults()))
        set(result, layouts.lookup(yield));
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      // What is skipped keeps a whole value, so that is what it gives.
      for (auto [old, yield, result] :
           llvm::zip(where.getOld(), yieldOf(where)->getOperands(),
                     where.getResults())) {
        Attribute layout = layouts.lookup(old);
        set(result, withoutPartial(layout ? layout : layouts.lookup(yield)));
      }
    } else if (isElementwise(op)) {
      inferElementwise(op);
    }
    return success();
  }

  /// Whether matrices side by side are combined as they are, so that one of
  /// each row is left to be combined by the lanes of its group: where the tile
  /// stays in matrices for the sake of a product, too.
  bool canReduceMatrices(ReduceOp reduce) {
    Type element = reduce.getType().getElementType();
    return matrices && (element.isF16() || element.isF32()) &&
           reduce.getKind() != ReduceKind::Min && reduce.getDim() == 1 &&
           matrices.getGroupGrid()[1] == 1 &&
           work.reachesProduct(reduce.getTile());
  }

  static Partial partialOf(ReduceKind kind) {
    return kind == ReduceKind::Add  ? Partial::Add
           : kind == ReduceKind::Or ? Partial::Or
                                    : Partial::Max;
  }

  LogicalResult infer() {
    // Layouts only become known, or move from a guess to an anchor; a handful
    // of rounds settles nested loops.
    for (int round = 0; round < 8; ++round) {
      changed = false;
      WalkResult walk = program.walk<WalkOrder::PostOrder>([&](Operation *op) {
        return failed(inferOp(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
      if (!changed && !completeCarried())
        break;
    }
    // What nothing anchors (constants, iotas between themselves) takes the
    // layout of its broadcast, or else the wide one.
    WalkResult walk = program.walk([&](Operation *op) -> WalkResult {
      SmallVector<Value> values(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      for (Value v : values) {
        if (!tileType(v) || layouts.lookup(v) || isFlexible(v))
          continue;
        Attribute demanded =
            tileType(v).getRank() == 1 ? demandedByExpand(v) : Attribute();
        set(v, demanded ? demanded : preferred(v));
        if (!layouts.lookup(v))
          return op->emitOpError("expected a tile that ")
                 << groups * lanes << " lanes hold evenly, got " << v.getType()
                 << ", which they do not divide; use another tile or fewer "
                    "groups";
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// Values that are made anew in whatever layout their user has.
  static bool isFlexible(Value v) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (auto expand = dyn_cast<ExpandOp>(op))
      return !isa<RankedTensorType>(expand.getSource().getType());
    return isa<arith::ConstantOp, IotaOp>(op);
  }

  //===------------------------------------------------------------------===//
  // Rewriting
  //===------------------------------------------------------------------===//

  /// The shared-memory layout through which a tile is exchanged: in the order
  /// in which it is written, rows padded against bank conflicts and aligned to
  /// the widest access.
  SharedAttr sharedFor(Value v) {
    RankedTensorType type = tileType(v);
    int64_t rank = type.getRank(), fastest = rank - 1;
    if (auto regs = dyn_cast_or_null<RegsAttr>(layouts.lookup(v))) {
      for (int64_t d = 0; d < rank; ++d)
        if (regs.getVec()[d] > regs.getVec()[fastest])
          fastest = d;
    }
    SmallVector<int64_t> order{fastest};
    for (int64_t d = rank - 1; d >= 0; --d)
      if (d != fastest)
        order.push_back(d);
    int64_t row = rank == 1
                      ? type.getDimSize(fastest)
                      : sharedPitch(type, fastest,
                                    getElementBytes(type.getElementType()));
    return SharedAttr::get(context, order, row - type.getDimSize(fastest), 0,
                           ArrayRef<int64_t>());
  }

  Value convert(OpBuilder &b, Location loc, Value v, Attribute layout) {
    return ConvertLayoutOp::create(b, loc, withLayout(tileType(v), layout), v);
  }

  /// 32-bit registers of a lane that a tile takes.
  static int64_t registersOf(RankedTensorType type) {
    LayoutAttrInterface layout = getLayout(type);
    if (!layout || layout.isMemory() || !layout.hasCoordinates())
      return 0;
    return llvm::divideCeil(layout.getRegisterCount(type.getShape()) *
                                getElementBytes(type.getElementType()),
                            4);
  }

  /// Whether an operand from outside of a product's loop has room in registers
  /// beside what the loop carries, what its products give and what they take
  /// from registers.
  bool fitsBeside(Operation *user, RankedTensorType operand) {
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    TargetAttrInterface row = program.getTargetRow();
    if (!isa<DotOp>(user) || !loop || !row)
      return true;
    int64_t most = row.getMaxRegisters(), others = kOtherRegisters;
    ConfigAttr config = program.getTuning();
    if (config && config.getStrategy() == Strategy::Roles)
      if (auto share = getRoleRegisters(row, groups, lanes)) {
        most = share->computing;
        others = kOtherRegistersOfRole;
      }
    int64_t registers = others + registersOf(operand);
    auto count = [&](Value v) {
      RankedTensorType type = tileType(v);
      if (type && layouts.lookup(v))
        registers += registersOf(withLayout(type, layouts.lookup(v)));
    };
    for (Value arg : loop.getRegionIterArgs())
      count(arg);
    for (auto dot : loop.getBody()->getOps<DotOp>()) {
      if (!llvm::is_contained(loop.getYieldedValues(), dot.getResult()))
        count(dot.getResult());
      for (Value side : {dot.getA(), dot.getB()})
        if (side.getParentBlock() == loop.getBody())
          count(side);
    }
    return registers <= most;
  }

  /// Whether a product in a loop, which could read an operand from outside of
  /// it where that lies, has room for it in registers: one reading instead of
  /// one in every trip.
  bool isKept(DotOp dot, Side side, Value v, Attribute layout) {
    auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    return loop && loop.isDefinedOutsideOfLoop(v) &&
           bitEnumContainsAny(dot.getMmaAttr().getPlaces(side),
                              Place::Registers) &&
           dot.getMmaAttr().canLoad(side, getLayout(v.getType())) &&
           fitsBeside(dot, withLayout(tileType(v), layout));
  }

  /// The value in a layout, from the value in the layout that was inferred for
  /// it.
  FailureOr<Value> as(OpBuilder &b, Operation *user, Value v,
                      Attribute wanted) {
    Location loc = v.getLoc();
    if (isFlexible(v))
      return remake(b, v, wanted);
    RankedTensorType type = tileType(v);
    LayoutAttrInterface have = getLayout(type);
    if (Attribute(have) == wanted || !wanted)
      return v;
    if (have.isSamePlace(type.getShape(), wanted))
      return convert(b, loc, v, wanted);
    if (have.getPartialKind() != Partial::None) {
      // Within a group, lanes combine what they share; there is nothing that
      // reaches further.
      auto slice = cast<SliceAttr>(Attribute(have));
      if (slice.getParent().getGroupGrid()[slice.getDim()] != 1) {
        user->emitOpError("needs a reduction over lanes of ")
            << type
            << ", whose lanes are in several groups; this version "
               "combines lanes of one group";
        return failure();
      }
      // What groups of lanes may skip stays where they do.
      if (isa<WhereOp>(user->getParentOp()))
        return as(b, user, convert(b, loc, v, withoutPartial(have)), wanted);
      if (v.getParentBlock() != user->getBlock())
        b.setInsertionPointAfterValue(v);
      v = convertOnce(b, loc, v,
                      have.hasCoordinates() ? withoutPartial(have)
                                            : rowsOf(slice));
      return as(b, user, v, wanted);
    }
    if (type.getElementType().isInteger(1)) {
      user->emitOpError("uses the truth values ")
          << type << " in the layout " << wanted
          << "; they cannot go through memory, so expected the same layout: "
             "compare numbers that are in it";
      return failure();
    }
    // What a loop or branch uses from outside is converted once, where it is
    // made; but an operand that has no room beside what the loop keeps in
    // registers is read from memory in every trip.
    if (v.getParentBlock() != user->getBlock()) {
      if (have.isMemory() && !fitsBeside(user, withLayout(type, wanted)))
        return convert(b, loc, v, wanted);
      b.setInsertionPointAfterValue(v);
    }
    if (!have.isMemory()) {
      // A vector on its way to matrices is written where it is computed, so
      // that several meet at one barrier.
      OpBuilder::InsertionGuard guard(b);
      if (type.getRank() == 1 &&
          !cast<LayoutAttrInterface>(wanted).hasCoordinates())
        b.setInsertionPointAfterValue(v);
      v = convertOnce(b, loc, v, sharedFor(v));
    }
    if (cast<LayoutAttrInterface>(wanted).isMemory())
      return v;
    return convertOnce(b, loc, v, wanted);
  }

  /// Users come in program order, so what an earlier one converted serves the
  /// later ones.
  Value convertOnce(OpBuilder &b, Location loc, Value v, Attribute layout) {
    Value &result = converted[{v, layout}];
    if (!result)
      result = convert(b, loc, v, layout);
    return result;
  }

  Value remake(OpBuilder &b, Value v, Attribute layout) {
    RankedTensorType type = withLayout(tileType(v), layout);
    Operation *op = v.getDefiningOp();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return arith::ConstantOp::create(
          b, v.getLoc(), type,
          cast<TypedAttr>(
              cast<DenseElementsAttr>(constant.getValue()).reshape(type)));
    OpBuilder::InsertionGuard guard(b);
    Operation *copy = b.clone(*op);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  LogicalResult convertOperands(Operation *op, Attribute layout) {
    OpBuilder b(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tileType(operand.get()))
        continue;
      FailureOr<Value> value = as(b, op, operand.get(), layout);
      if (failed(value))
        return failure();
      operand.set(*value);
    }
    return success();
  }

  LogicalResult convertOperand(OpOperand &operand, Attribute layout) {
    OpBuilder b(operand.getOwner());
    FailureOr<Value> value = as(b, operand.getOwner(), operand.get(), layout);
    if (failed(value))
      return failure();
    operand.set(*value);
    return success();
  }

  void setTypes(ValueRange values) {
    for (Value v : values)
      if (RankedTensorType type = tileType(v); type && layouts.lookup(v))
        v.setType(withLayout(type, layouts.lookup(v)));
  }

  /// Lanes that hold small pieces of rows write sectors of memory in parts,
  /// each of which costs as much as a whole one: where wide accesses are
  /// possible and nobody else stores tiles, they are exchanged for rows. Null
  /// if the tile is best stored as it is.
  Attribute wideInsteadOf(StoreOp store, LayoutAttrInterface have) {
    RankedTensorType type = store.getTile().getType();
    ViewType view = store.getView().getType();
    int64_t bytes = getElementBytes(view.getElementType()),
            lead = view.getRank() - type.getRank(),
            contiguous = view.getContiguousDim() - lead;
    if (!copy || copy.canStore() || type.getRank() != 2 || contiguous < 0 ||
        getRunOfLanes(have, type.getShape(), contiguous) * bytes >=
            kSectorBytes ||
        type.getNumElements() < lanes * groups * vectorBytes / bytes)
      return {};
    auto isWhole = [&](int64_t elements) {
      return elements * bytes % vectorBytes == 0;
    };
    bool fits = view.getAlign() > 0 && view.getAlign() % vectorBytes == 0;
    for (int64_t d = 0; d < view.getRank(); ++d)
      fits &= d == view.getContiguousDim() || isWhole(view.getStrideDivisor(d));
    auto viewOp = store.getView().getDefiningOp<ViewOp>();
    fits &=
        viewOp &&
        isWhole(knownDivisor(viewOp.getMixedSize(view.getContiguousDim()))) &&
        isWhole(knownDivisor(store.getOffsets()[view.getContiguousDim()]));
    if (!fits)
      return {};
    return getWideLayout(context, type.getShape(), bytes, contiguous, lanes,
                         groups, vectorBytes);
  }

  LogicalResult rewriteOp(Operation *op) {
    if (op->getNumResults() == 1 && isFlexible(op->getResult(0))) {
      flexible.push_back(op);
      return success();
    }
    setTypes(op->getResults());
    if (auto dot = dyn_cast<DotOp>(op)) {
      MmaAttrInterface mma = dot.getMmaAttr();
      SmallVector<int64_t> grid = getGroups(program);
      auto operand = [&](Side side, Value v) {
        LayoutAttrInterface have = get(v);
        bool lies = have && have.isMemory() &&
                    bitEnumContainsAny(mma.getPlaces(side), Place::Shared) &&
                    succeeded(mma.checkOperand(silent, side, have));
        Attribute read = mma.getLayout(side, grid);
        return lies && !isKept(dot, side, v, read) ? Attribute(have) : read;
      };
      Attribute a = operand(Side::A, dot.getA()),
                b = operand(Side::B, dot.getB());
      return success(succeeded(convertOperand(dot.getAMutable(), a)) &&
                     succeeded(convertOperand(dot.getBMutable(), b)) &&
                     succeeded(convertOperand(dot.getAccMutable(),
                                              mma.getLayout(Side::Acc, grid))));
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      LayoutAttrInterface have = isFlexible(store.getTile())
                                     ? LayoutAttrInterface()
                                     : getLayout(store.getTile().getType());
      bool direct = have && have.hasCoordinates() && !have.isMemory() &&
                    have.getPartialKind() == Partial::None;
      Attribute wide =
          direct ? wideInsteadOf(store, have) : preferred(store.getTile());
      return convertOperand(store.getTileMutable(),
                            wide ? wide : Attribute(have));
    }
    if (auto expand = dyn_cast<ExpandOp>(op)) {
      if (expand.getDims().size() != 1)
        return op->emitOpError("expected one new dimension for a tile, got ")
               << expand.getDims().size();
      return convertOperand(expand.getSourceMutable(),
                            SliceAttr::get(context, expand.getDims()[0],
                                           getLayout(expand.getType()),
                                           Partial::None));
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto slice = cast<SliceAttr>(getLayout(reduce.getType()));
      LayoutAttrInterface have = getLayout(reduce.getTile().getType());
      if (have && !have.hasCoordinates() && slice.hasCoordinates() &&
          canReduceMatrices(reduce))
        return reduceMatrices(reduce, slice);
      return convertOperand(reduce.getTileMutable(), slice.getParent());
    }
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      auto transposed = cast<SharedAttr>(getLayout(transpose.getType()));
      return convertOperand(transpose.getTileMutable(),
                            transposed.getTransposed());
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      setTypes(loop.getRegionIterArgs());
      for (auto [init, arg] :
           llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs()))
        if (tileType(arg) &&
            failed(convertOperand(init, getLayout(arg.getType()))))
          return failure();
      return success();
    }
    if (auto where = dyn_cast<WhereOp>(op))
      return rewriteWhere(where);
    if (isa<scf::YieldOp>(op) ||
        (isa<YieldOp>(op) && isa<WhereOp>(op->getParentOp()))) {
      for (auto [operand, result] :
           llvm::zip(op->getOpOperands(), op->getParentOp()->getResults()))
        if (tileType(result) &&
            failed(convertOperand(operand, layouts.lookup(result))))
          return failure();
      return success();
    }
    if (isElementwise(op))
      return rewriteElementwise(op);
    return success();
  }

  /// Matrices side by side are combined, and what is left by lanes that own
  /// rows.
  LogicalResult reduceMatrices(ReduceOp reduce, SliceAttr rows) {
    RankedTensorType full = reduce.getType();
    LayoutAttrInterface have = getLayout(reduce.getTile().getType());
    reduce.getResult().setType(
        withLayout(full, SliceAttr::get(context, reduce.getDim(), have,
                                        partialOf(reduce.getKind()))));
    OpBuilder b(context);
    b.setInsertionPointAfter(reduce);
    Value whole = convert(b, reduce.getLoc(), reduce.getResult(), rows);
    layouts[whole] = rows;
    reduce.getResult().replaceAllUsesExcept(whole, whole.getDefiningOp());
    return success();
  }

  /// A choice between matrices by truth values that have places: these go to
  /// the matrices as numbers.
  LogicalResult rewriteChoice(arith::SelectOp select) {
    OpBuilder b(select);
    Location loc = select.getLoc();
    Attribute layout = getLayout(select.getType());
    Attribute places = layouts.lookup(select.getCondition());
    FailureOr<Value> truth =
        as(b, select, select.getCondition(),
           places ? places : preferred(select.getResult()));
    if (failed(truth))
      return failure();
    RankedTensorType truths = tileType(*truth);
    Type number = b.getF16Type();
    Value condition = arith::UIToFPOp::create(
        b, loc,
        RankedTensorType::get(truths.getShape(), number, truths.getEncoding()),
        *truth);
    SmallVector<Value> inputs;
    for (Value v : {condition, select.getTrueValue(), select.getFalseValue()}) {
      FailureOr<Value> value = as(b, select, v, layout);
      if (failed(value))
        return failure();
      inputs.push_back(*value);
    }
    auto map = MapOp::create(b, loc, select->getResultTypes(), inputs);
    Block *body = b.createBlock(&map.getBody());
    for (Value v : inputs)
      body->addArgument(tileType(v).getElementType(), loc);
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(number, 0)),
          holds = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                        body->getArgument(0), zero);
    YieldOp::create(
        b, loc,
        ValueRange{arith::SelectOp::create(b, loc, holds, body->getArgument(1),
                                           body->getArgument(2))});
    layouts[map.getResult(0)] = layout;
    select->replaceAllUsesWith(map);
    select->erase();
    return success();
  }

  /// The condition lies as the leading dimensions of what it chooses between,
  /// partial as it is.
  LogicalResult rewriteWhere(WhereOp where) {
    for (auto [old, result] :
         llvm::zip(where.getOldMutable(), where.getResults()))
      if (failed(convertOperand(old, layouts.lookup(result))))
        return failure();
    Attribute places = layouts.lookup(where.getResult(0));
    for (int64_t dim = tileType(where.getResult(0)).getRank() - 1,
                 rank = where.getCondition().getType().getRank();
         dim >= rank; --dim)
      places = SliceAttr::get(context, dim, cast<LayoutAttrInterface>(places),
                              Partial::None);
    return convertOperand(
        where.getConditionMutable(),
        withPartial(places, getPartial(layouts.lookup(where.getCondition()))));
  }

  LogicalResult rewriteElementwise(Operation *op) {
    LayoutAttrInterface layout = getLayout(op->getResult(0).getType());
    if (auto select = dyn_cast<arith::SelectOp>(op);
        select && layout && !layout.hasCoordinates() && !layout.isMemory() &&
        tileType(select.getCondition()))
      return rewriteChoice(select);
    // Operands that are partial where the op is closed for them stay so.
    if (getPartial(layout) != Partial::None || takesPartialOperand(op))
      return rewritePartial(op);
    return convertOperands(op, layout);
  }

  bool takesPartialOperand(Operation *op) {
    return llvm::any_of(op->getOperands(),
                        [&](Value v) {
                          return getPartial(layouts.lookup(v)) != Partial::None;
                        }) &&
           takesPartial(op);
  }

  /// `arith` and `math` want equal types, so what is partial in some operands
  /// only is a `tile.map`.
  LogicalResult rewritePartial(Operation *op) {
    OpBuilder b(op);
    Attribute places = withoutPartial(getLayout(op->getResult(0).getType()));
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tileType(operand.get()))
        continue;
      FailureOr<Value> value =
          as(b, op, operand.get(),
             withPartial(places, getPartial(layouts.lookup(operand.get()))));
      if (failed(value))
        return failure();
      operand.set(*value);
    }
    auto map =
        MapOp::create(b, op->getLoc(), op->getResultTypes(), op->getOperands());
    Block *body = b.createBlock(&map.getBody());
    IRMapping scalars;
    for (Value operand : op->getOperands())
      scalars.map(operand, body->addArgument(tileType(operand).getElementType(),
                                             operand.getLoc()));
    Operation *scalar = b.clone(*op, scalars);
    for (OpResult result : scalar->getResults())
      result.setType(getElementTypeOrSelf(result.getType()));
    YieldOp::create(b, op->getLoc(), scalar->getResults());
    for (auto [from, to] : llvm::zip(op->getResults(), map.getResults()))
      if (Attribute layout = layouts.lookup(from))
        layouts[to] = layout;
    op->replaceAllUsesWith(map);
    op->erase();
    return success();
  }

  LogicalResult rewrite(Region &region) {
    SmallVector<Operation *> ops;
    region.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(rewriteOp(op)))
        return failure();
    for (Operation *op : llvm::reverse(flexible))
      if (op->use_empty())
        op->erase();
    return success();
  }

  ProgramOp program;
  MLIRContext *context;
  int64_t lanes = 0, groups = 0, vectorBytes = 16;
  CopyAttrInterface copy; ///< past the registers; null without
  bool changed = false;
  LayoutAttrInterface matrices; ///< of results without coordinates, or null
  MatrixWork work;
  llvm::EquivalenceClasses<const void *> components;
  DenseMap<const void *, Access> accesses;
  DenseMap<Value, Attribute> layouts;
  DenseSet<Value> whole; ///< loop arguments of which something needs the whole
  DenseMap<std::pair<Value, Attribute>, Value> converted;
  SmallVector<Operation *> flexible;
};

struct AssignLayouts : helios::impl::TileAssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    if (!getOperation().hasLayouts() &&
        failed(LayoutAssignment(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
