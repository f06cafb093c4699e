// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Instructions that the spirv dialect lacks: calls in a module, words of their
// own in the binary. Numbers are those of SPV_NV_cooperative_matrix2 and of
// SPV_EXT_cooperative_matrix_maintenance1.

#include "helios/Targets/SPIRV/Extensions.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Target/SPIRV/SPIRVBinaryUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace helios;
using namespace helios::spv;

/// Linkage names are "helios:NAME" with literals ("#1") and functions ("@name")
/// behind the operands, each after a colon.
static constexpr llvm::StringLiteral kPrefix = "helios:";
static constexpr llvm::StringLiteral kMaximum = "helios_maximum";

namespace {
struct Entry {
  ExtensionInstruction instruction;
  StringRef name;
  uint32_t opcode, capability;
  StringRef with; ///< the extension
};
} // namespace

static constexpr uint32_t kReduceRows = 1, kReduceColumns = 2;
static constexpr uint32_t kConvert = 5293, kReduce = 5366,
                          kNarrow = uint32_t(spirv::Opcode::OpFConvert);

static const Entry kEntries[] = {
    {ExtensionInstruction::ConvertMatrix, "convert", kConvert, 5431, kMatrix2},
    {ExtensionInstruction::NarrowMatrix, "narrow", kNarrow, 5431, kMatrix2},
    {ExtensionInstruction::ReduceMatrix, "reduce", kReduce, 5430, kMatrix2},
    {ExtensionInstruction::ConvertMatrixExt, "convert_ext", kConvert, 5429,
     kMaintenance1},
    {ExtensionInstruction::NarrowMatrixExt, "narrow_ext", kNarrow, 5429,
     kMaintenance1},
    {ExtensionInstruction::ReduceMatrixExt, "reduce_ext", kReduce, 5430,
     kMaintenance1},
};

/// The name of what an extension calls by an opcode.
static StringRef nameOf(uint32_t opcode, StringRef with) {
  return llvm::find_if(kEntries,
                       [&](const Entry &entry) {
                         return entry.opcode == opcode && entry.with == with;
                       })
      ->name;
}

