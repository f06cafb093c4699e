// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lanes add and multiply two floats of 16 bits at once, where these lie in one
// word. Integers of a byte, or of some of its bits, become such a pair by
// arithmetic on their bits: below the significand of a power of two whose unit
// in the last place is one they are that number's last bits, and a difference
// that is exact leaves the integer.

#include "Pairs.h"
#include "InlinePtx.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace helios;

namespace {

/// Neighbouring bits of a byte, as a number.
struct Field {
  Value byte;
  int64_t first = 0, width = 8;
  bool isSigned = true;
};

/// A byte of a word, or of half a word.
struct ByteOf {
  Value word;
  int64_t number = 0;
};

class PairBuilder {
public:
  explicit PairBuilder(ImplicitLocOpBuilder &b) : b(b) {}

  /// The pair, if ops compute it.
  Value compute(Value low, Value high);

private:
  Value operand(Value low, Value high);
  Value convert(Value low, Value high, bool isSigned, FloatType type);
  Value convertByWords(const Field &low, ByteOf first, ByteOf second,
                       FloatType type);
  Value convertByFloats(const Field &low, ByteOf first, ByteOf second,
                        FloatType type);
  static std::optional<ByteOf> byteOf(Value byte);
  Value wordOf(Value bits);
  Value maskedXor(Value x, int64_t mask, int64_t bits);

  Value i32(int64_t value) {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(int32_t(uint32_t(value))));
  }
  Value permute(Value x, Value y, int64_t bytes) {
    return LLVM::CallIntrinsicOp::create(b, b.getI32Type(),
                                         b.getStringAttr("llvm.nvvm.prmt"),
                                         ValueRange{x, y, i32(bytes)})
        .getResult(0);
  }
  Value shifted(Value word, int64_t by) {
    return by ? Value(arith::ShRUIOp::create(b, word, i32(by))) : word;
  }

  ImplicitLocOpBuilder &b;
  DenseMap<std::pair<Value, Value>, Value> made;
};

} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt c;
  if (matchPattern(value, m_ConstantInt(&c)))
    return c.getZExtValue();
  return std::nullopt;
}

/// The bits of a byte that shifts and masks leave; all, where there are none.
static Field fieldOf(Value value, bool isSigned) {
  Field whole{value, 0, 8, isSigned};
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return whole;
  std::optional<int64_t> c = constantOf(op->getOperand(1));
  if (!c || *c < 1)
    return whole;
  // A sign is that of the conversion, unless what is left has none.
  if (isa<arith::AndIOp>(op)) {
    if (!llvm::isMask_64(*c) || *c > 127)
      return whole;
    Field inner = fieldOf(op->getOperand(0), /*isSigned=*/false);
    inner.width =
        std::min<int64_t>(inner.width, llvm::countr_one(uint64_t(*c)));
    return {inner.byte, inner.first, inner.width, false};
  }
  if (*c > 7 || !isa<arith::ShRSIOp, arith::ShRUIOp>(op) ||
      (isa<arith::ShRSIOp>(op) && !isSigned))
    return whole;
  Value from = op->getOperand(0);
  int64_t raised = 0;
  if (auto left = from.getDefiningOp<arith::ShLIOp>())
    if (std::optional<int64_t> by = constantOf(left.getRhs());
        by && *by <= *c) {
      raised = *by;
      from = left.getLhs();
    }
  return {from, *c - raised, 8 - *c, isa<arith::ShRSIOp>(op)};
}

/// Bytes are read as halves of 16 bits, or in whole words.
std::optional<ByteOf> PairBuilder::byteOf(Value byte) {
  if (auto trunc = byte.getDefiningOp<LLVM::TruncOp>()) {
    auto shift = trunc.getArg().getDefiningOp<LLVM::LShrOp>();
    std::optional<int64_t> by = shift ? constantOf(shift.getRhs()) : 0;
    if (!shift || !by || *by % 8 || !shift.getType().isInteger(16))
      return std::nullopt;
    return ByteOf{shift.getLhs(), *by / 8};
  }
  auto extract = byte.getDefiningOp<LLVM::ExtractElementOp>();
  auto cast = extract ? extract.getVector().getDefiningOp<LLVM::BitcastOp>()
                      : LLVM::BitcastOp();
  std::optional<int64_t> number =
      extract ? constantOf(extract.getPosition()) : std::nullopt;
  if (!cast || !number || !cast.getArg().getType().isInteger(32))
    return std::nullopt;
  return ByteOf{cast.getArg(), *number};
}

/// A word, of which a half is the lower one.
Value PairBuilder::wordOf(Value bits) {
  return bits.getType().isInteger(32)
             ? bits
             : Value(arith::ExtUIOp::create(b, b.getI32Type(), bits));
}

static Value constantPair(ImplicitLocOpBuilder &b, FloatType type,
                          double value) {
  auto vector = VectorType::get(2, type);
  return arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(vector, b.getFloatAttr(type, value).getValue()));
}

