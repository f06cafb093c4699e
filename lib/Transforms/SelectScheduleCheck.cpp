// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: whether a product can have a schedule that somebody
// gave.

#include "SelectSchedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

std::string schedule::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

bool schedule::suits(tile::MmaAttrInterface mma, tile::Strategy strategy) {
  return mma.getEngine().empty() == (strategy != tile::Strategy::Roles);
}

FailureOr<SmallVector<tile::MmaAttrInterface>>
schedule::instructions(MatmulOp op, tile::TargetAttrInterface target) {
  Type a = op.getLhsElement(), b = op.getRhsElement();
  SmallVector<tile::MmaAttrInterface> mmas =
      target.getMmas(a, b, op.getAccType());
  if (mmas.empty())
    return op.emitOpError()
           << "is unsupported on target '" << target.getRowName()
           << "': it multiplies no " << a << " by " << b << " accumulated in "
           << op.getAccType();
  return mmas;
}

/// Whether tiles consist of whole instructions of every group.
static bool divides(tile::MmaAttrInterface mma, ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  SmallVector<int64_t> shape = mma.getMmaShape();
  return tile[0] % (groups[0] * shape[0]) == 0 &&
         tile[1] % (groups[1] * shape[1]) == 0 &&
         tile[2] % (schedule.getSlicedK()[0] * shape[2]) == 0;
}

std::string schedule::whyNotSliced(MatmulOp op, ScheduleAttr schedule,
                                   tile::MmaAttrInterface mma) {
  int64_t slices = schedule.getSlicedK()[0];
  if (slices == 1)
    return {};
  if (schedule.getStrategyName() !=
      tile::stringifyStrategy(tile::Strategy::Groups))
    return (Twine("subgroups that multiply slices of a step come with "
                  "strategy=groups, got strategy=") +
            schedule.getStrategyName())
        .str();
  if (op.getBatchInvariant())
    return "the product is 'batch_invariant', and slices of K would be added "
           "up apart";
  if (op.hasScales() || getPartDepth(op, mma))
    return "sums that leave the instruction in every step would be added up "
           "over the slices each time";
  int64_t rows = schedule.getGroups()[0] * mma.getMmaShape()[0];
  if (schedule.getTile()[0] != rows)
    return (Twine("expected a tile of ") + Twine(rows) +
            " rows, one instruction of every group, got " +
            Twine(schedule.getTile()[0]))
        .str();
  return {};
}

tile::MmaAttrInterface
schedule::instructionOf(ScheduleAttr schedule,
                        ArrayRef<tile::MmaAttrInterface> mmas) {
  ArrayRef<int64_t> wanted = schedule.getMma();
  tile::Strategy strategy =
      *tile::symbolizeStrategy(schedule.getStrategyName());
  tile::MmaAttrInterface first;
  for (tile::MmaAttrInterface mma : mmas) {
    if (wanted[0] ? mma.getMmaShape() != wanted : !suits(mma, strategy))
      continue;
    if (wanted[0] || divides(mma, schedule))
      return mma;
    if (!first)
      first = mma;
  }
  return first;
}

tile::MmaAttrInterface
schedule::instructionFor(tile::Strategy strategy,
                         ArrayRef<tile::MmaAttrInterface> mmas) {
  for (tile::MmaAttrInterface mma : mmas)
    if (suits(mma, strategy))
      return mma;
  return mmas.front();
}

std::string schedule::whyNotInvariant(MatmulOp op, ScheduleAttr schedule,
                                      tile::MmaAttrInterface mma,
                                      tile::TargetAttrInterface target) {
  if (!op.getBatchInvariant())
    return {};
  if (schedule.getSplitK()[0] != 1)
    return "slices of K would be added up apart; leave out 'split_k'";
  if (schedule.getClusterK()[0] != 1)
    return "workgroups would add up their slices of K apart; leave out "
           "'cluster_k'";
  tile::MmaAttrInterface usual = instructionFor(
      preferredStrategy(op, target),
      target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()));
  int64_t parts = mma.getMmaShape()[2], usualParts = usual.getMmaShape()[2];
  if (mma.getEngine() != usual.getEngine() || parts != usualParts)
    return (Twine("instruction ") + shapeText(mma.getMmaShape()) +
            " of strategy '" + schedule.getStrategyName() +
            "' adds up in another order than " +
            shapeText(usual.getMmaShape()) +
            ", which the target prefers; leave out 'strategy' and 'mma'")
        .str();
  return whyNotInOrder(op, schedule, mma);
}

