// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cooperative matrices: loads and stores straight from packed memory, products,
// element-wise work.

#include "KernelLowering.h"
#include "helios/Targets/Registers.h"
#include "helios/Targets/SPIRV/Extensions.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;
using tile::Side;
using Form = LaneValue::Form;

/// A vector of an opaque layout is held as matrices with equal rows or columns,
/// or as ones that are still to be combined along them.
static tile::OpaqueMatrixAttr opaqueOf(tile::LayoutAttrInterface layout) {
  if (auto slice = dyn_cast<tile::SliceAttr>(layout))
    layout = slice.getParent();
  return dyn_cast<tile::OpaqueMatrixAttr>(layout);
}

StringRef spv::extensionOf(tile::LayoutAttrInterface layout) {
  return cast<CoopAttr>(Attribute(opaqueOf(layout).getMma())).getWith();
}

/// What accumulators hold: truth values are numbers there, of which 0 is false,
/// and rounded numbers stay as wide as they were where no product accumulates
/// in so few bits.
static Type numberOf(Type type) {
  return type.isInteger(1) || type.isBF16()
             ? Float32Type::get(type.getContext())
             : type;
}

FailureOr<spirv::CooperativeMatrixType>
KernelLowering::matrixType(Operation *op, frag::FragmentType fragment) {
  tile::OpaqueMatrixAttr layout = opaqueOf(fragment.getLayout());
  if (!layout)
    return op->emitOpError("expected a layout #tile.opaque, got ")
           << fragment.getLayout();
  Type type = fragment.getElementType();
  if (layout.getSide() == Side::Acc)
    type = numberOf(type);
  bool integers = type.isSignlessInteger(8) || type.isSignlessInteger(32);
  if (!type.isF16() && !type.isBF16() && !type.isF32() && !integers)
    return op->emitOpError("of matrices of ") << type
                                              << " is not lowered to SPIR-V "
                                                 "yet; f16, bf16, f32, i8 and "
                                                 "i32 are";
  // Drivers list shapes of signed and of unsigned types; integers of products
  // are signed.
  if (integers)
    type = IntegerType::get(b.getContext(), type.getIntOrFloatBitWidth(),
                            IntegerType::Signed);
  auto use =
      layout.getSide() == Side::A   ? spirv::CooperativeMatrixUseKHR::MatrixA
      : layout.getSide() == Side::B ? spirv::CooperativeMatrixUseKHR::MatrixB
                                    : spirv::CooperativeMatrixUseKHR::MatrixAcc;
  SmallVector<int64_t> shape = layout.getRegisterShape(2);
  return spirv::CooperativeMatrixType::get(type, shape[0], shape[1],
                                           spirv::Scope::Subgroup, use);
}

Value KernelLowering::splatMatrix(spirv::CooperativeMatrixType type,
                                  Value element) {
  if (element.getType() != type.getElementType())
    element = spirv::BitcastOp::create(b, type.getElementType(), element);
  return spirv::CompositeConstructOp::create(b, type, ValueRange{element});
}

/// The dimension of rows or columns, whichever is not contiguous.
static int64_t stridedDim(const Place &place) {
  int64_t rank = place.strides.size();
  return place.contiguous == rank - 1 ? rank - 2 : rank - 1;
}

/// Elements of a fragment in so many bytes.
static int64_t unitOf(frag::FragmentType fragment, int64_t bytes) {
  return 8 * bytes / fragment.getElementType().getIntOrFloatBitWidth();
}

/// Rows of matrices must start where elements of the memory's array do, which
/// have so many bytes, `unit` elements of the matrix.
static LogicalResult checkRows(Operation *op, const Place &place, int64_t unit,
                               int64_t bytes) {
  int64_t c = place.contiguous, rank = place.strides.size();
  bool aligned = c >= rank - 2 && rank >= 2;
  for (int64_t d = 0; aligned && d < rank; ++d)
    aligned = d == c || place.strideDivisors[d] % unit == 0;
  aligned = aligned && place.uniform[c].divisor % unit == 0 &&
            place.lane[c].divisor % unit == 0;
  for (const auto &reg : place.registers)
    aligned = aligned && reg[c] % unit == 0;
  if (aligned)
    return success();
  return op->emitOpError("expected rows of cooperative matrices to start at "
                         "multiples of ")
         << bytes << " bytes (" << unit
         << " elements); pad the rows or give the offsets a known divisor";
}