static const Entry *entryOf(StringRef linkageName) {
  if (!linkageName.consume_front(kPrefix))
    return nullptr;
  StringRef name = linkageName.split(':').first;
  for (const Entry &entry : kEntries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static spirv::LinkageAttributesAttr
linkage(MLIRContext *context, StringRef name, spirv::LinkageType type) {
  return spirv::LinkageAttributesAttr::get(
      context, StringAttr::get(context, name),
      spirv::LinkageTypeAttr::get(context, type));
}

static StringRef linkageName(spirv::FuncOp function) {
  auto attribute = function.getLinkageAttributesAttr();
  return attribute ? attribute.getLinkageName().getValue() : StringRef();
}

/// The function of this linkage name and type, declared where it is not yet.
static spirv::FuncOp declare(ImplicitLocOpBuilder &b, spirv::ModuleOp module,
                             StringRef name, FunctionType type) {
  unsigned count = 0;
  for (auto function : module.getOps<spirv::FuncOp>()) {
    if (linkageName(function) == name && function.getFunctionType() == type)
      return function;
    ++count;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = spirv::FuncOp::create(
      b, "helios_instruction_" + std::to_string(count), type);
  function.setLinkageAttributesAttr(
      linkage(b.getContext(), name, spirv::LinkageType::Import));
  return function;
}

static Value call(ImplicitLocOpBuilder &b, spirv::ModuleOp module,
                  StringRef name, Value operand, Type result) {
  spirv::FuncOp function = declare(
      b, module, name, b.getFunctionType({operand.getType()}, {result}));
  return spirv::FunctionCallOp::create(
             b, TypeRange{result},
             FlatSymbolRefAttr::get(function.getSymNameAttr()),
             ValueRange{operand}, ArrayAttr(), ArrayAttr())
      .getResult(0);
}

Value spv::convertMatrix(ImplicitLocOpBuilder &b, spirv::ModuleOp module,
                         StringRef with, Value matrix,
                         spirv::CooperativeMatrixType result) {
  auto type = cast<spirv::CooperativeMatrixType>(matrix.getType());
  bool same = type.getElementType() == result.getElementType();
  return call(b, module,
              (kPrefix + nameOf(same ? kConvert : kNarrow, with)).str(), matrix,
              result);
}

/// The function of two elements whose result is the larger, or NaN where one
/// is and that matters.
static spirv::FuncOp declareMaximum(ImplicitLocOpBuilder &b,
                                    spirv::ModuleOp module, Type element,
                                    bool nnan) {
  std::string name = (kMaximum + (nnan ? "_nnan_f" : "_f") +
                      Twine(element.getIntOrFloatBitWidth()))
                         .str();
  if (auto known = module.lookupSymbol<spirv::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = spirv::FuncOp::create(
      b, name, b.getFunctionType({element, element}, {element}));
  function.setLinkageAttributesAttr(
      linkage(b.getContext(), name, spirv::LinkageType::Export));
  b.setInsertionPointToStart(function.addEntryBlock());
  Value x = function.getArgument(0), y = function.getArgument(1);
  Value larger = spirv::GLFMaxOp::create(b, x, y);
  if (nnan) {
    spirv::ReturnValueOp::create(b, larger);
    return function;
  }
  // A maximum of SPIR-V need not hand NaN on.
  Value isNan = spirv::LogicalOrOp::create(b, spirv::IsNanOp::create(b, x),
                                           spirv::IsNanOp::create(b, y));
  Value nan = spirv::ConstantOp::create(
      b, element,
      b.getFloatAttr(
          element,
          APFloat::getQNaN(cast<FloatType>(element).getFloatSemantics())));
  spirv::ReturnValueOp::create(b,
                               spirv::SelectOp::create(b, isNan, nan, larger));
  return function;
}

Value spv::maximumOfMatrix(ImplicitLocOpBuilder &b, spirv::ModuleOp module,
                           StringRef with, Value matrix, int64_t dim,
                           bool nnan) {
  auto type = cast<spirv::CooperativeMatrixType>(matrix.getType());
  spirv::FuncOp combine =
      declareMaximum(b, module, type.getElementType(), nnan);
  std::string name = (kPrefix + nameOf(kReduce, with) + ":#" +
                      Twine(dim == 1 ? kReduceRows : kReduceColumns) + ":@" +
                      combine.getSymName())
                         .str();
  return call(b, module, name, matrix, type);
}

std::optional<ExtensionInstruction>
spv::getExtensionInstruction(spirv::FuncOp function) {
  const Entry *entry = entryOf(linkageName(function));
  return entry ? std::optional(entry->instruction) : std::nullopt;
}

LogicalResult spv::verifyExtensionInstructions(spirv::ModuleOp module) {
  for (auto function : module.getOps<spirv::FuncOp>()) {
    auto attribute = function.getLinkageAttributesAttr();
    if (!attribute ||
        attribute.getLinkageType().getValue() != spirv::LinkageType::Import ||
        getExtensionInstruction(function))
      continue;
    InFlightDiagnostic error = function.emitOpError("imports \"")
                               << linkageName(function)
                               << "\", but Vulkan links no modules; expected "
                                  "the name of an instruction, one of";
    for (const Entry &entry : kEntries)
      error << " \"" << kPrefix << entry.name << "\"";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
/// One instruction of a binary: its opcode and its operands' words.
struct Words {
  uint32_t opcode;
  SmallVector<uint32_t> operands;
};
} // namespace

static constexpr size_t kHeaderWords = 5;
static constexpr uint32_t kLinkageAttributes = 41; // of Decoration

static uint32_t number(spirv::Opcode opcode) { return uint32_t(opcode); }

static std::string textOf(ArrayRef<uint32_t> words) {
  std::string text;
  for (uint32_t word : words)
    for (unsigned byte = 0; byte < 4; ++byte) {
      char c = char(word >> (8 * byte));
      if (!c)
        return text;
      text += c;
    }
  return text;
}

static SmallVector<uint32_t> wordsOf(StringRef text) {
  SmallVector<uint32_t> words;
  spirv::encodeStringLiteralInto(words, text);
  return words;
}

LogicalResult
spv::resolveExtensionInstructions(SmallVectorImpl<uint32_t> &words,
                                  std::string &error) {
  std::vector<Words> all;
  for (size_t i = kHeaderWords; i < words.size();) {
    size_t count = words[i] >> 16;
    if (!count || i + count > words.size()) {
      error = "an instruction reaches beyond the end of the binary";
      return failure();
    }
    all.push_back({words[i] & 0xffff,
                   {words.begin() + i + 1, words.begin() + i + count}});
    i += count;
  }
  // Functions by their linkage names.
  llvm::DenseMap<uint32_t, std::string> names;
  llvm::StringMap<uint32_t> ids;
  for (const Words &w : all)
    if (w.opcode == number(spirv::Opcode::OpDecorate) &&
        w.operands[1] == kLinkageAttributes) {
      names[w.operands[0]] = textOf(ArrayRef(w.operands).drop_front(2));
      ids[names[w.operands[0]]] = w.operands[0];
    }
  if (names.empty())
    return success();
  llvm::SetVector<uint32_t> capabilities;
  llvm::SetVector<StringRef> extensions;
  std::vector<Words> kept;
  bool skipping = false;
  for (Words &w : all) {
    auto isNamed = [&](size_t operand) {
      return names.count(w.operands[operand]);
    };
    if (w.opcode == number(spirv::Opcode::OpFunction) && isNamed(1) &&
        entryOf(names[w.operands[1]]))
      skipping = true;
    if (skipping) {
      skipping = w.opcode != number(spirv::Opcode::OpFunctionEnd);
      continue;
    }
    if (w.opcode == number(spirv::Opcode::OpDecorate) &&
        w.operands[1] == kLinkageAttributes)
      continue;
    const Entry *entry =
        w.opcode == number(spirv::Opcode::OpFunctionCall) && isNamed(2)
            ? entryOf(names[w.operands[2]])
            : nullptr;
    if (entry) {
      StringRef name = names[w.operands[2]];
      w.opcode = entry->opcode;
      w.operands.erase(w.operands.begin() + 2);
      SmallVector<StringRef> tokens;
      name.drop_front(kPrefix.size()).split(tokens, ':');
      for (StringRef token : ArrayRef(tokens).drop_front()) {
        uint32_t literal;
        if (token.consume_front("#") && !token.getAsInteger(10, literal)) {
          w.operands.push_back(literal);
        } else if (token.consume_front("@") && ids.count(token)) {
          w.operands.push_back(ids[token]);
        } else {
          error = "no word for '" + token.str() + "' of '" + name.str() + "'";
          return failure();
        }
      }
      capabilities.insert(entry->capability);
      extensions.insert(entry->with);
    }
    kept.push_back(std::move(w));
  }
  // Capabilities come first, extensions behind them.
  auto last = llvm::find_if(kept, [](const Words &w) {
    return w.opcode != number(spirv::Opcode::OpCapability);
  });
  std::vector<Words> added;
  for (uint32_t capability : capabilities)
    added.push_back({number(spirv::Opcode::OpCapability), {capability}});
  for (StringRef with : extensions)
    added.push_back(
        {number(spirv::Opcode::OpExtension), wordsOf(("SPV_" + with).str())});
  kept.insert(last, added.begin(), added.end());
  words.resize(kHeaderWords);
  for (const Words &w : kept) {
    words.push_back(uint32_t(w.operands.size() + 1) << 16 | w.opcode);
    llvm::append_range(words, w.operands);
  }
  return success();
}
