// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of helios-to-tile share: a product of level 1 as axes and
// accesses, the variants of a program, and where a program's arguments come
// from.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILE_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILE_H

#include "ScheduleNeeds.h"
#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include <array>
#include <numeric>
#include <optional>
#include <vector>

namespace helios::totile {

/// What a variant of a program may rely on.
enum class Variant {
  Full,     ///< as Aligned, and whole tiles (Product::isWhole)
  Aligned,  ///< contiguous rows, wide accesses everywhere, K at least 1
  Operands, ///< the same of what is multiplied; nothing of what is fused and of
            ///< results
  Narrow,   ///< as Operands, in the units of a narrower engine
  Any,      ///< 31-bit offsets, nothing else
};
llvm::StringRef getName(Variant variant);

/// Whether it says something of what is multiplied alone.
inline bool isOfOperands(Variant variant) {
  return variant == Variant::Operands || variant == Variant::Narrow;
}

/// What a plan keeps for a level-1 value.
enum class Kept {
  Tensor,   ///< itself
  Partials, ///< of attention: a result for each slice of the keys
  Sums,     ///< and the logarithm of its rows' sums of powers of two
  Copy,     ///< itself again, in rows that can be read in wide units
  Combined, ///< of a reduction: what each item's elements combine to
  Packed,   ///< itself again, in the order of lanes
  Made,     ///< what its prologue makes of it
  Turned,   ///< itself again, in rows along K
  Begins,   ///< of attention: the first key that rows of queries see
  Ends,     ///< the end of those
  Wholly, ///< the first key of some side by side that all of these queries see
  WhollyTo, ///< and the end of those
};

/// One tensor that a product reads or writes.
struct Access {
  mlir::Value tensor; ///< of level 1
  mlir::Type elementType;
  llvm::SmallVector<int64_t> axes; ///< axis of each dimension, -1 for an extent
                                   ///< of one that is broadcast
  bool narrow = false; ///< whether it is too small to ask for anything
  Kept kept = Kept::Tensor;
  /// Where heads that share one of keys, and queries, are rows together: the
  /// axes before, of which `axes` are made.
  llvm::SmallVector<int64_t> unpacked = {};
  /// How a packed operand is packed, and the layout of its matrices; its axes
  /// are those of the operand.
  PackingAttr packing = {};
  mlir::Attribute packed = {};
  bool single = false; ///< whether elements are read one by one, not in tiles
  /// Whether one with no spatial dimension is repeated along rows; else along
  /// columns.
  bool alongRows = false;

  /// Whether its rows lie side by side, but begin anywhere: they are to be
  /// copied.
  bool anywhere = false;

