// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled SPIR-V module as a binary, with its interface and what it asks of
// the device.

#include "helios/Targets/Export/Export.h"
#include "helios/Targets/SPIRV/Extensions.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace helios;
using namespace helios::exporting;

/// Reads [i, j, ...] of integers.
static FailureOr<SmallVector<int64_t>>
readIntegers(spirv::ModuleOp module, StringRef key, Attribute attribute) {
  SmallVector<int64_t> values;
  auto array = dyn_cast_or_null<ArrayAttr>(attribute);
  for (Attribute element : array ? array.getValue() : ArrayRef<Attribute>()) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer)
      array = nullptr;
    else
      values.push_back(integer.getInt());
  }
  if (!array)
    return module.emitOpError("expected '")
           << kInterfaceAttr << "." << key << "' to be a list of integers, got "
           << attribute;
  return values;
}

FailureOr<ProgramInterface> exporting::readInterface(spirv::ModuleOp module) {
  auto dict = module->getAttrOfType<DictionaryAttr>(kInterfaceAttr);
  if (!dict)
    return module.emitOpError("expected an attribute '")
           << kInterfaceAttr << "' that says how the module is launched";
  ProgramInterface result;
  auto number = [&](StringRef key, bool required,
                    uint32_t &value) -> LogicalResult {
    auto attribute = dict.getAs<IntegerAttr>(key);
    if ((!attribute && (required || dict.get(key))) ||
        (attribute &&
         (attribute.getInt() < required || attribute.getInt() > INT32_MAX)))
      return module.emitOpError("expected '")
             << kInterfaceAttr << "." << key << "' to be a number of at least "
             << int(required) << ", got " << dict.get(key);
    value = attribute ? attribute.getInt() : 0;
    return success();
  };
  if (failed(number("threads", true, result.threads)) ||
      failed(number("subgroup", false, result.subgroup)) ||
      failed(number("shared_bytes", false, result.sharedBytes)))
    return failure();
  auto malformed = [&](Attribute got) {
    return module.emitOpError("expected '")
           << kInterfaceAttr
           << ".bindings' to hold [argument, binding, \"read\", \"write\" or "
              "\"readwrite\"], got "
           << got;
  };
  auto bindings = dict.getAs<ArrayAttr>("bindings");
  if (!bindings)
    return malformed(dict.get("bindings"));
  for (Attribute element : bindings) {
    auto entry = dyn_cast<ArrayAttr>(element);
    auto argument = entry && entry.size() == 3 ? dyn_cast<IntegerAttr>(entry[0])
                                               : IntegerAttr();
    auto binding = argument ? dyn_cast<IntegerAttr>(entry[1]) : IntegerAttr();
    auto access = binding ? dyn_cast<StringAttr>(entry[2]) : StringAttr();
    auto which = access ? llvm::StringSwitch<std::optional<bundle::Access>>(
                              access.getValue())
                              .Case("read", bundle::Access::Read)
                              .Case("write", bundle::Access::Write)
                              .Case("readwrite", bundle::Access::ReadWrite)
                              .Default(std::nullopt)
                        : std::nullopt;
    if (!which || argument.getInt() < 0 || binding.getInt() < 0)
      return malformed(element);
    result.bindings.push_back(
        {unsigned(argument.getInt()), unsigned(binding.getInt()), *which});
  }
  if (Attribute words = dict.get("push_constants")) {
    FailureOr<SmallVector<int64_t>> arguments =
        readIntegers(module, "push_constants", words);
    if (failed(arguments))
      return failure();
    for (int64_t argument : *arguments)
      result.pushConstants.push_back(unsigned(argument));
  }
  auto entryPoints = module.getOps<spirv::EntryPointOp>();
  if (!llvm::hasSingleElement(entryPoints))
    return module.emitOpError("expected one entry point, got ")
           << std::distance(entryPoints.begin(), entryPoints.end());
  result.entryPoint = (*entryPoints.begin()).getFn().str();
  return result;
}

