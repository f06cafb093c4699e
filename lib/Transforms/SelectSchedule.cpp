// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: gives a kernel a schedule that fits its target, or
// checks the one it has. Everything known about the target comes from its
// interface.

#include "ScheduleNeeds.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSSELECTSCHEDULE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

int64_t bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

/// Registers of one invocation beside accumulators, operands and copies in
/// flight: addresses, counters.
constexpr int64_t kFixedRegisters = 16;
/// Bytes of a cache line of global memory on common GPUs.
constexpr int64_t kLineBytes = 128;
/// Instruction steps of a loop's trip up to which drivers gain by unrolling it
/// further; longer bodies then run out of registers.
constexpr int64_t kUnrolledSteps = 2;
/// Groups resident on one processor beyond which more hide nothing.
constexpr double kUsefulGroups = 16;
/// Larger workgroups wait longer at their barriers than they gain.
constexpr int64_t kMaxGroups = 8;

/// Slots start where the swizzles of their tiles repeat.
constexpr int64_t kSlotBytes = 1024;

/// Registers of one invocation beside accumulators and operands where copies go
/// past the registers: addresses and counters.
constexpr int64_t kCopyRegisters = 48;

/// Roles: bytes of a row in shared memory that an engine copies at once, slots
/// in which a replica stores, groups that compute, and tiles walked together.
constexpr int64_t kRowBytes = 128;
constexpr int64_t kStoreSlots = 2;
constexpr int64_t kMaxReplicas = 2;
constexpr int64_t kRolesRaster = 16;
constexpr int64_t kMaxDepth = 8;

bool hasRoles(ScheduleAttr schedule) {
  return schedule.getStrategyName() ==
         tile::stringifyStrategy(tile::Strategy::Roles);
}

} // namespace

ScheduleNeeds ScheduleNeeds::get(MatmulOp op, ScheduleAttr schedule,
                                 tile::MmaAttrInterface mma) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  int64_t depth = schedule.getDepth()[0];
  int64_t element = bytesOf(op.getLhs().getType().getElementType());
  bool staged = schedule.getStrategyName() == "staged";
  // Copies swizzle rows instead of padding them.
  int64_t pad = staged ? schedule.getPad()[0] : 0;
  auto buffer = [&](bool kIsContiguous, int64_t outer) {
    return (kIsContiguous ? outer * (tile[2] + pad) : tile[2] * (outer + pad)) *
           element;
  };
  int64_t oneStep = buffer(!op.getTransposeA(), tile[0]) +
                    buffer(op.getTransposeB(), tile[1]);
  ScheduleNeeds needs;
  needs.invocations = groups[0] * groups[1] * mma.getLaneCount();
  needs.sharedBytes = oneStep * (staged ? 1 : depth);
  int64_t accumulators = llvm::divideCeil(
      tile[0] * tile[1] * bytesOf(op.getAccType()), 4 * needs.invocations);
  // Operands in registers: of this step and of the next one.
  int64_t fragments = 0;
  auto addOperand = [&](tile::Side side, int64_t extent) {
    if (bitEnumContainsAny(mma.getPlaces(side), tile::Place::Shared))
      return;
    // Several lanes may hold the same element.
    SmallVector<int64_t> shape = mma.getFragmentShape(side);
    int64_t one = mma.getFragmentRegisters(side).size();
    if (!one)
      one = llvm::divideCeil(shape[0] * shape[1], mma.getLaneCount());
    fragments += 2 * llvm::divideCeil(one * element * extent,
                                      4 * shape[side == tile::Side::A ? 0 : 1]);
  };
  addOperand(tile::Side::A, tile[0] / groups[0]);
  addOperand(tile::Side::B, tile[1] / groups[1]);
  if (staged) {
    int64_t inFlight =
        depth * llvm::divideCeil((tile[0] + tile[1]) * tile[2] * element,
                                 4 * needs.invocations);
    needs.registers = accumulators + fragments + inFlight + kFixedRegisters;
    return needs;
  }
  needs.registers = accumulators + fragments + kCopyRegisters;
  // One more group copies.
  if (hasRoles(schedule))
    needs.invocations += mma.getLaneCount();
  return needs;
}

int64_t ScheduleNeeds::getResident(tile::TargetAttrInterface target) const {
  int64_t resident = target.getProcessorSharedBytes() / sharedBytes;
  if (int64_t file = target.getRegisterFile())
    resident = std::min(resident, file / (registers * invocations));
  return std::max<int64_t>(1, resident);
}