std::string schedule::whyNotInOrder(MatmulOp op, ScheduleAttr schedule,
                                    tile::MmaAttrInterface mma) {
  if (!op.getBatchInvariant())
    return {};
  int64_t depth = getPartDepth(op, mma), step = schedule.getTile()[2];
  if (depth && step != depth)
    return (Twine("expected steps of ") + Twine(depth) +
            " elements of k, after which sums leave the engine, got " +
            Twine(step) + "; use 'fast_accumulation' or a tile of that depth")
        .str();
  // Elements that lie in one are multiplied part by part of a step, or of each
  // group of it.
  if (op.getParts() > 1 && makesRight(schedule))
    return "elements that lie in one, multiplied in the order of k, add up in "
           "another order than where work items compute them; leave out "
           "'apart'";
  if (int64_t group = op.getGroupSize(); op.getParts() > 1 && step % group != 0)
    return (Twine("steps within a group of ") + Twine(group) +
            " elements that lie in one add up in another order than whole "
            "groups, got " +
            Twine(step) + "; use a tile of a multiple of that depth")
        .str();
  return {};
}

std::string schedule::whyNotComputed(MatmulOp op, tile::MmaAttrInterface mma,
                                     ScheduleAttr schedule) {
  bool right = computesRight(op, schedule);
  if (!right && !computesLeft(op, schedule))
    return {};
  if (hasRoles(schedule))
    return std::string(right ? "the right" : "the left") +
           " operand is computed in registers, and the engine of "
           "strategy=roles reads it in shared memory as copies leave it; use "
           "another strategy, or apart=" +
           (right && op.hasPrologueA() ? "ab"
            : right                    ? "b"
                                       : "a");
  int64_t group = right ? op.getGroupSize() : 1, step = schedule.getTile()[2];
  if (group > 1 && group % step != 0 && step % group != 0)
    return (Twine("expected steps along k that divide the prologue's group, ") +
            Twine(group) + ", or are a multiple of it, got " + Twine(step) +
            "; use another tile")
        .str();
  // Elements that lie in one are multiplied by an instruction each, and so are
  // groups of a step.
  int64_t parts = right ? op.getParts() : 1,
          depth = mma.getMmaShape()[2] * schedule.getSlicedK()[0],
          piece = group > 1 ? std::min(step, group) : step;
  if (piece % (parts * depth) == 0)
    return {};
  std::string each = parts == 1 ? ""
                                : (", for each of the " + Twine(parts) +
                                   " elements that are stored in one")
                                      .str();
  return (Twine("expected steps and groups along k of whole instructions, ") +
          Twine(depth) + " deep" + each + ", got " + Twine(piece) +
          "; use a multiple of " + Twine(parts * depth))
      .str();
}

/// The most columns of a tile.
static constexpr int64_t kMostColumns = 256;

bool schedule::makesLeftFirst(MatmulOp op) {
  auto products = op->getParentOfType<KernelOp>().getBody().getOps<MatmulOp>();
  return llvm::any_of(products, [](MatmulOp product) {
    int64_t columns = product.getN();
    return product.hasPrologueA() &&
           (ShapedType::isDynamic(columns) || columns > kMostColumns);
  });
}

int64_t schedule::apartFor(MatmulOp op, bool makesRight) {
  return (makesLeftFirst(op) ? kApartLeft : 0) + (makesRight ? kApartRight : 0);
}