/// The Vulkan feature that a capability needs; nullopt where every Vulkan
/// device has it.
static FailureOr<std::optional<bundle::Feature>>
featureOf(spirv::ModuleOp module, spirv::Capability capability) {
  using C = spirv::Capability;
  using F = bundle::Feature;
  using Maybe = std::optional<bundle::Feature>;
  switch (capability) {
  case C::Shader:
  case C::Matrix:
  case C::GroupNonUniform:
    return Maybe();
  case C::StorageBuffer16BitAccess:
    return Maybe(F::StorageBuffer16);
  case C::StorageUniform16:
    return Maybe(F::UniformAndStorageBuffer16);
  case C::StorageBuffer8BitAccess:
    return Maybe(F::StorageBuffer8);
  case C::StoragePushConstant16:
    return Maybe(F::PushConstant16);
  case C::Float16:
    return Maybe(F::ShaderFloat16);
  case C::Float64:
    return Maybe(F::ShaderFloat64);
  case C::Int8:
    return Maybe(F::ShaderInt8);
  case C::Int16:
    return Maybe(F::ShaderInt16);
  case C::Int64:
    return Maybe(F::ShaderInt64);
  case C::BFloat16TypeKHR:
    return Maybe(F::BFloat16);
  case C::BFloat16CooperativeMatrixKHR:
    return Maybe(F::BFloat16CooperativeMatrix);
  case C::CooperativeMatrixKHR:
    return Maybe(F::CooperativeMatrix);
  case C::VulkanMemoryModel:
    return Maybe(F::VulkanMemoryModel);
  case C::VulkanMemoryModelDeviceScope:
    return Maybe(F::VulkanMemoryModelDeviceScope);
  case C::GroupNonUniformShuffle:
  case C::GroupNonUniformShuffleRelative:
    return Maybe(F::SubgroupShuffle);
  case C::GroupNonUniformArithmetic:
    return Maybe(F::SubgroupArithmetic);
  case C::GroupNonUniformVote:
    return Maybe(F::SubgroupVote);
  case C::WorkgroupMemoryExplicitLayoutKHR:
    return Maybe(F::WorkgroupExplicitLayout);
  case C::WorkgroupMemoryExplicitLayout16BitAccessKHR:
    return Maybe(F::WorkgroupExplicitLayout16);
  case C::WorkgroupMemoryExplicitLayout8BitAccessKHR:
    return Maybe(F::WorkgroupExplicitLayout8);
  case C::PhysicalStorageBufferAddresses:
    return Maybe(F::BufferDeviceAddress);
  default:
    return module.emitOpError("asks for the capability ")
           << spirv::stringifyCapability(capability)
           << ", for which no feature of a Vulkan device is known; add it to "
              "the list of the bundle's requirements";
  }
}

static bundle::Feature featureOf(spv::ExtensionInstruction instruction) {
  switch (instruction) {
  case spv::ExtensionInstruction::ConvertMatrix:
  case spv::ExtensionInstruction::NarrowMatrix:
    return bundle::Feature::CooperativeMatrixConversions;
  case spv::ExtensionInstruction::ReduceMatrix:
    return bundle::Feature::CooperativeMatrixReductions;
  case spv::ExtensionInstruction::ConvertMatrixExt:
  case spv::ExtensionInstruction::NarrowMatrixExt:
    return bundle::Feature::CooperativeMatrixConversionsExt;
  case spv::ExtensionInstruction::ReduceMatrixExt:
    return bundle::Feature::CooperativeMatrixReductionsExt;
  }
  llvm_unreachable("every instruction has a feature");
}

static uint32_t apiVersionFor(spirv::Version version) {
  auto vulkan = [](uint32_t minor) { return uint32_t(1) << 22 | minor << 12; };
  if (version <= spirv::Version::V_1_3)
    return vulkan(1);
  return vulkan(version <= spirv::Version::V_1_5 ? 2 : 3);
}