namespace {

/// The part of a tile's global traffic whose rows are shorter than a cache
/// line, which is then fetched for one part of it at a time.
double narrowLoads(MatmulOp op, ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t element = bytesOf(op.getLhs().getType().getElementType());
  int64_t rowOfA = op.getTransposeA() ? tile[0] : tile[2],
          rowOfB = op.getTransposeB() ? tile[2] : tile[1];
  return (rowOfA * element < kLineBytes ? 1.0 / tile[0] : 0) +
         (rowOfB * element < kLineBytes ? 1.0 / tile[1] : 0);
}

/// A schedule that fits, and the time of one multiply-add under it.
struct Candidate {
  ScheduleAttr schedule;
  double cost;
};
/// Alternatives: at most so many, each of tiles at least so much smaller than
/// the one before, at most so much dearer than the best.
constexpr size_t kMaxAlternatives = 4;
constexpr double kSmallerTile = 0.8;
constexpr double kMostExpensive = 2;

/// Time of one multiply-add, in arbitrary units: traffic from shared memory and
/// from global memory, and the fixed price of a step over what may run
/// meanwhile.
double costOf(MatmulOp op, ScheduleAttr schedule, tile::MmaAttrInterface mma,
              tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  if (hasRoles(schedule)) {
    // Every instruction reads its operands from shared memory; the ring hides
    // what a step waits for.
    SmallVector<int64_t> shape = mma.getMmaShape();
    double steps = tile[2] * groups[0] * (schedule.getDepth()[0] - 1.0);
    auto padded = [](int64_t extent, int64_t unit) {
      return ShapedType::isDynamic(extent) || extent == 0
                 ? 1.0
                 : double(llvm::alignTo(extent, unit)) / extent;
    };
    return (1.0 / shape[0] + 1.0 / shape[1] +
            4.0 * (1.0 / tile[0] + 1.0 / tile[1]) + 2.0 / steps) *
           padded(op.getM(), tile[0]) * padded(op.getN(), tile[1]);
  }
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
  double groupM = double(tile[0]) / groups[0],
         groupN = double(tile[1]) / groups[1];
  int64_t resident = needs.getResident(target);
  double residentGroups =
      std::min(kUsefulGroups, double(resident) * groups[0] * groups[1]);
  double shared = 1 / groupM + 1 / groupN,
         global = 1.0 / tile[0] + 1.0 / tile[1];
  // The groups of one workgroup wait at the same barriers of a staged step, so
  // other workgroups hide them better. The weights follow measured kernels of
  // 128x128 to 192x128 elements on a GPU with matrix instructions.
  if (schedule.getStrategyName() == "staged")
    return shared + 2.0 * global + 0.9 * narrowLoads(op, schedule) +
           (2.0 + 6.0 / resident) / (tile[2] * residentGroups);
  // Steps that are on their way while one is computed.
  int64_t ahead = std::max<int64_t>(1, schedule.getDepth()[0] - 1);
  return shared + 4.0 * global + 24.0 / (tile[2] * ahead * residentGroups);
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

class HeliosSelectSchedule
    : public helios::impl::HeliosSelectScheduleBase<HeliosSelectSchedule> {
public:
  using HeliosSelectScheduleBase::HeliosSelectScheduleBase;

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(select(kernel)))
        return signalPassFailure();
  }

private:
  /// The instructions of the target for the product's types.
  FailureOr<SmallVector<tile::MmaAttrInterface>>
  instructions(MatmulOp op, tile::TargetAttrInterface target) {
    Type a = op.getLhs().getType().getElementType(),
         b = op.getRhs().getType().getElementType();
    SmallVector<tile::MmaAttrInterface> mmas =
        target.getMmas(a, b, op.getAccType());
    if (mmas.empty())
      return op.emitOpError()
             << "is unsupported on target '" << target.getRowName()
             << "': it multiplies no " << a << " by " << b << " accumulated in "
             << op.getAccType();
    return mmas;
  }

