// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of helios-select-schedule share.

#ifndef HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H
#define HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H

#include "ScheduleNeeds.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include <optional>
#include <vector>

namespace helios::schedule {

inline int64_t bytesOf(mlir::Type type) {
  return tile::getStoredBits(type) / 8;
}

inline bool hasRoles(ScheduleAttr schedule) {
  return schedule.getStrategyName() ==
         tile::stringifyStrategy(tile::Strategy::Roles);
}

/// "16x8x16".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Whether a strategy can keep an instruction busy: roles wait for products in
/// flight, the others do not.
bool suits(tile::MmaAttrInterface mma, tile::Strategy strategy);

/// The instructions of the target for the product's types. Fails, with a
/// diagnostic, if there is none.
llvm::FailureOr<llvm::SmallVector<tile::MmaAttrInterface>>
instructions(MatmulOp op, tile::TargetAttrInterface target);

/// The instruction that a schedule takes: the one it names, the first of its
/// strategy that divides the tile, or else the first of its strategy. Null if
/// it names one that is not there, or there is none of its strategy.
tile::MmaAttrInterface
instructionOf(ScheduleAttr schedule,
              llvm::ArrayRef<tile::MmaAttrInterface> mmas);

/// The first instruction for a strategy; the first of all if it has none.
tile::MmaAttrInterface
instructionFor(tile::Strategy strategy,
               llvm::ArrayRef<tile::MmaAttrInterface> mmas);

/// Why steps of a schedule add up a batch-invariant product in another order
/// than others of the same instruction do; empty if they do not, or if the
/// product is none.
std::string whyNotInOrder(MatmulOp op, ScheduleAttr schedule,
                          tile::MmaAttrInterface mma);

/// Why a schedule adds up a batch-invariant product in another order than other
/// schedules do; empty if it does not, or if the product is none.
std::string whyNotInvariant(MatmulOp op, ScheduleAttr schedule,
                            tile::MmaAttrInterface mma,
                            tile::TargetAttrInterface target);

/// Why the groups of a schedule cannot multiply slices of K; empty if they can,
/// or do not.
std::string whyNotSliced(MatmulOp op, ScheduleAttr schedule,
                         tile::MmaAttrInterface mma);

/// The strategy that a product gets where nobody names one: the target's
/// preferred one for which it has an instruction.
tile::Strategy preferredStrategy(MatmulOp op, tile::TargetAttrInterface target);

/// Gives what a text of parameters leaves out, and what follows from others,
/// its value: the preferred strategy, and how it walks items and how many slots
/// it has. `given` are the parameters that the text names.
ScheduleAttr complete(MatmulOp op, ScheduleAttr schedule,
                      llvm::ArrayRef<ScheduleValue> given,
                      tile::TargetAttrInterface target);

/// Checks a schedule that somebody gave. Returns the instruction that it takes.
llvm::FailureOr<tile::MmaAttrInterface>
check(MatmulOp op, ScheduleAttr schedule, tile::TargetAttrInterface target);

/// Time of one multiply-add, in arbitrary units: traffic from shared memory and
/// from global memory, and the fixed price of a step over what may run
/// meanwhile.
/// `aligned`: rows of both operands begin at lines of the cache. `alone`: a
/// processor has one workgroup at a time, as where there are few.
double costOf(MatmulOp op, ScheduleAttr schedule, tile::MmaAttrInterface mma,
              tile::TargetAttrInterface target, bool aligned = true,
              bool alone = false);

/// The least time of a multiply-add where a processor has one workgroup, whose
/// steps wait for memory; 0 where none was measured.
double costOfStepAlone(MatmulOp op, ScheduleAttr schedule,
                       tile::MmaAttrInterface mma,
                       tile::TargetAttrInterface target);

/// Whether it was, and further workgroups take as long as one up to as many as
/// a processor holds: staged steps of matrices without known places.
bool isTimedAlone(ScheduleAttr schedule, tile::MmaAttrInterface mma,
                  tile::TargetAttrInterface target);

/// Clocks of a processor in the unit of costs.
double inUnits(double clocks);
/// What plans compute with for one of these units.
inline constexpr int64_t kWeightOfUnit = 16;

/// Clocks of a processor that the products of a step of roles take, and its
/// copies.
double clocksOfProducts(MatmulOp op, ScheduleAttr schedule,
                        tile::MmaAttrInterface mma,
                        const tile::TargetCosts &costs);
double clocksOfCopies(MatmulOp op, ScheduleAttr schedule,
                      const tile::TargetCosts &costs, bool aligned);

/// What a row and a column of a tile outside of the result cost for one element
/// of k, in the unit of costs: copies fill them up, which takes nothing on an
/// idle device, and the more the more of its processors do.
struct OutsideCost {
  std::array<double, 2> busy = {0, 0};  ///< where all processors fill up
  std::array<double, 2> lines = {0, 0}; ///< of it in what a tile costs
  std::array<double, 2> unalignedLines = {0, 0}; ///< the same off lines
};
OutsideCost costOutside(MatmulOp op, const tile::TargetCosts &costs);

/// What lines that copies ask for, and results are stored in, cost beside each
/// other: for one element of k, and for an item.
struct LineCost {
  double element = 0, item = 0;
};
/// `aligned`: rows begin at lines. Nothing without roles.
LineCost costOfLines(MatmulOp op, ScheduleAttr schedule,
                     const tile::TargetCosts &costs, bool aligned);

/// Whether the workgroups of a cluster lie along both sides of a result.
inline bool clustersAlongBoth(ScheduleAttr schedule) {
  return !llvm::is_contained(schedule.getCluster(), 1);
}

/// Whether some workgroups of a cluster would have no tile of a result of so
/// many rows and columns.
bool hasIdle(ScheduleAttr schedule, int64_t m, int64_t n);

/// What an item costs beside its steps: every one, and the last one of a
/// launch on top, behind whose products no others hide it.
struct ItemCost {
  double each = 0, last = 0;
  double bytes = 0; ///< that it writes, and reads of what is fused as large
  /// What reading both operands takes at least, for an element of K, where
  /// caches do not keep them.
  double reads = 0;
};
/// What each row of the left operand adds to the price of a tile, as a part of
/// it.
double costOfRow(MatmulOp op, ScheduleAttr schedule);
/// Bytes of an element of K of a row, and of a column, of what is multiplied.
std::array<int64_t, 2> operandBytes(MatmulOp op);
/// Bits of the same that a product reads of memory: of a right operand those it
/// is stored in, unless it is made first.
std::array<int64_t, 2> operandBits(MatmulOp op, bool madeRight);

ItemCost costOfItem(MatmulOp op, ScheduleAttr schedule,
                    const tile::TargetCosts &costs);

/// Extents that are not known are most often multiples of a power of two.
inline constexpr int64_t kTypicalExtent = 4096;

/// How much more a schedule computes than is asked for, because tiles reach
/// over the edges: where extents are not known, over those of typical ones.
double paddingOf(MatmulOp op, ScheduleAttr schedule);

/// A schedule that fits, and the time of one multiply-add under it.
struct Candidate {
  ScheduleAttr schedule;
  double cost;
  double unalignedCost; ///< where rows of an operand begin off a line
  double aloneCost;     ///< where a processor has one workgroup at a time
  ItemCost item;        ///< what comes on top for an item
  /// A processor has several items at once, and begins the next as one ends.
  bool overlaps = false;
  OutsideCost outside;           ///< what of a tile lies outside of the result
  std::array<LineCost, 2> lines; ///< where rows begin off lines, and at them
  /// Workgroups of a processor that wait together, if that is known.
  int64_t resident = 0;
  /// Whether lanes convert, which other workgroups hide as they do loads
  /// through registers.
  bool converts = false;
  bool exchanged = false; ///< what its instruction is
};

/// What a tile costs for one element of k.
inline double timeOf(const Candidate &candidate, bool aligned = true) {
  llvm::ArrayRef<int64_t> tile = candidate.schedule.getTile();
  return tile[0] * tile[1] *
         (aligned ? candidate.cost : candidate.unalignedCost);
}

/// And at least, however few there are: through registers, and where lanes
/// convert, workgroups hide what others wait for, so that one alone takes
/// longer than its share of a processor.
inline double leastTimeOf(const Candidate &candidate) {
  llvm::ArrayRef<int64_t> tile = candidate.schedule.getTile();
  return candidate.schedule.getStrategyName() == "staged" || candidate.converts
             ? tile[0] * tile[1] * candidate.aloneCost
             : 0;
}

/// Rows of tiles that are walked together, so that `workgroups` tiles, those on
/// a GPU's processors at one time, need about as many bytes of A as of B: a
/// power of two near the root of their number times the tile's shape.
int64_t rasterFor(int64_t tm, int64_t tn, int64_t workgroups);

/// The candidates among which a launch plan shall choose, the first one given,
/// so that over the range of extents and for rows of either kind the best of
/// them is hardly dearer than the best of all. Behind those that split K stand
/// some for results of few columns or rows.
llvm::SmallVector<Candidate> portfolioOf(MatmulOp op,
                                         llvm::ArrayRef<Candidate> candidates,
                                         const Candidate &first,
                                         tile::TargetAttrInterface target);

/// The same of schedules with roles that make right operands first, few of
/// them.
llvm::SmallVector<Candidate> portfolioOfMade(MatmulOp op,
                                             llvm::ArrayRef<Candidate> made,
                                             tile::TargetAttrInterface target);

/// The same for launches of few tiles, from candidates that were made for them.
llvm::SmallVector<Candidate> portfolioOfFew(MatmulOp op,
                                            llvm::ArrayRef<Candidate> few,
                                            const Candidate &first,
                                            tile::TargetAttrInterface target);

/// Extents of a block of operands' bytes and elements of K that `read_weights`
/// price at once: a byte takes less than a clock of all processors.
inline constexpr int64_t kReadBlock = 32;
/// Of what a launch takes beside reading its operands from memory once an
/// eighth shows, an estimate: among schedules that wait for memory alike the
/// one with less to do is taken. At 64x14336x4096 NT 64x112x64 takes 0.94 of
/// the time of 64x128x64.
inline constexpr int64_t kBesideMemory = 8;
/// Behind persistent workgroups adding up the slices of results of at most so
/// many elements takes these parts of the dispatch that does more, in all and
/// for each slice: what plans take of 194 such sizes is 1.011 of the best that
/// was measured (docs/benchmarks/2026-11-30, sweep-shared-k.jsonl). The
/// dispatch's price was fitted to larger ones before.
inline constexpr int64_t kMostSmallSum = 1 << 17, kSmallSum = 4,
                         kSmallSumSlices = 52;
/// Where rows begin off lines an element of K of a cluster that shares it takes
/// this part of its price, in 64ths, with few workgroups, which are bound by
/// what a processor takes in, and so much more with one on each processor, who
/// read other parts of K than their neighbours. Fitted to 538 runs of 64x32 and
/// 64x64 (docs/benchmarks/2026-11-30, sweep-shared-k.jsonl).
inline constexpr int64_t kSharedAlone = 35, kSharedBeside = 48,
                         kSharedParts = 64;

/// What a launch costs by the model: the rounds of the busiest processor. What
/// no extents change is looked up once.
class LaunchPrice {
public:
  /// `fromMemory`: operands that caches do not keep are read from memory.
  LaunchPrice(MatmulOp op, const Candidate &candidate,
              const tile::TargetCosts &costs, bool fromMemory = true);

