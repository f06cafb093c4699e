// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled CUDA program as PTX, with its interface and what it asks of the
// device.

#include "helios/Targets/Export/Export.h"
#include "helios/Targets/PTX/Emit.h"
#include "helios/Targets/PTX/Rows.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace helios;
using namespace helios::exporting;

namespace {

/// Reads the attribute of one module.
class InterfaceReader {
public:
  InterfaceReader(gpu::GPUModuleOp module, ProgramInterface &out)
      : module(module), out(out) {}

  LogicalResult run();

private:
  LogicalResult number(DictionaryAttr from, StringRef key, int64_t least,
                       uint32_t &value);
  LogicalResult parameter(Attribute entry);
  LogicalResult tensorMap(Attribute entry);
  FailureOr<SmallVector<ProgramInterface::Quantity>>
  quantities(DictionaryAttr map, StringRef key);
  LogicalResult bindingsOfTensorMaps();
  InFlightDiagnostic malformed(const Twine &expected, Attribute got) {
    return module.emitOpError("expected '")
           << kInterfaceAttr << "' to hold " << expected << ", got " << got;
  }

  gpu::GPUModuleOp module;
  ProgramInterface &out;
};

} // namespace

LogicalResult InterfaceReader::number(DictionaryAttr from, StringRef key,
                                      int64_t least, uint32_t &value) {
  auto attribute = from.getAs<IntegerAttr>(key);
  if (!attribute || attribute.getInt() < least ||
      attribute.getInt() > INT32_MAX)
    return malformed("a number '" + key + "' of at least " + Twine(least),
                     from);
  value = attribute.getInt();
  return success();
}

LogicalResult InterfaceReader::parameter(Attribute entry) {
  using Kind = ProgramInterface::Parameter::Kind;
  auto dict = dyn_cast<DictionaryAttr>(entry);
  auto kind = dict ? dict.getAs<StringAttr>("kind") : StringAttr();
  auto which = kind ? llvm::StringSwitch<std::optional<Kind>>(kind.getValue())
                          .Case("pointer", Kind::Pointer)
                          .Case("scalar", Kind::Scalar)
                          .Case("tensor_map", Kind::TensorMap)
                          .Default(std::nullopt)
                    : std::nullopt;
  if (!which)
    return malformed("parameters whose 'kind' is \"pointer\", \"scalar\" or "
                     "\"tensor_map\"",
                     entry);
  uint32_t index = 0;
  if (failed(number(dict, *which == Kind::TensorMap ? "map" : "argument", 0,
                    index)))
    return failure();
  out.parameters.push_back({*which, index});
  if (*which != Kind::Pointer)
    return success();
  auto access = dict.getAs<StringAttr>("access");
  auto mode =
      access
          ? llvm::StringSwitch<std::optional<bundle::Access>>(access.getValue())
                .Case("read", bundle::Access::Read)
                .Case("write", bundle::Access::Write)
                .Case("readwrite", bundle::Access::ReadWrite)
                .Default(std::nullopt)
          : std::nullopt;
  if (!mode)
    return malformed("pointers whose 'access' is \"read\", \"write\" or "
                     "\"readwrite\"",
                     entry);
  out.bindings.push_back({index, index, *mode, dict.contains("early")});
  return success();
}

FailureOr<SmallVector<ProgramInterface::Quantity>>
InterfaceReader::quantities(DictionaryAttr map, StringRef key) {
  SmallVector<ProgramInterface::Quantity> result;
  auto wrong = [&](Attribute got) {
    return malformed("'" + key +
                         "' of [0, constant], [1, argument] or "
                         "[2, argument, factor]",
                     got);
  };
  auto list = map.getAs<ArrayAttr>(key);
  if (!list)
    return wrong(map);
  for (Attribute entry : list) {
    SmallVector<int64_t> words;
    if (auto array = dyn_cast<ArrayAttr>(entry))
      for (Attribute word : array)
        if (auto integer = dyn_cast<IntegerAttr>(word))
          words.push_back(integer.getInt());
    bool known = words.size() >= 2 && words[0] >= 0 && words[0] <= 2 &&
                 words.size() == (words[0] == 2 ? 3 : 2);
    if (!known || (words[0] > 0 && (words[1] < 0 || words[1] > INT32_MAX)))
      return wrong(entry);
    ProgramInterface::Quantity quantity;
    if (words[0] == 0) {
      quantity.constant = words[1];
    } else {
      quantity.argument = unsigned(words[1]);
      quantity.constant = words[0] == 2 ? words[2] : 1;
    }
    result.push_back(quantity);
  }
  return result;
}

