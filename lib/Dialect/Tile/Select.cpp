// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Choices that several passes of level 2 must make alike.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios::tile;

/// Whether whole instructions of every group make up a product.
static bool divides(MmaAttrInterface mma, DotOp dot, ArrayRef<int64_t> groups) {
  SmallVector<int64_t> shape = mma.getMmaShape();
  ArrayRef<int64_t> acc = dot.getAcc().getType().getShape();
  return acc[0] % (shape[0] * groups[0]) == 0 &&
         acc[1] % (shape[1] * groups[1]) == 0 &&
         dot.getA().getType().getDimSize(1) %
                 (shape[2] * getSliceCount(groups)) ==
             0;
}

FailureOr<MmaAttrInterface> helios::tile::selectMma(ProgramOp program,
                                                    DotOp dot) {
  if (MmaAttrInterface mma = dot.getMmaAttr())
    return mma;
  TargetAttrInterface row = program.getTargetRow();
  if (!row) {
    dot.emitOpError("needs a target to choose a matrix instruction; give the "
                    "program a 'target' attribute");
    return failure();
  }
  Type a = dot.getA().getType().getElementType(),
       b = dot.getB().getType().getElementType(),
       acc = dot.getAcc().getType().getElementType();
  SmallVector<MmaAttrInterface> mmas = row.getMmas(a, b, acc);
  ConfigAttr config = program.getTuning();
  ArrayRef<int64_t> wanted = config ? config.getMma() : ArrayRef<int64_t>();
  SmallVector<int64_t> groups = getGroups(program);
  // An engine of its own wants a role that feeds it.
  bool engine = config && config.getStrategy() == Strategy::Roles;
  MmaAttrInterface first;
  for (MmaAttrInterface mma : mmas) {
    if (wanted.empty() ? mma.getEngine().empty() == engine
                       : ArrayRef<int64_t>(mma.getMmaShape()) != wanted)
      continue;
    if (divides(mma, dot, groups))
      return mma;
    if (!first)
      first = mma;
  }
  // One product of several may be narrower than what is wanted.
  if (first && !wanted.empty())
    for (MmaAttrInterface mma : mmas) {
      SmallVector<int64_t> shape = mma.getMmaShape();
      if (shape[0] == wanted[0] && shape[2] == wanted[2] &&
          mma.getEngine() == first.getEngine() && divides(mma, dot, groups))
        return mma;
    }
  if (first)
    return first;
  if (wanted.empty() && !mmas.empty())
    return mmas.front();
  InFlightDiagnostic diag =
      dot.emitOpError("expected a matrix instruction of target '")
      << row.getRowName() << "' for " << a << " x " << b << " -> " << acc;
  if (!wanted.empty())
    diag << " of shape " << wanted[0] << "x" << wanted[1] << "x" << wanted[2];
  diag << ", got none";
  for (MmaAttrInterface mma : mmas)
    diag.attachNote() << "the target has " << mma;
  return failure();
}

int64_t helios::tile::getSlabRows(MmaAttrInterface mma) {
  constexpr int64_t most = 64;
  int64_t rows = mma.getMmaShape()[0],
          unit = mma.getFragmentShape(Side::Acc)[0];
  for (int64_t part = most / unit * unit; unit < rows && part > 0; part -= unit)
    if (rows % part == 0)
      return part;
  return rows;
}

SmallVector<int64_t> helios::tile::getGroups(ProgramOp program) {
  if (ConfigAttr config = program.getTuning())
    return SmallVector<int64_t>(config.getGroups());
  return {1, 1};
}

FailureOr<int64_t> helios::tile::getLanesPerGroup(ProgramOp program) {
  int64_t lanes = 0;
  DotOp first;
  WalkResult walk = program.walk([&](DotOp dot) -> WalkResult {
    FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
    if (failed(mma))
      return WalkResult::interrupt();
    int64_t here = (*mma).getLaneCount();
    if (lanes && here != lanes)
      return dot.emitOpError(
                 "expected all products of a program to use groups of ")
             << lanes << " lanes, got " << here;
    lanes = here;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!lanes)
    if (TargetAttrInterface row = program.getTargetRow())
      lanes = row.getSubgroupSize();
  return lanes ? lanes : 64;
}

bool helios::tile::isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type t) { return isa<RankedTensorType>(t); }) &&
         op->getNumResults() > 0;
}

/// Register budgets are granted in steps.
static constexpr int64_t kRegisterStep = 8;
/// What a lane needs that only computes addresses and starts copies.
static constexpr int64_t kLeastRegisters = 24;

