// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the model by which schedules are compared.

#include "SelectSchedule.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Costs are in a unit of which multiply-adds at full speed on a processor with
/// matrix instructions take a sixteenth.
static constexpr double kUnitsOfClock = 128;
/// How much more a workgroup waits by itself where an operand is neither staged
/// nor read ahead: so that with one buffer 128x128x64 comes before 128x256x64,
/// which took 15 % longer (docs/benchmarks, operands packed before).
static constexpr double kAloneWithConstant = 2;
/// The weight of what a group reads of a packed operand, beside that of a
/// staged tile's traffic: a fit, for neighbours share caches. With a quarter
/// 64x256x64 of four groups comes before 128x256x64 of eight, which took 1.05
/// to 1.27 times as long, and 64x128x64 before 32x256x64, which took 1.7 times
/// as long (docs/benchmarks).
static constexpr double kReadByGroup = 0.25;

/// What a byte of a row of the left operand takes, as a part of what one of the
/// right operand does of which lanes make several elements, where a tile has
/// fewer columns than these: 8x16x1024 takes 0.91 to 0.98 of the time of
/// 8x32x1024 with one row and 1.03 to 1.11 with eight (docs/benchmarks).
static constexpr double kRowBesideStored = 0.15;
static constexpr int64_t kFewColumns = 32;

/// Whether what is fused has as many rows and columns as the result.
static bool isLarge(Value fused) {
  auto type = cast<RankedTensorType>(fused.getType());
  return type.getRank() > 1 &&
         !llvm::is_contained(type.getShape().take_back(2), 1);
}

/// The element types of what an item stores, and reads as large.
static SmallVector<Type> storedTypes(MatmulOp op) {
  SmallVector<Type> types;
  for (OpResult result : op->getResults())
    if (!op.getReduction(result.getResultNumber()))
      types.push_back(getElementTypeOrSelf(result.getType()));
  for (Value fused : op.getFused())
    if (isLarge(fused))
      types.push_back(getElementTypeOrSelf(fused.getType()));
  return types;
}

/// The part of a tile's global traffic whose rows are shorter than a cache
/// line, which is then fetched for one part of it at a time.
static double narrowLoads(MatmulOp op, ScheduleAttr schedule,
                          int64_t lineBytes) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t element = bytesOf(op.getLhsElement());
  int64_t rowOfA = readsTransposedA(op, schedule) ? tile[0] : tile[2],
          rowOfB = readsTransposedB(op, schedule) ? tile[2] : tile[1];
  return (rowOfA * element < lineBytes ? 1.0 / tile[0] : 0) +
         (rowOfB * element < lineBytes ? 1.0 / tile[1] : 0);
}

double schedule::clocksOfProducts(MatmulOp op, ScheduleAttr schedule,
                                  tile::MmaAttrInterface mma,
                                  const tile::TargetCosts &costs) {
  ArrayRef<int64_t> tile = schedule.getTile();
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t element = bytesOf(op.getLhsElement());
  // An instruction takes as long as it multiplies, or reads its operands from
  // shared memory.
  double multiplies =
      shape[0] * shape[1] * shape[2] * element / costs.roles.pairsOfBytes;
  double reads =
      (shape[0] + shape[1]) * shape[2] * element / costs.roles.sharedBytes;
  double instructions = double(op.getNumSums()) * (tile[0] / shape[0]) *
                        (tile[1] / shape[1]) * (tile[2] / shape[2]);
  return instructions * std::max(multiplies, reads);
}

/// The part of tiles that begin at a line where one follows the other every so
/// many bytes.
static double partAtLines(int64_t stepBytes, int64_t lineBytes) {
  return double(std::gcd(stepBytes, lineBytes)) / lineBytes;
}

/// What the copy engine takes for a part of a line, as a part of what it takes
/// for one: half for a half, as 64x32x128 of NN products does beside 64x64x64
/// (docs/benchmarks, sweep-64-rows.jsonl); less was not measured.
static double partOfLine(int64_t bytes, const tile::TargetCosts &costs) {
  return std::max(0.5, double(bytes) / costs.lineBytes);
}