/// Where the significand holds the field: both at once.
Value PairBuilder::convertByWords(const Field &field, ByteOf first,
                                  ByteOf second, FloatType type) {
  int64_t stored = type.getFPMantissaWidth() - 1;
  double base = double(int64_t(1) << stored);
  double bias = field.isSigned ? double(int64_t(1) << (field.width - 1)) : 0;
  int64_t mask = (int64_t(1) << field.width) - 1,
          bits = b.getFloatAttr(type, base + bias)
                     .getValue()
                     .bitcastToAPInt()
                     .getZExtValue();
  auto both = [](int64_t half) { return half << 16 | half; };
  // Bytes 1 and 3 are masked. Fields of the same bytes share them.
  Value spread =
      permute(first.word, second.word,
              first.number | first.number << 4 | (4 + second.number) << 8 |
                  (4 + second.number) << 12);
  Value whole = maskedXor(shifted(spread, field.first), both(mask), both(bits));
  return arith::SubFOp::create(
      b, LLVM::BitcastOp::create(b, VectorType::get(2, type), whole),
      constantPair(b, type, base + bias));
}

/// (x & mask) ^ bits as one instruction, which the assembler does not make of
/// two that have a constant each.
Value PairBuilder::maskedXor(Value x, int64_t mask, int64_t bits) {
  return ptx::purePtx(b, "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,r",
                      b.getI32Type(), {x, i32(mask), i32(bits)});
}

/// Where it does not: in f32, whose upper half is the float of 16 bits if that
/// holds the integer.
Value PairBuilder::convertByFloats(const Field &field, ByteOf first,
                                   ByteOf second, FloatType type) {
  constexpr int64_t kExponent = 0x4b000000;
  double base = 8388608.0 + (field.isSigned ? 128 : 0);
  auto convert = [&](ByteOf byte) -> Value {
    Value word = byte.word;
    if (field.isSigned)
      word = arith::XOrIOp::create(b, word, i32(0x80808080));
    Value whole = permute(word, i32(kExponent), 0x7540 | byte.number);
    Value exact = arith::SubFOp::create(
        b, LLVM::BitcastOp::create(b, b.getF32Type(), whole),
        arith::ConstantOp::create(b, b.getF32FloatAttr(float(base))));
    return LLVM::BitcastOp::create(b, b.getI32Type(), exact);
  };
  Value low = convert(first), high = convert(second);
  return LLVM::BitcastOp::create(b, VectorType::get(2, type),
                                 permute(low, high, 0x7632));
}

Value PairBuilder::convert(Value low, Value high, bool isSigned,
                           FloatType type) {
  if (!low.getType().isInteger(8) || !high.getType().isInteger(8))
    return {};
  Field first = fieldOf(low, isSigned), second = fieldOf(high, isSigned);
  if (first.first != second.first || first.width != second.width ||
      first.isSigned != second.isSigned)
    return {};
  std::optional<ByteOf> one = byteOf(first.byte), other = byteOf(second.byte);
  if (!one || !other)
    return {};
  bool isShared = one->word == other->word;
  one->word = wordOf(one->word);
  other->word = isShared ? one->word : wordOf(other->word);
  if (first.width < type.getFPMantissaWidth())
    return convertByWords(first, *one, *other, type);
  return type.isBF16() && first.width == 8
             ? convertByFloats(first, *one, *other, type)
             : Value();
}

/// An operand of a pair: a pair itself, or two values side by side.
Value PairBuilder::operand(Value low, Value high) {
  Value &known = made[{low, high}];
  if (known)
    return known;
  Value pair = compute(low, high);
  if (!pair) {
    pair = LLVM::UndefOp::create(b, VectorType::get(2, low.getType()));
    pair = LLVM::InsertElementOp::create(b, pair, low, i32(0));
    pair = LLVM::InsertElementOp::create(b, pair, high, i32(1));
  }
  return made[{low, high}] = pair;
}

Value PairBuilder::compute(Value low, Value high) {
  Operation *first = low.getDefiningOp(), *second = high.getDefiningOp();
  if (!first || !second || first->getName() != second->getName() ||
      first->getAttrDictionary() != second->getAttrDictionary() ||
      low.getType() != high.getType())
    return {};
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(first))
    return convert(first->getOperand(0), second->getOperand(0),
                   isa<arith::SIToFPOp>(first), cast<FloatType>(low.getType()));
  // Of one choice between two pairs.
  if (auto choice = dyn_cast<arith::SelectOp>(first)) {
    auto other = cast<arith::SelectOp>(second);
    if (first == second || choice.getCondition() != other.getCondition())
      return {};
    Value taken = operand(choice.getTrueValue(), other.getTrueValue()),
          left = operand(choice.getFalseValue(), other.getFalseValue());
    return arith::SelectOp::create(b, choice.getCondition(), taken, left);
  }
  if (first == second ||
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(first))
    return {};
  SmallVector<Value> operands;
  for (auto [x, y] : llvm::zip(first->getOperands(), second->getOperands()))
    operands.push_back(operand(x, y));
  OperationState state(b.getLoc(), first->getName(), operands,
                       {VectorType::get(2, low.getType())}, first->getAttrs());
  return b.create(state)->getResult(0);
}

Value helios::ptx::computePair(ImplicitLocOpBuilder &b, Value low, Value high) {
  if (!low.getType().isF16() && !low.getType().isBF16())
    return {};
  return PairBuilder(b).compute(low, high);
}
