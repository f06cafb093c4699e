// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products by mma.sync of one warp: operands as 32-bit words, accumulators as
// scalars.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Partials.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

/// What PTX calls a multiplicand for which NVVM has an intrinsic and no op;
/// empty for others.
static StringRef byteFloatName(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3"
         : isa<Float8E5M2Type>(type) ? "e5m2"
                                     : "";
}

/// The PTX type of a multiplicand; null if there is none.
static std::optional<NVVM::MMATypes> ptxType(Type type) {
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (isa<FloatTF32Type>(type))
    return NVVM::MMATypes::tf32;
  if (type.isInteger(8))
    return NVVM::MMATypes::s8;
  return std::nullopt;
}

static std::string spelled(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult KernelLowering::lowerMma(frag::MmaOp op) {
  if (auto mma = dyn_cast<MmaSyncAttr>(op.getMma()))
    return multiplyMatrices(op, mma);
  if (isa<SimtAttr>(op.getMma()))
    return multiplyElements(op);
  return op.emitOpError("expected #ptx.mma_sync or #ptx.simt, got ")
         << op.getMma();
}

/// The first part of each fragment of a side, by the fragment's offsets.
static std::map<SmallVector<int64_t>, size_t>
fragmentParts(frag::FragmentType type, size_t registers, size_t parts) {
  std::map<SmallVector<int64_t>, size_t> at;
  auto offsets = type.getLayout().getRegisterOffsets(type.getShape());
  for (size_t i = 0, f = 0; i < offsets.size(); i += registers, ++f)
    at[offsets[i]] = f * parts;
  return at;
}

LogicalResult KernelLowering::multiplyMatrices(frag::MmaOp op,
                                               MmaSyncAttr mma) {
  Type aType = mma.getA(), accType = mma.getAcc();
  SmallVector<int64_t> shape = mma.getMmaShape(), own = shape;
  bool exchanged = mma.isExchanged();
  // The instruction's own operands.
  Type leftType = aType, rightType = mma.getB();
  if (exchanged) {
    std::swap(own[0], own[1]);
    std::swap(leftType, rightType);
  }
  std::optional<NVVM::MMATypes> type = ptxType(aType);
  auto listed = llvm::find_if(row().shapes, [&](const MmaShape &s) {
    return s.m == own[0] && s.n == own[1] && s.k == own[2] &&
           s.a == spelled(leftType) && s.b == spelled(rightType) &&
           s.acc == spelled(accType);
  });
  if ((!type && byteFloatName(aType).empty()) || listed == row().shapes.end())
    return op.emitOpError("expected an instruction of ")
           << row().name << ", got " << mma;
  ptxVersion = std::max(ptxVersion, listed->ptxVersion);
  // Words of a fragment of each side, and elements of the accumulator's.
  size_t aWords = shape[0] * shape[2] * bytesOf(aType) / 128,
         bWords = shape[1] * shape[2] * bytesOf(aType) / 128,
         perWord = 4 / bytesOf(aType);
  bool packedAcc = accType.isF16();
  SmallVector<Value> a = words(op.getA()), bb = words(op.getB());
  SmallVector<Value> acc =
      packedAcc ? words(op.getAcc()) : elements(op.getAcc());
  size_t accParts = packedAcc ? 2 : 4;
  auto aAt = fragmentParts(op.getA().getType(), aWords * perWord, aWords);
  auto bAt = fragmentParts(op.getB().getType(), bWords * perWord, bWords);
  auto accAt = fragmentParts(op.getAcc().getType(), 4, accParts);
  int64_t depth = op.getA().getType().getShape()[1];
  Type pair = VectorType::get(2, b.getF16Type());
  auto operand = [&](Value word) -> Value {
    return aType.isF16() ? Value(LLVM::BitcastOp::create(b, pair, word)) : word;
  };
  auto multiply = [&](Type result, ValueRange aIn, ValueRange bIn,
                      ValueRange cIn) -> Value {
    if (!byteFloatName(aType).empty()) {
      SmallVector<Value> arguments(aIn);
      arguments.append(bIn.begin(), bIn.end());
      arguments.append(cIn.begin(), cIn.end());
      std::string intrinsic =
          ("llvm.nvvm.mma.m16n8k32.row.col.f32." + byteFloatName(leftType) +
           "." + byteFloatName(rightType) + ".f32")
              .str();
      return LLVM::CallIntrinsicOp::create(
                 b, result, b.getStringAttr(intrinsic), arguments)
          .getResult(0);
    }
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (aType.isInteger(8))
      overflow = NVVM::MMAIntOverflow::wrapped;
    std::array<NVVM::MMATypes, 2> types{*type, *type};
    return NVVM::MmaOp::create(
        b, result, aIn, bIn, cIn, own, std::nullopt, overflow,
        aType.isF16() ? std::optional<std::array<NVVM::MMATypes, 2>>() : types,
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
  };
  // Rows of fragments in turn from the left and from the right, so that
  // neighbours share an operand.
  SmallVector<std::pair<SmallVector<int64_t>, size_t>> order(accAt.begin(),
                                                             accAt.end());
  bool leftwards = false;
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && order[end].first[0] == order[i].first[0])
      ++end;
    if (leftwards)
      std::reverse(order.begin() + i, order.begin() + end);
    leftwards = !leftwards;
    i = end;
  }
  // Slices of K go side by side.
  int64_t step =
      shape[2] * tile::getSliceCount(op.getAcc().getType().getLayout());
  for (int64_t k = 0; k < depth; k += step)
    for (const auto &[at, first] : order) {
      auto x = aAt.find({at[0], k}), y = bAt.find({k, at[1]});
      if (x == aAt.end() || y == bAt.end())
        return op.emitOpError(
                   "expected operands that cover the accumulator, got ")
               << op.getA().getType() << " and " << op.getB().getType();
      SmallVector<Value> aIn, bIn, cIn;
      for (size_t i = 0; i < aWords; ++i)
        aIn.push_back(operand(a[x->second + i]));
      for (size_t i = 0; i < bWords; ++i)
        bIn.push_back(operand(bb[y->second + i]));
      for (size_t i = 0; i < accParts; ++i)
        cIn.push_back(
            packedAcc ? Value(LLVM::BitcastOp::create(b, pair, acc[first + i]))
                      : acc[first + i]);
      Type result = LLVM::LLVMStructType::getLiteral(
          b.getContext(),
          SmallVector<Type>(accParts, packedAcc ? pair : accType));
      Value d = exchanged ? multiply(result, bIn, aIn, cIn)
                          : multiply(result, aIn, bIn, cIn);
      for (size_t i = 0; i < accParts; ++i) {
        Value part = LLVM::ExtractValueOp::create(b, d, i);
        acc[first + i] =
            packedAcc ? LLVM::BitcastOp::create(b, b.getI32Type(), part) : part;
      }
    }
  set(op.getResult(), packedAcc ? Form::Words : Form::Elements, acc);
  return success();
}