double schedule::clocksOfCopies(MatmulOp op, ScheduleAttr schedule,
                                const tile::TargetCosts &costs, bool aligned) {
  ArrayRef<int64_t> tile = schedule.getTile(), cluster = schedule.getCluster();
  int64_t element = bytesOf(op.getLhsElement());
  const tile::RoleCosts &roles = costs.roles;
  // The copy engine takes rows in parts as wide as they are swizzled, each of
  // which touches a line, the last one too; workgroups of a cluster copy a part
  // each of what they share, and receive all of it.
  double asked = 0, received = 0;
  auto add = [&](int64_t rows, int64_t columns, bool transposed, bool isShared,
                 int64_t sharing, int64_t tiles) {
    if (transposed)
      std::swap(rows, columns);
    int64_t bytes = columns * element;
    int64_t part =
        std::min<int64_t>(costs.lineBytes, llvm::bit_floor(uint64_t(bytes)));
    double whole = !aligned ? 0
                   : part < costs.lineBytes
                       ? 1
                       : partAtLines(bytes, costs.lineBytes);
    double line = (isShared ? roles.sharedLine : roles.line) *
                  (hasRoles(schedule) ? partOfLine(part, costs) : 1);
    double parts = double(tiles) * rows * llvm::divideCeil(bytes, part);
    asked += (whole * line + (1 - whole) * roles.splitLine) * parts / sharing;
    received += parts * part / costs.lineBytes * roles.receivedLine;
  };
  // Bands of several rows of items: neighbours have the columns of one in
  // common, else its rows.
  bool columnsShared = schedule.getRaster()[0] > 1;
  add(tile[0], tile[2], readsTransposedA(op, schedule), !columnsShared,
      cluster[1], 1);
  add(tile[2], tile[1], readsTransposedB(op, schedule), columnsShared,
      cluster[0], op.getNumSums());
  return std::max(asked, received);
}

OutsideCost schedule::costOutside(MatmulOp op, const tile::TargetCosts &costs) {
  // Lines run along K: each row or column has its own.
  auto ofElement = [&](double row, double column) -> std::array<double, 2> {
    double unit =
        inUnits(1) * bytesOf(op.getLhsElement()) / double(costs.lineBytes);
    return {op.getTransposeA() ? 0 : unit * row,
            op.getTransposeB() ? unit * column : 0};
  };
  const tile::RoleCosts &roles = costs.roles;
  // Items go in bands, so that neighbours read the same columns.
  return {ofElement(roles.outsideLine, roles.outsideLine),
          ofElement(roles.line, roles.sharedLine),
          ofElement(roles.splitLine, roles.splitLine)};
}

/// Clocks of the lines in which an item stores its results and reads what is
/// fused as large. `aligned`: rows of these begin at lines; those of a tile do
/// where its columns are whole lines.
static double clocksOfStores(MatmulOp op, ScheduleAttr schedule,
                             const tile::TargetCosts &costs, bool aligned) {
  ArrayRef<int64_t> tile = schedule.getTile();
  const tile::ItemCosts &items = costs.items;
  double clocks = 0;
  for (Type element : storedTypes(op)) {
    int64_t bytes = tile[1] * bytesOf(element);
    double whole = aligned ? partAtLines(bytes, costs.lineBytes) : 0;
    clocks += (whole * items.storedLine + (1 - whole) * items.storedSplitLine) *
              tile[0] * llvm::divideCeil(bytes, costs.lineBytes);
  }
  return clocks;
}

LineCost schedule::costOfLines(MatmulOp op, ScheduleAttr schedule,
                               const tile::TargetCosts &costs, bool aligned) {
  if (!hasRoles(schedule))
    return {};
  return {inUnits(clocksOfCopies(op, schedule, costs, aligned)) /
              schedule.getTile()[2],
          inUnits(clocksOfStores(op, schedule, costs, aligned)) /
              schedule.getClusterK()[0]};
}

bool schedule::hasIdle(ScheduleAttr schedule, int64_t m, int64_t n) {
  ArrayRef<int64_t> tile = schedule.getTile(), cluster = schedule.getCluster();
  return m <= tile[0] * (cluster[0] - 1) || n <= tile[1] * (cluster[1] - 1);
}

/// What lanes add to the sums of other steps in a clock, and clocks for which a
/// group waits for its product: of products of 8-bit floats with 41 schedules
/// at 28 sizes (docs/benchmarks/2026-11-28, sweep-types.jsonl), where what
/// these choose takes 1.012 times the fastest on average.
static constexpr double kAddedInClock = 64;
static constexpr double kProductWait = 150;

