// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: what emits the launch plan of a kernel.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPLAN_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPLAN_H

#include "HeliosToTile.h"
#include "HeliosToTileStream.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include <map>

namespace helios::totile {

/// A tensor of level 1 as the plan sees it.
struct Placed {
  mlir::Value pointer; ///< what a dispatch is given: the plan's tensor, or the
                       ///< workspace at an offset
  llvm::SmallVector<mlir::Value> extents, strides;
  mlir::Value alignment;
  std::string name; ///< for messages
};

/// A product under one of the schedules, whose price a plan computes.
struct Priced {
  const ScheduledProducts &entry;
  unsigned number;       ///< of the schedule
  const Product &part;   ///< the part that multiplies
  unsigned product;      ///< its number in the kernel
  mlir::Value unaligned; ///< whether rows of an operand begin off a line
  ScheduleAttr schedule() const { return entry.schedule; }
  /// All parts of the product.
  auto parts() const {
    return llvm::make_filter_range(
        entry.parts,
        [op = part.op](const Product &other) { return other.op == op; });
  }
};

class PlanEmitter {
public:
  PlanEmitter(mlir::OpBuilder &builder, KernelOp kernel,
              KernelPrograms &programs, int64_t vectorBytes)
      : builder(builder), kernel(kernel), programs(programs),
        vectorBytes(vectorBytes), loc(kernel.getLoc()) {
    if (auto target = llvm::dyn_cast_or_null<tile::TargetAttrInterface>(
            kernel.getTargetAttr()))
      offsetBits = target.getOffsetBits();
  }

  llvm::LogicalResult run();

private:
  /// Formulas stand before all ways of the plan, each distinct one once.
  mlir::Value index(int64_t value) {
    mlir::Value &known = constants[value];
    if (!known)
      known = mlir::arith::ConstantIndexOp::create(builder, loc, value);
    return known;
  }
  mlir::Value boolean(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 1);
  }
  mlir::Value device(tile::DeviceProperty property) {
    mlir::Value &known = properties[property];
    if (!known)
      known = tile::DeviceOp::create(builder, loc, builder.getIndexType(),
                                     property);
    return known;
  }
  template <typename Op>
  mlir::Value fold(mlir::Value a, mlir::Value b) {
    mlir::Value &known =
        formulas[{mlir::TypeID::get<Op>().getAsOpaquePointer(), 0,
                  a.getAsOpaquePointer(), b.getAsOpaquePointer(), nullptr}];
    if (!known)
      known = builder.createOrFold<Op>(loc, a, b);
    return known;
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    mlir::Value &known =
        formulas[{nullptr, int(predicate), a.getAsOpaquePointer(),
                  b.getAsOpaquePointer(), nullptr}];
    if (!known)
      known = builder.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
    return known;
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    mlir::Value &known = formulas[{
        mlir::TypeID::get<mlir::arith::SelectOp>().getAsOpaquePointer(), 0,
        condition.getAsOpaquePointer(), a.getAsOpaquePointer(),
        b.getAsOpaquePointer()}];
    if (!known)
      known = builder.createOrFold<mlir::arith::SelectOp>(loc, condition, a, b);
    return known;
  }
  /// An extent, filled up to a multiple.
  mlir::Value filledUp(mlir::Value extent, int64_t multiple) {
    return multiple == 1
               ? extent
               : fold<mlir::arith::MulIOp>(
                     fold<mlir::arith::CeilDivUIOp>(extent, index(multiple)),
                     index(multiple));
  }
  std::optional<bool> known(mlir::Value condition) {
    llvm::APInt value;
    if (mlir::matchPattern(condition, mlir::m_ConstantInt(&value)))
      return value.getBoolValue();
    return std::nullopt;
  }
  /// Adds a condition to a conjunction that is evaluated in order.
  void conjoin(mlir::Value &all, mlir::Value condition) {
    if (known(condition) == true || known(all) == false)
      return;
    all = !all || known(all) == true || known(condition) == false
              ? condition
              : fold<mlir::arith::AndIOp>(all, condition);
  }

