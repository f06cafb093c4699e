// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module of a kernel: entry point, buffers, push constants, identifiers.

#include "KernelLowering.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

/// True if any value of the kernel is a cooperative matrix.
static bool usesOpaqueLayouts(frag::KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<frag::FragmentType>(type))
        if (isa<tile::OpaqueMatrixAttr>(fragment.getLayout()))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// The extent of matrices of a fragment along the fastest dimension of shared
/// memory, in bytes; 0 if they are elsewhere.
static int64_t rowBytes(frag::FragmentType fragment, Type memory, bool trans) {
  auto mem = dyn_cast<frag::MemType>(memory);
  auto shared =
      mem ? dyn_cast<tile::SharedAttr>(mem.getLayout()) : tile::SharedAttr();
  if (!shared || !isa<tile::OpaqueMatrixAttr>(fragment.getLayout()))
    return 0;
  int64_t rank = fragment.getShape().size(),
          d = shared.getOrder()[0] + rank - int64_t(mem.getShape().size());
  if (d < 0)
    return 0;
  return fragment.getLayout().getRegisterShape(rank)[trans ? rank - 1 - d : d] *
         fragment.getElementType().getIntOrFloatBitWidth() / 8;
}

/// A matrix is accessed through a pointer to whole elements of the array that
/// shared memory is, so rows of bytes want smaller ones than others.
static int64_t unitOfShared(frag::KernelOp kernel) {
  int64_t unit = 16;
  auto note = [&](int64_t bytes) {
    if (bytes % 16)
      unit = 8;
  };
  kernel.walk([&](Operation *op) {
    if (auto read = dyn_cast<frag::ReadOp>(op))
      note(rowBytes(read.getType(), read.getSource().getType(),
                    read.getTrans()));
    else if (auto write = dyn_cast<frag::WriteOp>(op))
      note(rowBytes(write.getFragment().getType(), write.getDest().getType(),
                    /*trans=*/false));
  });
  return unit;
}

static bool exchangesInSubgroups(frag::KernelOp kernel);

KernelLowering::KernelLowering(frag::KernelOp kernel)
    : kernel(kernel), b(kernel.getLoc(), kernel.getContext()),
      prologue(kernel.getLoc(), kernel.getContext()),
      globals(kernel.getLoc(), kernel.getContext()),
      matrices(usesOpaqueLayouts(kernel)),
      exchanging(matrices && exchangesInSubgroups(kernel)),
      sharedBytes(kernel.getSharedBytes()),
      sharedUnitBytes(unitOfShared(kernel)) {
  if (int64_t scratch = scratchOfReductions())
    sharedBytes = llvm::alignTo(sharedBytes, 16) + scratch;
}

LogicalResult KernelLowering::run() {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("expected a body of one block, got ")
           << kernel.getBody().getBlocks().size();
  if (kernel.getCluster().value_or(1) != 1)
    return kernel.emitOpError("uses a cluster of ")
           << *kernel.getCluster() << " workgroups, which SPIR-V lacks";
  b.setInsertionPoint(kernel);
  auto memoryModel =
      matrices ? spirv::MemoryModel::Vulkan : spirv::MemoryModel::GLSL450;
  module =
      spirv::ModuleOp::create(b, spirv::AddressingModel::Logical, memoryModel,
                              std::nullopt, kernel.getSymName());
  b.setInsertionPointToEnd(module.getBody());
  function =
      spirv::FuncOp::create(b, kernel.getSymName(), b.getFunctionType({}, {}));
  globals.setInsertionPoint(function);
  b.setInsertionPointToStart(function.addEntryBlock());
  // Everything computed once goes before this marker, the walk's code after it.
  auto marker = spirv::UndefOp::create(b, b.getI32Type());
  prologue.setInsertionPoint(marker);
  if (failed(declareArguments()) ||
      failed(lowerBlock(kernel.getBody().front())))
    return failure();
  spirv::ReturnOp::create(b);
  marker.erase();
  return success();
}

LogicalResult KernelLowering::declareArguments() {
  SmallVector<Type> words;
  SmallVector<spirv::StructType::OffsetInfo> offsets;
  SmallVector<Value> scalars;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    if (isa<tile::PtrType>(arg.getType())) {
      unsigned position = pointerArgs.size();
      pointerArgs[arg] = position;
      continue;
    }
    Type word = getLaneType(arg.getType());
    if (!word.isInteger(32) && !word.isF32())
      return kernel.emitOpError("expected argument #")
             << arg.getArgNumber()
             << " to be a pointer, an index or 32 bits wide, got "
             << arg.getType() << "; push constants are 32-bit words";
    offsets.push_back(words.size() * 4);
    words.push_back(word);
    scalars.push_back(arg);
    pushConstants.push_back(arg.getArgNumber());
  }
  if (words.empty())
    return success();
  auto type = spirv::PointerType::get(spirv::StructType::get(words, offsets),
                                      spirv::StorageClass::PushConstant);
  pushVariable = spirv::GlobalVariableOp::create(globals, type, "push",
                                                 FlatSymbolRefAttr());
  Value block = addressOf(pushVariable);
  for (auto [i, arg] : llvm::enumerate(scalars)) {
    Value index = spirv::ConstantOp::create(prologue, b.getI32Type(),
                                            prologue.getI32IntegerAttr(i));
    Value pointer =
        spirv::AccessChainOp::create(prologue, block, ValueRange{index});
    setScalar(arg, spirv::LoadOp::create(prologue, pointer));
  }
  return success();
}