std::string schedule::whyNotMadeFirst(MatmulOp op, ScheduleAttr schedule) {
  auto products = op->getParentOfType<KernelOp>().getBody().getOps<MatmulOp>();
  auto any = [&](function_ref<bool(MatmulOp)> has) {
    return llvm::any_of(products, has);
  };
  if (findsRanges(schedule))
    return "expected attention with a mask beside apart=mask, got a product";
  if (makesLeft(schedule) &&
      !any([](MatmulOp product) { return product.hasPrologueA(); }))
    return "expected a prologue of the left operand beside apart=a, got none";
  if (!makesRight(schedule))
    return {};
  if (!any([](MatmulOp product) { return product.hasPrologue(); }))
    return "expected a prologue of the right operand beside apart=b, got none";
  // Items of what is made are within a group, in whole wide units.
  int64_t share = op.getGroupSize() / op.getParts(),
          unit = std::max<int64_t>(
              1,
              kMadeUnitBytes / bytesOf(op.getRhs().getType().getElementType()));
  if (op.hasPrologue() && op.getGroupSize() > 1 && share % unit != 0)
    return (Twine("expected groups that lie in whole units of ") +
            Twine(kMadeUnitBytes) + " bytes along k, got " + Twine(share) +
            " elements for each of the " + Twine(op.getParts()) + " in one")
        .str();
  return {};
}

std::string schedule::whyNotTurned(MatmulOp op, ScheduleAttr schedule) {
  auto products = op->getParentOfType<KernelOp>().getBody().getOps<MatmulOp>();
  auto check = [&](int64_t bit, StringRef name,
                   bool (*turns)(MatmulOp, ScheduleAttr),
                   StringRef stored) -> std::string {
    if (!(schedule.getTurn() & bit) ||
        llvm::any_of(products, [&](MatmulOp product) {
          return turns(product, schedule);
        }))
      return {};
    return ("expected " + name + " stored in rows along " + stored +
            ", with no prologue and not packed, beside turn=" +
            name.take_front().lower() + ", got none such")
        .str();
  };
  std::string why = check(kTurnLeft, "A", turnsLeft, "m");
  return why.empty() ? check(kTurnRight, "B", turnsRight, "n") : why;
}

std::string schedule::whyNotStreamed(MatmulOp op, ScheduleAttr schedule) {
  if (!isStreamed(schedule))
    return {};
  if (op.getBatchInvariant())
    return "parts of K are added up apart, as batch invariance forbids";
  if (op.isGrouped())
    return "tiles are numbered ahead, and those of a grouped product are not "
           "known then";
  if (op.getPair())
    return "both sums of a pair would go through the workspace";
  if (op.getReductions())
    return "reductions have whole tiles alone";
  if (schedule.getSplitK()[0] != 1)
    return (Twine("expected split_k=1, since shares of K are found at launch, "
                  "got split_k=") +
            Twine(schedule.getSplitK()[0]))
        .str();
  if (packsRight(schedule))
    return "no operand is packed first, got pack=b";
  return {};
}

std::string schedule::whyNotScaled(MatmulOp op, ScheduleAttr schedule) {
  if (!op.hasScales())
    return {};
  ArrayRef<int64_t> tile = schedule.getTile(), blocks = op.getBlockShape();
  const char *names[] = {"m", "n", "k"};
  for (auto [dim, name] : llvm::enumerate(names))
    // A tile's rows and columns may have a scale each; a step's elements have
    // one sum.
    if ((dim == 2 || blocks[dim] != 1) && blocks[dim] % tile[dim] != 0)
      return (Twine("expected a tile whose extent along ") + name +
              " divides that of the blocks with a scale, " +
              Twine(blocks[dim]) + ", got " + Twine(tile[dim]) +
              "; use another tile")
          .str();
  return {};
}