/// A vector in shared memory into matrices with equal columns or rows: the
/// stride from one to the next is 0.
LogicalResult KernelLowering::readBroadcast(frag::ReadOp op) {
  frag::FragmentType fragment = op.getType();
  auto slice = dyn_cast<tile::SliceAttr>(fragment.getLayout());
  if (!slice || slice.getPartial() != tile::Partial::None ||
      slice.hasCoordinates() || !isa<frag::MemType>(op.getSource().getType()))
    return op.emitOpError("expected 'broadcast' from shared memory into a full "
                          "slice of a layout #tile.opaque, got ")
           << op.getSource().getType() << " and " << fragment.getLayout();
  FailureOr<spirv::CooperativeMatrixType> type = matrixType(op, fragment);
  FailureOr<int64_t> offset = sharedOffset(op, op.getSource());
  if (failed(type) || failed(offset))
    return failure();
  FailureOr<Place> place =
      placeOf(op, fragment, op.getSource(), op.getOffsets(), /*trans=*/false);
  if (failed(place))
    return failure();
  int64_t unit = unitOf(fragment, sharedUnitBytes);
  bool aligned = place->strides.size() == 1 &&
                 place->uniform[0].divisor % unit == 0 &&
                 place->lane[0].divisor % unit == 0;
  for (const auto &reg : place->registers)
    aligned = aligned && reg[0] % unit == 0;
  if (!aligned)
    return op.emitOpError(
               "expected a vector whose parts start at multiples of ")
           << sharedUnitBytes << " bytes, got " << op.getSource().getType();
  auto layout = slice.getDim() == 1
                    ? spirv::CooperativeMatrixLayoutKHR::ColumnMajor
                    : spirv::CooperativeMatrixLayoutKHR::RowMajor;
  auto access = spirv::MemoryAccessAttr::get(
      b.getContext(), spirv::MemoryAccess::NonPrivatePointer);
  SmallVector<Value> parts;
  for (const auto &reg : place->registers) {
    Value index =
        addConstant(linearIndex(*place, reg, unit), *offset / sharedUnitBytes);
    parts.push_back(spirv::KHRCooperativeMatrixLoadOp::create(
        b, *type, sharedUnit(index), layout, constant(0), access,
        IntegerAttr()));
  }
  set(op.getResult(), Form::Matrices, parts);
  return success();
}

LogicalResult KernelLowering::readMatrices(frag::ReadOp op) {
  frag::FragmentType fragment = op.getType();
  if (auto view = dyn_cast<tile::ViewType>(op.getSource().getType());
      view && view.getPacked())
    return readPacked(op);
  FailureOr<spirv::CooperativeMatrixType> type = matrixType(op, fragment);
  FailureOr<Place> place = failed(type)
                               ? FailureOr<Place>()
                               : placeOf(op, fragment, op.getSource(),
                                         op.getOffsets(), op.getTrans());
  auto viewType = dyn_cast<tile::ViewType>(op.getSource().getType());
  bool isShared = !viewType;
  int64_t bytes = isShared ? sharedUnitBytes : 16,
          unit = unitOf(fragment, bytes);
  if (failed(place) || failed(checkRows(op, *place, unit, bytes)))
    return failure();
  if (viewType && (!op.getInBounds() || viewType.getAlign() % 16 ||
                   viewType.getAlign() == 0))
    return op.emitOpError(
        "expected cooperative matrices to be read from shared memory, or "
        "in_bounds from a view aligned to 16 bytes");
  // The matrix's row runs along the memory's contiguous dimension unless one of
  // the two is transposed.
  bool rowMajor = (place->contiguous == int64_t(place->strides.size()) - 1) !=
                  op.getTrans();
  auto layout = rowMajor ? spirv::CooperativeMatrixLayoutKHR::RowMajor
                         : spirv::CooperativeMatrixLayoutKHR::ColumnMajor;
  OpFoldResult strideIn = place->strides[stridedDim(*place)];
  std::optional<int64_t> known = getConstantIntValue(strideIn);
  Value stride =
      known ? constant(*known / unit)
            : shiftRight(cast<Value>(strideIn), unit, /*isSigned=*/false);
  FailureOr<int64_t> offset =
      isShared ? sharedOffset(op, op.getSource()) : FailureOr<int64_t>(0);
  if (failed(offset))
    return failure();
  SmallVector<Value> parts;
  for (const auto &reg : place->registers) {
    Value index = addConstant(linearIndex(*place, reg, unit), *offset / bytes),
          pointer;
    spirv::MemoryAccessAttr access;
    if (isShared) {
      pointer = sharedUnit(index);
      access = spirv::MemoryAccessAttr::get(
          b.getContext(), spirv::MemoryAccess::NonPrivatePointer);
    } else {
      auto view = op.getSource().getDefiningOp<tile::ViewOp>();
      FailureOr<Value> element =
          bufferElement(op, view.getPtr(), VectorType::get(4, b.getI32Type()),
                        index, /*write=*/false);
      if (failed(element))
        return failure();
      pointer = *element;
    }
    parts.push_back(spirv::KHRCooperativeMatrixLoadOp::create(
        b, *type, pointer, layout, stride, access, IntegerAttr()));
  }
  set(op.getResult(), Form::Matrices, parts);
  return success();
}