  /// Whether elements along the last dimension lie side by side where a variant
  /// asks for it.
  bool isVectorised(int64_t numBatch) const {
    return !narrow && !anywhere && !packing && !axes.empty() &&
           axes.back() >= numBatch;
  }
  /// What the parts that items leave of a reduction combine to.
  Access whole() const {
    Access result = *this;
    result.axes.erase(result.axes.begin());
    result.kept = Kept::Tensor;
    return result;
  }
};

/// Elements of one wide access.
inline int64_t vectorElements(mlir::Type type, int64_t vectorBytes) {
  return std::max<int64_t>(1, vectorBytes * 8 / tile::getStoredBits(type));
}

/// What a program computes of a product.
enum class Part {
  Whole,
  Slices, ///< for each slice of what is summed its sum, which stays in the
          ///< workspace
  Sum,    ///< the sum over the slices, and the epilogue
  Stream, ///< whole tiles, and for even shares of the steps of those left over
          ///< sums in the workspace
  Fold,   ///< what the items' elements combined to, combined
  Copy,   ///< none of it: an operand is copied
  Pack,   ///< none of it either: an operand is packed
  Left,   ///< what the prologue makes of the left operand
  Right,  ///< or of a right one
  Turn,   ///< none of it: an operand is turned, so that its rows run along K
  Ranges  ///< of attention: which keys its mask lets queries see
};

/// A product, or a part of one. Its axes are the batch dimensions, then M, N
/// and what is summed over: K, or the slices. Where a prologue reads groups of
/// K, or blocks have scales, groups of axes are axes behind it. The part that
/// leaves slices has them as one more axis.
///
/// The part that streams tiles has three more axes: the places of sums, and the
/// rows and columns of one. Where such sums are added up they are K and the two
/// behind it.
///
/// Of a grouped product the first axis is that of groups, which right operands
/// and some fused ones have. Its items are tiles of rows of one group each,
/// which a program finds by the ends of groups.
///
/// Of attention, M are the queries, N the keys and K is the depth of the first
/// product; one more axis is that of the second one. Its batch axes are the
/// batch, the heads of queries and those of keys.
///
/// Of its slices, M are the rows: the heads that share one of keys, and of each
/// the queries of an item. The axis of heads then has the items of queries. Of
/// the sum over them, the batch axes are the batch, the heads and the queries,
/// and M are the slices.
///
/// The ranges of keys that queries see are kept for the first of some queries.
/// Queries and keys are there for their extents alone.
///
/// Of copies of operands each has four axes behind the batch: rows and columns
/// of the copy, and those of the operand, which may have fewer. The accesses
/// are each operand and its copy.
struct Product {
  mlir::Operation *op;
  int64_t numBatch;
  llvm::SmallVector<int64_t>
      extents;                     ///< static extent of each axis, or kDynamic
  llvm::SmallVector<int64_t> tile; ///< extent of a work item along each axis
  std::array<int64_t, 2> cluster{
      1, 1}; ///< work items that a cluster takes together along M and N
  /// Workgroups of a cluster that multiply a slice of K each and add up their
  /// sums, each the rows that it then stores; they lie along the axis of
  /// slices.
  int64_t clusterK = 1;
  llvm::SmallVector<Access>
      accesses; ///< what is summed, fused operands, results
  unsigned numResults = 1;
  Part part = Part::Whole;
  /// Whether each step has a sum of its own, which is then added to those
  /// before; else products add to it themselves.
  bool addsParts = false;
  /// Whether a tile has so few rows that its programs promise nothing of them,
  /// and whether it has those of one instruction.
  bool anyRows = false, hasRowsOfOne = false;
  /// Whether the left operand, or the right ones, come from parts of their own,
  /// which read what the prologue does.
  bool takesMadeLeft = false, takesMadeRight = false;
  /// Whether it visits the keys alone that a part of its own found to be seen.
  bool takesRanges() const { return multiplies() && reads(Kept::Begins); }
  /// The number among the accesses of one of what is kept of ranges, which are
  /// the last ones that are read.
  unsigned rangeAccess(Kept kept) const {
    return accesses.size() - numResults - kRangeNumbers +
           (static_cast<unsigned>(kept) - static_cast<unsigned>(Kept::Begins));
  }
  static constexpr unsigned kRangeNumbers = 4;
  /// Of what turns one: the number of the operand.
  unsigned operand = 0;
  /// Of a reduction's fold: the number of the result.
  unsigned folded = 0;
  /// The axes of groups, from k() + 1 on: of which axis, and how many elements.
  /// Tiles extend along groups that are stored as one element.
  struct Groups {
    int64_t axis, size;
    bool isTiled = false;
  };
  llvm::SmallVector<Groups, 3> groups;
  /// Rows and columns of the streamed tiles whose sums are added up, in
  /// clusters as above.
  std::optional<std::array<int64_t, 2>> tileOfSums;
  bool grouped = false;      ///< whether rows belong to groups: the first axis
  bool longestFirst = false; ///< whether the work of items grows with the row
  /// The number among the accesses of the ends of groups: the last but the
  /// results.
  unsigned ends() const { return accesses.size() - numResults - 1; }
  int64_t m() const { return numBatch; }
  int64_t n() const { return numBatch + 1; }
  int64_t k() const { return numBatch + 2; }
  int64_t slices() const {
    if (isAttention())
      return part == Part::Sum ? m() : values() + 1;
    return part == Part::Slices || part == Part::Stream || clusterK > 1
               ? k() + 1 + int64_t(groups.size())
               : k();
  }
  /// Whether an axis is one of groups, and of which; and whether these are read
  /// one at a time.
  bool isDivided(int64_t axis) const {
    return axis > k() && part != Part::Sum &&
           axis <= k() + int64_t(groups.size());
  }
  bool isOfGroups(int64_t axis) const {
    return isDivided(axis) && !groupsOf(axis).isTiled;
  }
  const Groups &groupsOf(int64_t axis) const { return groups[axis - k() - 1]; }
  /// Whether an axis is K, or one of groups of it.
  bool isAlongK(int64_t axis) const {
    return axis == k() || (isDivided(axis) && groupsOf(axis).axis == k());
  }
  /// The axis of groups of so many elements of an axis, or itself of single
  /// ones.
  int64_t addGroups(int64_t axis, int64_t size, bool isTiled = false);
  bool isAttention() const { return mlir::isa<AttentionOp>(op); }
  /// Whether an operand is packed; K and one of M and N are its axes, the other
  /// one has the extent one.
  bool isPack() const { return part == Part::Pack || mlir::isa<PackOp>(op); }
  /// What the extent of an axis is filled up to a multiple of, where an operand
  /// is packed; 1 for others.
  int64_t filledTo(int64_t axis) const {
    if (!isPack())
      return 1;
    PackingAttr packing = accesses.back().packing;
    return packing.getMultiple()[axis == k() ? 0 : 1];
  }
  /// Whether rows are heads and queries together.
  bool isPacked() const { return isAttention() && part == Part::Slices; }
  /// Of attention: the heads of queries and keys, and the columns of the
  /// result.
  int64_t heads() const { return numBatch - 2; }
  int64_t keyHeads() const { return numBatch - 1; }
  int64_t values() const { return numBatch + 3; }
  /// The axis that one work item walks, in steps.
  int64_t summed() const {
    return !isAttention() ? k() : part == Part::Sum ? slices() : n();
  }
  /// The axis along which an operand without a spatial dimension is repeated.
  int64_t repeated(const Access &access) const {
    return access.alongRows || (isAttention() && part != Part::Sum) ? m() : n();
  }
  llvm::ArrayRef<Access> results() const {
    return llvm::ArrayRef(accesses).take_back(numResults);
  }

