// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combinations of registers within a lane and over the lanes that share an
// element: by shuffles where the lanes are known to be of one subgroup, else
// through shared memory.

#include "KernelLowering.h"
#include "helios/Targets/Registers.h"
#include "helios/Targets/SPIRV/Extensions.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using Form = LaneValue::Form;

/// All of several elements. A maximum hands NaN on, of which an instruction of
/// SPIR-V knows nothing: whether there was one is asked beside it, not after
/// every step, and not at all if `nnan`.
static Value combineAll(ImplicitLocOpBuilder &b, tile::ReduceKind kind,
                        ArrayRef<Value> values, bool nnan) {
  Value all = values.front();
  if (nnan && kind == tile::ReduceKind::Max && all.getType().isF32()) {
    for (Value value : values.drop_front())
      all = spirv::GLFMaxOp::create(b, all, value);
    return all;
  }
  if (kind != tile::ReduceKind::Max || !all.getType().isF32() ||
      values.size() < 3) {
    for (Value value : values.drop_front())
      all = combine(b, kind, all, value);
    return all;
  }
  Value isNan = spirv::IsNanOp::create(b, all);
  for (Value value : values.drop_front()) {
    all = spirv::GLFMaxOp::create(b, all, value);
    isNan =
        spirv::LogicalOrOp::create(b, isNan, spirv::IsNanOp::create(b, value));
  }
  Value nan = arith::ConstantOp::create(
      b,
      b.getFloatAttr(all.getType(), APFloat::getQNaN(APFloat::IEEEsingle())));
  return arith::SelectOp::create(b, isNan, nan, all);
}

LogicalResult KernelLowering::lowerReduce(frag::ReduceOp op) {
  bool matrices = !op.getFragment().getType().getLayout().hasCoordinates();
  if (op.getScope() == frag::Scope::Lane)
    return matrices ? reduceMatrices(op) : reduceRegisters(op);
  if (op.getScope() == frag::Scope::Group && !matrices)
    return reduceLanes(op);
  if (op.getScope() == frag::Scope::Group)
    return reduceWithinMatrices(op);
  if (op.getScope() == frag::Scope::All)
    return vote(op);
  return op.emitOpError("over ")
         << frag::stringifyScope(op.getScope())
         << " is not lowered to SPIR-V yet; within a lane and over the lanes "
            "of a group and votes are";
}

LogicalResult KernelLowering::reduceRegisters(frag::ReduceOp op) {
  Type type = op.getFragment().getType().getElementType();
  FailureOr<SmallVector<size_t>> targets = targetsOf(op);
  if (failed(targets))
    return failure();
  SmallVector<SmallVector<Value>> shares(
      registersOf(cast<frag::FragmentType>(op.getType())).size());
  for (auto [value, target] : llvm::zip(elements(op.getFragment()), *targets))
    shares[target].push_back(type.isBF16() ? toF32(value, type) : value);
  SmallVector<Value> parts;
  for (ArrayRef<Value> share : shares)
    parts.push_back(combineAll(b, op.getKind(), share, op.getNnan()));
  if (type.isBF16())
    for (Value &part : parts)
      part = fromF32(part, type);
  set(op.getResult(), Form::Elements, parts);
  return success();
}

/// Matrices side by side are combined element by element; what is left is one
/// matrix, of which rows (or columns) are still to be combined.
LogicalResult KernelLowering::reduceMatrices(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  FailureOr<spirv::CooperativeMatrixType> type = matrixType(op, from);
  FailureOr<SmallVector<size_t>> targets = targetsOf(op);
  if (failed(type) || failed(targets))
    return failure();
  if (!from.getElementType().isF16() && !from.getElementType().isF32())
    return op.emitOpError("of ")
           << from.getElementType() << " matrices is not lowered to SPIR-V yet";
  auto to = cast<frag::FragmentType>(op.getType());
  SmallVector<SmallVector<Value>> shares(
      to.getLayout().getRegisterCount(to.getShape()));
  LaneValue value = values.find(op.getFragment())->second;
  for (auto [part, target] : llvm::zip(value.parts, *targets))
    shares[target].push_back(part);
  SmallVector<Value> parts;
  for (ArrayRef<Value> share : shares) {
    if (share.size() == 1) {
      parts.push_back(share.front());
      continue;
    }
    if (op.getKind() == tile::ReduceKind::Add) {
      Value sum = share.front();
      for (Value part : share.drop_front())
        sum = spirv::FAddOp::create(b, sum, part);
      parts.push_back(sum);
      continue;
    }
    parts.push_back(
        forEachElement(
            share, *type, 1,
            [&](ArrayRef<Value> elements, SmallVectorImpl<Value> &computed) {
              computed.push_back(
                  combineAll(b, op.getKind(), elements, op.getNnan()));
              return success();
            })
            .front());
  }
  set(op.getResult(), Form::Matrices, parts);
  return success();
}

LogicalResult KernelLowering::reduceLanes(frag::ReduceOp op) {
  frag::FragmentType type = op.getFragment().getType();
  FailureOr<SmallVector<int64_t>> bits = sharingBits(type);
  if (failed(bits))
    return op.emitOpError("expected elements that only lanes of one group "
                          "share, got ")
           << type;
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isInteger(32))
    return op.emitOpError("of ")
           << element << " over lanes is not lowered to SPIR-V yet";
  bool narrow = element.isF16() || element.isBF16();
  SmallVector<Value> parts = elements(op.getFragment());
  if (narrow)
    for (Value &part : parts)
      part = toF32(part, element);
  if (!bits->empty())
    exchangeParts(op, *bits, parts);
  if (narrow)
    for (Value &part : parts)
      part = fromF32(part, element);
  set(op.getResult(), Form::Elements, parts);
  return success();
}

