// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the schedules that fit a target.

#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Instruction steps of a loop's trip up to which drivers gain by unrolling it
/// further; longer bodies then run out of registers.
static constexpr int64_t kUnrolledSteps = 2;
/// Larger workgroups wait longer at their barriers than they gain.
static constexpr int64_t kMaxGroups = 8;
/// Slots start where the swizzles of their tiles repeat.
static constexpr int64_t kSlotBytes = 1024;

/// Roles: bytes of a row in shared memory that an engine copies at once, slots
/// in which a replica stores, groups that compute, and tiles walked together.
static constexpr int64_t kRowBytes = 128;
static constexpr int64_t kStoreSlots = 2;
static constexpr int64_t kMaxReplicas = 2;
static constexpr int64_t kRolesRaster = 16;
static constexpr int64_t kMaxDepth = 8;

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
  return accepts(mma, tile::Side::Acc, mma.getLayout(tile::Side::Acc, groups));
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
    int64_t step = std::max(
        shape[2], kRowBytes / bytesOf(op.getLhs().getType().getElementType()));
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
        int64_t depth = std::min(kMaxDepth, (target.getSharedBytes() - stores) /
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

FailureOr<SmallVector<Candidate>>
schedule::allThatFit(MatmulOp op, tile::TargetAttrInterface target) {
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
  int64_t vector =
      std::max<int64_t>(1, target.getVectorBytes() /
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
            bool fits = needs.invocations <= target.getMaxInvocations() &&
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