std::optional<RoleRegisters>
helios::tile::getRoleRegisters(TargetAttrInterface target, int64_t groups,
                               int64_t lanes) {
  if (!target || !target.getRegisterFile() || !lanes)
    return std::nullopt;
  auto step = [](int64_t registers) -> int64_t {
    return llvm::alignDown(registers, kRegisterStep);
  };
  // An even share of the file is what a launch gives every lane; the role that
  // copies keeps a quarter of it and the others take the rest.
  int64_t most = step(target.getMaxRegisters());
  int64_t share =
      std::min(most, step(target.getRegisterFile() / ((groups + 1) * lanes)));
  int64_t copying = std::max(kLeastRegisters, step(share / 4));
  int64_t computing = step((share * (groups + 1) - copying) / groups);
  return RoleRegisters{copying, std::min(most, computing)};
}

int64_t helios::tile::getElementBytes(Type type) {
  if (type.isIndex())
    return 4;
  return llvm::divideCeil(getStoredBits(type), 8);
}

RegsAttr helios::tile::getWideLayout(MLIRContext *context,
                                     ArrayRef<int64_t> shape,
                                     int64_t elementBytes, int64_t contiguous,
                                     int64_t lanes, int64_t groups,
                                     int64_t vectorBytes) {
  size_t rank = shape.size();
  int64_t vecMax = std::max<int64_t>(1, vectorBytes / elementBytes);
  auto verify = [&](RegsAttr layout) {
    return llvm::all_of(
        llvm::zip(shape, layout.getBlockShape(), layout.getVec()), [](auto t) {
          auto [s, b, v] = t;
          return s % v == 0 && (s % b == 0 || b % s == 0);
        });
  };
  RegsAttr best;
  int64_t bestElements = 0;
  // Candidates from the widest vector and the longest row of lanes down; the
  // first with the fewest elements a lane wins, so that replication is avoided
  // before coalescing is given up.
  for (int64_t vec = vecMax; vec >= 1; vec /= 2) {
    if (shape[contiguous] % vec)
      continue;
    for (int64_t along = lanes; along >= 1; along /= 2) {
      if (along > 1 && along * vec > shape[contiguous])
        continue;
      for (int64_t rows = groups; rows >= 1; --rows) {
        if (groups % rows || lanes % along)
          continue;
        SmallVector<int64_t> v(rank, 1), l(rank, 1), g(rank, 1);
        v[contiguous] = vec;
        if (rank == 1) {
          if (along != lanes && along * vec * 2 <= shape[0])
            continue;
          l[0] = lanes;
          g[0] = groups;
        } else {
          int64_t other = contiguous == int64_t(rank) - 1 ? rank - 2 : rank - 1;
          l[contiguous] = along;
          l[other] = lanes / along;
          g[other] = rows;
          g[contiguous] = groups / rows;
        }
        auto layout = RegsAttr::get(context, v, l, g);
        if (!verify(layout))
          continue;
        // As many as getRegisterOffsets lists, which takes longer than all else
        // here.
        int64_t elements = 1;
        for (auto [s, b, w] :
             llvm::zip(shape, layout.getBlockShape(), layout.getVec()))
          elements *= w * llvm::divideCeil(s, b);
        if (!best || elements < bestElements) {
          best = layout;
          bestElements = elements;
        }
      }
    }
    // Narrower vectors only if the wide ones fit nowhere.
    if (best)
      break;
  }
  return best;
}

bool helios::tile::hasWholeUnits(TypedValue<ViewType> view, ValueRange offsets,
                                 int64_t unitBytes) {
  ViewType type = view.getType();
  int64_t contiguous = type.getContiguousDim(),
          bytes = getElementBytes(type.getElementType());
  auto isWhole = [&](int64_t elements) {
    return elements * bytes % unitBytes == 0;
  };
  auto op = view.getDefiningOp<ViewOp>();
  if (contiguous < 0 || !op || bytes > unitBytes || type.getAlign() <= 0 ||
      type.getAlign() % unitBytes != 0)
    return false;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != contiguous && !isWhole(type.getStrideDivisor(d)))
      return false;
  return isWhole(knownDivisor(op.getMixedSize(contiguous))) &&
         isWhole(knownDivisor(offsets[contiguous]));
}

CopyAttrInterface helios::tile::selectCopy(CopyAttrInterface copy,
                                           TypedValue<ViewType> view,
                                           ValueRange offsets) {
  while (copy && !hasWholeUnits(view, offsets, copy.getGranule()))
    copy = copy.getNarrower();
  return copy;
}

int64_t helios::tile::getRunOfLanes(LayoutAttrInterface layout,
                                    ArrayRef<int64_t> shape, int64_t dim) {
  SmallVector<int64_t> first = layout.getCoordinates(shape, 0, 0, 0);
  auto isNext = [&](int64_t lane, int64_t reg, int64_t distance) {
    SmallVector<int64_t> at = first;
    at[dim] += distance;
    return layout.getCoordinates(shape, 0, lane, reg) == at;
  };
  int64_t registers = layout.getRegisterCount(shape), own = 1, lanes = 1;
  while (own < registers && isNext(0, own, own))
    ++own;
  while (lanes < layout.getLaneCount() && isNext(lanes, 0, lanes * own))
    ++lanes;
  return own * lanes;
}