ScheduleAttr schedule::complete(MatmulOp op, ScheduleAttr schedule,
                                ArrayRef<ScheduleValue> given,
                                tile::TargetAttrInterface target) {
  auto isGiven = [&](ScheduleValue value) {
    return llvm::is_contained(given, value);
  };
  if (!isGiven(kScheduleStrategy))
    schedule = schedule.with(kScheduleStrategy,
                             {int64_t(preferredStrategy(op, target))});
  if (!isGiven(kScheduleItems) && hasRoles(schedule))
    schedule = schedule.with(kScheduleItems,
                             {int64_t(tile::Distribution::Persistent)});
  if (!isGiven(kScheduleApart))
    schedule = schedule.with(kScheduleApart, {apartFor(op)});
  if (!isGiven(kScheduleTurn) && hasRoles(schedule))
    if (tile::MmaAttrInterface mma = instructionOf(
            schedule, target.getMmas(op.getLhsElement(), op.getRhsElement(),
                                     op.getAccType())))
      schedule = schedule.with(
          kScheduleTurn,
          {turnFor(op, mma, target.getCopy(schedule.getStrategyName()))});
  if (isGiven(kScheduleDepth) ||
      schedule.getStrategy() == int64_t(tile::Strategy::Staged))
    return schedule;
  Type a = op.getLhsElement(), b = op.getRhsElement();
  if (tile::MmaAttrInterface mma =
          instructionOf(schedule, target.getMmas(a, b, op.getAccType())))
    schedule = schedule.with(
        kScheduleDepth,
        {std::max<int64_t>(2, mostSlots(op, schedule, mma, target))});
  return schedule;
}

/// Says which instructions there are.
static InFlightDiagnostic
refuseInstruction(ScheduleAttr schedule, tile::TargetAttrInterface target,
                  ArrayRef<tile::MmaAttrInterface> mmas,
                  function_ref<InFlightDiagnostic()> error) {
  auto fit = llvm::make_filter_range(mmas, [&](tile::MmaAttrInterface mma) {
    return suits(mma, *tile::symbolizeStrategy(schedule.getStrategyName()));
  });
  InFlightDiagnostic diag = error();
  diag << "target '" << target.getRowName() << "' has no instruction ";
  if (schedule.getMma()[0])
    diag << shapeText(schedule.getMma()) << " ";
  diag << "for these types with strategy=" << schedule.getStrategyName();
  diag << (fit.empty() ? "; use another strategy" : ", only");
  for (tile::MmaAttrInterface mma : fit)
    diag << " " << shapeText(mma.getMmaShape());
  return diag;
}

FailureOr<tile::Strategy>
schedule::checkLowered(ScheduleAttr schedule, tile::TargetAttrInterface target,
                       function_ref<InFlightDiagnostic()> error) {
  StringRef name = schedule.getStrategyName();
  if (llvm::is_contained(target.getStrategies(), name))
    return *tile::symbolizeStrategy(name);
  return error() << "target '" << target.getRowName()
                 << "' does not lower the strategy '" << name << "', only "
                 << llvm::join(target.getStrategies(), ", ");
}

LogicalResult
schedule::checkStrategy(ScheduleAttr schedule,
                        function_ref<InFlightDiagnostic()> error) {
  int64_t depth = schedule.getDepth()[0], turns = schedule.getTurns()[0];
  if (turns > 1 &&
      (!hasRoles(schedule) || llvm::product_of(schedule.getGroups()) != 1))
    return error() << "expected strategy=roles and groups=1x1 with turns="
                   << turns
                   << ", whose groups take whole tiles in turns, got strategy="
                   << schedule.getStrategyName()
                   << " and groups=" << shapeText(schedule.getGroups())
                   << "; use turns=1 or groups=1x1";
  switch (*tile::symbolizeStrategy(schedule.getStrategyName())) {
  case tile::Strategy::Staged:
    if (depth > 2)
      return error() << "expected depth=1 or depth=2 with strategy=staged, "
                        "which writes one step ahead at most, got depth="
                     << depth
                     << "; use one of these, or a strategy with slots in "
                        "shared memory if the target has one";
    return success();
  case tile::Strategy::Roles:
    if (schedule.getItems() == int64_t(tile::Distribution::Grid))
      return error() << "expected items=persistent with strategy=roles, whose "
                        "roles walk the work items side by side, got "
                        "items=grid; use items=persistent, or items=stream";
    [[fallthrough]];
  case tile::Strategy::Groups:
    if (depth < 2)
      return error() << "expected depth of at least 2 with strategy="
                     << schedule.getStrategyName()
                     << ", which copies into one slot while another is read, "
                        "got depth="
                     << depth << "; use depth=2 or more";
    return success();
  }
  llvm_unreachable("unknown strategy");
}

