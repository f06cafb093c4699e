// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a kernel becomes tile programs, one a product and variant,
// and a launch plan.

#include "HeliosToTile.h"
#include "ScheduleNeeds.h"
#include "SelectSchedule.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSTOTILE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::totile;

std::string totile::tileText(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(schedule.getTile(), os, "x");
  if (llvm::product_of(schedule.getCluster()) != 1) {
    os << "_cluster";
    llvm::interleave(schedule.getCluster(), os, "x");
  }
  if (int64_t slices = schedule.getClusterK()[0]; slices != 1)
    os << "_cluster_k" << slices;
  if (int64_t turns = schedule.getTurns()[0]; turns != 1)
    os << "_turns" << turns;
  if (packsRight(schedule))
    text += "_packed";
  if (makesLeft(schedule))
    text += "_apart";
  if (makesRight(schedule))
    text += "_made";
  if (findsRanges(schedule))
    text += "_ranges";
  if (schedule.getTurn())
    text += "_turned";
  if (isStreamed(schedule))
    text += "_stream";
  if (int64_t slices = schedule.getSplitK()[0]; slices != 1) {
    os << "_split";
    if (slices)
      os << slices;
  }
  return text;
}

/// How many of the first schedules have a program for results whose rows
/// nothing is known of, and how many of those that split K: they are products
/// of odd extents, seldom met, and each program takes its time to compile.
static constexpr unsigned kMostForOperands = 5, kMostSplitForOperands = 1;
/// Their tiles differ in size by more than this factor.
static constexpr double kUnlike = 1.3;
/// Addresses and tests of bounds for the elements of each result take registers
/// that lanes with more accumulators do not have.
static constexpr int64_t kMostAccumulators = 64;

/// What the program of a part is called behind that of the whole.
static std::string suffixOf(const Product &part) {
  switch (part.part) {
  case Part::Whole:
  case Part::Stream:
    return "";
  case Part::Slices:
    return "_slices";
  case Part::Sum:
    return part.tileOfSums ? "_parts_sum" : "_sum";
  case Part::Fold:
    return "_fold" + std::to_string(part.folded);
  case Part::Copy:
    break;
  case Part::Pack:
    return "_pack";
  case Part::Left:
    return "_left";
  case Part::Right:
    return part.makesPair() ? "_pair" : "_right";
  case Part::Turn:
    return "_turn" + std::to_string(part.operand);
  case Part::Ranges:
    return "_ranges" + std::to_string(part.tile[part.m()]);
  }
  llvm_unreachable("copies are not of a variant");
}

/// What emits it.
static EmitProgram &emitterOf(const Product &part) {
  if (part.isPack())
    return emitPack;
  switch (part.part) {
  case Part::Fold:
    return emitFold;
  case Part::Left:
  case Part::Right:
    return emitMade;
  case Part::Turn:
    return emitTurn;
  case Part::Ranges:
    return emitRanges;
  case Part::Sum:
    return part.isAttention() ? emitAttentionSum : emitMatmul;
  default:
    return part.isAttention() ? emitAttention : emitMatmul;
  }
}

StringRef totile::getName(Variant variant) {
  switch (variant) {
  case Variant::Full:
    return "full";
  case Variant::Aligned:
    return "aligned";
  case Variant::Operands:
    return "operands";
  case Variant::Narrow:
    return "narrow";
  case Variant::Any:
    return "any";
  }
  llvm_unreachable("unknown variant");
}

namespace {

class HeliosToTile : public helios::impl::HeliosToTileBase<HeliosToTile> {
public:
  using HeliosToTileBase::HeliosToTileBase;

