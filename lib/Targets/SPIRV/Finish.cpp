// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The end of a kernel's lowering: entry point, decorations, capabilities, the
// launch interface.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

namespace {
/// What a module's instructions and types need.
struct Needs {
  llvm::SmallSetVector<spirv::Capability, 8> capabilities;
  llvm::SmallSetVector<spirv::Extension, 4> extensions;

  void addType(Type type) {
    if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type)) {
      if (matrix.getElementType().isBF16())
        capabilities.insert(spirv::Capability::BFloat16CooperativeMatrixKHR);
      return addType(matrix.getElementType());
    }
    if (auto vector = dyn_cast<VectorType>(type))
      return addType(vector.getElementType());
    if (type.isF16())
      capabilities.insert(spirv::Capability::Float16);
    if (type.isF64())
      capabilities.insert(spirv::Capability::Float64);
    if (type.isInteger(64))
      capabilities.insert(spirv::Capability::Int64);
    if (type.isInteger(8))
      capabilities.insert(spirv::Capability::Int8);
    if (type.isBF16()) {
      capabilities.insert(spirv::Capability::BFloat16TypeKHR);
      extensions.insert(spirv::Extension::SPV_KHR_bfloat16);
    }
  }
};
} // namespace

/// 16-bit integers are only loaded, stored and converted, which the storage
/// capability allows.
static bool isArithmetic16(Operation *op) {
  auto is16 = [](Type type) { return type.isInteger(16); };
  return !isa<spirv::LoadOp, spirv::StoreOp, spirv::UConvertOp,
              spirv::SConvertOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), is16) ||
          llvm::any_of(op->getResultTypes(), is16));
}

LogicalResult KernelLowering::finish() {
  MLIRContext *ctx = module.getContext();
  // Matrices belong to a subgroup of known size: their instruction's, or the
  // target's where none is multiplied.
  int64_t subgroup = products.empty() ? 0 : products.front().getLanes();
  if (matrices && !subgroup && kernel.getTargetRow())
    subgroup = kernel.getTargetRow().getSubgroupSize();
  if (failed(checkLimits(subgroup)))
    return failure();
  Needs needs;
  needs.capabilities.insert(spirv::Capability::Shader);
  if (matrices) {
    needs.capabilities.insert(spirv::Capability::VulkanMemoryModel);
    needs.capabilities.insert(spirv::Capability::CooperativeMatrixKHR);
    needs.extensions.insert(spirv::Extension::SPV_KHR_cooperative_matrix);
  }
  if (builtins.count(int64_t(spirv::BuiltIn::SubgroupId)) ||
      builtins.count(int64_t(spirv::BuiltIn::SubgroupLocalInvocationId)))
    needs.capabilities.insert(spirv::Capability::GroupNonUniform);
  function.walk([&](Operation *op) {
    if (isa<spirv::GroupNonUniformShuffleXorOp>(op))
      needs.capabilities.insert(spirv::Capability::GroupNonUniformShuffle);
    if (isa<spirv::GroupNonUniformAnyOp>(op))
      needs.capabilities.insert(spirv::Capability::GroupNonUniformVote);
    for (Type type : op->getResultTypes())
      needs.addType(type);
    if (isArithmetic16(op))
      needs.capabilities.insert(spirv::Capability::Int16);
  });

  // Decorations of buffers. One that is bound twice and written in either guise
  // overlaps itself.
  Builder builder(ctx);
  SmallVector<std::pair<unsigned, Attribute>> bindingList;
  for (auto &[number, binding] : bindings) {
    unsigned position = number / 2;
    bool packets = number % 2 == 0;
    auto other = bindings.find(number ^ 1);
    bool twice = other != bindings.end();
    bool written = binding.written || (twice && other->second.written);
    unsigned index = 0;
    for (BlockArgument arg : kernel.getBody().getArguments())
      if (auto it = pointerArgs.find(arg);
          it != pointerArgs.end() && it->second == position)
        index = arg.getArgNumber();
    bool aliased = kernel.getArgAttr(index, "tile.aliased") != nullptr;
    if (!aliased && !(twice && written))
      binding.variable->setAttr("restrict", builder.getUnitAttr());
    if (!binding.written)
      binding.variable->setAttr("non_writable", builder.getUnitAttr());
    if (!binding.read)
      binding.variable->setAttr("non_readable", builder.getUnitAttr());
    if (!packets && binding.word.getIntOrFloatBitWidth() == 16)
      needs.capabilities.insert(spirv::Capability::StorageBuffer16BitAccess);
    if (!packets && binding.word.getIntOrFloatBitWidth() == 8) {
      needs.capabilities.insert(spirv::Capability::StorageBuffer8BitAccess);
      needs.extensions.insert(spirv::Extension::SPV_KHR_8bit_storage);
    }
    StringRef access =
        binding.written ? (binding.read ? "readwrite" : "write") : "read";
    bindingList.push_back(
        {number, builder.getArrayAttr({builder.getI64IntegerAttr(index),
                                       builder.getI64IntegerAttr(number),
                                       builder.getStringAttr(access)})});
  }

  // Before SPIR-V 1.4 the interface lists inputs and outputs only, from then on
  // every variable.
  SmallVector<Attribute> interface;
  for (auto variable : module.getBody()->getOps<spirv::GlobalVariableOp>())
    if (matrices || variable.storageClass() == spirv::StorageClass::Input)
      interface.push_back(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  b.setInsertionPointToEnd(module.getBody());
  spirv::EntryPointOp::create(b, spirv::ExecutionModel::GLCompute, function,
                              interface);
  int32_t threads = kernel.getThreads();
  spirv::ExecutionModeOp::create(b, function, spirv::ExecutionMode::LocalSize,
                                 ArrayRef<int32_t>{threads, 1, 1});

  auto version = matrices ? spirv::Version::V_1_6 : spirv::Version::V_1_3;
  module.setVceTripleAttr(
      spirv::VerCapExtAttr::get(version, needs.capabilities.getArrayRef(),
                                needs.extensions.getArrayRef(), ctx));

  auto name = [&](Type type) -> Attribute {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return builder.getStringAttr(text);
  };
  SmallVector<Attribute> shapes;
  for (CoopAttr product : products) {
    SmallVector<Attribute> shape;
    for (int64_t extent : product.getShape())
      shape.push_back(builder.getI64IntegerAttr(extent));
    for (Type type :
         {product.getA(), product.getB(), product.getAcc(), product.getAcc()})
      shape.push_back(name(type));
    shapes.push_back(builder.getArrayAttr(shape));
  }
  llvm::sort(bindingList, llvm::less_first());
  NamedAttrList attrs;
  attrs.set("entry", builder.getStringAttr(kernel.getSymName()));
  attrs.set("threads", builder.getI64IntegerAttr(threads));
  attrs.set("shared_bytes",
            builder.getI64IntegerAttr(sharedVariable ? sharedBytes : 0));
  attrs.set("subgroup", builder.getI64IntegerAttr(subgroup));
  attrs.set("bindings", builder.getArrayAttr(llvm::to_vector(
                            llvm::make_second_range(bindingList))));
  attrs.set("push_constants", builder.getI64ArrayAttr(pushConstants));
  attrs.set("shapes", builder.getArrayAttr(shapes));
  module->setAttr("helios.interface", attrs.getDictionary(ctx));
  if (kernel.getTargetAttr())
    module->setAttr("helios.target", kernel.getTargetAttr());
  return success();
}
