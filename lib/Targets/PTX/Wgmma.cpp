// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Asynchronous products. A product is one group: fence, instructions, commit.
// Its registers are written behind the compiler's back, so every value that a
// product takes over from ordinary code goes through the fence before it, and
// every value that becomes ordinary again goes through the wait.

#include "InlinePtx.h"
#include "KernelLowering.h"
#include <map>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

/// What PTX calls an element type of a product; empty: it has none.
static StringRef ptxName(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (isa<FloatTF32Type>(type))
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return type.isInteger(8) ? "s8" : "";
}

namespace {
/// Positions of registers by their offsets.
class RegisterIndex {
public:
  explicit RegisterIndex(frag::FragmentType type) {
    SmallVector<SmallVector<int64_t>> offsets =
        type.getLayout().getRegisterOffsets(type.getShape());
    for (auto [i, at] : llvm::enumerate(offsets))
      index[{at[0], at[1]}] = i;
  }
  int64_t at(int64_t row, int64_t column) const {
    return index.at({row, column});
  }

private:
  std::map<std::pair<int64_t, int64_t>, int64_t> index;
};
} // namespace

/// One instruction into registers `acc`, which hold nothing if `first`, of its
/// own left operand `a` and right one `bMatrix`.
static SmallVector<Value> emitProduct(ImplicitLocOpBuilder &b, WgmmaAttr mma,
                                      ArrayRef<Value> acc, bool first,
                                      ArrayRef<Value> a, bool aTransposed,
                                      Value bMatrix, bool bTransposed) {
  // Two f16 accumulators share a word.
  int64_t registers = mma.getN() / (mma.getAcc().isF16() ? 4 : 2);
  Type type = mma.getAcc().isF32() ? Type(b.getF32Type()) : b.getI32Type();
  StringRef accName = mma.getAcc().isF32()   ? "f32"
                      : mma.getAcc().isF16() ? "f16"
                                             : "s32";
  SmallVector<Type> types(registers, type);
  bool is16 = mma.getA().getIntOrFloatBitWidth() == 16;
  Type leftType = mma.getA(), rightType = mma.getB();
  if (mma.isExchanged())
    std::swap(leftType, rightType);
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t next = first ? registers : 2 * registers;
  auto list = [&](int64_t from, int64_t count) {
    os << '{';
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", $" : "$") << from + i;
    os << '}';
  };
  os << "{\n.reg .pred p;\nsetp.ne.b32 p, " << (first ? 0 : 1) << ", 0;\n"
     << "wgmma.mma_async.sync.aligned.m64n" << mma.getN() << "k"
     << mma.getMmaShape()[2] << "." << accName << "." << ptxName(leftType)
     << "." << ptxName(rightType) << " ";
  list(0, registers);
  os << ", ";
  bool inRegisters = a.size() > 1;
  if (inRegisters)
    list(next, a.size());
  else
    os << "$" << next;
  next += a.size();
  os << ", $" << next << ", p";
  if (!mma.getAcc().isInteger(32))
    os << ", 1, 1";
  if (is16 && !inRegisters)
    os << ", " << int(aTransposed);
  if (is16)
    os << ", " << int(bTransposed);
  os << ";\n}";
  SmallVector<Value> operands(a);
  operands.push_back(bMatrix);
  return inlinePtx(b, text, types, first ? ValueRange() : ValueRange(acc),
                   operands);
}