  /// The facts on which the program of a variant relies. Adding up waits for
  /// memory, which tests of bounds do not slow down: it has no variant of its
  /// own for whole tiles.
  Variant factsOf(Variant variant) const {
    if (part == Part::Fold || part == Part::Ranges)
      return Variant::Any;
    if (isMaking() && variant != Variant::Any)
      return Variant::Aligned;
    if (part != Part::Sum)
      return variant;
    return variant == Variant::Full     ? Variant::Aligned
           : variant == Variant::Narrow ? Variant::Operands
                                        : variant;
  }
  /// Whether tiles extend along an axis.
  bool isTiled(int64_t axis) const {
    if (isAttention() && part == Part::Sum)
      return axis == slices() || axis == values();
    if (axis == k())
      return part != Part::Sum;
    return axis >= numBatch && axis != slices() && !isOfGroups(axis);
  }
  /// Whether a variant relies on the extent of an axis being a multiple of the
  /// tile's.
  bool isWhole(int64_t axis, Variant variant) const {
    if (isDivided(axis) && groupsOf(axis).isTiled)
      return isWhole(groupsOf(axis).axis, variant);
    // Groups make up all of K.
    if (axis == k() && part != Part::Sum &&
        llvm::any_of(groups, [&](const Groups &of) {
          return of.axis == axis && of.size % tile[axis] == 0;
        }))
      return true;
    return variant == Variant::Full && isTiled(axis) &&
           !((anyRows || grouped) && axis == m());
  }
  /// The number of the first operand among the accesses that the prologue reads
  /// beside the right one, of the first beside the left one, of the first scale
  /// and of the first fused one.
  unsigned firstCaptured() const {
    return 1 + mlir::cast<MatmulOp>(op).getNumSums();
  }
  unsigned firstCapturedA() const {
    if (part == Part::Left)
      return 1;
    return firstCaptured() +
           (takesMadeRight ? 0 : mlir::cast<MatmulOp>(op).getCaptured().size());
  }
  /// Of the first that it reads beside an operand, by number.
  unsigned firstCapturedOf(unsigned number) const {
    if (part == Part::Right)
      return 1;
    if (number == 0)
      return firstCapturedA();
    auto product = mlir::cast<MatmulOp>(op);
    return firstCaptured() +
           (number - 1) * product.getCapturedOf(number).size();
  }
  unsigned firstScale() const {
    return firstCapturedA() +
           (takesMadeLeft ? 0 : mlir::cast<MatmulOp>(op).getCapturedA().size());
  }
  unsigned firstFused() const {
    if (isAttention())
      return part == Part::Sum || part == Part::Ranges ? 2 : 3;
    return part == Part::Sum
               ? 1
               : firstScale() + mlir::cast<MatmulOp>(op).getScales().size();
  }
  /// Whether a variant relies on an access being read or written in wide units
  /// along its last dimension.
  bool isWide(const Access &access, Variant variant) const {
    if (variant == Variant::Any || !access.isVectorised(numBatch))
      return false;
    return !isOfOperands(variant) || isOperand(access);
  }
  /// Whether an access is of what is multiplied, and not of what comes of it.
  bool isOperand(const Access &access) const {
    return part != Part::Sum &&
           unsigned(&access - accesses.data()) < firstFused();
  }
  /// Whether a variant relies on the elements of a row lying side by side.
  bool isContiguous(const Access &access, Variant variant) const {
    return isWide(access, variant) || access.anywhere ||
           isReadByKey(access, variant) || isReadByGroup(access, variant) ||
           (isOfOperands(variant) && access.isVectorised(numBatch) &&
            (access.tensor.getDefiningOp() == op || isSums(access)));
  }
  /// Whether each block of attention reads it anew, a number for each key:
  /// lanes then find one place, and the others beside it.
  bool isReadByKey(const Access &access, Variant variant) const {
    return isAttention() && access.narrow && variant != Variant::Any &&
           access.kept == Kept::Tensor && !access.axes.empty() &&
           access.axes.back() == n();
  }
  /// Whether each step of a product reads it anew beside the right operand, a
  /// number for each group of K of it: steps of several groups find one place,
  /// and the others beside it.
  bool isReadByGroup(const Access &access, Variant variant) const {
    unsigned number = &access - accesses.data();
    return multiplies() && !isAttention() && access.narrow &&
           variant != Variant::Any && !isOfOperands(variant) &&
           number >= firstCaptured() && number < firstCapturedA() &&
           access.axes.back() > k() && isOfGroups(access.axes.back());
  }
  /// Of such an access, how many numbers side by side a variant relies on
  /// beginning at a multiple of what they take: those of a step, in rows that
  /// are whole steps.
  int64_t groupsTogether(const Access &access, Variant variant,
                         int64_t vectorBytes) const {
    if (variant != Variant::Full || !isReadByGroup(access, variant))
      return 1;
    int64_t ofStep = tile[k()] / groupsOf(access.axes.back()).size;
    return std::gcd(vectorElements(access.elementType, vectorBytes),
                    std::max<int64_t>(1, ofStep));
  }
  /// Whether it is what slices leave to be added up.
  bool isSums(const Access &access) const {
    return part == Part::Slices || part == Part::Stream
               ? &access == &accesses.back()
               : part == Part::Sum && &access == &accesses[0];
  }
  /// Whether an access has zeros behind the end of its last dimension, up to
  /// whole wide units: of an operand whose extent there nothing else needs in
  /// units as large.
  bool isFilled(const Access &access, Variant variant) const;
  /// Whether it is work for matrix instructions.
  bool multiplies() const {
    return part == Part::Whole || part == Part::Slices || part == Part::Stream;
  }
  /// Whether it leaves an operand that a product then takes: what a prologue
  /// makes of one, or one that is turned.
  bool isMaking() const {
    return part == Part::Left || part == Part::Right || part == Part::Turn;
  }
  /// And that is the second right one of a pair.
  bool makesPair() const {
    return part == Part::Right &&
           accesses.back().tensor !=
               mlir::cast<MatmulOp>(op).getEpilogue().getArgument(0);
  }
  /// How many elements lie in one of a right operand that is multiplied, and
  /// how many there share what the prologue reads beside it.
  int64_t parts() const {
    return takesMadeRight ? 1 : mlir::cast<MatmulOp>(op).getParts();
  }
  int64_t groupSize() const {
    return takesMadeRight ? 1 : mlir::cast<MatmulOp>(op).getGroupSize();
  }
  /// The axis along which items of attention read the same matrix beside the
  /// scores, such as a bias of all sequences of a batch.
  std::optional<int64_t> matrixSharers() const;
  /// Whether an item adds up the slices of whole rows, since what their
  /// elements combine to is wanted as well.
  bool addsRows() const {
    return part == Part::Sum && !isAttention() &&
           mlir::cast<MatmulOp>(op).getReductions();
  }
  /// The axes along which work items lie.
  llvm::SmallVector<int64_t> itemAxes() const;
  /// What a cluster of workgroups covers along an axis.
  int64_t span(int64_t axis) const { return tile[axis] * together(axis); }
  /// In how many pieces a step is computed: a prologue sees elements of one
  /// group at a time.
  int64_t pieces() const {
    int64_t group = groupSize();
    return group > 1 && part != Part::Sum && tile[k()] > group
               ? tile[k()] / group
               : 1;
  }
  int64_t together(int64_t axis) const {
    if (clusterK > 1 && axis == slices())
      return clusterK;
    return axis == m() ? cluster[0] : axis == n() ? cluster[1] : 1;
  }