  void runOnOperation() override {
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  static SmallVector<Operation *> productsOf(KernelOp kernel) {
    return llvm::filter_to_vector(
        llvm::make_pointer_range(kernel.getBody().front()),
        [](Operation *op) { return isa<MatmulOp, AttentionOp, PackOp>(op); });
  }

  /// Tiles of a packed operand are whole ones, of the schedule's instruction.
  static LogicalResult checkTiles(KernelOp kernel, Operation *op,
                                  PackingAttr packing) {
    auto fits = [&](ScheduleAttr schedule) {
      ArrayRef<int64_t> tile = schedule.getTile(), mma = schedule.getMma();
      return packing.getMultiple()[0] % tile[2] == 0 &&
             packing.getMultiple()[1] % tile[packing.getRhs() ? 1 : 0] == 0 &&
             (!mma[0] || mma == packing.getMma());
    };
    SmallVector<ScheduleAttr> schedules;
    if (ScheduleAttr schedule = kernel.getScheduleAttr())
      schedules.push_back(schedule);
    if (ArrayAttr alternatives = kernel.getAlternativesAttr())
      llvm::append_range(schedules, alternatives.getAsRange<ScheduleAttr>());
    for (ScheduleAttr schedule : schedules)
      if (!fits(schedule))
        return op->emitOpError("is not lowered: expected whole tiles and the "
                               "instruction of ")
               << schedule << ", got " << packing;
    return success();
  }

  /// Whether any schedule of a kernel splits what is summed.
  static bool splitsK(KernelOp kernel) {
    auto splits = [](ScheduleAttr schedule) {
      return schedule && schedule.getSplitK()[0] != 1;
    };
    ArrayAttr alternatives = kernel.getAlternativesAttr();
    return splits(kernel.getScheduleAttr()) ||
           (alternatives &&
            llvm::any_of(alternatives.getAsRange<ScheduleAttr>(), splits));
  }

  /// Checks that the kernel's body holds only what this pass lowers.
  LogicalResult check(KernelOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<MatmulOp, AttentionOp, PackOp, UnpackOp, ReturnOp,
              tensor::ExpandShapeOp, tensor::CastOp, tensor::DimOp,
              tensor::EmptyOp>(op))
        continue;
      bool scalar = llvm::all_of(op.getResultTypes(), [](Type type) {
        return type.isIntOrIndexOrFloat();
      });
      if (scalar && op.getNumRegions() == 0 && isMemoryEffectFree(&op))
        continue;
      return op.emitOpError("is not lowered: a kernel may hold products, and "
                            "element-wise code that helios-fuse moves into "
                            "one; run helios-fuse, whose option 'remarks' says "
                            "what it leaves and why");
    }
    WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
      PackingAttr packing;
      Value tensor;
      if (auto pack = dyn_cast<PackOp>(op)) {
        packing = pack.getPacking();
        tensor = pack.getSource();
      } else if (auto unpack = dyn_cast<UnpackOp>(op)) {
        packing = unpack.getPacking();
        tensor = unpack.getResult();
        for (OpOperand &use : tensor.getUses())
          if (auto user = dyn_cast<MatmulOp>(use.getOwner());
              !user || (packing.getRhs() ? !user.isRight(use)
                                         : &use != &user.getLhsMutable()))
            return op->emitOpError("is not lowered: expected a product that "
                                   "takes it as its ")
                   << (packing.getRhs() ? "right" : "left") << " operand";
      }
      if (packing && failed(checkTiles(kernel, op, packing)))
        return WalkResult::interrupt();
      if (packing &&
          !packedLayout(op, packing, getElementTypeOrSelf(tensor.getType())))
        return op->emitOpError("is not lowered: the target has no instruction "
                               "for ")
               << packing;
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    auto products = productsOf(kernel);
    if (products.empty())
      return kernel.emitOpError("is not lowered: it holds no product");
    for (MatmulOp op : kernel.getBody().getOps<MatmulOp>())
      if (op.isGrouped() && splitsK(kernel))
        return op.emitOpError("is not lowered: expected 'split_k = 1' for a "
                              "grouped product, got slices of K");
    for (MatmulOp op : kernel.getBody().getOps<MatmulOp>())
      if (op.reducesAlong(ReducedAxis::M) && splitsK(kernel))
        return op.emitOpError("is not lowered: expected 'split_k = 1' beside "
                              "'reductions' along m, which are of whole sums");
    for (MatmulOp op : kernel.getBody().getOps<MatmulOp>())
      if (op.getPair() && splitsK(kernel))
        return op.emitOpError("is not lowered: expected 'split_k = 1' beside a "
                              "pair, whose sums would both go through the "
                              "workspace");
    for (Operation *op : products)
      if (isa<AttentionOp>(op)) {
        if (products.size() > 1)
          return op->emitOpError("is not lowered beside another product; give "
                                 "it a kernel of its own");
        if (failed(cast<AttentionOp>(op).checkDepths()))
          return failure();
      }
    return success();
  }