  /// Checks a schedule that somebody gave. Returns the instruction that it
  /// takes.
  FailureOr<tile::MmaAttrInterface> check(MatmulOp op, ScheduleAttr schedule,
                                          tile::TargetAttrInterface target) {
    auto mmas = instructions(op, target);
    if (failed(mmas))
      return failure();
    auto error = [&]() {
      return op.emitOpError("cannot have the schedule '")
             << schedule.toString() << "': ";
    };
    if (!llvm::is_contained(target.getStrategies(), schedule.getStrategyName()))
      return error() << "target '" << target.getRowName()
                     << "' does not lower the strategy '"
                     << schedule.getStrategyName() << "', only "
                     << llvm::join(target.getStrategies(), ", ");
    ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups(),
                      wanted = schedule.getMma();
    auto divides = [&](tile::MmaAttrInterface mma) {
      SmallVector<int64_t> shape = mma.getMmaShape();
      return tile[0] % (groups[0] * shape[0]) == 0 &&
             tile[1] % (groups[1] * shape[1]) == 0 && tile[2] % shape[2] == 0;
    };
    auto strategy = tile::symbolizeStrategy(schedule.getStrategyName());
    tile::MmaAttrInterface chosen;
    for (tile::MmaAttrInterface mma : *mmas)
      if (!chosen && (wanted[0] ? mma.getMmaShape() == wanted
                                : divides(mma) && suits(mma, *strategy)))
        chosen = mma;
    if (!chosen && wanted[0]) {
      InFlightDiagnostic diag = error()
                                << "target '" << target.getRowName()
                                << "' has no instruction " << shapeText(wanted)
                                << " for these types, only";
      for (tile::MmaAttrInterface mma : *mmas)
        diag << " " << shapeText(mma.getMmaShape());
      return diag;
    }
    for (tile::MmaAttrInterface mma : *mmas)
      if (!chosen && suits(mma, *strategy))
        chosen = mma;
    if (!chosen)
      chosen = mmas->front();
    SmallVector<int64_t> shape = chosen.getMmaShape();
    if (!divides(chosen))
      return error() << "tile " << shapeText(tile) << " is no multiple of "
                     << groups[0] << "x" << groups[1]
                     << " groups of instructions " << shapeText(shape)
                     << "; it must be one of "
                     << shapeText({groups[0] * shape[0], groups[1] * shape[1],
                                   shape[2]});
    ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, chosen);
    auto exceeds = [&](StringRef what, int64_t need,
                       int64_t have) -> LogicalResult {
      if (need <= have)
        return success();
      return error() << "it needs " << need << " " << what << ", "
                     << need - have << " more than the " << have
                     << " of target '" << target.getRowName() << "'";
    };
    if (failed(exceeds("invocations", needs.invocations,
                       target.getMaxInvocations())) ||
        failed(exceeds("bytes of shared memory", needs.sharedBytes,
                       target.getSharedBytes())))
      return failure();
    if (auto registers = tile::getRoleRegisters(target, groups[0] * groups[1],
                                                chosen.getLaneCount());
        hasRoles(schedule) && registers &&
        failed(exceeds("registers in a lane that multiplies", needs.registers,
                       registers->computing)))
      return failure();
    return chosen;
  }

  /// Whether a strategy can keep an instruction busy: roles wait for products
  /// in flight, the others do not.
  static bool suits(tile::MmaAttrInterface mma, tile::Strategy strategy) {
    return mma.getEngine().empty() == (strategy != tile::Strategy::Roles);
  }

  /// Whether an instruction takes a side in a layout.
  static bool accepts(tile::MmaAttrInterface mma, tile::Side side,
                      Attribute layout) {
    MLIRContext *context = mma.getContext();
    ScopedDiagnosticHandler silent(context, [](Diagnostic &) {});
    return succeeded(mma.checkOperand(
        [&] { return emitError(UnknownLoc::get(context)); }, side, layout));
  }

  /// Whether an accumulator can be spread over groups like this.
  static bool canHold(tile::MmaAttrInterface mma, ArrayRef<int64_t> groups) {
    return accepts(mma, tile::Side::Acc,
                   mma.getLayout(tile::Side::Acc, groups));
  }

  /// Whether an instruction can read both operands where copies leave them.
  static bool canRead(MatmulOp op, tile::MmaAttrInterface mma,
                      tile::CopyAttrInterface copy, ArrayRef<int64_t> tile) {
    auto reads = [&](tile::Side side, int64_t rows, int64_t columns,
                     bool transposed) {
      if (transposed)
        std::swap(rows, columns);
      auto layout = dyn_cast_or_null<tile::LayoutAttrInterface>(
          copy.getSharedLayout({rows, columns}, mma.getElementType(side), 1));
      return layout &&
             accepts(mma, side, transposed ? layout.getTransposed() : layout);
    };
    return reads(tile::Side::A, tile[0], tile[2], op.getTransposeA()) &&
           reads(tile::Side::B, tile[2], tile[1], op.getTransposeB());
  }

  /// The schedules with roles that fit.
  static SmallVector<Candidate>
  rolesThatFit(MatmulOp op, tile::TargetAttrInterface target,
               ArrayRef<tile::MmaAttrInterface> mmas) {
    tile::CopyAttrInterface copy =
        target.getCopy(tile::stringifyStrategy(tile::Strategy::Roles));
    SmallVector<Candidate> candidates;
    ScheduleAttr base =
        ScheduleAttr::getDefault(op.getContext())
            .with(kScheduleStrategy, {int64_t(tile::Strategy::Roles)})
            .with(kScheduleItems, {int64_t(tile::Distribution::Persistent)})
            .with(kScheduleRaster, {kRolesRaster});
    for (tile::MmaAttrInterface mma : mmas) {
      SmallVector<int64_t> shape = mma.getMmaShape();
      if (!copy || !suits(mma, tile::Strategy::Roles))
        continue;
      int64_t step =
          std::max(shape[2],
                   kRowBytes / bytesOf(op.getLhs().getType().getElementType()));
      for (int64_t replicas = 1; replicas <= kMaxReplicas; ++replicas)
        for (int64_t rows : {shape[0], 2 * shape[0]}) {
          auto candidate =
              base.with(kScheduleTile, {replicas * rows, shape[1], step})
                  .with(kScheduleGroups, {replicas, 1})
                  .with(kScheduleMma, shape);
          if (!canHold(mma, {replicas, 1}) ||
              !canRead(op, mma, copy, candidate.getTile()))
            continue;
          ScheduleNeeds needs =
              ScheduleNeeds::get(op, candidate.with(kScheduleDepth, {1}), mma);
          int64_t stores = kStoreSlots * replicas * shape[0] * kRowBytes;
          // A slot has two barriers of 8 bytes.
          int64_t depth =
              std::min(kMaxDepth, (target.getSharedBytes() - stores) /
                                      (needs.sharedBytes + 16));
          auto registers =
              tile::getRoleRegisters(target, replicas, mma.getLaneCount());
          if (depth < 2 || needs.invocations > target.getMaxInvocations() ||
              (registers && needs.registers > registers->computing))
            continue;
          candidate = candidate.with(kScheduleDepth, {depth});
          candidates.push_back({candidate, costOf(op, candidate, mma, target)});
        }
    }
    return candidates;
  }

  /// The schedules that fit, over powers of two.
  FailureOr<SmallVector<Candidate>>
  allThatFit(MatmulOp op, tile::TargetAttrInterface target) {
    auto mmas = instructions(op, target);
    if (failed(mmas))
      return failure();
    // The target names its strategies in rising order of preference. Roles need
    // an instruction that reads the operands as they lie in memory.
    SmallVector<StringRef> strategies = target.getStrategies();
    if (strategies.back() == tile::stringifyStrategy(tile::Strategy::Roles)) {
      if (auto roles = rolesThatFit(op, target, *mmas); !roles.empty())
        return roles;
      strategies.pop_back();
    }
    StringRef strategy = strategies.back();
    std::optional<tile::Strategy> known = tile::symbolizeStrategy(strategy);
    assert(known && "a target lowers strategies that level 2 knows");
    bool staged = *known == tile::Strategy::Staged;
    tile::MmaAttrInterface mma = mmas->front();
    for (tile::MmaAttrInterface candidate : llvm::reverse(*mmas))
      if (suits(candidate, *known))
        mma = candidate;
    SmallVector<int64_t> shape = mma.getMmaShape();
    int64_t vector = std::max<int64_t>(
        1, target.getVectorBytes() /
               bytesOf(op.getLhs().getType().getElementType()));
    // Without subgroups to rely on, the lanes of one instruction are the whole
    // workgroup.
    int64_t maxGroups = target.getSubgroupSize() == 0
                            ? 1
                            : std::min(kMaxGroups, target.getMaxInvocations() /
                                                       mma.getLaneCount());
    // A tile far larger than a static extent computes nothing but padding.
    auto largest = [](int64_t extent) {
      return ShapedType::isDynamic(extent)
                 ? int64_t(256)
                 : std::min<int64_t>(
                       256, llvm::PowerOf2Ceil(std::max<int64_t>(1, extent)));
    };
    SmallVector<Candidate> candidates;
    ScheduleAttr base = ScheduleAttr::getDefault(op.getContext())
                            .with(kScheduleMma, shape)
                            .with(kSchedulePad, {vector})
                            .with(kScheduleStrategy, {int64_t(*known)});
    int64_t largestM = std::max(shape[0], largest(op.getM())),
            largestN = std::max(shape[1], largest(op.getN()));
    // Extents along k of one step, and slots for them.
    SmallVector<std::pair<int64_t, int64_t>> steps;
    for (int64_t tk = std::max<int64_t>(16, shape[2]); tk <= 64; tk *= 2)
      for (int64_t depth = staged ? 1 : 2; depth <= (staged ? 1 : 4); ++depth)
        steps.emplace_back(tk, depth);
    for (int64_t gm = 1; gm <= maxGroups; gm *= 2)
      for (int64_t gn = 1; gm * gn <= maxGroups; gn *= 2)
        for (int64_t tm = gm * shape[0]; tm <= largestM; tm *= 2)
          for (int64_t tn = gn * shape[1]; tn <= largestN; tn *= 2)
            for (auto [tk, depth] : steps) {
              ScheduleAttr candidate = base.with(kScheduleTile, {tm, tn, tk})
                                           .with(kScheduleGroups, {gm, gn})
                                           .with(kScheduleDepth, {depth});
              if (!canHold(mma, {gm, gn}))
                continue;
              ScheduleNeeds needs = ScheduleNeeds::get(op, candidate, mma);
              int64_t accumulators =
                  tm * tn * bytesOf(op.getAccType()) / (4 * needs.invocations);
              bool fits =
                  needs.invocations <= target.getMaxInvocations() &&
                  needs.sharedBytes <= target.getSharedBytes() &&
                  tk % shape[2] == 0 &&
                  (staged || needs.sharedBytes / depth % kSlotBytes == 0);
              auto within = [](int64_t need, int64_t limit) {
                return limit == 0 || need <= limit;
              };
              fits &= within(needs.registers, target.getMaxRegisters()) &&
                      within(accumulators, target.getMaxAccumulators()) &&
                      within(needs.registers * needs.invocations,
                             target.getRegisterFile());
              if (!fits)
                continue;
              double cost = costOf(op, candidate, mma, target);
              if (staged && tk > kUnrolledSteps * shape[2])
                candidate = candidate.with(kScheduleUnroll, {1});
              candidates.push_back({candidate, cost});
            }
    if (candidates.empty())
      return op.emitOpError()
             << "has no schedule that fits target '" << target.getRowName()
             << "': one group of " << mma.getLaneCount()
             << " lanes with instruction " << shapeText(shape)
             << " already exceeds its invocations or shared memory";
    return candidates;
  }

  /// Gives the kernel the cheapest schedule, and smaller tiles that the plan
  /// may prefer where few large ones would leave processors idle.
  static void choose(KernelOp kernel, SmallVector<Candidate> candidates) {
    llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
      return a.cost < b.cost;
    });
    auto areaOf = [](ScheduleAttr schedule) {
      return schedule.getTile()[0] * schedule.getTile()[1];
    };
    const Candidate &best = candidates.front();
    SmallVector<Attribute> alternatives;
    SmallVector<int64_t> weights;
    int64_t smallest = 0;
    for (const Candidate &candidate : candidates) {
      int64_t area = areaOf(candidate.schedule);
      if (smallest && (area > kSmallerTile * smallest ||
                       candidate.cost > kMostExpensive * best.cost ||
                       alternatives.size() == kMaxAlternatives))
        continue;
      if (smallest)
        alternatives.push_back(candidate.schedule);
      weights.push_back(
          std::max<int64_t>(1, std::llround(area * candidate.cost * 16)));
      smallest = area;
    }
    kernel.setScheduleAttr(best.schedule);
    // Several products would each want another choice.
    if (alternatives.empty() ||
        !llvm::hasSingleElement(kernel.getBody().getOps<MatmulOp>()))
      return;
    kernel.setAlternativesAttr(
        ArrayAttr::get(kernel.getContext(), alternatives));
    kernel.setWeights(weights);
  }

  LogicalResult select(KernelOp kernel) {
    auto target =
        dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
    if (!target)
      return kernel.emitOpError("has no target row; give it one as 'target = "
                                "...', or compile with --target");
    if (!schedule.empty()) {
      ScheduleAttr given = ScheduleAttr::parseString(
          schedule, kernel.getContext(), [&] { return kernel.emitOpError(); });
      if (!given)
        return failure();
      kernel.setScheduleAttr(given);
    }
    auto products = kernel.getBody().getOps<MatmulOp>();
    if (products.empty())
      return success();
    if (!kernel.getScheduleAttr()) {
      // The first product decides; the others must fit as well.
      auto candidates = allThatFit(*products.begin(), target);
      if (failed(candidates))
        return failure();
      choose(kernel, std::move(*candidates));
    }
    for (MatmulOp op : products) {
      FailureOr<tile::MmaAttrInterface> mma =
          check(op, kernel.getScheduleAttr(), target);
      if (failed(mma))
        return failure();
      if (llvm::hasSingleElement(products))
        kernel.setScheduleAttr(
            kernel.getScheduleAttr().with(kScheduleMma, mma->getMmaShape()));
    }
    return success();
  }
};

} // namespace