  /// The product of `op` in tiles of the schedule.
  static Product get(MatmulOp op, ScheduleAttr schedule);
  static Product get(AttentionOp op, ScheduleAttr schedule);
  static Product get(PackOp op, ScheduleAttr schedule);
  /// The two parts of a split product. The sums of the slices go by the name of
  /// the accumulator that the epilogue takes, those of attention by that of its
  /// result.
  Product getSlices() const;
  /// The product with K shared among the workgroups of a cluster.
  Product sharingK(int64_t workgroups) const;
  Product getSum(tile::TargetAttrInterface target) const;
  /// The two parts of a streamed one, of which the second adds up sums as well.
  Product getStream() const;
  Product getStreamSum() const;
  /// What combines the parts that items leave of a result. They lie one behind
  /// the other along the axis of groups that are as large as a tile.
  Product getFold(unsigned result) const;
  /// The copies of operands.
  Product getCopy(llvm::ArrayRef<unsigned> operands, mlir::Attribute target,
                  int64_t vectorBytes) const;
  /// Whether something beside the operands has an element for each of K, of
  /// which copies that are filled up have more.
  bool readsAlongK() const;
  /// Whether rows of operands run along a static K that is no multiple of wide
  /// units, and no copies fill it up.
  bool hasOddRows(int64_t vectorBytes) const;
  /// The product as variants other than Any see it: where rows of operands run
  /// along a static K that is no multiple of wide units, they run on copies
  /// alone, in which K is filled up.
  Product ofWideRows(int64_t vectorBytes) const;
  /// Packs an operand, in tiles of the schedule.
  Product getPack(unsigned operand, PackingAttr packing,
                  ScheduleAttr schedule) const;
  /// Turns an operand, by number, so that its rows run along K, and the product
  /// that takes it so.
  Product getTurn(unsigned operand) const;
  Product takingTurned(unsigned operand) const;
  /// Whether it takes an operand that is turned.
  bool takesTurned() const { return multiplies() && reads(Kept::Turned); }
  /// Whether an access is of what a plan keeps so.
  bool reads(Kept kept) const {
    return llvm::any_of(
        accesses, [&](const Access &access) { return access.kept == kept; });
  }
  /// Whether a product's operand, by number, is the transposed one of what it
  /// reads.
  bool isTransposed(unsigned operand) const {
    auto product = mlir::cast<MatmulOp>(op);
    if (accesses[operand].kept == Kept::Turned)
      return operand != 0;
    return operand == 0 ? product.getTransposeA() : product.getTransposeB();
  }
  /// The product that takes an operand as that leaves it.
  Product takingPacked(unsigned operand, PackingAttr packing) const;
  /// What the prologue makes of the left operand, in tiles of so many rows and
  /// columns as it is stored, or of a right one, by number, for so many lanes;
  /// and the product that takes that.
  Product getLeft(llvm::ArrayRef<int64_t> tile) const;
  Product getRight(unsigned number, int64_t lanes) const;
  Product takingMadeLeft() const;
  Product takingMadeRight() const;
  /// What finds which keys queries see, and the attention that visits these.
  Product getRanges(tile::TargetAttrInterface target) const;
  Product takingRanges() const;
};

/// The work items of a program that adds up slices: rows and columns of a tile,
/// the groups that share it, and the lanes of each; or, where an item has
/// whole rows, one step of it.
struct SumTile {
  llvm::SmallVector<int64_t> tile, groups;
  int64_t lanes;
  int64_t allLanes() const { return llvm::product_of(groups) * lanes; }
  static SumTile get(tile::TargetAttrInterface target, bool wholeRows = false);
};

/// How many queries of an item share a range of keys where a part finds which
/// of these they see: few, so that there are many items.
inline int64_t queriesOfRange(int64_t queries) {
  constexpr int64_t most = 128;
  return std::gcd(queries, most);
}

/// The groups, side by side along keys, that find which are seen, and the lanes
/// of each.
struct RangeTile {
  int64_t groups, lanes;
  int64_t allLanes() const { return groups * lanes; }
  static RangeTile get(tile::TargetAttrInterface target);
};

/// Where an argument of a program comes from.
struct ArgSource {
  enum Kind {
    Pointer, ///< of access `access`
    Extent,  ///< of axis `dim`
    Filled,  ///< the same, filled up to whole wide units of access `access`
    Stride,  ///< of access `access`, dimension `dim`
    Steps,   ///< of the loop over one slice
    Stream,  ///< what is said of streamed tiles, which StreamCounts member
    Queries, ///< of each head in the rows of an item
    Seen,    ///< the end of the keys that some query of a launch may see
    Scalar,  ///< level-1 value `scalar`
  } kind;
  int64_t access = 0, dim = 0;
  mlir::Value scalar;
};

struct Program {
  tile::ProgramOp op;
  llvm::SmallVector<ArgSource> arguments;
  bool clustered = false; ///< whether clusters of workgroups run it
};

/// Largest extent, stride and number of work items that programs compute with.
/// How far offsets of elements go is the target's.
inline constexpr int64_t kMaxIndex = (int64_t(1) << 31) - 1;

/// Emits the program of a part of a product for a variant. Fails, with a
/// diagnostic, on a scalar that it cannot compute.
using EmitProgram = mlir::FailureOr<Program>(
    mlir::OpBuilder &builder, const Product &product, Variant variant,
    ScheduleAttr schedule, mlir::Attribute target, int64_t vectorBytes,
    llvm::StringRef name);
EmitProgram emitMatmul, emitAttention, emitPack, emitMade, emitTurn, emitFold;
/// Which keys the mask of attention lets queries see.
EmitProgram emitRanges;
/// The sum over slices of attention's keys.
EmitProgram emitAttentionSum;
mlir::FailureOr<Program> emitCopy(mlir::OpBuilder &builder,
                                  const Product &product, ScheduleAttr schedule,
                                  mlir::Attribute target, int64_t vectorBytes,
                                  llvm::StringRef name);

/// An extent, filled up to a multiple.
mlir::Value filledUp(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value extent, int64_t multiple);

/// The layout of matrices that are packed for a product of `op`, on elements of
/// a type; null if the target has none.
mlir::Attribute packedLayout(mlir::Operation *op, PackingAttr packing,
                             mlir::Type type);

/// Emits the epilogue of a product on tiles and returns the tiles to store.
/// `sums` are the accumulators; `load` gives the tile of a fused operand;
/// `scalar` maps a captured level-1 scalar; `base` gives the first index of the
/// item along each result dimension.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitEpilogue(
    mlir::OpBuilder &builder, const Product &product, mlir::ValueRange sums,
    llvm::function_ref<mlir::Value(unsigned)> load,
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)> scalar,
    llvm::ArrayRef<mlir::Value> base);

