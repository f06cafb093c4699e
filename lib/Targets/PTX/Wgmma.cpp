// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Asynchronous products. A product is one group: fence, instructions, commit.
// Its registers are written behind the compiler's back, so every value that a
// product takes over from ordinary code is tied to the piece of PTX that begins
// with the fence, and every value that becomes ordinary again goes through the
// wait.

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

/// The instructions of a product as one piece of PTX: between pieces each
/// register would be a value of its own, of which a product of 64x256 has 128
/// for every step of K.
class ProductText {
public:
  /// A part of a matrix in shared memory: the operand that describes the whole,
  /// and what to add.
  struct Matrix {
    int64_t operand = 0, offset = 0;
  };

  ProductText(WgmmaAttr mma, bool aTransposed, bool bTransposed) {
    bool is16 = mma.getA().getIntOrFloatBitWidth() == 16;
    Type left = mma.getA(), right = mma.getB();
    if (mma.isExchanged())
      std::swap(left, right);
    name = ("wgmma.mma_async.sync.aligned.m64n" + Twine(mma.getN()) + "k" +
            Twine(mma.getMmaShape()[2]) + "." +
            (mma.getAcc().isF32()   ? "f32"
             : mma.getAcc().isF16() ? "f16"
                                    : "s32") +
            "." + ptxName(left) + "." + ptxName(right))
               .str();
    if (!mma.getAcc().isInteger(32))
      scales = ", 1, 1";
    if (is16) {
      ofLeft = aTransposed ? ", 1" : ", 0";
      ofRight = bTransposed ? ", 1" : ", 0";
    }
    os << "{\n.reg .b64 a, b;\n.reg .pred none, all;\n"
       << "setp.ne.b32 none, 0, 0;\nsetp.ne.b32 all, 1, 0;\n"
       << "wgmma.fence.sync.aligned;\n";
  }

  /// An instruction into operands `acc`, which hold nothing if `first`, of its
  /// own left operand, registers `a` or the matrix, and the right one.
  void add(ArrayRef<int64_t> acc, bool first, ArrayRef<int64_t> a,
           Matrix aMatrix, Matrix bMatrix) {
    if (a.empty())
      describe("a", aMatrix);
    describe("b", bMatrix);
    os << name << " ";
    list(acc);
    os << ", ";
    if (a.empty())
      os << "a";
    else
      list(a);
    os << ", b, " << (first ? "none" : "all") << scales
       << (a.empty() ? ofLeft : "") << ofRight << ";\n";
  }

  std::string take() {
    os << "}";
    return std::move(text);
  }

private:
  void describe(StringRef name, Matrix matrix) {
    os << "add.s64 " << name << ", $" << matrix.operand << ", " << matrix.offset
       << ";\n";
  }
  void list(ArrayRef<int64_t> operands) {
    os << '{';
    llvm::interleaveComma(operands, os, [&](int64_t i) { os << "$" << i; });
    os << '}';
  }

  std::string name, text;
  StringRef scales, ofLeft, ofRight;
  llvm::raw_string_ostream os{text};
};
} // namespace

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

  // Values that ordinary code has written stay before the fence, since they are
  // tied to what is behind it. What was computed outside of this block is not
  // rewritten here, so it needs no tie, and would need a second set of
  // registers for one.
  SmallVector<Value> tied, operands;
  bool tieA = aFragment && op.getA().getParentBlock() == op->getBlock();
  if (tieA)
    tied = aWords;
  else
    operands = aWords;
  int64_t firstAcc = tied.size();
  llvm::append_range(tied, accumulator);

  int64_t perWord = 4 / bytesOf(mma.getA());
  std::optional<RegisterIndex> aRegisters;
  if (aFragment)
    aRegisters.emplace(aFragment);
  int64_t perPart = packedAcc ? 2 : 1;
  int64_t numAcc = type.getLayout().getRegisterCount(type.getShape()) / perPart;
  int64_t firstOperand = firstAcc + numAcc + tied.size();
  auto whole = [&](const MatrixDescriptor &matrix) {
    operands.push_back(wholeDescriptor(matrix));
    return firstOperand + int64_t(operands.size()) - 1;
  };
  int64_t aWhole = aFragment ? 0 : whole(aMatrix), bWhole = whole(*bMatrix);
  ProductText text(mma, !aMatrix.contractedIsContiguous,
                   !bMatrix->contractedIsContiguous);
  for (int64_t ks = 0; ks < k; ks += kStep)
    for (int64_t mi = 0; mi < m; mi += rowStep)
      for (int64_t ni = 0; ni < n; ni += mma.getN()) {
        SmallVector<int64_t> acc, a;
        for (int64_t i = 0; i < mma.getN() / 2; i += perPart) {
          int64_t row = mi + i / 2 % 2 * 8, column = ni + i / 4 * 8 + i % 2;
          acc.push_back(firstAcc + (exchanged ? registers.at(column, row)
                                              : registers.at(row, column)) /
                                       perPart);
        }
        if (aFragment)
          for (int64_t i = 0; i < 4; ++i)
            a.push_back(
                (tieA ? 0 : firstOperand) +
                aRegisters->at(mi + i % 2 * 8, ks + i / 2 * 4 * perWord) /
                    perWord);
        text.add(acc, /*first=*/ks == 0 && !op.getAcc(), a,
                 {aWhole, aFragment ? 0 : aMatrix.at(mi, ks)},
                 {bWhole, bMatrix->at(ni, ks)});
      }
  SmallVector<Type> types(ValueRange(aWords).getTypes());
  types.truncate(firstAcc);
  types.append(numAcc,
               mma.getAcc().isF32() ? Type(b.getF32Type()) : b.getI32Type());
  SmallVector<Value> results = inlinePtx(b, text.take(), types, tied, operands);
  if (tieA)
    set(op.getA(), Form::Words,
        SmallVector<Value>(ArrayRef(results).take_front(firstAcc)));
  SmallVector<Value> result(ArrayRef(results).drop_front(firstAcc));
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