std::string schedule::whyNotShared(MatmulOp op, ScheduleAttr schedule,
                                   tile::TargetAttrInterface target) {
  ArrayRef<int64_t> cluster = schedule.getCluster(), tile = schedule.getTile();
  int64_t size = llvm::product_of(cluster);
  if (size == 1)
    return {};
  if (op.isGrouped())
    return "tiles of a cluster would be of different groups; leave out "
           "'cluster'";
  std::string needs =
      "it needs clusters of " + std::to_string(size) + " workgroups";
  if (size > target.getMaxCluster())
    return (Twine(needs) + ", but target '" + target.getRowName() + "' has " +
            (target.getMaxCluster() == 1
                 ? std::string("none; leave out 'cluster'")
                 : "at most " + std::to_string(target.getMaxCluster())))
        .str();
  if (!llvm::isPowerOf2_64(size))
    return needs + "; expected a power of two";
  tile::CopyAttrInterface copy = target.getCopy(schedule.getStrategyName());
  if (!copy || !copy.canMulticast())
    return (Twine("the strategy '") + schedule.getStrategyName() +
            "' copies for one workgroup at a time; leave out 'cluster' or use "
            "strategy=roles")
        .str();
  auto isDivided = [&](StringRef name, Type element, bool transpose,
                       int64_t rows, int64_t columns,
                       int64_t parts) -> std::string {
    if (parts == 1)
      return {};
    SmallVector<int64_t> shape{rows, columns};
    if (transpose)
      std::swap(shape[0], shape[1]);
    auto type = RankedTensorType::get(
        shape, element,
        copy.getSharedLayout(shape, element, 1, /*mayFill=*/true));
    if (type.getEncoding() && tile::getDividedDim(type, parts))
      return {};
    return (Twine("the ") + shapeText(shape) + " elements of " + name +
            " in a step are not divided into " + Twine(parts) +
            " parts of whole rows and columns of a swizzle; use a larger tile "
            "or a smaller cluster")
        .str();
  };
  // Workgroups along the columns share rows, which A has.
  std::string why =
      isDivided("A", op.getLhsElement(), readsTransposedA(op, schedule),
                tile[0], tile[2], cluster[1]);
  return why.empty() ? isDivided("B", op.getRhsElement(),
                                 readsTransposedB(op, schedule), tile[2],
                                 tile[1], cluster[0])
                     : why;
}

/// Rows that every swizzle of shared memory repeats after.
static constexpr int64_t kSwizzleRows = 8;

std::string schedule::whyNotAddedUp(MatmulOp op, ScheduleAttr schedule,
                                    tile::TargetAttrInterface target) {
  int64_t shares = schedule.getClusterK()[0], rows = schedule.getTile()[0];
  if (shares == 1)
    return {};
  if (!hasRoles(schedule))
    return (Twine("expected strategy=roles, whose workgroups read each other's "
                  "sums, got strategy=") +
            schedule.getStrategyName())
        .str();
  if (shares > target.getMaxCluster())
    return (Twine("it needs clusters of ") + Twine(shares) +
            " workgroups, but target '" + target.getRowName() +
            "' has at most " + Twine(target.getMaxCluster()))
        .str();
  if (!llvm::isPowerOf2_64(shares))
    return (Twine("expected a power of two, got ") + Twine(shares)).str();
  if (llvm::product_of(schedule.getCluster()) != 1)
    return "expected cluster=1x1, whose workgroups share no tile but its K, "
           "got cluster=" +
           shapeText(schedule.getCluster());
  if (llvm::product_of(schedule.getGroups()) * schedule.getTurns()[0] != 1)
    return (Twine("expected groups=1x1 and turns=1, so that one group has the "
                  "tile, got groups=") +
            shapeText(schedule.getGroups()) +
            " and turns=" + Twine(schedule.getTurns()[0]))
        .str();
  if (isStreamed(schedule) || schedule.getSplitK()[0] != 1)
    return "K is divided already, by 'items=stream' or 'split_k'";
  if (op.isGrouped())
    return "tiles of a cluster would be of different groups";
  if (op.getReductions())
    return "'reductions' combine what lanes have of whole tiles";
  if (rows % (kSwizzleRows * shares))
    return (Twine("expected a tile whose rows are a multiple of ") +
            Twine(kSwizzleRows * shares) + ", " + Twine(kSwizzleRows) +
            " for each workgroup, got " + Twine(rows))
        .str();
  return {};
}