/// What a tile of elements of a product's result combines to along M or N: a
/// vector along the other one. Elements beyond the result's edge count as
/// nothing; `base` is as above, `extents` gives the extent of an axis.
mlir::Value emitReduction(mlir::OpBuilder &builder, const Product &product,
                          Variant variant, ReductionAttr reduction,
                          mlir::Value tile, llvm::ArrayRef<mlir::Value> base,
                          llvm::ArrayRef<mlir::Value> extents);
/// What such vectors of two tiles combine to, and one of what changes nothing.
mlir::Value emitCombination(mlir::OpBuilder &builder, mlir::Location loc,
                            ReductionAttr reduction, mlir::Value first,
                            mlir::Value second);
mlir::Value emitNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                        ReductionAttr reduction, mlir::RankedTensorType type);

/// Emits the prologue of a product on a tile of one of its operands, by number,
/// `stored`, whose rows or columns run along K, and returns the tiles to
/// multiply: as many as elements are stored in one. `load` gives the tile of an
/// operand that the prologue reads beside it. Where K may end in the tile,
/// elements from `end` on, counted from its corner, become zero.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> emitPrologue(
    mlir::OpBuilder &builder, const Product &product, mlir::Value stored,
    unsigned number, bool kIsRows,
    llvm::function_ref<mlir::Value(unsigned)> load,
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)> scalar,
    mlir::Value end);

