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

SmallVector<Value> helios::ptx::inlinePtx(ImplicitLocOpBuilder &b,
                                          StringRef text, TypeRange results,
                                          ValueRange tied,
                                          ValueRange operands) {
  std::string constraints;
  auto append = [&](const Twine &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint.str();
  };
  for (Type type : results)
    append(Twine('=') + Twine(registerLetter(type)));
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
  auto assembly = LLVM::InlineAsmOp::create(
      b, type ? TypeRange(type) : TypeRange(), inputs, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
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