/// True if something waits for products: of those in flight, the first wait has
/// a count.
static bool hasWaitCounts(frag::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto await = dyn_cast<frag::AwaitOp>(op);
        auto release = dyn_cast<frag::ReleaseOp>(op);
        return (await && await.getCount()) || (release && release.getCount())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult KernelLowering::lowerMmaStart(frag::MmaStartOp op) {
  if (!hasWaitCounts(kernel))
    return op.emitOpError("expected counts at the waits for products in "
                          "flight; run frag-assign-wait-counts");
  auto mma = dyn_cast<WgmmaAttr>(op.getMma());
  if (!mma || !row().wgmma)
    return op.emitOpError("expected a product #ptx.wgmma of a target that has "
                          "it, got ")
           << op.getMma() << " for " << row().name;
  if (ptxName(mma.getA()).empty() || ptxName(mma.getB()).empty() ||
      (mma.getAcc().isF16() && mma.getA().isBF16()))
    return op.emitOpError("of ")
           << mma
           << " is not lowered to PTX: bf16, f16, tf32, f8 and i8 operands "
           << "are, and f16 accumulators of f16 and f8";
  frag::FragmentType type = op.getResult().getType().getFragment();
  RegisterIndex registers(type);
  // What follows is about the instruction's own rows, columns and operands.
  bool exchanged = mma.isExchanged();
  int64_t rowDim = exchanged ? 1 : 0, columnDim = 1 - rowDim;
  SmallVector<int64_t> grid = type.getLayout().getGroupGrid();
  int64_t m = type.getShape()[rowDim], n = type.getShape()[columnDim],
          groups = grid[rowDim];
  int64_t kStep = mma.getMmaShape()[2], rowStep = 64 * groups;
  if (grid[columnDim] != 1 || m % rowStep || n % mma.getN())
    return op.emitOpError("expected an accumulator of whole products of ")
           << rowStep << " x " << mma.getN()
           << (exchanged ? " columns and rows, got " : ", got ") << type;

  // Operands.
  auto extents = [](Type of) {
    if (auto mem = dyn_cast<frag::MemType>(of))
      return mem.getShape();
    return cast<frag::FragmentType>(of).getShape();
  };
  int64_t k = extents(op.getA().getType())[op.getTransA() ? 0 : 1];
  auto matrixOf = [&](tile::Side side) {
    bool isLeft = mma.getSideOfInstruction(side) == tile::Side::A;
    return isLeft ? descriptorOf(op, op.getA(), tile::Side::A, op.getTransA())
                  : descriptorOf(op, op.getB(), tile::Side::B, op.getTransB());
  };
  FailureOr<MatrixDescriptor> bMatrix = matrixOf(tile::Side::B);
  if (failed(bMatrix))
    return failure();
  MatrixDescriptor aMatrix;
  SmallVector<Value> aWords, accumulator;
  auto aFragment = dyn_cast<frag::FragmentType>(op.getA().getType());
  if (aFragment) {
    if (op.getTransA())
      return op.emitOpError("expected 'trans' on an operand in shared memory "
                            "only, got it on ")
             << aFragment;
    aWords = words(op.getA());
  } else {
    FailureOr<MatrixDescriptor> found = matrixOf(tile::Side::A);
    if (failed(found))
      return failure();
    aMatrix = *found;
    // Each group reads rows of its own.
    if (groups > 1) {
      Value group = uniform(laneValue(type.getLayout(), b.getAffineDimExpr(0)));
      aMatrix.low =
          add(aMatrix.low, multiply(group, b.getIndexAttr(aMatrix.at(64, 0))));
    }
  }
  bool packedAcc = mma.getAcc().isF16();
  if (op.getAcc())
    accumulator = packedAcc ? words(op.getAcc()) : elements(op.getAcc());

  // Values that ordinary code has written stay before the fence. What was
  // computed outside of this block is not rewritten here, so it needs no tie,
  // and would need a second set of registers for one.
  SmallVector<Value> tied;
  bool tieAcc = op.getAcc() && isa<frag::FragmentType>(op.getAcc().getType());
  bool tieA = aFragment && op.getA().getParentBlock() == op->getBlock();
  if (tieAcc)
    llvm::append_range(tied, accumulator);
  if (tieA)
    llvm::append_range(tied, aWords);
  ArrayRef<Value> behind = tied =
      threadThrough(b, "wgmma.fence.sync.aligned;", tied);
  if (tieAcc)
    accumulator.assign(behind.begin(), behind.begin() + accumulator.size());
  if (tieA) {
    aWords.assign(behind.end() - aWords.size(), behind.end());
    set(op.getA(), Form::Words, aWords);
  }

  int64_t perWord = 4 / bytesOf(mma.getA());
  std::optional<RegisterIndex> aRegisters;
  if (aFragment)
    aRegisters.emplace(aFragment);
  Value aBase = aFragment ? Value() : wholeDescriptor(aMatrix),
        bBase = wholeDescriptor(*bMatrix);
  SmallVector<Value> result(accumulator);
  int64_t perPart = packedAcc ? 2 : 1;
  result.resize(type.getLayout().getRegisterCount(type.getShape()) / perPart);
  for (int64_t ks = 0; ks < k; ks += kStep)
    for (int64_t mi = 0; mi < m; mi += rowStep)
      for (int64_t ni = 0; ni < n; ni += mma.getN()) {
        SmallVector<int64_t> at;
        for (int64_t i = 0; i < mma.getN() / 2; i += perPart) {
          int64_t row = mi + i / 2 % 2 * 8, column = ni + i / 4 * 8 + i % 2;
          at.push_back((exchanged ? registers.at(column, row)
                                  : registers.at(row, column)) /
                       perPart);
        }
        SmallVector<Value> acc, a;
        bool first = ks == 0 && !op.getAcc();
        if (!first)
          for (int64_t i : at)
            acc.push_back(result[i]);
        if (aFragment)
          for (int64_t i = 0; i < 4; ++i)
            a.push_back(aWords[aRegisters->at(mi + i % 2 * 8,
                                              ks + i / 2 * 4 * perWord) /
                               perWord]);
        else
          a.push_back(addConstant(aBase, aMatrix.at(mi, ks)));
        acc =
            emitProduct(b, mma, acc, first, a, !aMatrix.contractedIsContiguous,
                        addConstant(bBase, bMatrix->at(ni, ks)),
                        !bMatrix->contractedIsContiguous);
        for (auto [i, value] : llvm::zip(at, acc))
          result[i] = value;
      }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  set(op.getResult(), packedAcc ? Form::Words : Form::Elements, result);
  set(op.getToken(), Form::Scalar, {});
  return success();
}

void KernelLowering::waitForProducts(int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, pending);
}

LogicalResult KernelLowering::lowerAwait(frag::AwaitOp op) {
  // Landed values, then those that go through, in the form they have.
  SmallVector<Value> sources(op.getLanded());
  llvm::append_range(sources, op.getThrough());
  SmallVector<Value> tied;
  SmallVector<LaneValue> parts;
  for (Value source : sources) {
    parts.push_back(values.find(source)->second);
    // Registers hold 32 bits: narrower elements go through in words.
    if (parts.back().form == Form::Elements && !parts.back().parts.empty() &&
        bytesOf(parts.back().parts.front().getType()) < 4)
      parts.back() = as(source, Form::Words);
    llvm::append_range(tied, parts.back().parts);
  }
  // Without a count an earlier wait has retired the product; its values still
  // become ordinary here and not before.
  std::string wait;
  if (op.getCount())
    wait =
        ("wgmma.wait_group.sync.aligned " + Twine(*op.getCount()) + ";").str();
  tied = threadThrough(b, wait, tied);
  size_t next = 0;
  for (auto [result, part] : llvm::zip(op.getResults(), parts)) {
    size_t count = part.parts.size();
    set(result, part.form,
        SmallVector<Value>(ArrayRef(tied).slice(next, count)));
    next += count;
  }
  return success();
}