/// The programs of one variant under one schedule, one for each part.
struct VariantPrograms {
  Variant variant;
  unsigned schedule; ///< index in KernelPrograms::schedules
  llvm::SmallVector<Program> programs;
};

/// What copies some operands, by their numbers among a product's accesses.
struct OperandCopies {
  llvm::SmallVector<unsigned> operands;
  Product product;
  Program program;
};

/// One of the schedules among which a plan chooses.
struct ScheduledProducts {
  ScheduleAttr schedule;
  llvm::SmallVector<Product, 0> products; ///< in tiles of the schedule
  llvm::SmallVector<Product, 0> parts; ///< what is launched for them, in order
  int64_t weight = 1;                  ///< what a tile costs, in some unit
  int64_t unalignedWeight = 1;         ///< the same where rows begin off a line
  int64_t aloneWeight = 0; ///< the least that a processor's tiles cost
  int64_t itemWeight = 0;  ///< what a tile costs beside its elements of K
  int64_t lastWeight = 0;  ///< what comes behind the last one of a launch
  int64_t leastSlice = kLeastSlice; ///< of K, where launches make slices
  /// The first part that multiplies.
  const Product &first() const {
    for (const Product &part : parts)
      if (part.multiplies())
        return part;
    return parts.front();
  }
};