/// Clocks in which a step's products are multiplied and, where they leave the
/// engine, added up: a group's own one after the other, beside those of other
/// groups that share its tile. Turns are of whole items, under whose steps
/// others store.
static double clocksOfSums(MatmulOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma,
                           const tile::TargetCosts &costs) {
  double products = clocksOfProducts(op, schedule, mma, costs);
  if (!getPartDepth(op, mma))
    return products;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t groups = llvm::product_of(schedule.getGroups());
  double added = double(op.getNumSums()) * tile[0] * tile[1] / kAddedInClock;
  return std::max(products, (products + added) / groups + kProductWait);
}

/// What a step of roles takes, in clocks of a processor. `aligned`: rows of
/// both operands begin at lines.
static double clocksOfStep(MatmulOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma,
                           const tile::TargetCosts &costs, bool aligned) {
  double clocks = std::max(clocksOfSums(op, schedule, mma, costs),
                           clocksOfCopies(op, schedule, costs, aligned));
  return llvm::product_of(schedule.getCluster()) > 1
             ? clocks + costs.roles.cluster
             : clocks;
}

double schedule::paddingOf(MatmulOp op, ScheduleAttr schedule) {
  auto padded = [](int64_t extent, int64_t unit) {
    if (ShapedType::isDynamic(extent))
      extent = kTypicalExtent;
    return extent == 0 ? 1.0 : double(llvm::alignTo(extent, unit)) / extent;
  };
  return padded(op.getM(), schedule.getTile()[0]) *
         padded(op.getN(), schedule.getTile()[1]);
}

double schedule::costOf(MatmulOp op, ScheduleAttr schedule,
                        tile::MmaAttrInterface mma,
                        tile::TargetAttrInterface target, bool aligned,
                        bool alone) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  const tile::TargetCosts &costs = target.getCosts();
  if (hasRoles(schedule))
    return kUnitsOfClock * clocksOfStep(op, schedule, mma, costs, aligned) /
           (double(tile[0]) * tile[1] * tile[2]);
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
  // A pair is as a tile of twice the columns, of which half are stored.
  int64_t sums = op.getNumSums();
  double groupM = double(tile[0]) / groups[0],
         groupN = double(sums) * tile[1] / groups[1];
  int64_t resident = alone ? 1 : needs.getResident(target);
  double residentGroups =
      std::min(costs.groups, double(resident) * schedule.getNumGroups());
  // What is packed is not staged: each group reads it where it multiplies.
  bool stagesA = !isPackedOperand(op.getLhs()),
       stagesB = !packsRight(schedule) && !isPackedOperand(op.getRhs());
  double shared = 1 / groupM + 1 / groupN,
         global = (stagesB ? 1.0 / tile[0] : kReadByGroup / groupM) +
                  (stagesA ? 1.0 / (sums * tile[1]) : kReadByGroup / groupN);
  // The groups of one workgroup wait at the same barriers of a staged step, so
  // other workgroups hide them better. Past the registers, several steps are on
  // their way while one is computed.
  bool staged = schedule.getStrategyName() == "staged";
  const tile::GridCosts &weights = staged ? costs.staged : costs.copied;
  // What is not staged is waited for where it is multiplied, unless it is read
  // ahead; only other workgroups hide that.
  bool waits = staged && takesPacked(op, schedule) && !schedule.getAhead()[0];
  double waitAlone = weights.alone * (waits ? kAloneWithConstant : 1);
  // Two buffers make of two barriers a step one.
  int64_t depth = schedule.getDepth()[0],
          ahead = staged ? depth : std::max<int64_t>(1, depth - 1);
  return sums * (shared + weights.global * global +
                 weights.narrow * narrowLoads(op, schedule, costs.lineBytes) +
                 (weights.wait + waitAlone / resident) /
                     (tile[2] * ahead * residentGroups));
}

double schedule::costOfStepAlone(MatmulOp op, ScheduleAttr schedule,
                                 tile::MmaAttrInterface mma,
                                 tile::TargetAttrInterface target) {
  if (!isTimedAlone(schedule, mma, target))
    return 0;
  const tile::StepCosts &costs = target.getCosts().stepAlone;
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t element = bytesOf(op.getLhsElement()), sums = op.getNumSums();
  double staged = 0, read = 0;
  auto add = [&](bool stages, int64_t extent) {
    (stages ? staged : read) += double(extent) * tile[2] * element;
  };
  add(!isPackedOperand(op.getLhs()), tile[0]);
  add(!packsRight(schedule) && !isPackedOperand(op.getRhs()), sums * tile[1]);
  if (!schedule.getAhead()[0])
    read *= kAloneWithConstant;
  double multiplied = double(sums) * tile[0] * tile[1] * tile[2] * element /
                      llvm::product_of(schedule.getGroups());
  return (costs.step + costs.stagedByte * staged + costs.readByte * read +
          costs.multipliedByte * multiplied) /
         (double(tile[0]) * tile[1] * tile[2]);
}

