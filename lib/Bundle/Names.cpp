//===- Names.cpp - Names of enumerators -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Bundle.h"

namespace helios::bundle {

namespace {

struct ScalarRow {
  const char *name;
  uint8_t arity;
};

// In the order of ScalarOpKind.
const ScalarRow scalarRows[] = {
    {"accumulator", 0}, {"fused", 0},    {"index", 0},      {"const", 0},
    {"scalar_arg", 0},  {"add", 2},      {"sub", 2},        {"mul", 2},
    {"div", 2},         {"divui", 2},    {"floordivsi", 2}, {"ceildivsi", 2},
    {"rem", 2},         {"remui", 2},    {"neg", 1},        {"abs", 1},
    {"minimum", 2},     {"maximum", 2},  {"minnum", 2},     {"maxnum", 2},
    {"minsi", 2},       {"maxsi", 2},    {"minui", 2},      {"maxui", 2},
    {"fma", 3},         {"exp", 1},      {"exp2", 1},       {"expm1", 1},
    {"log", 1},         {"log2", 1},     {"log10", 1},      {"log1p", 1},
    {"sin", 1},         {"cos", 1},      {"tan", 1},        {"asin", 1},
    {"acos", 1},        {"atan", 1},     {"atan2", 2},      {"sinh", 1},
    {"cosh", 1},        {"tanh", 1},     {"asinh", 1},      {"acosh", 1},
    {"atanh", 1},       {"erf", 1},      {"erfc", 1},       {"sqrt", 1},
    {"rsqrt", 1},       {"cbrt", 1},     {"pow", 2},        {"ipow", 2},
    {"floor", 1},       {"ceil", 1},     {"round", 1},      {"trunc", 1},
    {"roundeven", 1},   {"copysign", 2}, {"isnan", 1},      {"isinf", 1},
    {"isfinite", 1},    {"cmp", 2},      {"select", 3},     {"and", 2},
    {"or", 2},          {"xor", 2},      {"shl", 2},        {"shrsi", 2},
    {"shrui", 2},       {"cast", 1},     {"castu", 1},      {"bitcast", 1},
    {"extent", 0},
};
static_assert(sizeof(scalarRows) / sizeof(scalarRows[0]) == kNumScalarOps);

const char *const cmpNames[] = {"eq",  "ne",  "slt",   "sle", "sgt", "sge",
                                "ult", "ule", "ugt",   "uge", "oeq", "ogt",
                                "oge", "olt", "ole",   "one", "ord", "ueq",
                                "une", "uno", "false", "true"};
static_assert(sizeof(cmpNames) / sizeof(cmpNames[0]) == kNumCmpPredicates);

struct ExprRow {
  const char *name;
  uint8_t operands;
};

const ExprRow exprRows[] = {
    {"const", 0},  {"extent", 0}, {"stride", 0},   {"alignment", 0},
    {"scalar", 0}, {"device", 0}, {"offset", 0},   {"add", 2},
    {"sub", 2},    {"mul", 2},    {"floordiv", 2}, {"ceildiv", 2},
    {"rem", 2},    {"min", 2},    {"max", 2},      {"eq", 2},
    {"ne", 2},     {"lt", 2},     {"le", 2},       {"and", 2},
    {"or", 2},     {"not", 1},    {"select", 3},
};
static_assert(sizeof(exprRows) / sizeof(exprRows[0]) == kNumExprOps);

const char *const propertyNames[] = {"computeUnits",
                                     "subgroupSize",
                                     "maxStorageBufferRange",
                                     "sharedMemoryBytes",
                                     "maxWorkgroupInvocations",
                                     "isCpu",
                                     "clustersOf2",
                                     "clustersOf4",
                                     "clustersOf8"};
static_assert(sizeof(propertyNames) / sizeof(propertyNames[0]) ==
              kNumDeviceProperties);

const char *const featureNames[] = {"storageBuffer16BitAccess",
                                    "storageBuffer8BitAccess",
                                    "shaderFloat16",
                                    "shaderInt8",
                                    "shaderInt16",
                                    "shaderInt64",
                                    "shaderFloat64",
                                    "shaderBFloat16Type",
                                    "shaderBFloat16CooperativeMatrix",
                                    "cooperativeMatrix",
                                    "vulkanMemoryModel",
                                    "vulkanMemoryModelDeviceScope",
                                    "subgroupSizeControl",
                                    "computeFullSubgroups",
                                    "subgroupShuffle",
                                    "subgroupArithmetic",
                                    "workgroupMemoryExplicitLayout",
                                    "workgroupMemoryExplicitLayout16BitAccess",
                                    "workgroupMemoryExplicitLayout8BitAccess",
                                    "bufferDeviceAddress",
                                    "uniformAndStorageBuffer16BitAccess",
                                    "storagePushConstant16",
                                    "cooperativeMatrixReductions",
                                    "cooperativeMatrixConversions",
                                    "cooperativeMatrixReductionsExt",
                                    "cooperativeMatrixConversionsExt",
                                    "subgroupVote"};
static_assert(sizeof(featureNames) / sizeof(featureNames[0]) == kNumFeatures);

} // namespace

const char *scalarOpName(ScalarOpKind kind) {
  return scalarRows[static_cast<uint8_t>(kind)].name;
}
unsigned scalarOpArity(ScalarOpKind kind) {
  return scalarRows[static_cast<uint8_t>(kind)].arity;
}
std::optional<ScalarOpKind> parseScalarOp(const std::string &name) {
  for (uint8_t i = 0; i < kNumScalarOps; ++i)
    if (name == scalarRows[i].name)
      return static_cast<ScalarOpKind>(i);
  return std::nullopt;
}
const char *cmpPredicateName(CmpPredicate predicate) {
  return cmpNames[static_cast<uint8_t>(predicate)];
}

const char *parameterKindName(ParameterKind kind) {
  static const char *const names[] = {"pointer",  "scalar8",  "scalar16",
                                      "scalar32", "scalar64", "tensor map"};
  static_assert(sizeof(names) / sizeof(names[0]) == kNumParameterKinds);
  uint8_t i = static_cast<uint8_t>(kind);
  return i < kNumParameterKinds ? names[i] : "?";
}

uint32_t parameterBytes(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Scalar8:
    return 1;
  case ParameterKind::Scalar16:
    return 2;
  case ParameterKind::Scalar32:
    return 4;
  case ParameterKind::Pointer:
  case ParameterKind::Scalar64:
    return 8;
  case ParameterKind::TensorMap:
    return 128;
  }
  return 0;
}