  LogicalResult lower(KernelOp kernel) {
    if (failed(check(kernel)))
      return failure();
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!schedule)
      return kernel.emitOpError(
          "has no schedule; run helios-select-schedule or write one as "
          "'schedule = #helios.schedule<...>'");
    auto target =
        dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
    int64_t vectorBytes = target ? target.getVectorBytes() : 16;

    OpBuilder builder(kernel);
    for (MatmulOp op : kernel.getBody().getOps<MatmulOp>())
      op.materializeEpilogue(builder);
    KernelPrograms programs;
    emitted.clear();
    auto add = [&](ScheduleAttr given) {
      ScheduledProducts &entry = programs.schedules.emplace_back();
      entry.schedule = given;
      SumTile sum = SumTile::get(target);
      for (Operation *product : productsOf(kernel)) {
        Product whole = TypeSwitch<Operation *, Product>(product)
                            .Case<MatmulOp, AttentionOp, PackOp>([&](auto op) {
                              return Product::get(op, given);
                            });
        entry.products.push_back(whole);
        if (auto op = dyn_cast<MatmulOp>(product);
            op && op.hasPrologueA() && makesLeft(given)) {
          entry.parts.push_back(whole.getLeft(sum.tile));
          whole = whole.takingMadeLeft();
        }
        if (auto op = dyn_cast<MatmulOp>(product);
            op && op.hasPrologue() && makesRight(given)) {
          for (unsigned i = 1; i <= op.getNumSums(); ++i)
            entry.parts.push_back(
                entry.products.back().getRight(i, sum.allLanes()));
          whole = whole.takingMadeRight();
        }
        if (auto op = dyn_cast<MatmulOp>(product)) {
          auto turn = [&](unsigned operand) {
            entry.parts.push_back(whole.getTurn(operand));
            whole = whole.takingTurned(operand);
          };
          if (turnsLeft(op, given))
            turn(0);
          if (turnsRight(op, given))
            for (unsigned i = 1; i <= op.getNumSums(); ++i)
              turn(i);
        }
        if (whole.isAttention() && findsRanges(given)) {
          entry.parts.push_back(whole.getRanges(target));
          whole = whole.takingRanges();
        }
        if (auto op = dyn_cast<MatmulOp>(product); op && packsRight(given)) {
          PackingAttr packing = schedule::packingOf(op, given, target);
          constexpr unsigned right = 1;
          entry.parts.append(
              {whole.getPack(right, packing,
                             schedule::packingSchedule(given, packing, target)),
               whole.takingPacked(right, packing)});
        } else if (isStreamed(given)) {
          entry.parts.append({whole.getStream(), whole.getStreamSum()});
        } else if (int64_t shares = given.getClusterK()[0]; shares > 1) {
          entry.parts.push_back(whole.sharingK(shares));
        } else if (given.getSplitK()[0] == 1) {
          entry.parts.push_back(whole);
        } else {
          entry.parts.append({whole.getSlices(), whole.getSum(target)});
        }
        // What adds up slices has whole rows, and leaves no parts.
        Product last = entry.parts.back();
        for (const Access &access : last.results())
          if (access.kept == Kept::Combined)
            entry.parts.push_back(
                whole.getFold(cast<OpResult>(access.tensor).getResultNumber()));
      }
    };
    add(schedule);
    if (ArrayAttr alternatives = kernel.getAlternativesAttr())
      for (auto alternative : alternatives.getAsRange<ScheduleAttr>())
        add(alternative);
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getWeights())
      for (auto [entry, weight] : llvm::zip(programs.schedules, *weights))
        entry.weight = entry.unalignedWeight = weight;
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getUnalignedWeights())
      for (auto [entry, weight] : llvm::zip(programs.schedules, *weights))
        entry.unalignedWeight = weight;
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getAloneWeights())
      for (auto [entry, weight] : llvm::zip(programs.schedules, *weights))
        entry.aloneWeight = weight;
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getItemWeights()) {
      programs.weighsElements = true;
      for (auto [i, entry] : llvm::enumerate(programs.schedules)) {
        entry.itemWeight = (*weights)[2 * i];
        entry.lastWeight = (*weights)[2 * i + 1];
      }
      programs.workgroupWeight = kernel.getWorkgroupWeight().value_or(0);
    }
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getSumWeights()) {
      programs.weighsElements = true;
      llvm::copy(*weights, programs.sumWeights);
    }
    programs.writeWeights =
        kernel.getWriteWeights().value_or(ArrayRef<int64_t>());
    programs.readWeights =
        kernel.getReadWeights().value_or(ArrayRef<int64_t>());
    programs.outsideWeights =
        kernel.getOutsideWeights().value_or(ArrayRef<int64_t>());
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getPackWeights()) {
      programs.weighsElements = true;
      llvm::copy(*weights, programs.packWeights);
    }
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getMakeWeights()) {
      programs.weighsElements = true;
      llvm::copy(*weights, programs.makeWeights);
    }
    if (std::optional<ArrayRef<int64_t>> weights = kernel.getTurnWeights()) {
      programs.weighsElements = true;
      llvm::copy(*weights, programs.turnWeights);
    }
    // Copies past the registers take whole units of rows; where nothing is
    // known of rows, loads are staged, which needs another tile.
    if (target && target.getCopy(schedule.getStrategyName())) {
      Operation *first = productsOf(kernel).front();
      auto attention = dyn_cast<AttentionOp>(first);
      SmallVector<schedule::WeighedSchedule> staged;
      if (!attention)
        staged = schedule::forScatteredRows(cast<MatmulOp>(first), target);
      else if (ScheduleAttr one = schedule::forScatteredRows(attention, target))
        staged.push_back({one, 1});
      if (staged.empty())
        return first->emitOpError("has no schedule for tensors of whose rows "
                                  "nothing is known: target '")
               << target.getRowName()
               << "' has no synchronous instruction for these types";
      // Whoever gives a schedule has launches copy for it what it does not
      // read.
      if (!attention && kernel.getModelled() &&
          llvm::hasSingleElement(productsOf(kernel)))
        addNarrow(programs, cast<MatmulOp>(first), target, add);
      programs.scattered = programs.schedules.size();
      for (auto [given, weight] : staged) {
        add(given);
        programs.schedules.back().weight = weight;
      }
    }
    llvm::BitVector operands = servesOperands(programs);
    // No launch would take what reads them in wide units.
    bool isOdd =
        programs.scattered &&
        programs.schedules.front().products.front().hasOddRows(vectorBytes);
    for (Variant variant : {Variant::Full, Variant::Aligned, Variant::Operands,
                            Variant::Narrow, Variant::Any})
      for (unsigned i = 0; i < programs.schedules.size(); ++i)
        if (variant == Variant::Any               ? programs.isScattered(i)
            : variant == Variant::Narrow          ? programs.isNarrow(i)
            : isOdd || i >= programs.numChoices() ? false
            : variant == Variant::Operands
                ? operands.test(i)
                : hasVariant(kernel, programs.schedules[i], variant, i > 0))
          if (failed(emitVariant(builder, kernel, programs, variant, i,
                                 variant == Variant::Narrow
                                     ? programs.narrowBytes
                                     : vectorBytes)))
            return failure();
    if (failed(emitCopies(builder, kernel, programs, vectorBytes)) ||
        failed(emitPlan(builder, kernel, programs, vectorBytes)))
      return failure();
    kernel.erase();
    return success();
  }

  /// Adds the schedules for rows of fewer bytes than copies past the registers
  /// take at once, and their clocks.
  static void addNarrow(KernelPrograms &programs, MatmulOp op,
                        tile::TargetAttrInterface target,
                        function_ref<void(ScheduleAttr)> add) {
    unsigned first = programs.schedules.size();
    for (auto [given, element, item] : schedule::forNarrowRows(op, target)) {
      tile::CopyAttrInterface copy = target.getCopy(given.getStrategyName());
      programs.narrowBytes = copy.getNarrower().getGranule();
      programs.narrow = first;
      add(given);
      ScheduledProducts &entry = programs.schedules.back();
      entry.weight = element;
      entry.itemWeight = item;
      entry.leastSlice = schedule::kLeastNarrowSlice;
    }
  }

  /// Programs that copy the operands of a kernel's one product, where those
  /// that multiply them copy past the registers.
  LogicalResult emitCopies(OpBuilder &builder, KernelOp kernel,
                           KernelPrograms &programs, int64_t vectorBytes) {
    const Product &product = programs.schedules.front().products.front();
    auto op = dyn_cast<MatmulOp>(product.op);
    const Product &first = programs.schedules.front().first();
    // Of all groups' operands few may be wanted; and elements that lie in one
    // are filled up in no other way than they are stored.
    if (!op || !programs.scattered || product.grouped || op.getParts() > 1 ||
        makesRight(programs.schedules.front().schedule) ||
        programs.schedules.front().products.size() > 1 || first.readsAlongK())
      return success();
    // What a part makes of the left one, or turns, lies in wide rows.
    SmallVector<unsigned> all, right;
    for (unsigned i = first.takesMadeLeft; i < product.firstCaptured(); ++i)
      if (product.accesses[i].isVectorised(product.numBatch) &&
          first.accesses[i].kept != Kept::Turned) {
        all.push_back(i);
        if (i > 0)
          right.push_back(i);
      }
    auto add = [&](ArrayRef<unsigned> operands, StringRef which) {
      if (operands.empty())
        return success();
      Product copy =
          product.getCopy(operands, kernel.getTargetAttr(), vectorBytes);
      std::string name = (kernel.getSymName() + "_copy" + which).str();
      if (SymbolTable::lookupSymbolIn(getOperation(), name))
        return LogicalResult(kernel.emitOpError()
                             << "needs the name '@" << name
                             << "' for a program, but another symbol has it");
      FailureOr<Program> program =
          emitCopy(builder, copy, programs.schedules.front().schedule,
                   kernel.getTargetAttr(), vectorBytes, name);
      if (succeeded(program))
        programs.copies.push_back({SmallVector<unsigned>(operands),
                                   std::move(copy), std::move(*program)});
      return LogicalResult(program);
    };
    if (right.size() < all.size() && failed(add(right, "_right")))
      return failure();
    if (failed(add(all, "")))
      return failure();
    const Product &left = programs.schedules.front().parts.front();
    if (programs.copies.empty() || left.part != Part::Left)
      return success();
    std::string name = (kernel.getSymName() + "_any_left").str();
    FailureOr<Program> program = emitMade(
        builder, left, Variant::Any, programs.schedules.front().schedule,
        kernel.getTargetAttr(), vectorBytes, name);
    if (succeeded(program))
      programs.narrowLeft = *program;
    return LogicalResult(program);
  }

  /// An alternative is there for speed: where engines clip their copies, whole
  /// tiles need no program of their own, in an alternative or in a slice of K.
  /// Slices of attention's keys have rows to spare in any case.
  static bool hasVariant(KernelOp kernel, const ScheduledProducts &entry,
                         Variant variant, bool isAlternative) {
    if (entry.parts.front().isPacked())
      return variant == Variant::Aligned;
    if (!isAlternative && entry.schedule.getSplitK()[0] == 1)
      return true;
    auto target =
        dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
    tile::CopyAttrInterface copy =
        target ? target.getCopy(entry.schedule.getStrategyName())
               : tile::CopyAttrInterface();
    if (!copy || copy.getBoundsMode() != tile::Bounds::Clip)
      return true;
    // Attention masks keys that are none, which whole blocks have none of.
    return variant == Variant::Aligned ||
           (variant == Variant::Full && entry.parts.front().isAttention());
  }

  /// The schedules that have a program for wide operands alone: the first ones
  /// of unlike size, not in clusters, that leave room for what elements stored
  /// one by one take, in the order of what they save, the first that splits K,
  /// and the last that is of another strategy, for few rows. Those for little K
  /// took up to 2.7 times as long so as replicas did (docs/benchmarks).
  static llvm::BitVector servesOperands(const KernelPrograms &programs) {
    llvm::BitVector serves(programs.schedules.size());
    const Product &product = programs.schedules.front().first();
    if (!programs.scattered || product.isAttention() || product.isPack())
      return serves;
    auto sizeOf = [&](unsigned number) {
      return double(llvm::product_of(
          programs.schedules[number].schedule.getTile().take_front(2)));
    };
    auto splits = [&](unsigned number) {
      return programs.schedules[number].schedule.getSplitK()[0] != 1;
    };
    auto isLike = [&](unsigned number, unsigned other) {
      double size = sizeOf(number), of = sizeOf(other);
      return std::max(size, of) < kUnlike * std::min(size, of);
    };
    unsigned whole = 0, split = 0;
    for (unsigned i = 0; i < programs.numChoices(); ++i) {
      const ScheduledProducts &entry = programs.schedules[i];
      if (programs.isBrief(i) || makesRight(entry.schedule))
        continue;
      if (i + 1 == programs.numChoices() && !splits(i) &&
          entry.schedule.getStrategyName() !=
              programs.schedules.front().schedule.getStrategyName()) {
        serves.set(i);
        continue;
      }
      unsigned &count = splits(i) ? split : whole;
      if (count == (splits(i) ? kMostSplitForOperands : kMostForOperands) ||
          accumulatorsOf(entry) * product.numResults > kMostAccumulators ||
          entry.schedule.getClusterSize() > 1 ||
          llvm::any_of(serves.set_bits(), [&](unsigned other) {
            return splits(other) == splits(i) && isLike(i, other);
          }))
        continue;
      serves.set(i);
      ++count;
    }
    return serves;
  }

  /// Registers that a lane has for the sums of an item.
  static int64_t accumulatorsOf(const ScheduledProducts &entry) {
    auto op = cast<MatmulOp>(entry.first().op);
    auto target = cast<tile::TargetAttrInterface>(
        op->getParentOfType<KernelOp>().getTargetAttr());
    ArrayRef<int64_t> tile = entry.schedule.getTile();
    for (tile::MmaAttrInterface mma : target.getMmas(
             op.getLhsElement(), op.getRhsElement(), op.getAccType()))
      if (ArrayRef<int64_t>(mma.getMmaShape()) == entry.schedule.getMma())
        return op.getNumSums() * tile[0] * tile[1] *
               tile::getElementBytes(op.getAccType()) /
               (4 * llvm::product_of(entry.schedule.getGroups()) *
                mma.getLaneCount());
    return std::numeric_limits<int64_t>::max();
  }

  LogicalResult emitVariant(OpBuilder &builder, KernelOp kernel,
                            KernelPrograms &programs, Variant variant,
                            unsigned schedule, int64_t vectorBytes) {
    ScheduledProducts &entry = programs.schedules[schedule];
    VariantPrograms &result =
        programs.variants.emplace_back(VariantPrograms{variant, schedule, {}});
    for (const Product &part : entry.parts) {
      std::string name = kernel.getSymName().str() + "_";
      if (entry.products.size() > 1)
        name += std::to_string(llvm::find_if(entry.products,
                                             [&](const Product &product) {
                                               return product.op == part.op;
                                             }) -
                               entry.products.begin()) +
                "_";
      Variant facts = part.factsOf(variant);
      name += totile::getName(facts);
      // What adds up slices or parts, or makes an operand, is the same for all
      // schedules.
      if (!programs.isFirst(schedule) &&
          (part.multiplies() || part.part == Part::Pack || part.tileOfSums))
        name += "_" + tileText(entry.schedule);
      name += suffixOf(part);
      // Two variants may share a program.
      if (auto known = emitted.find(name); known != emitted.end()) {
        result.programs.push_back(known->second);
        continue;
      }
      if (SymbolTable::lookupSymbolIn(getOperation(), name))
        return kernel.emitOpError()
               << "needs the name '@" << name
               << "' for a program, but another symbol has it";
      ScheduleAttr given = entry.schedule;
      if (part.part == Part::Pack)
        given = schedule::packingSchedule(
            given, part.accesses.back().packing,
            cast<tile::TargetAttrInterface>(kernel.getTargetAttr()));
      FailureOr<Program> program = emitterOf(part)(
          builder, facts == Variant::Any ? part : part.ofWideRows(vectorBytes),
          facts, given, kernel.getTargetAttr(), vectorBytes, name);
      if (failed(program))
        return failure();
      result.programs.push_back(*program);
      emitted[name] = *program;
    }
    return success();
  }

  llvm::StringMap<Program> emitted; ///< of the kernel that is lowered
};

} // namespace