Value KernelLowering::addressOf(spirv::GlobalVariableOp variable) {
  Value &address = addresses[variable];
  if (!address)
    address = spirv::AddressOfOp::create(prologue, variable);
  return address;
}

Value KernelLowering::builtin(spirv::BuiltIn kind) {
  Value &value = builtinValues[int64_t(kind)];
  if (value)
    return value;
  Type i32 = b.getI32Type();
  bool vector = kind == spirv::BuiltIn::WorkgroupId ||
                kind == spirv::BuiltIn::NumWorkgroups;
  auto type = spirv::PointerType::get(
      vector ? Type(VectorType::get(3, i32)) : i32, spirv::StorageClass::Input);
  StringRef name = spirv::stringifyBuiltIn(kind);
  auto variable = spirv::GlobalVariableOp::create(
      globals, type, ("builtin_" + name).str(), kind);
  builtins[int64_t(kind)] = variable;
  value = spirv::LoadOp::create(prologue, addressOf(variable));
  return value;
}

Value KernelLowering::workgroupId(frag::IdKind kind) {
  auto part = [&](spirv::BuiltIn builtinKind, int32_t i) -> Value {
    Value vector = builtin(builtinKind);
    return spirv::CompositeExtractOp::create(prologue, vector,
                                             ArrayRef<int32_t>{i});
  };
  Value width = part(spirv::BuiltIn::NumWorkgroups, 0);
  // A cluster is one workgroup here.
  if (kind == frag::IdKind::Workgroups || kind == frag::IdKind::Clusters)
    return arith::MulIOp::create(prologue, width,
                                 part(spirv::BuiltIn::NumWorkgroups, 1));
  Value rows = arith::MulIOp::create(
      prologue, part(spirv::BuiltIn::WorkgroupId, 1), width);
  return arith::AddIOp::create(prologue, part(spirv::BuiltIn::WorkgroupId, 0),
                               rows);
}

Value KernelLowering::subgroupId() {
  return builtin(spirv::BuiltIn::SubgroupId);
}
/// Nothing promises that subgroups are lanes of neighbouring numbers, so where
/// lanes of one exchange something, these count.
Value KernelLowering::invocation() {
  if (!exchanging)
    return builtin(spirv::BuiltIn::LocalInvocationIndex);
  Value &number = subgroupInvocation;
  if (!number) {
    Value first = arith::MulIOp::create(
        prologue, subgroupId(),
        arith::ConstantOp::create(
            prologue, prologue.getI32IntegerAttr(
                          kernel.getTargetRow().getSubgroupSize())));
    number = arith::AddIOp::create(
        prologue, first, builtin(spirv::BuiltIn::SubgroupLocalInvocationId));
  }
  return number;
}

/// Whether lanes of a subgroup rely on each other.
static bool exchangesInSubgroups(frag::KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    auto barrier = dyn_cast<frag::BarrierOp>(op);
    auto reduce = dyn_cast<frag::ReduceOp>(op);
    bool relies = (barrier && barrier.getScope() == frag::Scope::Subgroup) ||
                  (reduce && reduce.getScope() == frag::Scope::Group);
    return relies ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() && kernel.getTargetRow();
}

Value KernelLowering::sharedMemory() {
  if (!sharedVariable) {
    int64_t units = std::max<int64_t>(1, llvm::divideCeil(sharedBytes, 16)) *
                    (16 / sharedUnitBytes);
    auto type = spirv::ArrayType::get(
        VectorType::get(sharedUnitBytes / 4, b.getI32Type()), units);
    sharedVariable = spirv::GlobalVariableOp::create(
        globals, spirv::PointerType::get(type, spirv::StorageClass::Workgroup),
        "shared", FlatSymbolRefAttr());
  }
  return addressOf(sharedVariable);
}

FailureOr<Value> KernelLowering::bufferElement(Operation *op, Value arg,
                                               Type word, Value index,
                                               bool write, Value component) {
  auto it = pointerArgs.find(arg);
  if (it == pointerArgs.end())
    return op->emitOpError("expected a view of a kernel argument, got one of ")
           << arg;
  bool packets = isa<VectorType>(word);
  Binding &binding = bindings[it->second * 2 + (packets ? 0 : 1)];
  if (!binding.variable) {
    int64_t bytes = packets ? 16 : word.getIntOrFloatBitWidth() / 8;
    auto array = spirv::RuntimeArrayType::get(word, bytes);
    auto type = spirv::PointerType::get(spirv::StructType::get({array}, {0}),
                                        spirv::StorageClass::StorageBuffer);
    std::string name = "arg" +
                       std::to_string(cast<BlockArgument>(arg).getArgNumber()) +
                       (packets ? "_packets" : "_elements");
    binding.variable = spirv::GlobalVariableOp::create(
        globals, type, name, 0u, it->second * 2 + (packets ? 0 : 1));
    binding.word = word;
  }
  (write ? binding.written : binding.read) = true;
  Value array = spirv::ConstantOp::create(
      b, b.getI32Type(), b.getI32IntegerAttr(0)); // The struct's only member.
  SmallVector<Value> path{array, index};
  if (component)
    path.push_back(component);
  return spirv::AccessChainOp::create(b, addressOf(binding.variable), path)
      .getResult();
}