  /// The price of extents, in the unit of costs; infinite where no launch of
  /// them takes the schedule. `aligned`: rows of operands begin at lines.
  double operator()(int64_t m, int64_t n, double k, bool aligned) const;

private:
  /// K in slices, or tiles of the last round that share it: what such a launch
  /// does as others do, and on top.
  struct Division {
    int64_t clusters = 0; ///< of whole slices
    double depth = 0;     ///< of a slice
    double streamed = 0;  ///< rounds that shares of tiles stand for
    double sums = 0;      ///< what adds them up
  };
  std::optional<Division> divide(int64_t m, int64_t n, double k) const;
  double priceOfCopies(int64_t m, int64_t n, double k) const;

  const Candidate &candidate;
  const tile::TargetCosts &costs;
  llvm::ArrayRef<int64_t> tile, cluster;
  int64_t shares, size, atOnce, processors, slices, turns, sums, leftBytes;
  std::array<int64_t, 2> operands; ///< their bits, of a row and of a column
  bool isStreamed, isPersistent, packs, makes, turnsLeft, turnsRight,
      fromMemory;
  int64_t leastRows;             ///< 0 but where right operands are made
  std::array<double, 2> element; ///< of K of a tile, off lines and at them
  double least;                  ///< of it, however few tiles there are
  /// Rows and columns of a cluster, and with which some of it have no tile.
  std::array<int64_t, 2> span, idle;
};

/// What a table of measurements says of a range of extents.
struct TunedEntry {
  std::string compiler, row, op, types, layout, epilogue;
  std::vector<int64_t> above, upTo; ///< of M, N and K
  bool aligned = true;              ///< rows of operands begin at lines
  std::string winner;               ///< empty: the model's choice
  std::vector<std::string> quarantined;
};
struct TunedTable {
  std::string path;
  std::vector<TunedEntry> entries;
};

/// Reads a table. Fails, with a diagnostic at `op`, if it is none.
llvm::FailureOr<TunedTable> readTuned(llvm::StringRef path,
                                      mlir::Operation *op);

/// The entries for a product; a remark says why there is none at all.
llvm::SmallVector<const TunedEntry *>
entriesFor(const TunedTable &table, MatmulOp op,
           tile::TargetAttrInterface target);

/// Adds the schedules of entries to those chosen, each once, and returns the
/// ranges of extents in which they are to be taken.
llvm::SmallVector<mlir::Attribute>
addTuned(const TunedTable &table, MatmulOp op,
         llvm::ArrayRef<const TunedEntry *> entries,
         tile::TargetAttrInterface target,
         llvm::SmallVectorImpl<Candidate> &chosen);

/// Bytes of a row in shared memory that an engine copies at once.
inline constexpr int64_t kRowBytes = 128;
/// Slots start where the swizzles of their tiles repeat.
inline constexpr int64_t kSlotBytes = 1024;
/// Slots beyond which copies in groups gain nothing.
inline constexpr int64_t kMostGroupSlots = 4;

/// The most slots that the ring of a schedule can have.
int64_t mostSlots(MatmulOp op, ScheduleAttr schedule,
                  tile::MmaAttrInterface mma, tile::TargetAttrInterface target);

/// Whether schedules that nobody gave have each launch make what a prologue
/// makes of the left operand of `op`, or of another product of its kernel, in a
/// dispatch of its own: where several tiles of columns would each do that.
bool makesLeftFirst(MatmulOp op);

/// Operands that schedules which nobody gave make first: the left one where
/// that is so, and the right ones where it is wanted.
int64_t apartFor(MatmulOp op, bool makesRight = false);

/// Why the launches of a schedule that says so cannot; empty if they can.
std::string whyNotMadeFirst(MatmulOp op, ScheduleAttr schedule);

/// Why a schedule cannot compute a product's operands from what is stored;
/// empty if it can, or there is nothing to compute.
std::string whyNotComputed(MatmulOp op, tile::MmaAttrInterface mma,
                           ScheduleAttr schedule);

/// Why a schedule cannot stream the tiles of a product; empty: it can, or does
/// not.
std::string whyNotStreamed(MatmulOp op, ScheduleAttr schedule);

/// Why a schedule's tiles do not suit blocks with scales: more than one of them
/// lies along an extent of a tile. Empty: they do.
std::string whyNotScaled(MatmulOp op, ScheduleAttr schedule);

/// How an operand is packed for an instruction, in whole multiples of elements
/// of K and of the other extent; null if the target has no order of lanes.
PackingAttr packingOf(MatmulOp op, bool rhs, tile::MmaAttrInterface mma,
                      llvm::ArrayRef<int64_t> multiple,
                      tile::TargetAttrInterface target);
/// How the launches of a schedule pack the right operand: in whole tiles.
PackingAttr packingOf(MatmulOp op, ScheduleAttr schedule,
                      tile::TargetAttrInterface target);

/// Tiles of the program that packs for a schedule: whole ones make up the
/// packed tensor.
ScheduleAttr packingSchedule(ScheduleAttr schedule, PackingAttr packing,
                             tile::TargetAttrInterface target);

/// Why the launches of a schedule that says so cannot pack the right operand;
/// empty if they can.
std::string whyNotPacked(MatmulOp op, ScheduleAttr schedule,
                         tile::MmaAttrInterface mma,
                         tile::TargetAttrInterface target);

/// Schedules for launches of hardly more tiles than processors, beside those
/// that fit: of several groups and longer steps, which wait less often. None
/// where nothing is known of the time of a workgroup alone. `makesRight`: each
/// launch makes the right operands first.
llvm::SmallVector<Candidate> fewThatFit(MatmulOp op,
                                        tile::TargetAttrInterface target,
                                        bool makesRight = false);

/// The schedules that fit and pack the right operand in each launch. None where
/// the target has no price for that. `makesRight`: they make it first.
llvm::SmallVector<Candidate> packedThatFit(MatmulOp op,
                                           tile::TargetAttrInterface target,
                                           bool makesRight = false);

/// Why an accumulator cannot be spread over groups like this; empty if it can.
std::string whyNotHeld(tile::MmaAttrInterface mma,
                       llvm::ArrayRef<int64_t> groups);

/// Why an instruction cannot read both operands where copies leave them; empty
/// if it can.
std::string whyNotRead(MatmulOp op, tile::MmaAttrInterface mma,
                       tile::CopyAttrInterface copy, ScheduleAttr schedule);

/// Why the lanes of a workgroup cannot carry the tiles of a step through their
/// registers into shared memory; empty if they can.
std::string whyNotCarried(MatmulOp op, tile::MmaAttrInterface mma,
                          ScheduleAttr schedule,
                          tile::TargetAttrInterface target);

/// Why the workgroups of a schedule's clusters cannot copy an equal part each
/// of what they share; empty if they can, or if there are no clusters.
std::string whyNotShared(MatmulOp op, ScheduleAttr schedule,
                         tile::TargetAttrInterface target);

/// Why the workgroups of a cluster cannot add up slices of K; empty if they
/// can, or need not.
std::string whyNotAddedUp(MatmulOp op, ScheduleAttr schedule,
                          tile::TargetAttrInterface target);

/// Why the registers that a launch gives every lane, before roles share them by
/// their budgets, do not hold an instruction; empty if they do.
std::string whyNotIssued(MatmulOp op, ScheduleAttr schedule,
                         tile::MmaAttrInterface mma,
                         tile::TargetAttrInterface target);

/// Why no product of a kernel has an operand that is turned as `turn` says;
/// empty if one has.
std::string whyNotTurned(MatmulOp op, ScheduleAttr schedule);

/// The word of `turn`: the operands that an instruction reads in rows along K
/// alone, past the registers or in whole fragments, where they are not stored
/// so.
int64_t turnFor(MatmulOp op, tile::MmaAttrInterface mma,
                tile::CopyAttrInterface copy);

/// The schedules with roles that fit. `makesRight`: each launch makes the right
/// operands first.
llvm::SmallVector<Candidate> rolesThatFit(MatmulOp op,
                                          tile::TargetAttrInterface target,
                                          bool makesRight = false);

/// The schedules that fit and make the right operands first in each launch, of
/// the strategy that a product without a prologue would have. None where the
/// target has no price for that, or rows are known to be too few.
llvm::SmallVector<Candidate> madeThatFit(MatmulOp op,
                                         tile::TargetAttrInterface target);
/// The schedules that fit and turn operands first in each launch which others
/// read element by element. None where the target has no price for that, or
/// roles turn them in any case.
llvm::SmallVector<Candidate> turnedThatFit(MatmulOp op,
                                           tile::TargetAttrInterface target);
/// Whether some schedules turn operands.
inline bool anyTurns(llvm::ArrayRef<Candidate> candidates) {
  return llvm::any_of(candidates, [](const Candidate &candidate) {
    return candidate.schedule.getTurn() != 0;
  });
}
/// Makes the price of a schedule comparable with theirs, if its lanes read
/// elements one by one.
void priceBesideTurned(MatmulOp op, Candidate &candidate,
                       tile::TargetAttrInterface target);
/// Makes the price of a schedule comparable with theirs, if its lanes compute
/// the right operands.
void priceBesideMade(Candidate &candidate, const tile::TargetCosts &costs);
/// Rows from which on making right operands may pay: more than a tile has, each
/// of which computes them; of a pair more than three halves of that, since with
/// 160 and 192 rows items took less (docs/benchmarks/2026-11-27).
inline int64_t leastRowsOfMade(MatmulOp op) { return op.getPair() ? 193 : 129; }
/// And the most elements of one that plans make by themselves: a workspace of
/// 1 GiB in 16 bits, however small what is stored.
inline constexpr int64_t kMostMadeElements = int64_t(1) << 29;

/// The schedules that fit: of the target's preferred strategy, over powers of
/// two or the shapes of its instructions. Fails, with a diagnostic, if there is
/// none.
llvm::FailureOr<llvm::SmallVector<Candidate>>
allThatFit(MatmulOp op, tile::TargetAttrInterface target);

/// The candidate with what whole rounds of its tiles leave streamed; none where
/// that cannot be. Measured, it was hardly ever faster than the best of other
/// tiles (docs/benchmarks): tables may name it, portfolios do not.
std::optional<Candidate> streamOf(MatmulOp op, const Candidate &candidate);

/// The candidate with K split into as many slices as keep the processors busy.
/// Nothing where that never pays, or where registers leave no room.
std::optional<Candidate> splitOf(MatmulOp op, const Candidate &candidate,
                                 tile::TargetAttrInterface target);

/// The candidate with K shared among so many workgroups of a cluster. Nothing
/// where that cannot be.
std::optional<Candidate> sharingKOf(MatmulOp op, const Candidate &candidate,
                                    int64_t shares,
                                    tile::TargetAttrInterface target);

/// Schedules for few rows, which memory bounds, beside those with roles. None
/// where the target has no copies or instruction for them, or the product more
/// rows.
llvm::SmallVector<Candidate> thinOf(MatmulOp op,
                                    tile::TargetAttrInterface target);

/// The instruction of *groups* for a product; null if the target has none, or
/// nothing that copies past the registers.
tile::MmaAttrInterface groupsBesideRoles(MatmulOp op,
                                         tile::TargetAttrInterface target);

/// Whether a schedule of *groups* that stands beside those with roles fits.
bool fitsBesideRoles(MatmulOp op, ScheduleAttr schedule,
                     tile::MmaAttrInterface mma,
                     tile::TargetAttrInterface target);

/// A schedule for little K, beside those with roles. None where the target has
/// no copies or instruction for it, or the product more of K.
std::optional<Candidate> briefOf(MatmulOp op, tile::TargetAttrInterface target);

/// The most steps of a product that takes a schedule for little K.
inline constexpr int64_t kMostBriefSteps = 2;

/// Whether a product of so many rows and so much K takes a schedule that stands
/// beside those with roles: of one row of its tiles, or of few of its steps.
bool isFor(ScheduleAttr schedule, int64_t m, double k);

/// Whether a product wants them beside its cheapest schedule: that has roles,
/// or cannot have them for what is computed beside the product.
inline bool hasThin(MatmulOp op, ScheduleAttr cheapest) {
  return hasRoles(cheapest) || op.hasPrologue() || op.hasPrologueA() ||
         op.reducesAlong(ReducedAxis::M);
}

/// A schedule with what a tile costs, in a unit that it shares with others of
/// its list.
struct WeighedSchedule {
  ScheduleAttr schedule;
  int64_t weight;
};

/// The schedules of programs for tensors of whose rows nothing is known, where
/// the strategy of the others copies whole rows: loads are staged, element by
/// element. First that for large products, then one for small ones, if that
/// saves something. None if the target has none.
llvm::SmallVector<WeighedSchedule>
forScatteredRows(MatmulOp op, tile::TargetAttrInterface target);

/// A schedule for narrow rows, and what it takes: clocks of a processor for an
/// element of K of an item, and for the item beside them.
struct NarrowSchedule {
  ScheduleAttr schedule;
  int64_t element, item;
};
/// The least of K in a slice of such a schedule, of which each step takes
/// longer than others do: with half of that of others 14 sizes took 0.962 of
/// the time in the mean (docs/benchmarks, sweep-narrow.jsonl).
inline constexpr int64_t kLeastNarrowSlice = kLeastSlice / 2;

/// The schedules of programs for operands whose rows begin at no multiples of
/// what the strategy of the others copies at once, but of fewer bytes: of
/// *groups*, with more and narrower copies. None if the target has no such.
llvm::SmallVector<NarrowSchedule>
forNarrowRows(MatmulOp op, tile::TargetAttrInterface target);

/// The strategy, if the target lowers it.
llvm::FailureOr<tile::Strategy>
checkLowered(ScheduleAttr schedule, tile::TargetAttrInterface target,
             llvm::function_ref<mlir::InFlightDiagnostic()> error);
/// Checks what a strategy wants of the parameters beside the tile.
llvm::LogicalResult
checkStrategy(ScheduleAttr schedule,
              llvm::function_ref<mlir::InFlightDiagnostic()> error);

/// The instruction that a schedule names; null if the target has none such.
tile::MmaAttrInterface namedInstruction(AttentionOp op, ScheduleAttr schedule,
                                        tile::TargetAttrInterface target);

/// Of attention: the type of its operands, the target's instructions, columns
/// of the result and depth of the first product in a tile.
mlir::Type elementOf(AttentionOp op);
llvm::SmallVector<tile::MmaAttrInterface>
instructionsOf(AttentionOp op, tile::TargetAttrInterface target);
int64_t columnsOf(AttentionOp op, tile::MmaAttrInterface mma);
/// Registers of operands that are read ahead of their products.
inline constexpr int64_t kReadRegisters = 24;
/// Whether lanes round weights, which leave the matrices for it: to bf16, where
/// no instruction hands accumulators on as operands.
bool roundsInLanes(AttentionOp op, tile::MmaAttrInterface mma);
/// Bytes of the widest element of a tile of scores or weights that goes through
/// shared memory where nobody knows the places of an accumulator.
int64_t bytesExchanged(AttentionOp op, tile::MmaAttrInterface mma);
/// Whether the tiles of a step fill slots of a ring, if there is one.
bool fillsSlots(AttentionOp op, ScheduleAttr schedule,
                tile::MmaAttrInterface mma);
/// Why an instruction cannot have a tile of these extents; empty if it can.
std::string whyNotWhole(AttentionOp op, ScheduleAttr schedule,
                        tile::MmaAttrInterface mma);
/// Bytes of what comes with a block of keys of tensors that regions read a
/// number of for each pair of a query and a key.
int64_t bytesOfPairs(AttentionOp op, ScheduleAttr schedule);
int64_t depthOf(AttentionOp op, tile::MmaAttrInterface mma);

/// The word of `apart` for attention: a launch finds first which keys are seen
/// where the mask says more than items do of blocks, and heads share that.
int64_t apartFor(AttentionOp op);
/// What a schedule that somebody gave leaves open.
ScheduleAttr complete(AttentionOp op, ScheduleAttr schedule,
                      llvm::ArrayRef<ScheduleValue> given);

/// The schedules of attention with roles that fit, and why a given one does
/// not; empty if it does.
llvm::SmallVector<Candidate> rolesThatFit(AttentionOp op,
                                          tile::TargetAttrInterface target);
/// Clocks of a processor that a tile with roles takes for a key, and beside its
/// keys.
double clocksOfKey(AttentionOp op, ScheduleAttr schedule,
                   tile::TargetAttrInterface target);
double clocksOfItem(AttentionOp op, ScheduleAttr schedule,
                    tile::TargetAttrInterface target);
/// The best schedules of other numbers of groups, of which a launch may want
/// fewer or more items.
llvm::SmallVector<ScheduleAttr> rolesBeside(AttentionOp op, ScheduleAttr chosen,
                                            tile::TargetAttrInterface target);
std::string whyNotRoles(AttentionOp op, ScheduleAttr schedule,
                        tile::TargetAttrInterface target);

/// The same for attention: the best schedule, one that somebody gave with its
/// instruction filled in, and that for rows of which nothing is known.
llvm::FailureOr<ScheduleAttr> choose(AttentionOp op,
                                     tile::TargetAttrInterface target);
llvm::FailureOr<ScheduleAttr> check(AttentionOp op, ScheduleAttr schedule,
                                    tile::TargetAttrInterface target);
ScheduleAttr forScatteredRows(AttentionOp op, tile::TargetAttrInterface target);

/// Time of a tile with a key, in arbitrary units, and beside its keys.
double timeOfKey(AttentionOp op, ScheduleAttr schedule,
                 tile::TargetAttrInterface target);
double timeOfItem(AttentionOp op, ScheduleAttr schedule,
                  tile::TargetAttrInterface target);

/// A schedule for launches of fewer items than processors, through matrices
/// without known places: half the rows or fewer, one instruction's for each
/// group, and long trips, since a group waits as long in each. Of 64 rows and
/// 64 keys it took 0.62 to 0.67 of the time of 128 rows and 32 keys where items
/// were few, and 1.06 to 1.3 times as long where they were many (docs/
/// benchmarks). None where the chosen one has no more rows. Its cost is in the
/// unit of timeOfKey.
std::optional<Candidate> forFewItems(AttentionOp op, ScheduleAttr chosen,
                                     tile::TargetAttrInterface target);

/// Schedules for few queries and many keys, of which the plan makes slices; of
/// tiles with few rows, first those with the fewest. None where the target has
/// no copies past the registers, which keep enough in flight.
llvm::SmallVector<ScheduleAttr> slicesOf(AttentionOp op,
                                         tile::TargetAttrInterface target);

} // namespace helios::schedule

#endif // HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H
