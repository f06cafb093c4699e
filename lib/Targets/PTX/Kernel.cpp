// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module of a kernel: function, arguments, identifiers, shared memory and
// what the launch needs to know.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// Shared memory that the driver takes of each workgroup.
static constexpr int64_t kDriverSharedBytes = 1024;

/// How many workgroups of a kernel shared memory lets a processor hold, if that
/// is one or each of their lanes can have all registers. ptxas, which does not
/// see dynamic shared memory, may else spill to keep registers for workgroups
/// for which there is no room.
static std::optional<int64_t> workgroupsAtOnce(frag::KernelOp kernel,
                                               TargetAttr target) {
  int64_t workgroups = target.getProcessorSharedBytes() /
                       (int64_t(kernel.getSharedBytes()) + kDriverSharedBytes);
  if (workgroups < 2)
    return 1;
  int64_t registers =
      workgroups * kernel.getThreads() * target.getMaxRegisters();
  if (registers > target.getRegisterFile())
    return std::nullopt;
  return workgroups;
}

KernelLowering::KernelLowering(frag::KernelOp kernel)
    : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

LogicalResult KernelLowering::run() {
  auto target = dyn_cast_or_null<TargetAttr>(kernel.getTargetAttr());
  if (!target)
    return kernel.emitOpError("expected a target #ptx.target, got ")
           << (kernel.getTargetAttr() ? kernel.getTargetAttr()
                                      : Attribute(b.getUnitAttr()))
           << "; run helios-set-target";
  targetRow = findRow(target.getRow());
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitOpError("expected a body of one block, got ")
           << kernel.getBody().getBlocks().size();
  b.clearInsertionPoint();
  module = gpu::GPUModuleOp::create(b, kernel.getSymName());
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(isa<tile::PtrType>(type)
                        ? LLVM::LLVMPointerType::get(b.getContext(), 1)
                        : getLaneType(type));
  if (failed(collectTensorMaps()))
    return failure();
  types.append(tensorMaps.size(), LLVM::LLVMPointerType::get(b.getContext()));
  function = LLVM::LLVMFuncOp::create(
      b, kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  types));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(
      NVVM::NVVMDialect::getReqntidAttrName(),
      b.getDenseI32ArrayAttr({int32_t(kernel.getThreads()), 1, 1}));
  if (inCluster())
    function->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        b.getDenseI32ArrayAttr({int32_t(*kernel.getCluster()), 1, 1}));
  if (kernel.getRegs())
    function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      b.getI32IntegerAttr(*kernel.getRegs()));
  else if (std::optional<int64_t> workgroups = workgroupsAtOnce(kernel, target))
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(*workgroups));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  // Everything computed once goes before this marker, the walk's code after it.
  lanes.emplace_back();
  lanes.back().count = kernel.getThreads();
  lanes.back().marker = LLVM::UndefOp::create(b, b.getI32Type());
  lanes.back().number = invocation();
  declareTensorMaps();
  if (failed(declareArguments()) || failed(initBarriers()) ||
      failed(lowerBlock(kernel.getBody().front())))
    return failure();
  if (!loweredRoles)
    drainStores(kernel);
  // Nobody leaves while others may still arrive at its barriers.
  if (inCluster())
    clusterBarrier(/*isFenced=*/false);
  LLVM::ReturnOp::create(b, ValueRange());
  lanes.back().marker->erase();
  declareInterface();
  return success();
}

LogicalResult KernelLowering::declareArguments() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lanes.front().marker);
  for (auto [arg, lane] :
       llvm::zip(kernel.getBody().getArguments(), function.getArguments())) {
    if (isa<tile::PtrType>(arg.getType())) {
      pointers[arg].lane = lane;
      continue;
    }
    // What facts bound is known to the compiler below by its upper bits, so
    // that it divides in 32 bits.
    tile::IndexRange range =
        arg.getType().isIndex() ? tile::knownRange(arg) : tile::IndexRange();
    Value value = lane;
    if (range.low >= 0 && range.high <= std::numeric_limits<int32_t>::max())
      value = arith::ExtUIOp::create(
          b, b.getI64Type(), arith::TruncIOp::create(b, b.getI32Type(), lane));
    setScalar(arg, value);
  }
  return success();
}

FailureOr<Value> KernelLowering::argumentPointer(Operation *op, Value arg,
                                                 bool write) {
  auto it = pointers.find(arg);
  if (it == pointers.end())
    return op->emitOpError("expected a view of a kernel argument, got one of ")
           << arg;
  (write ? it->second.written : it->second.read) = true;
  return it->second.lane;
}

Value KernelLowering::sreg(StringRef op) {
  Value &value = registers[op];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(lanes.front().marker);
  OperationState state(kernel.getLoc(), op);
  state.addTypes(b.getI32Type());
  return value = b.create(state)->getResult(0);
}