/// Combines each part with those of the lanes whose numbers differ in these
/// bits.
void KernelLowering::exchangeParts(frag::ReduceOp op, ArrayRef<int64_t> bits,
                                   MutableArrayRef<Value> parts) {
  if (areSubgroups(op.getFragment().getType().getLayout())) {
    for (Value &part : parts)
      for (int64_t bit : bits)
        part = combine(b, op.getKind(), part,
                       spirv::GroupNonUniformShuffleXorOp::create(
                           b, spirv::Scope::Subgroup, part, constant(bit)));
    return;
  }
  // Every lane leaves parts in words of its own, as many at once as there is
  // room for, and combines those of the lanes that share its elements, all in
  // the same order.
  Type type = parts.front().getType();
  int64_t all = 0;
  for (int64_t bit : bits)
    all |= bit;
  auto wordOf = [&](size_t part, Value lane) {
    int64_t first = llvm::alignTo(int64_t(kernel.getSharedBytes()), 16) / 4 +
                    part * kernel.getThreads();
    return sharedWord(addConstant(lane, first));
  };
  auto barrier = [&] {
    spirv::ControlBarrierOp::create(b, spirv::Scope::Workgroup,
                                    spirv::Scope::Workgroup,
                                    barrierSemantics());
  };
  Value first = arith::AndIOp::create(b, invocation(), constant(~all));
  for (size_t from = 0, atOnce = partsAtOnce(); from < parts.size();
       from += atOnce) {
    MutableArrayRef<Value> some =
        parts.slice(from, std::min(atOnce, parts.size() - from));
    barrier();
    for (auto [i, part] : llvm::enumerate(some))
      storeShared(wordOf(i, invocation()), packWord({part}, type));
    barrier();
    for (auto [i, part] : llvm::enumerate(some)) {
      Value sum;
      for (int64_t lane = 0; lane <= all; ++lane) {
        if (lane & ~all)
          continue;
        SmallVector<Value> element;
        unpackWord(loadShared(wordOf(i, addConstant(first, lane))), type,
                   element);
        sum = sum ? combine(b, op.getKind(), sum, element[0]) : element[0];
      }
      part = sum;
    }
  }
}

size_t KernelLowering::partsAtOnce() {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  if (!row)
    return std::numeric_limits<size_t>::max();
  int64_t room = row.getSharedBytes() -
                 int64_t(llvm::alignTo(int64_t(kernel.getSharedBytes()), 16));
  return std::max<int64_t>(1, room / (4 * int64_t(kernel.getThreads())));
}

/// Whether lanes of a layout are known to be one subgroup each.
bool KernelLowering::areSubgroups(tile::LayoutAttrInterface layout) {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  return matrices && row && row.getSubgroupSize() == layout.getLaneCount();
}

int64_t KernelLowering::scratchOfReductions() {
  int64_t bytes = 0;
  kernel.walk([&](frag::ReduceOp op) {
    frag::FragmentType type = op.getFragment().getType();
    if (op.getScope() != frag::Scope::Group || areSubgroups(type.getLayout()))
      return;
    size_t parts = type.getLayout().getRegisterCount(type.getShape());
    bytes = std::max<int64_t>(bytes, 4 * int64_t(kernel.getThreads()) *
                                         std::min(parts, partsAtOnce()));
  });
  return bytes;
}

/// What is left of rows (or columns) is combined by an instruction, and every
/// column (or row) is the result.
LogicalResult KernelLowering::reduceWithinMatrices(frag::ReduceOp op) {
  frag::FragmentType from = op.getFragment().getType();
  auto slice = cast<tile::SliceAttr>(Attribute(from.getLayout()));
  Type type = from.getElementType();
  if (op.getKind() != tile::ReduceKind::Max || !(type.isF16() || type.isF32()))
    return op.emitOpError("of ")
           << type << " by '" << tile::stringifyReduceKind(op.getKind())
           << "' within matrices is not lowered to SPIR-V yet; maxima of f16 "
              "and f32 are";
  SmallVector<Value> parts;
  for (Value part : values.find(op.getFragment())->second.parts)
    parts.push_back(maximumOfMatrix(b, module, extensionOf(from.getLayout()),
                                    part, slice.getDim(), op.getNnan()));
  set(op.getResult(), Form::Matrices, parts);
  return success();
}

/// Whether any element of any lane of the subgroup is true. Truth values of
/// matrices are numbers.
LogicalResult KernelLowering::vote(frag::ReduceOp op) {
  frag::FragmentType type = op.getFragment().getType();
  bool opaque = !type.getLayout().hasCoordinates();
  if (!opaque && !areSubgroups(type.getLayout()))
    return op.emitOpError("expected lanes of one subgroup, got ") << type;
  LaneValue value = opaque ? values.find(op.getFragment())->second
                           : as(op.getFragment(), Form::Elements);
  Value any = arith::ConstantOp::create(b, b.getBoolAttr(false));
  for (Value part : value.parts) {
    if (!opaque) {
      any = arith::OrIOp::create(b, any, part);
      continue;
    }
    auto matrix = cast<spirv::CooperativeMatrixType>(part.getType());
    any = foldElements(part, any, [&](Value element, Value sum) -> Value {
      Value zero = arith::ConstantOp::create(
          b, b.getFloatAttr(matrix.getElementType(), 0));
      return arith::OrIOp::create(
          b, sum,
          arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, element, zero));
    });
  }
  setScalar(op.getResult(), spirv::GroupNonUniformAnyOp::create(
                                b, b.getI1Type(), spirv::Scope::Subgroup, any));
  return success();
}