std::string schedule::whyNotCarried(MatmulOp op, tile::MmaAttrInterface mma,
                                    ScheduleAttr schedule,
                                    tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t groups = schedule.getNumGroups();
  auto carries = [&](StringRef name, tile::Side side, int64_t rows,
                     int64_t columns, bool transposed) -> std::string {
    if (transposed)
      std::swap(rows, columns);
    std::string what =
        (" the " + shapeText({rows, columns}) + " elements of " + name).str();
    int64_t element = bytesOf(mma.getElementType(side));
    // A lane holds as many as one access reads of what is stored.
    bool isLeft = side == tile::Side::A;
    bool isStored =
        isLeft ? computesLeft(op, schedule) : computesRight(op, schedule);
    int64_t stored = isStored ? bytesOf((isLeft ? op.getLhs() : op.getRhs())
                                            .getType()
                                            .getElementType())
                              : element;
    tile::RegsAttr wide = tile::getWideLayout(
        op.getContext(), {rows, columns}, stored, /*contiguous=*/1,
        mma.getLaneCount(), groups, target.getVectorBytes());
    if (!wide)
      return "expected each of " + std::to_string(groups * mma.getLaneCount()) +
             " lanes to hold equally many of" + what +
             " in a step, which they do not divide";
    int64_t held = wide.getVec()[1] * element,
            least = target.getSharedStoreBytes();
    if (held < least)
      return "expected lanes to hold at least " + std::to_string(least) +
             " neighbouring bytes of" + what + " in a step, got " +
             std::to_string(held);
    return {};
  };
  int64_t depth = tile[2] / (computesRight(op, schedule) ? op.getParts() : 1);
  std::string why = carries("A", tile::Side::A, tile[0], depth,
                            readsTransposedA(op, schedule));
  return why.empty() ? carries("B", tile::Side::B, depth, tile[1],
                               readsTransposedB(op, schedule))
                     : why;
}