const char *exprOpName(ExprOp op) {
  return exprRows[static_cast<uint8_t>(op)].name;
}
unsigned exprOperandCount(ExprOp op) {
  return exprRows[static_cast<uint8_t>(op)].operands;
}
const char *devicePropertyName(DeviceProperty property) {
  return propertyNames[static_cast<uint32_t>(property)];
}
const char *originName(Origin origin) {
  static const char *const names[] = {"the user", "the model", "the table"};
  static_assert(sizeof(names) / sizeof(names[0]) == kNumOrigins);
  return names[static_cast<uint8_t>(origin)];
}
const char *featureName(Feature feature) {
  return featureNames[static_cast<uint32_t>(feature)];
}
const char *targetKindName(TargetKind kind) {
  return kind == TargetKind::Vulkan ? "vulkan" : "cuda";
}

std::string toString(const MatrixShape &s) {
  std::string t = std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
                  std::to_string(s.k) + " ";
  t += std::string(elementTypeName(s.a)) + "*" + elementTypeName(s.b) + "+" +
       elementTypeName(s.c) + "->" + elementTypeName(s.result);
  t += s.scope == MatrixScope::Subgroup ? " subgroup" : " workgroup";
  if (s.saturating)
    t += " saturating";
  return t;
}

} // namespace helios::bundle