bool schedule::isTimedAlone(ScheduleAttr schedule, tile::MmaAttrInterface mma,
                            tile::TargetAttrInterface target) {
  return target.getCosts().stepAlone.step > 0 &&
         schedule.getStrategyName() == "staged" &&
         !mma.getFragmentBase(tile::Side::Acc);
}

double schedule::costOfRow(MatmulOp op, ScheduleAttr schedule) {
  int64_t columns = schedule.getTile()[1];
  if (op.getParts() == 1 || columns >= kFewColumns)
    return 0;
  double stored = bytesOf(op.getRhs().getType().getElementType());
  return kRowBesideStored * op.getParts() * bytesOf(op.getLhsElement()) /
         stored * (1.0 / columns - 1.0 / kFewColumns);
}

std::array<int64_t, 2> schedule::operandBytes(MatmulOp op) {
  return {bytesOf(op.getLhsElement()),
          op.getNumSums() * bytesOf(op.getRhsElement())};
}

std::array<int64_t, 2> schedule::operandBits(MatmulOp op, bool madeRight) {
  auto [left, right] = operandBytes(op);
  if (madeRight)
    return {8 * left, 8 * right};
  Type stored = op.getRhs().getType().getElementType();
  return {8 * left,
          op.getNumSums() * tile::getStoredBits(stored) / op.getParts()};
}

/// Clocks that clusters along both sides take more to begin together. Of 54
/// sizes at which plans would take a schedule by name 32 still do, in at most
/// 1.10 of the time; with 300 it is 41, and at most 1.16, as much in the mean
/// (docs/benchmarks, sweep-both-sides.jsonl).
static constexpr double kAlongBoth = 600;

/// Clocks until the workgroups of a cluster have begun together.
static double clocksUntilTogether(ScheduleAttr schedule,
                                  const tile::TargetCosts &costs) {
  if (schedule.getClusterSize() == 1)
    return 0;
  return costs.roles.clusterLaunch +
         (clustersAlongBoth(schedule) ? kAlongBoth : 0);
}

/// Clocks in which workgroups of a cluster tell each other that their sums are
/// there and have been read, two fences of global memory, and in which an
/// element of a tile is written and read (docs/benchmarks/2026-11-30).
static constexpr double kSharedSum = 1100, kSharedSumElement = 0.43;

ItemCost schedule::costOfItem(MatmulOp op, ScheduleAttr schedule,
                              const tile::TargetCosts &costs) {
  if (!hasRoles(schedule))
    return {};
  const tile::ItemCosts &items = costs.items;
  double elements = double(schedule.getTile()[0]) * schedule.getTile()[1];
  // What workgroups of a cluster share memory gives once, as it does where
  // neighbours ask for it by themselves.
  std::array<int64_t, 2> operands = operandBytes(op);
  double reads = inUnits(items.read) * (operands[0] * schedule.getTile()[0] +
                                        operands[1] * schedule.getTile()[1]);
  double once = clocksUntilTogether(schedule, costs);
  // Slices of K store sums.
  if (schedule.getSplitK()[0] != 1)
    return {
        inUnits(items.item + items.byte * elements * bytesOf(op.getAccType())),
        inUnits(once), 0, reads};
  // Those of a cluster's workgroups are added up by all of them.
  double adding = 0;
  if (int64_t shares = schedule.getClusterK()[0]; shares > 1) {
    adding = kSharedSum + kSharedSumElement * elements;
    elements /= shares;
  }
  int64_t bytes = 0;
  for (Type element : storedTypes(op))
    bytes += bytesOf(element);
  double work = 0;
  op.getEpilogue().walk([&](Operation *inner) {
    if (isa<math::AbsFOp, math::FmaOp>(inner) ||
        isa<arith::ArithDialect>(inner->getDialect()))
      work += inner->hasTrait<OpTrait::ConstantLike>() ? 0 : items.operation;
    else if (isa<math::MathDialect>(inner->getDialect()))
      work += items.function;
  });
  double store = items.item + items.byte * elements * bytes + adding;
  work *= elements;
  double hidden =
      schedule.getTurns()[0] == 1 ? 0 : store + work - items.visible * work;
  return {inUnits(store + work - hidden), inUnits(once + hidden),
          elements * bytes, reads};
}

double schedule::inUnits(double clocks) { return kUnitsOfClock * clocks; }