LogicalResult InterfaceReader::tensorMap(Attribute entry) {
  auto dict = dyn_cast<DictionaryAttr>(entry);
  if (!dict)
    return malformed("tensor maps as dictionaries", entry);
  ProgramInterface::TensorMap map;
  uint32_t argument = 0;
  if (failed(number(dict, "argument", 0, argument)) ||
      failed(number(dict, "swizzle", 0, map.swizzle)))
    return failure();
  map.argument = argument;
  auto element = dict.getAs<TypeAttr>("element");
  auto type = element ? getElementType(element.getValue()) : std::nullopt;
  if (!type)
    return malformed("tensor maps of a type 'element' of memory", entry);
  map.type = *type;
  FailureOr<SmallVector<ProgramInterface::Quantity>> extents = quantities(
                                                         dict, "extents"),
                                                     strides = quantities(
                                                         dict, "strides");
  if (failed(extents) || failed(strides))
    return failure();
  map.extents = std::move(*extents);
  map.strides = std::move(*strides);
  auto box = dict.getAs<ArrayAttr>("box");
  for (Attribute extent : box ? box.getValue() : ArrayRef<Attribute>())
    if (auto integer = dyn_cast<IntegerAttr>(extent);
        integer && integer.getInt() >= 1 && integer.getInt() <= INT32_MAX)
      map.box.push_back(integer.getInt());
  if (!box || map.box.size() != box.size() ||
      map.box.size() != map.extents.size() ||
      map.strides.size() + 1 != map.extents.size())
    return malformed("tensor maps with a 'box' as long as 'extents' and one "
                     "stride fewer",
                     entry);
  out.tensorMaps.push_back(std::move(map));
  return success();
}

/// A tensor that only bulk copies read has no pointer.
LogicalResult InterfaceReader::bindingsOfTensorMaps() {
  for (const ProgramInterface::Parameter &parameter : out.parameters)
    if (parameter.kind == ProgramInterface::Parameter::Kind::TensorMap &&
        parameter.index >= out.tensorMaps.size())
      return module.emitOpError("expected '")
             << kInterfaceAttr << ".tensor_maps' to hold number "
             << parameter.index << ", got " << out.tensorMaps.size();
  for (const ProgramInterface::TensorMap &map : out.tensorMaps)
    if (llvm::none_of(out.bindings,
                      [&](const ProgramInterface::Binding &binding) {
                        return binding.argument == map.argument;
                      }))
      out.bindings.push_back(
          {map.argument, map.argument, bundle::Access::Read});
  return success();
}

LogicalResult InterfaceReader::run() {
  auto dict = module->getAttrOfType<DictionaryAttr>(kInterfaceAttr);
  if (!dict)
    return module.emitOpError("expected an attribute '")
           << kInterfaceAttr << "' that says how the module is launched";
  if (failed(number(dict, "threads", 1, out.threads)) ||
      failed(number(dict, "shared_bytes", 0, out.sharedBytes)) ||
      failed(number(dict, "cluster", 1, out.cluster)))
    return failure();
  if (Attribute flag = dict.get("dependent")) {
    auto dependent = dyn_cast<BoolAttr>(flag);
    if (!dependent)
      return malformed("a flag 'dependent'", dict);
    out.dependent = dependent.getValue();
  }
  auto sm = dict.getAs<StringAttr>("sm");
  if (!sm)
    return malformed("an architecture 'sm'", dict);
  out.sm = sm.str();
  auto parameters = dict.getAs<ArrayAttr>("parameters");
  auto maps = dict.getAs<ArrayAttr>("tensor_maps");
  if (!parameters || !maps)
    return malformed("lists 'parameters' and 'tensor_maps'", dict);
  for (Attribute entry : parameters)
    if (failed(parameter(entry)))
      return failure();
  for (Attribute entry : maps)
    if (failed(tensorMap(entry)))
      return failure();
  SmallVector<StringRef> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      kernels.push_back(function.getName());
  if (kernels.size() != 1)
    return module.emitOpError("expected one function with 'nvvm.kernel', got ")
           << kernels.size();
  out.entryPoint = kernels.front().str();
  return bindingsOfTensorMaps();
}

FailureOr<ProgramInterface> exporting::readInterface(gpu::GPUModuleOp module) {
  ProgramInterface result;
  if (failed(InterfaceReader(module, result).run()))
    return failure();
  return result;
}

LogicalResult exporting::addRequirements(gpu::GPUModuleOp module,
                                         const ProgramInterface &interface,
                                         bundle::Requirements &requirements) {
  const ptx::Row *row = ptx::findRow(interface.sm);
  if (!row) {
    InFlightDiagnostic diag = module.emitOpError("expected '")
                              << kInterfaceAttr
                              << ".sm' to be a row of the table, got '"
                              << interface.sm << "'; the rows are";
    for (const ptx::Row &known : ptx::getRows())
      diag << " '" << known.name << "'";
    return diag;
  }
  requirements.computeCapability = uint32_t(10 * row->major + row->minor);
  requirements.exactComputeCapability = row->archSpecific;
  requirements.minApiVersion =
      std::max(requirements.minApiVersion, uint32_t(row->driverVersion));
  auto attribute = module->getAttrOfType<DictionaryAttr>(kInterfaceAttr);
  auto version = attribute.getAs<IntegerAttr>("ptx_version");
  for (const ptx::MmaShape &shape : row->shapes)
    if (version && shape.ptxVersion > row->ptxVersion &&
        shape.ptxVersion <= version.getInt())
      requirements.minApiVersion =
          std::max(requirements.minApiVersion, uint32_t(shape.driverVersion));
  requirements.sharedMemoryBytes =
      std::max(requirements.sharedMemoryBytes, interface.sharedBytes);
  requirements.workgroupInvocations =
      std::max(requirements.workgroupInvocations, interface.threads);
  return success();
}

FailureOr<bundle::Module> exporting::serializeModule(gpu::GPUModuleOp module) {
  FailureOr<std::string> text = ptx::emitPTX(module);
  if (failed(text))
    return failure();
  bundle::Module result;
  result.kind = bundle::ModuleKind::Ptx;
  result.name = module.getName().str();
  result.bytes.assign(text->begin(), text->end());
  return result;
}
