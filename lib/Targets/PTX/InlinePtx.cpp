// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InlinePtx.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

/// The letter of the registers that hold a type.
static char registerLetter(Type type) {
  if (type.isF32())
    return 'f';
  if (type.isInteger(1))
    return 'b';
  // Pointers to global memory.
  if (isa<LLVM::LLVMPointerType>(type))
    return 'l';
  return type.isInteger(64) ? 'l' : 'r';
}

static LLVM::InlineAsmOp assemble(ImplicitLocOpBuilder &b, StringRef text,
                                  StringRef constraints, Type result,
                                  ValueRange inputs, bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), inputs, text, constraints,
      hasSideEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

Value helios::ptx::purePtx(ImplicitLocOpBuilder &b, StringRef text,
                           StringRef constraints, Type result,
                           ValueRange operands) {
  return assemble(b, text, constraints, result, operands,
                  /*hasSideEffects=*/false)
      .getResult(0);
}

SmallVector<Value> helios::ptx::inlinePtx(ImplicitLocOpBuilder &b,
                                          StringRef text, TypeRange results,
                                          ValueRange tied,
                                          ValueRange operands) {
  std::string constraints;
  auto append = [&](const Twine &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
  };
  for (auto [i, type] : llvm::enumerate(results))
    append(Twine(i < tied.size() ? "=" : "=&") + Twine(registerLetter(type)));
  for (size_t i = 0; i < tied.size(); ++i)
    append(Twine(i));
  for (Value value : operands)
    append(Twine(registerLetter(value.getType())));
  append("~{memory}");
  SmallVector<Value> inputs(tied);
  llvm::append_range(inputs, operands);
  SmallVector<Type> types(results);
  Type type = types.empty() ? Type()
              : types.size() == 1
                  ? types.front()
                  : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  LLVM::InlineAsmOp assembly =
      assemble(b, text, constraints, type, inputs, /*hasSideEffects=*/true);
  if (types.size() < 2)
    return SmallVector<Value>(assembly->getResults());
  SmallVector<Value> parts;
  for (int64_t i = 0, e = types.size(); i < e; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(b, assembly.getRes(), i));
  return parts;
}

SmallVector<Value> helios::ptx::threadThrough(ImplicitLocOpBuilder &b,
                                              StringRef text,
                                              ValueRange values) {
  return inlinePtx(b, text, values.getTypes(), values, {});
}