/// Behind each row, against bank conflicts: the least that keeps rows aligned.
static constexpr int64_t kScratchPadBytes = 16;
/// Of an element of most operands of matrix instructions.
static constexpr int64_t kOperandBytes = 2;

/// Rows after which every swizzle repeats.
static constexpr int64_t kSwizzleRows = 8;

std::optional<int64_t> helios::tile::getDividedDim(RankedTensorType tile,
                                                   int64_t parts) {
  auto layout = dyn_cast_or_null<SharedAttr>(tile.getEncoding());
  if (!layout || layout.getPad())
    return std::nullopt;
  // Whole panels first, which leaves each copy of one as it is.
  int64_t contiguous = layout.getOrder().front();
  int64_t bytes =
      tile.getDimSize(contiguous) * getElementBytes(tile.getElementType());
  if (layout.getSwizzle() && bytes % (layout.getSwizzle() * parts) == 0)
    return contiguous;
  for (int64_t dim : llvm::reverse(layout.getOrder().drop_front()))
    if (tile.getDimSize(dim) % (kSwizzleRows * parts) == 0)
      return dim;
  return std::nullopt;
}

RegsAttr helios::tile::getRowsLayout(LayoutAttrInterface opaque, int64_t dim) {
  int64_t lanes = opaque.getLaneCount(), other = 1 - dim;
  SmallVector<int64_t> matrix = opaque.getRegisterShape(2), vec(2), grid(2);
  // As many lanes to a row as are left when each row has one.
  grid[other] = std::min(lanes, matrix[other]);
  grid[dim] = lanes / grid[other];
  vec[other] = matrix[other] / grid[other];
  vec[dim] = std::max<int64_t>(1, matrix[dim] / grid[dim]);
  return RegsAttr::get(opaque.getContext(), vec, grid, opaque.getGroupGrid());
}

RegsAttr helios::tile::getLinesLayout(RankedTensorType type, int64_t dim,
                                      int64_t lanes, int64_t groups,
                                      int64_t vectorBytes) {
  auto most = [](int64_t limit, int64_t extent) {
    int64_t power = 1;
    while (2 * power <= limit && extent % (2 * power) == 0)
      power *= 2;
    return power;
  };
  int64_t other = 1 - dim, bytes = getElementBytes(type.getElementType());
  SmallVector<int64_t> vec(2, 1), grid(2), ofGroups(2, 1);
  ofGroups[other] = groups;
  // Lanes are neighbours along rows, in which tiles are exchanged.
  if (dim == 1) {
    vec[1] =
        most(std::max<int64_t>(1, vectorBytes / bytes), type.getDimSize(1));
    grid[1] = most(lanes, type.getDimSize(1) / vec[1]);
  } else {
    grid[1] = most(lanes, type.getDimSize(1) / groups);
  }
  grid[0] = lanes / grid[1];
  auto layout = RegsAttr::get(type.getContext(), vec, grid, ofGroups);
  for (auto [extent, block] :
       llvm::zip(type.getShape(), layout.getBlockShape()))
    if (extent % block != 0 && block % extent != 0)
      return {};
  return layout;
}

/// Where sums of slices of K lie below each other.
static RankedTensorType getScratchOfSlices(RankedTensorType type) {
  LayoutAttrInterface layout = getLayout(type);
  int64_t pad = kScratchPadBytes / getElementBytes(type.getElementType());
  return RankedTensorType::get(
      getStored(layout, type.getShape()).shape, type.getElementType(),
      SharedAttr::get(type.getContext(), {1, 0}, pad, /*swizzle=*/0,
                      ArrayRef<int64_t>()));
}

RankedTensorType helios::tile::getScratch(ConvertLayoutOp convert) {
  RankedTensorType type = convert.getTile().getType();
  if (isa_and_nonnull<AccAttr>(type.getEncoding()) &&
      getPartial(type.getEncoding()) != Partial::None)
    return getScratchOfSlices(type);
  auto slice = dyn_cast_or_null<SliceAttr>(type.getEncoding());
  auto to =
      dyn_cast_or_null<LayoutAttrInterface>(convert.getType().getEncoding());
  if (!slice || slice.hasCoordinates() || !to || !to.hasCoordinates() ||
      to.isMemory())
    return {};
  int64_t dim = slice.getDim();
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, slice.getParent().getRegisterShape(2)[dim]);
  // Rows as long as those in which the operand of the next product is
  // exchanged, so that a group's rows of one lie over its rows of the other.
  int64_t bytes = getElementBytes(type.getElementType()),
          row = shape[dim] * bytes;
  if (auto reduce = convert.getTile().getDefiningOp<ReduceOp>())
    row = std::max(row,
                   reduce.getTile().getType().getDimSize(dim) * kOperandBytes);
  auto layout = SharedAttr::get(type.getContext(), {dim, 1 - dim},
                                (row + kScratchPadBytes) / bytes - shape[dim],
                                /*swizzle=*/0, ArrayRef<int64_t>());
  return RankedTensorType::get(shape, type.getElementType(), layout);
}