/// Whether workgroups stay and take one item after the other.
inline bool isPersistent(ScheduleAttr schedule) {
  return schedule.getItems() != int64_t(tile::Distribution::Grid);
}

/// The programs of a kernel. The first schedule has all variants, or all but
/// `Any`. `Operands` is there where `Any` has a schedule of its own.
struct KernelPrograms {
  std::vector<ScheduledProducts> schedules;
  /// The schedule of the variant `Any`: the first one, or others from this one
  /// on, which the plan compares with each other alone.
  unsigned scattered = 0;
  /// Those of the variant `Narrow`, which stand before these, if not 0, and the
  /// bytes of its units.
  unsigned narrow = 0;
  int64_t narrowBytes = 0;
  bool isNarrow(unsigned schedule) const {
    return narrow && schedule >= narrow && schedule < scattered;
  }
  bool isScattered(unsigned schedule) const {
    return scattered ? schedule >= scattered : schedule == 0;
  }
  /// Whether a schedule is the first of those that it is compared with.
  bool isFirst(unsigned schedule) const {
    return schedule == 0 || schedule == narrow || schedule == scattered;
  }
  /// The schedules among which the plan chooses.
  unsigned numChoices() const {
    return narrow ? narrow : scattered ? scattered : schedules.size();
  }
  std::vector<VariantPrograms> variants;
  /// What makes operands wide for the variants that ask for it: copies of all
  /// but the left one, and of all; or none.
  std::vector<OperandCopies> copies;
  /// What makes the left operand of rows that cannot be read in wide units,
  /// beside such copies of the others.
  std::optional<Program> narrowLeft;
  /// Whether a schedule has a program for a variant.
  bool has(unsigned schedule, Variant variant) const {
    return llvm::any_of(variants, [&](const VariantPrograms &entry) {
      return entry.schedule == schedule && entry.variant == variant;
    });
  }
  /// Whether a schedule without persistent workgroups stands beside such.
  bool standsBesideRoles(unsigned schedule) const {
    const ScheduledProducts &entry = schedules[schedule];
    return entry.first().part == Part::Whole && !isPersistent(entry.schedule) &&
           isPersistent(schedules.front().schedule);
  }
  /// Whether it is one for little K.
  bool isBrief(unsigned schedule) const {
    return standsBesideRoles(schedule) &&
           isForLittleK(schedules[schedule].schedule);
  }
  /// Whether weights are of an element of K.
  bool weighsElements = false;
  /// What each workgroup of a launch costs, up to one a processor.
  int64_t workgroupWeight = 0;
  /// What adding up slices costs, in the unit of the weights over K: a
  /// dispatch, and an element of a slice.
  int64_t sumWeights[2] = {0, 0};
  /// What an item, and a byte that it writes, takes at least in launches that
  /// write more than so many bytes; or none.
  llvm::ArrayRef<int64_t> writeWeights;
  /// From how many bits of both operands on items take as long as memory does
  /// for what they read, the bits of an element of K of a row and of a column
  /// as they are stored, what a block of them takes (kReadBlock), and what that
  /// is of an element of K under each schedule; or none.
  llvm::ArrayRef<int64_t> readWeights;
  /// What a row and a column of a tile outside of the result cost, for an
  /// element of K, where all processors have such, and what they count for in a
  /// tile's weight and in that off lines; or none.
  llvm::ArrayRef<int64_t> outsideWeights;
  /// And packing an operand: a dispatch, and an element; or making a right one,
  /// or turning one.
  int64_t packWeights[2] = {0, 0}, makeWeights[2] = {0, 0},
          turnWeights[2] = {0, 0};
};

/// "128x256x64", the cluster and the turns where there are any, and how often K
/// is split where it is.
std::string tileText(ScheduleAttr schedule);

/// Emits the launch plan of a kernel. Fails, with a diagnostic, on a tensor
/// that it cannot place.
mlir::LogicalResult emitPlan(mlir::OpBuilder &builder, KernelOp kernel,
                             KernelPrograms &programs, int64_t vectorBytes);

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILE_H