LogicalResult KernelLowering::writeMatrices(frag::WriteOp op) {
  frag::FragmentType fragment = op.getFragment().getType();
  // A vector is written as the matrices that it is.
  if (auto slice = dyn_cast<tile::SliceAttr>(fragment.getLayout())) {
    auto memory = dyn_cast<frag::MemType>(op.getDest().getType());
    if (!memory || memory.getShape().size() != fragment.getShape().size() + 1)
      return op.emitOpError("of a vector of matrices is lowered to SPIR-V into "
                            "memory of one dimension more; write the vector "
                            "where lanes hold it");
    SmallVector<int64_t> shape(fragment.getShape());
    shape.insert(shape.begin() + slice.getDim(),
                 slice.getParent().getRegisterShape(2)[slice.getDim()]);
    fragment = frag::FragmentType::get(
        b.getContext(), shape, fragment.getElementType(), slice.getParent());
  }
  if (auto view = dyn_cast<tile::ViewType>(op.getDest().getType());
      view && view.getPacked())
    return writePacked(op);
  auto mem = dyn_cast<frag::MemType>(op.getDest().getType());
  if (!mem)
    return op.emitOpError("expected cooperative matrices to be written to "
                          "shared memory, got ")
           << op.getDest().getType();
  FailureOr<int64_t> offset = sharedOffset(op, op.getDest());
  FailureOr<Place> place = failed(offset)
                               ? FailureOr<Place>()
                               : placeOf(op, fragment, op.getDest(),
                                         op.getOffsets(), /*trans=*/false);
  int64_t unit = unitOf(fragment, sharedUnitBytes);
  if (failed(place) || failed(checkRows(op, *place, unit, sharedUnitBytes)))
    return failure();
  auto layout = place->contiguous == int64_t(place->strides.size()) - 1
                    ? spirv::CooperativeMatrixLayoutKHR::RowMajor
                    : spirv::CooperativeMatrixLayoutKHR::ColumnMajor;
  Value stride =
      constant(*getConstantIntValue(place->strides[stridedDim(*place)]) / unit);
  auto access = spirv::MemoryAccessAttr::get(
      b.getContext(), spirv::MemoryAccess::NonPrivatePointer);
  LaneValue value = values.find(op.getFragment())->second;
  for (auto [matrix, reg] : llvm::zip(value.parts, place->registers)) {
    Value pointer = sharedUnit(
        addConstant(linearIndex(*place, reg, unit), *offset / sharedUnitBytes));
    spirv::KHRCooperativeMatrixStoreOp::create(b, pointer, matrix, layout,
                                               stride, access, IntegerAttr());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerMma(frag::MmaOp op) {
  if (isa<CoopAttr>(op.getMma()))
    return multiplyMatrices(op);
  if (isa<SimtAttr>(op.getMma()))
    return multiplyElements(op);
  return op.emitOpError("of ")
         << op.getMma()
         << " is not an instruction of SPIR-V; expected #spv.coop or #spv.simt";
}

/// Which operands are of signed integers; null if none is.
static spirv::CooperativeMatrixOperandsKHRAttr signsOf(CoopAttr coop) {
  using Signs = spirv::CooperativeMatrixOperandsKHR;
  Signs signs = Signs::None;
  if (isa<IntegerType>(coop.getA()))
    signs = signs | Signs::ASigned;
  if (isa<IntegerType>(coop.getB()))
    signs = signs | Signs::BSigned;
  if (isa<IntegerType>(coop.getAcc()))
    signs = signs | Signs::CSigned | Signs::ResultSigned;
  if (signs == Signs::None)
    return {};
  return spirv::CooperativeMatrixOperandsKHRAttr::get(coop.getContext(), signs);
}

LogicalResult KernelLowering::multiplyMatrices(frag::MmaOp op) {
  auto coop = cast<CoopAttr>(op.getMma());
  auto registers = [](Value value) {
    auto type = cast<frag::FragmentType>(value.getType());
    return type.getLayout().getRegisterOffsets(type.getShape());
  };
  auto aAt = registers(op.getA()), bAt = registers(op.getB()),
       accAt = registers(op.getAcc());
  SmallVector<Value> a = values.find(op.getA())->second.parts,
                     c = values.find(op.getB())->second.parts,
                     acc = values.find(op.getAcc())->second.parts;
  spirv::CooperativeMatrixOperandsKHRAttr signs = signsOf(coop);
  // All rows of a column before the next, so that one matrix of B is live at a
  // time.
  for (auto [j, bReg] : llvm::enumerate(bAt))
    for (auto [i, aReg] : llvm::enumerate(aAt)) {
      if (aReg[1] != bReg[0])
        continue;
      SmallVector<int64_t> at{aReg[0], bReg[1]};
      size_t r = llvm::find(accAt, at) - accAt.begin();
      if (r == accAt.size())
        return op.emitOpError(
                   "expected an accumulator that covers the operands, got ")
               << op.getAcc().getType();
      acc[r] = spirv::KHRCooperativeMatrixMulAddOp::create(
          b, acc[r].getType(), a[i], c[j], acc[r], signs);
    }
  products.insert(coop);
  set(op.getResult(), Form::Matrices, acc);
  return success();
}

//===----------------------------------------------------------------------===//
// Element-wise work
//===----------------------------------------------------------------------===//

/// The instruction that computes an op on whole matrices, or null.
static Operation *matrixOp(ImplicitLocOpBuilder &b, Operation *op,
                           ValueRange in, Type type) {
  return TypeSwitch<Operation *, Operation *>(op)
      .Case(
          [&](arith::AddFOp) { return spirv::FAddOp::create(b, in[0], in[1]); })
      .Case(
          [&](arith::SubFOp) { return spirv::FSubOp::create(b, in[0], in[1]); })
      .Case(
          [&](arith::MulFOp) { return spirv::FMulOp::create(b, in[0], in[1]); })
      .Case(
          [&](arith::DivFOp) { return spirv::FDivOp::create(b, in[0], in[1]); })
      .Case([&](arith::NegFOp) { return spirv::FNegateOp::create(b, in[0]); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        return spirv::FConvertOp::create(b, type, in[0]);
      })
      .Default([](Operation *) { return nullptr; });
}

/// Work on matrices cannot say that a rounding is to be kept where the value is
/// widened again (ConvertScalars.cpp), and quotients of matrices end where
/// those of the instruction do; work on elements can, and need not.
static bool hasMatrixForm(Operation &op) {
  // Some drivers round whole matrices to bf16 towards zero.
  if (isa<arith::TruncFOp>(op) && op.getResult(0).getType().isBF16())
    return false;
  if (isa<arith::TruncFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
          arith::DivFOp>(op) &&
      llvm::any_of(op.getUsers(),
                   [](Operation *user) { return isa<arith::ExtFOp>(user); }))
    return false;
  if (auto quotient = dyn_cast<arith::DivFOp>(op);
      quotient && quotient.getType().isF32() &&
      !isKnownDivisor(quotient.getRhs()))
    return false;
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::ConstantOp,
             frag::YieldOp>(op);
}

Value KernelLowering::matrixVariable(spirv::CooperativeMatrixType type) {
  return spirv::VariableOp::create(
      prologue, spirv::PointerType::get(type, spirv::StorageClass::Function),
      spirv::StorageClass::Function, Value());
}

scf::ForOp KernelLowering::loopOverElements(spirv::CooperativeMatrixType type,
                                            ValueRange inits) {
  Value length = spirv::KHRCooperativeMatrixLengthOp::create(
      b, b.getI32Type(), TypeAttr::get(type));
  auto loop = scf::ForOp::create(b, constant(0), length, constant(1), inits);
  loop->setAttr(kUnrollAttr, b.getUnitAttr());
  return loop;
}

SmallVector<Value> KernelLowering::forEachElement(
    ArrayRef<Value> inputs, spirv::CooperativeMatrixType type, size_t results,
    function_ref<LogicalResult(ArrayRef<Value>, SmallVectorImpl<Value> &)>
        body) {
  SmallVector<Value> in, out;
  for (Value input : inputs) {
    in.push_back(matrixVariable(type));
    spirv::StoreOp::create(b, in.back(), input, ArrayRef<NamedAttribute>());
  }
  for (size_t i = 0; i < results; ++i)
    out.push_back(matrixVariable(type));
  scf::ForOp loop = loopOverElements(type, {});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto elementOf = [&](Value variable) -> Value {
      return spirv::AccessChainOp::create(b, variable,
                                          ValueRange{loop.getInductionVar()});
    };
    SmallVector<Value> elements, computed;
    for (Value pointer : in)
      elements.push_back(spirv::LoadOp::create(b, elementOf(pointer)));
    if (failed(body(elements, computed)))
      return {};
    for (auto [pointer, value] : llvm::zip(out, computed))
      spirv::StoreOp::create(b, elementOf(pointer), value,
                             ArrayRef<NamedAttribute>());
  }
  SmallVector<Value> parts;
  for (Value pointer : out)
    parts.push_back(spirv::LoadOp::create(b, pointer));
  return parts;
}

Value KernelLowering::foldElements(Value matrix, Value init,
                                   function_ref<Value(Value, Value)> body) {
  auto type = cast<spirv::CooperativeMatrixType>(matrix.getType());
  Value variable = matrixVariable(type);
  spirv::StoreOp::create(b, variable, matrix, ArrayRef<NamedAttribute>());
  scf::ForOp loop = loopOverElements(type, init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value element = spirv::LoadOp::create(
      b, spirv::AccessChainOp::create(b, variable,
                                      ValueRange{loop.getInductionVar()}));
  scf::YieldOp::create(b, ValueRange{body(element, loop.getRegionIterArg(0))});
  return loop.getResult(0);
}

/// Whether an element that a map computes, or takes from another one, may be
/// negative.
static bool hasSign(frag::MapOp op, Value element) {
  if (auto argument = dyn_cast<BlockArgument>(element);
      argument && argument.getOwner() == &op.getBody().front()) {
    Value input = op.getInputs()[argument.getArgNumber()];
    auto source = input.getDefiningOp<frag::MapOp>();
    return !source ||
           hasSign(source, source.getBody().front().getTerminator()->getOperand(
                               cast<OpResult>(input).getResultNumber()));
  }
  return !element.getDefiningOp<math::Exp2Op>() &&
         !element.getDefiningOp<math::ExpOp>() &&
         !element.getDefiningOp<math::AbsFOp>();
}

LogicalResult KernelLowering::mapMatrices(frag::MapOp op) {
  Block &body = op.getBody().front();
  auto first = cast<frag::FragmentType>(op.getResult(0).getType());
  FailureOr<spirv::CooperativeMatrixType> shape = matrixType(op, first);
  if (failed(shape))
    return failure();
  auto withElement = [&](Type element) {
    return spirv::CooperativeMatrixType::get(
        element, shape->getRows(), shape->getColumns(), shape->getScope(),
        shape->getUse());
  };
  for (Value input : op.getInputs())
    if (values.find(input)->second.form != Form::Matrices)
      return op.emitOpError("expected matrices with matrices, got ")
             << input.getType() << " and " << first;
  FailureOr<SmallVector<SmallVector<size_t>>> sources = sourcesOf(op);
  if (failed(sources))
    return failure();
  size_t count = first.getLayout().getRegisterCount(first.getShape());
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  bool whole = llvm::all_of(body, hasMatrixForm);
  // Elements of equal number agree over matrices of one type only, so those of
  // several are converted to one that holds them all.
  SmallVector<Type> types = llvm::to_vector(body.getArgumentTypes());
  if (llvm::any_of(types, [](Type type) { return type.isInteger(1); }))
    return op.emitOpError("of matrices of truth values is not lowered to "
                          "SPIR-V yet; hand on numbers");
  for (Value value : body.getTerminator()->getOperands())
    if (Type type = value.getType(); !type.isInteger(1))
      types.push_back(value.getDefiningOp<arith::TruncFOp>() ? numberOf(type)
                                                             : type);
  for (Type type : types)
    if (!type.isF16() && !type.isF32() && !(whole && type.isBF16()))
      return op.emitOpError("of ")
             << type << " matrices is not lowered to SPIR-V yet";
  Type common = llvm::all_equal(types) ? types.front() : b.getF32Type();
  auto convert = [&](Value matrix, Type element) -> Value {
    if (matrix.getType() == withElement(element))
      return matrix;
    return spirv::FConvertOp::create(b, withElement(element), matrix);
  };
  for (size_t r = 0; r < count; ++r) {
    auto input = [&](size_t i) {
      return values.find(op.getInputs()[i])->second.parts[(*sources)[i][r]];
    };
    if (whole) {
      llvm::DenseMap<Value, Value> matrix;
      for (auto [i, arg] : llvm::enumerate(body.getArguments()))
        matrix[arg] = input(i);
      auto lookup = [&](Value value) {
        Value &found = matrix[value];
        if (!found)
          found = spirv::CompositeConstructOp::create(
              b, withElement(value.getType()), ValueRange{scalar(value)});
        return found;
      };
      for (Operation &inner : body.without_terminator()) {
        if (isa<arith::ConstantOp>(inner)) {
          if (failed(lowerScalar(&inner)))
            return failure();
          continue;
        }
        SmallVector<Value> operands =
            llvm::map_to_vector(inner.getOperands(), lookup);
        matrix[inner.getResult(0)] =
            matrixOp(b, &inner, operands,
                     withElement(inner.getResult(0).getType()))
                ->getResult(0);
      }
      for (auto [i, value] :
           llvm::enumerate(body.getTerminator()->getOperands()))
        parts[i].push_back(lookup(value));
      continue;
    }
    SmallVector<Value> inputs;
    SmallVector<BlockArgument> varying;
    for (auto [i, arg] : llvm::enumerate(body.getArguments())) {
      // What all elements have in common is no matrix.
      if (auto splat = op.getInputs()[i].getDefiningOp<frag::SplatOp>()) {
        setScalar(arg, scalar(splat.getValue()));
        continue;
      }
      varying.push_back(arg);
      inputs.push_back(convert(input(i), common));
    }
    SmallVector<Value> results = forEachElement(
        inputs, withElement(common), op.getNumResults(),
        [&](ArrayRef<Value> elements, SmallVectorImpl<Value> &computed) {
          for (auto [arg, element] : llvm::zip(varying, elements))
            setScalar(arg,
                      arg.getType() == common
                          ? element
                          : arith::TruncFOp::create(b, arg.getType(), element));
          if (failed(lowerBlock(body)))
            return failure();
          // A last rounding is done for the whole matrix, but to bf16.
          for (Value value : body.getTerminator()->getOperands()) {
            if (value.getType().isInteger(1))
              computed.push_back(
                  arith::UIToFPOp::create(b, common, scalar(value)));
            else if (auto rounded = value.getDefiningOp<arith::TruncFOp>();
                     rounded && rounded.getIn().getType() == common) {
              Value wide = scalar(rounded.getIn());
              computed.push_back(
                  rounded.getType().isBF16()
                      ? roundToBF16(wide, hasSign(op, rounded.getIn()))
                      : wide);
            } else
              computed.push_back(
                  value.getType() == common
                      ? scalar(value)
                      : arith::ExtFOp::create(b, common, scalar(value)));
          }
          return success();
        });
    if (results.size() != op.getNumResults())
      return failure();
    for (auto [i, value] : llvm::enumerate(results))
      parts[i].push_back(convert(
          value, numberOf(body.getTerminator()->getOperand(i).getType())));
  }
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    set(value, Form::Matrices, parts[i]);
  return success();
}

//===----------------------------------------------------------------------===//
// Changes of layout
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerPermute(frag::PermuteOp op) {
  auto coop = [](frag::FragmentType type) {
    auto opaque = dyn_cast<tile::OpaqueMatrixAttr>(Attribute(type.getLayout()));
    return opaque ? dyn_cast<CoopAttr>(opaque.getMma()) : CoopAttr();
  };
  if (!coop(op.getFragment().getType()) || !coop(op.getType())) {
    FailureOr<SmallVector<Value>> parts =
        permuted(op, elements(op.getFragment()));
    if (succeeded(parts))
      set(op.getResult(), Form::Elements, *parts);
    return success(succeeded(parts));
  }
  FailureOr<spirv::CooperativeMatrixType> type = matrixType(op, op.getType());
  if (failed(type))
    return failure();
  SmallVector<Value> parts;
  for (Value part : values.find(op.getFragment())->second.parts)
    parts.push_back(convertMatrix(
        b, module, extensionOf(op.getType().getLayout()), part, *type));
  set(op.getResult(), Form::Matrices, parts);
  return success();
}