Value KernelLowering::invocation() {
  return sreg(NVVM::ThreadIdXOp::getOperationName());
}

/// A grid has one dimension, so a number is that of x.
Value KernelLowering::workgroupId(frag::IdKind kind) {
  Value id;
  switch (kind) {
  case frag::IdKind::Workgroup:
    id = sreg(NVVM::BlockIdXOp::getOperationName());
    break;
  case frag::IdKind::Workgroups:
    id = sreg(NVVM::GridDimXOp::getOperationName());
    break;
  case frag::IdKind::ClusterRank:
    if (!inCluster())
      return i64(0);
    id = sreg(NVVM::BlockInClusterIdXOp::getOperationName());
    break;
  case frag::IdKind::Cluster:
    id = sreg(inCluster() ? NVVM::ClusterIdXOp::getOperationName()
                          : NVVM::BlockIdXOp::getOperationName());
    break;
  case frag::IdKind::Clusters:
    id = sreg(inCluster() ? NVVM::ClusterDimXOp::getOperationName()
                          : NVVM::GridDimXOp::getOperationName());
    break;
  }
  return arith::ExtUIOp::create(b, b.getI64Type(), id);
}

Value KernelLowering::sharedMemory() {
  if (sharedBase)
    return sharedBase;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  sharedVariable = LLVM::GlobalOp::create(
      b, type, /*isConstant=*/false, LLVM::Linkage::External, "smem",
      Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  b.setInsertionPoint(lanes.front().marker);
  return sharedBase = LLVM::AddressOfOp::create(b, sharedVariable);
}

Value KernelLowering::sharedMemoryOf(int64_t workgroup) {
  Value &base = sharedBases[workgroup];
  if (base)
    return base;
  Value own = sharedMemory();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(own);
  Value number =
      LLVM::ConstantOp::create(b, b.getI32Type(), int32_t(workgroup));
  return base = NVVM::MapaOp::create(
             b, LLVM::LLVMPointerType::get(b.getContext(), 7), own, number);
}

void KernelLowering::declareInterface() {
  SmallVector<Attribute> parameters;
  // Of what is computed with them LLVM need not prove that it is no poison.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoUndefAttrName(),
                        b.getUnitAttr());
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    SmallVector<NamedAttribute> entry{
        b.getNamedAttr("argument", b.getI64IntegerAttr(arg.getArgNumber()))};
    auto it = pointers.find(arg);
    if (it == pointers.end()) {
      entry.push_back(b.getNamedAttr("kind", b.getStringAttr("scalar")));
      parameters.push_back(b.getDictionaryAttr(entry));
      continue;
    }
    bool read = it->second.read, written = it->second.written;
    entry.push_back(b.getNamedAttr("kind", b.getStringAttr("pointer")));
    entry.push_back(
        b.getNamedAttr("access", b.getStringAttr(!written ? "read"
                                                 : read   ? "readwrite"
                                                          : "write")));
    unsigned i = arg.getArgNumber();
    if (kernel.readsBeforeDependencies(arg))
      entry.push_back(b.getNamedAttr("early", b.getUnitAttr()));
    parameters.push_back(b.getDictionaryAttr(entry));
    if (kernel.getArgAttr(i, "tile.aliased"))
      continue;
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    // Loads of what nobody writes while the kernel runs need not be coherent.
    // Where it begins before the dispatch in front of it has ended, that one
    // may still write, and the assembler moves such loads over the wait.
    bool lasts = !kernel.awaitsDependencies() ||
                 kernel.getArgAttr(i, tile::TileDialect::kConstantAttr);
    if (!written && lasts)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          b.getUnitAttr());
  }
  for (size_t i = 0; i < tensorMaps.size(); ++i)
    parameters.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("kind", b.getStringAttr("tensor_map")),
         b.getNamedAttr("map", b.getI64IntegerAttr(i))}));
  auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  module->setAttr(
      "helios.interface",
      b.getDictionaryAttr(
          {b.getNamedAttr("parameters", b.getArrayAttr(parameters)),
           b.getNamedAttr("tensor_maps",
                          b.getArrayAttr(tensorMaps.getArrayRef())),
           b.getNamedAttr("threads", number(kernel.getThreads())),
           b.getNamedAttr("shared_bytes", number(kernel.getSharedBytes())),
           b.getNamedAttr("cluster", number(kernel.getCluster().value_or(1))),
           b.getNamedAttr("dependent",
                          b.getBoolAttr(kernel.awaitsDependencies())),
           b.getNamedAttr("regs", number(kernel.getRegs().value_or(0))),
           b.getNamedAttr("sm", b.getStringAttr(row().name)),
           b.getNamedAttr("ptx_version",
                          number(std::max(row().ptxVersion, ptxVersion))),
           b.getNamedAttr("arch_specific",
                          b.getBoolAttr(row().archSpecific))}));
}