FailureOr<tile::MmaAttrInterface>
schedule::check(MatmulOp op, ScheduleAttr schedule,
                tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas))
    return failure();
  auto error = [&]() {
    return op.emitOpError("cannot have the schedule '")
           << schedule.toString() << "': ";
  };
  FailureOr<tile::Strategy> strategy = checkLowered(schedule, target, error);
  if (failed(strategy))
    return failure();
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  tile::MmaAttrInterface chosen = instructionOf(schedule, *mmas);
  if (!chosen || !suits(chosen, *strategy))
    return refuseInstruction(schedule, target, *mmas, error);
  if (failed(checkStrategy(schedule, error)))
    return failure();
  for (std::string why :
       {whyNotComputed(op, chosen, schedule), whyNotScaled(op, schedule)})
    if (!why.empty())
      return error() << why;
  SmallVector<int64_t> shape = chosen.getMmaShape();
  if (!divides(chosen, schedule))
    return error() << "tile " << shapeText(tile) << " is no multiple of "
                   << groups[0] << "x" << groups[1]
                   << " groups of instructions " << shapeText(shape)
                   << "; it must be one of "
                   << shapeText({groups[0] * shape[0], groups[1] * shape[1],
                                 schedule.getSlicedK()[0] * shape[2]});
  if (std::string why = whyNotSliced(op, schedule, chosen); !why.empty())
    return error() << why << "; leave out 'sliced_k'";
  if (int64_t most = getPartDepth(op, chosen); most && tile[2] > most)
    return error() << "expected steps of at most " << most
                   << " elements of k, after which sums of "
                   << op.getLhsElement() << " leave the engine, got " << tile[2]
                   << "; use tile=" << tile[0] << "x" << tile[1] << "x" << most
                   << " or 'fast_accumulation'";
  if (op.isGrouped() && schedule.getSplitK()[0] != 1)
    return error() << "expected split_k=1 for a grouped product, got split_k="
                   << schedule.getSplitK()[0];
  if (op.getPair() && schedule.getSplitK()[0] != 1)
    return error() << "expected split_k=1 beside a pair, whose sums would both "
                      "go through the workspace, got split_k="
                   << schedule.getSplitK()[0];
  if (op.reducesAlong(ReducedAxis::M) && schedule.getSplitK()[0] != 1)
    return error() << "expected split_k=1 beside 'reductions' along m, which "
                      "are of whole sums, got split_k="
                   << schedule.getSplitK()[0];
  if (op.reducesAlong(ReducedAxis::M) && hasRoles(schedule))
    return error() << "'reductions' along m combine what several groups hold, "
                      "which strategy=roles does not exchange; use another "
                      "strategy";
  if (op.reducesAlong(ReducedAxis::N) && hasRoles(schedule) &&
      chosen.isExchanged())
    return error() << "'reductions' along n combine what lanes of several "
                      "subgroups hold where operands of instruction "
                   << shapeText(shape)
                   << " are exchanged, which strategy=roles does not exchange; "
                      "use an instruction of 64 rows";
  if (std::string why = whyNotStreamed(op, schedule); !why.empty())
    return error() << "with items=stream " << why << "; use items=persistent";
  if (std::string why = whyNotPacked(op, schedule, chosen, target);
      !why.empty())
    return error() << why << "; leave out 'pack'";
  if (std::string why = whyNotMadeFirst(op, schedule); !why.empty())
    return error() << why << "; leave out 'apart'";
  if (std::string why = whyNotTurned(op, schedule); !why.empty())
    return error() << why << "; leave out 'turn'";
  if (std::string why = whyNotInvariant(op, schedule, chosen, target);
      !why.empty())
    return error() << "the product is 'batch_invariant': " << why;
  if (std::string why = whyNotHeld(chosen, groups); !why.empty())
    return error() << "its groups cannot hold the accumulators: " << why;
  tile::CopyAttrInterface copy = target.getCopy(schedule.getStrategyName());
  if (copy)
    if (std::string why = whyNotRead(op, chosen, copy, schedule); !why.empty())
      return error() << "instruction " << shapeText(shape)
                     << " cannot read the operands as copies leave them: "
                     << why << "; use another tile or other groups";
  if (!copy)
    if (std::string why = whyNotCarried(op, chosen, schedule, target);
        !why.empty())
      return error() << why << "; use another tile or fewer groups";
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, chosen);
  auto exceeds = [&](StringRef what, int64_t need,
                     int64_t have) -> LogicalResult {
    if (need <= have)
      return success();
    return error() << "it needs " << need << " " << what << ", " << need - have
                   << " more than the " << have << " of target '"
                   << target.getRowName() << "'";
  };
  if (failed(exceeds("invocations", needs.invocations,
                     target.getMaxInvocations())) ||
      failed(exceeds("bytes of shared memory", needs.sharedBytes,
                     target.getSharedBytes())))
    return failure();
  if (auto registers = tile::getRoleRegisters(
          target, groups[0] * groups[1] * schedule.getTurns()[0],
          chosen.getLaneCount());
      hasRoles(schedule) && registers &&
      failed(exceeds("registers in a lane that multiplies", needs.registers,
                     registers->computing)))
    return failure();
  if (hasRoles(schedule))
    if (std::string why = whyNotIssued(op, schedule, chosen, target);
        !why.empty())
      return error() << why;
  int64_t accumulators = op.getNumSums() * tile[0] * tile[1] *
                         bytesOf(op.getAccType()) /
                         (4 * groups[0] * groups[1] * chosen.getLaneCount());
  if (target.getRegisterFile() &&
      failed(exceeds("registers of a lane for accumulators", accumulators,
                     target.getMaxRegisters())))
    return failure();
  if (target.getRegisterFile() &&
      failed(exceeds("registers of a lane for accumulators and the next step",
                     needs.carried, target.getMaxRegisters())))
    return failure();
  if (std::string why = whyNotShared(op, schedule, target); !why.empty())
    return error() << why;
  if (std::string why = whyNotAddedUp(op, schedule, target); !why.empty())
    return error() << why << "; leave out 'cluster_k'";
  return chosen;
}