  llvm::LogicalResult place();
  void placeSlices();
  void placePacked();
  void placeCombined();
  void placeMade();
  void placeRanges();
  Placed madeInWorkspace(const Product &part, int64_t multipleOfK,
                         mlir::Value &bytes);
  Placed seenPacked(const Product &product, PackingAttr packing,
                    mlir::Value pointer, mlir::Value alignment,
                    std::string name);
  void packRows(const Product &product);
  Placed pack(const Access &access, const Product &product);
  mlir::Value sliceCount(const ScheduledProducts &scheduled,
                         const Product &product, const Product &slices);
  void enter(unsigned schedule);
  /// What a level-1 tensor is: an argument, a product's result, or either seen
  /// with another type; null if it is neither.
  Placed *find(mlir::Value tensor, Kept kept = Kept::Tensor);
  Placed &placed(mlir::Value tensor, Kept kept = Kept::Tensor) {
    return *find(tensor, kept);
  }
  /// The tensor of an access, whose dimensions are the access's axes.
  Placed &placed(const Access &access) {
    return access.unpacked.empty() && !access.packing
               ? placed(access.tensor, access.kept)
               : packed[{access.tensor.getAsOpaquePointer(), access.kept}];
  }
  bool isPlaced(const Access &access) {
    return !access.unpacked.empty() || find(access.tensor, access.kept);
  }
  Placed *keep(mlir::Value tensor, Placed placed, Kept kept = Kept::Tensor) {
    return &(tensors[{tensor.getAsOpaquePointer(), kept}] = std::move(placed));
  }
  Placed fromArgument(mlir::Value argument, llvm::StringRef name);
  Placed inWorkspace(mlir::Type element, llvm::SmallVector<mlir::Value> extents,
                     mlir::Value &bytes, std::string name);
  mlir::Value extentOf(const Product &product, int64_t axis);
  void require(const Product &product);
  void requirePacked(const Product &product, const Access &access);
  void requireGroups(const Product &product, int64_t axis, mlir::Value groups,
                     const std::string &name);
  void requireWholeShares(const Product &product);
  void requireWholeGroups(const Product &product);
  void requireGroup(const Product &product);
  mlir::Value mostTiles(const Product &product);
  mlir::Value items(const Product &product, bool clustered = false,
                    int64_t without = -1);
  mlir::Value grid(const Product &product, const Program &program,
                   ScheduleAttr schedule);
  mlir::Value clustersAtOnce(int64_t size);
  mlir::Value itemsAtOnce(const Product &product, ScheduleAttr schedule,
                          bool clustered);
  mlir::Value ofSmallSum(const Placed &sums);
  mlir::Value ofSharedK(const Priced &priced, mlir::Value weight);
  mlir::Value withOutside(const Priced &priced, mlir::Value weight);
  mlir::Value beginOffLines(const Product &product);
  mlir::Value isOffLines(const Access &access);
  mlir::Value storesOffLines(const Product &product);
  mlir::Value writesMuch(const Product &product);
  mlir::Value hasTiles(const Priced &priced);
  mlir::Value hasWideRows(const Product &product);
  mlir::Value onlyIf(mlir::Value condition, mlir::Value price);
  mlir::Value withEdges(const Priced &priced, mlir::Value price);
  mlir::Value overlapping(const Priced &priced, mlir::Value units);
  mlir::Value withRows(const Priced &priced, mlir::Value price);
  mlir::Value withPartOfStep(const Priced &priced, mlir::Value price);
  mlir::Value price(unsigned number);
  mlir::Value price(const Priced &priced);
  mlir::Value ofBusiest(mlir::Value count);
  mlir::Value ofTiles(const Priced &priced, mlir::Value tiles,
                      mlir::Value weight);
  mlir::Value seenByBusiest(const Product &product, mlir::Value tiles,
                            mlir::Value keys);
  mlir::Value withDispatches(const Priced &priced, mlir::Value price);
  mlir::Value withSums(const Priced &priced, mlir::Value price);
  mlir::Value suits(const Priced &priced, mlir::Value tiles, mlir::Value steps);
  mlir::FailureOr<mlir::Value> uniformOf(AttentionOp op, mlir::Value value);
  mlir::Value seenKeys(const Product &product);
  mlir::Value keysOfWindow(const Product &product);
  mlir::Value leastOfLines(const Priced &priced, mlir::Value keys);
  mlir::Value withReads(const Priced &priced, mlir::Value price,
                        mlir::Value tiles, mlir::Value keys);
  mlir::Value leastOfItems(const Priced &priced, mlir::Value tiles,
                           mlir::Value item);
  mlir::Value elementsOf(const Product &part);
  mlir::Value mayMake(unsigned number);
  mlir::Value cheaperThanRest(unsigned number);
  mlir::Value scaled(mlir::Value count, double clocks);
  mlir::Value clocksOfNarrow(unsigned number);
  mlir::Value copiedBytes(const Product &product);
  mlir::Value clocksOfCopied(const Product &product, mlir::Value narrow);
  mlir::Value isBestOfNarrow(unsigned number);
  void chooseSchedule();
  void takeCheapest(llvm::ArrayRef<mlir::Value> prices);
  void preferTuned(size_t compared);
  void report(llvm::ArrayRef<mlir::Value> prices);
  mlir::Value guard(const Product &product, Variant variant);
  mlir::Value isNarrow(const Access &access);
  int64_t wholeUnits(const Product &product);
  mlir::Value needsAllCopies(const Product &product);
  void placeCopy(const Product &product, unsigned operandNumber,
                 mlir::Value &bytes);
  mlir::Value areWorthwhile(const Product &product);
  void launchCopied(const Product &whole, mlir::Value wanted,
                    OperandCopies &copies);
  void launchCopies();
  std::string nameOf(const VariantPrograms &entry, bool isFirst);
  void branch(mlir::Value holds,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &)> launch);
  void dispatch(mlir::OpBuilder &way, Product &product, Program &program,
                ScheduleAttr schedule, llvm::StringRef name);
  mlir::Value scalar(mlir::Value value);

  mlir::OpBuilder &builder;
  KernelOp kernel;
  KernelPrograms &programs;
  int64_t vectorBytes, offsetBits = 31;
  mlir::Location loc;
  mlir::Block *entry = nullptr;
  std::map<int64_t, mlir::Value> constants;
  /// By op, predicate and operands.
  std::map<std::tuple<const void *, int, void *, void *, void *>, mlir::Value>
      formulas;
  std::map<tile::DeviceProperty, mlir::Value> properties;
  using Key = std::pair<void *, Kept>;
  std::map<Key, Placed> tensors; ///< by level-1 value; references stay valid
  std::map<Key, Placed> packed;  ///< those with heads and queries as rows, and
                                 ///< packed operands, filled up
  mlir::IRMapping scalars;
  llvm::SmallVector<mlir::scf::IfOp> chain; ///< a conditional for each way
  llvm::SmallPtrSet<mlir::Operation *, 16> launched; ///< programs
  mlir::Value workspace;

  /// What holds for a split product under one schedule.
  struct Split {
    mlir::Value accumulator; ///< the name of its sums
    Placed sums;             ///< of all slices
    mlir::Value steps;       ///< of a slice
    mlir::Value slices;
    std::map<Key, Placed> more, packed; ///< beside the sums, of attention
    StreamCounts stream;                ///< where tiles are streamed
  };
  struct Splits {
    llvm::SmallVector<Split, 0> products;
    std::map<Key, Placed> packed;   ///< operands that a launch packs
    std::map<Key, Placed> combined; ///< what items leave of reductions, and
                                    ///< what prologues make
    mlir::Value workspace;          ///< bytes with the sums and these
  };
  void placePartials(const Product &product, const Product &slices,
                     Splits &splits, Split &split);
  void placeStream(const ScheduledProducts &scheduled, Splits &splits);
  StreamCounts &streamOf(const Product &product);
  mlir::Value itemsOfStreamSum(const Product &product);
  mlir::Value partsOfStream(const Product &product);
  mlir::Value keysOfStream(const Product &product, ScheduleAttr schedule);
  std::vector<Splits> splits; ///< of each schedule
  /// Of the current schedule, by accumulator: the steps of a slice, and what is
  /// said of streamed tiles.
  std::map<void *, mlir::Value> steps;
  std::map<void *, StreamCounts> streams;
  /// Of attention with heads and queries as rows: the heads that share one of
  /// keys, and the queries of each in an item.
  mlir::Value headsOfRows, queriesOfRows;
  llvm::SmallVector<mlir::Value>
      chosen,        ///< for each schedule: whether it is preferred
      tuned;         ///< and whether that is because a table says so
  mlir::Value least; ///< the least of their prices, where narrow ones ask
};

/// Workgroups of a schedule that one processor holds at once.
int64_t residentOf(const Product &product, ScheduleAttr schedule,
                   tile::TargetAttrInterface target);
/// Those that take as long together as one; 0 where that is not known.
int64_t residentTogether(KernelOp kernel, ScheduleAttr schedule,
                         const Product &product);
/// Whether launches make as many slices of K as processors hold, since each
/// hides what others wait for: of few rows, the right operand of which lanes
/// compute. One slice alone is no faster than none.
bool hideOthers(const Product &product, ScheduleAttr schedule);

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPLAN_H