static bundle::MatrixShape shapeOf(spirv::KHRCooperativeMatrixMulAddOp op) {
  auto matrix = [](Value value) {
    return cast<spirv::CooperativeMatrixType>(value.getType());
  };
  spirv::CooperativeMatrixType a = matrix(op.getA()), b = matrix(op.getB()),
                               c = matrix(op.getC()),
                               d = matrix(op.getResult());
  auto element = [](spirv::CooperativeMatrixType type) {
    return getElementType(type.getElementType())
        .value_or(bundle::ElementType::F32);
  };
  bundle::MatrixShape shape;
  shape.m = a.getRows();
  shape.n = b.getColumns();
  shape.k = a.getColumns();
  shape.a = element(a);
  shape.b = element(b);
  shape.c = element(c);
  shape.result = element(d);
  shape.scope = a.getScope() == spirv::Scope::Workgroup
                    ? bundle::MatrixScope::Workgroup
                    : bundle::MatrixScope::Subgroup;
  return shape;
}

LogicalResult exporting::addRequirements(spirv::ModuleOp module,
                                         const ProgramInterface &interface,
                                         bundle::Requirements &requirements) {
  std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
  if (!triple || !*triple)
    return module.emitOpError("expected 'requires #spirv.vce<...>' with the "
                              "version and capabilities; run "
                              "--spirv-update-vce");
  for (spirv::Capability capability : triple->getCapabilities()) {
    FailureOr<std::optional<bundle::Feature>> feature =
        featureOf(module, capability);
    if (failed(feature))
      return failure();
    if (*feature)
      requirements.require(**feature);
  }
  requirements.minApiVersion =
      std::max(requirements.minApiVersion, apiVersionFor(triple->getVersion()));
  requirements.sharedMemoryBytes =
      std::max(requirements.sharedMemoryBytes, interface.sharedBytes);
  requirements.workgroupInvocations =
      std::max(requirements.workgroupInvocations, interface.threads);
  requirements.pushConstantBytes =
      std::max(requirements.pushConstantBytes,
               uint32_t(4 * interface.pushConstants.size()));
  if (interface.subgroup) {
    if (requirements.subgroupSize &&
        requirements.subgroupSize != interface.subgroup)
      return module.emitOpError("needs subgroups of ")
             << interface.subgroup
             << " lanes, another program of the kernel of "
             << requirements.subgroupSize;
    requirements.subgroupSize = interface.subgroup;
    requirements.require(bundle::Feature::SubgroupSizeControl);
    requirements.require(bundle::Feature::FullSubgroups);
  }
  for (auto function : module.getOps<spirv::FuncOp>())
    if (auto instruction = spv::getExtensionInstruction(function))
      requirements.require(featureOf(*instruction));
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
    bundle::MatrixShape shape = shapeOf(op);
    if (llvm::find(requirements.matrixShapes, shape) ==
        requirements.matrixShapes.end())
      requirements.matrixShapes.push_back(shape);
  });
  return success();
}

FailureOr<bundle::Module> exporting::serializeModule(spirv::ModuleOp module) {
  if (failed(spv::verifyExtensionInstructions(module)))
    return failure();
  SmallVector<uint32_t> words;
  spirv::SerializationOptions options;
  options.emitSymbolName = false; // the entry point keeps its name
  if (failed(spirv::serialize(module, words, options)))
    return module.emitOpError("cannot be serialised");
  std::string error;
  if (failed(spv::resolveExtensionInstructions(words, error)))
    return module.emitOpError("cannot be serialised: ") << error;
  bundle::Module result;
  result.kind = bundle::ModuleKind::Spirv;
  result.name = module.getSymName().value_or("module").str();
  result.bytes.reserve(words.size() * 4);
  for (uint32_t word : words)
    for (unsigned byte = 0; byte < 4; ++byte)
      result.bytes.push_back(uint8_t(word >> (8 * byte)));
  return result;
}

/// Adds the compiled programs of one kind to the bundle.
template <typename ModuleOpT>
static LogicalResult exportPrograms(ModuleOp module, StringRef row,
                                    bundle::Bundle &out,
                                    ProgramInterfaces &programs,
                                    llvm::StringMap<ModuleOpT> &modules) {
  auto binaries = llvm::to_vector(module.getOps<ModuleOpT>());
  std::vector<ProgramInterface> interfaces;
  for (ModuleOpT binary : binaries) {
    FailureOr<ProgramInterface> interface = readInterface(binary);
    if (failed(interface))
      return failure();
    interfaces.push_back(std::move(*interface));
  }
  // The back ends take most of the time.
  std::vector<bundle::Module> serialized(binaries.size());
  auto serialize = [&](size_t i) -> LogicalResult {
    FailureOr<bundle::Module> bytes = serializeModule(binaries[i]);
    if (failed(bytes))
      return failure();
    serialized[i] = std::move(*bytes);
    return success();
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, binaries.size(),
                                      serialize)))
    return failure();
  for (auto [binary, interface, bytes] :
       llvm::zip(binaries, interfaces, serialized)) {
    StringRef symbol = interface.entryPoint;
    if (auto name = binary->template getAttrOfType<StringAttr>(
            SymbolTable::getSymbolAttrName()))
      symbol = name.getValue();
    bytes.name = (row + "/" + symbol).str();
    interface.module = out.modules.size();
    out.modules.push_back(std::move(bytes));
    modules[symbol] = binary;
    programs[symbol] = std::move(interface);
  }
  return success();
}

LogicalResult exporting::exportModule(ModuleOp module, StringRef row,
                                      bundle::Bundle &out) {
  ProgramInterfaces programs;
  llvm::StringMap<spirv::ModuleOp> spirvModules;
  llvm::StringMap<gpu::GPUModuleOp> cudaModules;
  if (failed(exportPrograms(module, row, out, programs, spirvModules)) ||
      failed(exportPrograms(module, row, out, programs, cudaModules)))
    return failure();
  if (!spirvModules.empty() && !cudaModules.empty())
    return module.emitError("holds programs in SPIR-V and for CUDA; expected "
                            "those of one target");
  bool isCuda = !cudaModules.empty();
  auto plans = module.getOps<tile::PlanOp>();
  if (plans.empty())
    return module.emitError(
        "holds no tile.plan; a bundle needs a launch plan for each kernel");
  for (tile::PlanOp plan : plans) {
    FailureOr<std::vector<bundle::Argument>> arguments = exportArguments(plan);
    if (failed(arguments))
      return failure();
    FailureOr<bundle::Plan> exported = exportPlan(plan, programs);
    if (failed(exported))
      return failure();
    bundle::Implementation implementation;
    implementation.target =
        isCuda ? bundle::TargetKind::Cuda : bundle::TargetKind::Vulkan;
    implementation.row = row.str();
    implementation.schedule = plan.getSchedule().value_or("").str();
    implementation.plan = std::move(*exported);
    WalkResult walk = plan.walk([&](tile::DispatchOp dispatch) {
      StringRef program = dispatch.getProgram();
      bundle::Requirements &requirements = implementation.requirements;
      return WalkResult(isCuda
                            ? addRequirements(cudaModules[program],
                                              programs[program], requirements)
                            : addRequirements(spirvModules[program],
                                              programs[program], requirements));
    });
    if (walk.wasInterrupted())
      return failure();

    std::string name = plan.getSymName().str();
    auto kernel = llvm::find_if(
        out.kernels, [&](const bundle::Kernel &k) { return k.name == name; });
    if (kernel == out.kernels.end()) {
      kernel = out.kernels.insert(out.kernels.end(), bundle::Kernel());
      kernel->name = name;
      kernel->arguments = *arguments;
    }
    auto same = [](const bundle::Argument &a, const bundle::Argument &b) {
      return a.name == b.name && a.kind == b.kind && a.type == b.type &&
             a.isResult == b.isResult && a.extents == b.extents &&
             a.packedBy == b.packedBy;
    };
    if (kernel->arguments.size() != arguments->size() ||
        !std::equal(arguments->begin(), arguments->end(),
                    kernel->arguments.begin(), same))
      return plan.emitOpError("has other arguments than the kernel of this "
                              "name that the bundle already holds");
    kernel->implementations.push_back(std::move(implementation));
  }
  return success();
}
