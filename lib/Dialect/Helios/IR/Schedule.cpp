// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #helios.schedule: text forms and checks, all driven by the list in
// ScheduleParameters.def.

#include "helios/Dialect/Helios/IR/Schedule.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios;

/// The side of a packed operand, for the generated parser and printer.
static ParseResult parseOperandSide(AsmParser &parser, bool &rhs) {
  rhs = succeeded(parser.parseOptionalKeyword("rhs"));
  return rhs ? success() : parser.parseKeyword("lhs");
}
static void printOperandSide(AsmPrinter &p, bool rhs) {
  p << (rhs ? "rhs" : "lhs");
}

#include "helios/Dialect/Helios/IR/HeliosEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Helios/IR/HeliosAttrs.cpp.inc"

void HeliosDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helios/Dialect/Helios/IR/HeliosAttrs.cpp.inc"
      >();
}

/// The parameter of that name, or null.
static const ScheduleParameter *findParameter(StringRef key) {
  for (const ScheduleParameter &parameter : kScheduleParameters)
    if (key == parameter.key)
      return &parameter;
  return nullptr;
}

static SmallVector<StringRef> choicesOf(const ScheduleParameter &parameter) {
  SmallVector<StringRef> words;
  StringRef(parameter.choices).split(words, '|');
  return words;
}

/// "strategy, tile, groups, ...".
static std::string knownKeys() {
  return llvm::join(llvm::map_range(kScheduleParameters,
                                    [](const ScheduleParameter &p) {
                                      return std::string(p.key);
                                    }),
                    ", ");
}

/// What a value of the parameter looks like: "3 integers (m, n, k), each from 1
/// to 1024".
static std::string describeValues(const ScheduleParameter &parameter) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (parameter.choices) {
    os << "one of " << llvm::join(choicesOf(parameter), ", ");
    return text;
  }
  if (parameter.count == 1)
    os << "an integer from ";
  else
    os << parameter.count << " integers (" << parameter.components
       << "), each from ";
  os << parameter.min << " to " << parameter.max;
  if (parameter.multiple != 1)
    os << " and a multiple of " << parameter.multiple;
  return text;
}

static SmallVector<int64_t> defaultValues() {
  SmallVector<int64_t> values;
  for (const ScheduleParameter &parameter : kScheduleParameters)
    values.append(parameter.defaults, parameter.defaults + parameter.count);
  return values;
}

/// Position of the word among the parameter's choices, or -1.
static int64_t findChoice(const ScheduleParameter &parameter, StringRef word) {
  for (auto [i, choice] : llvm::enumerate(choicesOf(parameter)))
    if (choice == word)
      return i;
  return -1;
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> values) {
  if (values.size() != kScheduleValueCount)
    return emitError() << "a schedule has " << unsigned(kScheduleValueCount)
                       << " values, got " << values.size();
  for (const ScheduleParameter &parameter : kScheduleParameters)
    for (int64_t value : values.slice(parameter.first, parameter.count))
      if (value < parameter.min || value > parameter.max ||
          value % parameter.multiple != 0)
        return emitError() << "schedule parameter '" << parameter.key
                           << "' must be " << describeValues(parameter)
                           << ", got " << value;
  return success();
}

ScheduleAttr ScheduleAttr::getDefault(MLIRContext *context) {
  return get(context, defaultValues());
}

ScheduleAttr ScheduleAttr::with(ScheduleValue first,
                                ArrayRef<int64_t> values) const {
  SmallVector<int64_t> all(getValues());
  llvm::copy(values, all.begin() + first);
  return get(getContext(), all);
}

StringRef ScheduleAttr::getStrategyName() const {
  static const SmallVector<StringRef> names =
      choicesOf(*findParameter("strategy"));
  return names[getStrategy()];
}

StringRef ScheduleAttr::getPackName() const {
  static const SmallVector<StringRef> names = choicesOf(*findParameter("pack"));
  return names[getPack()];
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> values = defaultValues();
  llvm::SmallDenseSet<StringRef> seen;
  SMLoc start = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return failure();
    const ScheduleParameter *parameter = findParameter(key);
    if (!parameter)
      return parser.emitError(loc) << "unknown schedule parameter '" << key
                                   << "'; expected one of " << knownKeys();
    if (!seen.insert(parameter->key).second)
      return parser.emitError(loc)
             << "schedule parameter '" << key << "' is given twice";
    if (parser.parseEqual())
      return failure();
    loc = parser.getCurrentLocation();
    auto outOfRange = [&]() {
      return parser.emitError(loc)
             << "schedule parameter '" << key << "' must be "
             << describeValues(*parameter);
    };
    if (parameter->choices) {
      StringRef word;
      if (parser.parseKeyword(&word))
        return failure();
      int64_t choice = findChoice(*parameter, word);
      if (choice < 0)
        return outOfRange() << ", got '" << word << "'";
      values[parameter->first] = choice;
      return success();
    }
    SmallVector<int64_t> given;
    auto parseInteger = [&]() {
      return parser.parseInteger(given.emplace_back());
    };
    if (parameter->count == 1 ? parseInteger()
                              : parser.parseCommaSeparatedList(
                                    AsmParser::Delimiter::Square, parseInteger))
      return failure();
    if (given.size() != parameter->count)
      return outOfRange() << ", got " << given.size() << " integers";
    for (int64_t value : given)
      if (value < parameter->min || value > parameter->max ||
          value % parameter->multiple != 0)
        return outOfRange() << ", got " << value;
    llvm::copy(given, values.begin() + parameter->first);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return getChecked([&] { return parser.emitError(start); },
                    parser.getContext(), values);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  bool first = true;
  for (const ScheduleParameter &parameter : kScheduleParameters) {
    ArrayRef<int64_t> values =
        getValues().slice(parameter.first, parameter.count);
    if (values == ArrayRef(parameter.defaults, parameter.count))
      continue;
    printer << (first ? "" : ", ") << parameter.key << " = ";
    first = false;
    if (parameter.choices)
      printer << choicesOf(parameter)[values[0]];
    else if (parameter.count == 1)
      printer << values[0];
    else
      printer << "[" << values << "]";
  }
  printer << ">";
}

ScheduleAttr
ScheduleAttr::parseString(StringRef text, MLIRContext *context,
                          function_ref<InFlightDiagnostic()> emitError,
                          SmallVectorImpl<ScheduleValue> *named) {
  SmallVector<int64_t> values = defaultValues();
  llvm::SmallDenseSet<StringRef> seen;
  SmallVector<StringRef> items;
  if (text.trim() != "default")
    text.split(items, ',');
  for (StringRef item : items) {
    auto [key, value] = item.split('=');
    key = key.trim();
    value = value.trim();
    const ScheduleParameter *parameter = findParameter(key);
    if (!parameter) {
      emitError() << "unknown schedule parameter '" << key
                  << "'; expected one of " << knownKeys();
      return {};
    }
    if (!seen.insert(parameter->key).second) {
      emitError() << "schedule parameter '" << key << "' is given twice";
      return {};
    }
    SmallVector<int64_t> given;
    bool valid = true;
    if (parameter->choices) {
      given.push_back(findChoice(*parameter, value));
      valid = given[0] >= 0;
    } else {
      SmallVector<StringRef> parts;
      value.split(parts, 'x');
      for (StringRef part : parts) {
        int64_t integer = 0;
        valid &= !part.getAsInteger(10, integer) && integer >= parameter->min &&
                 integer <= parameter->max &&
                 integer % parameter->multiple == 0;
        given.push_back(integer);
      }
    }
    if (!valid || given.size() != parameter->count) {
      emitError() << "schedule parameter '" << key << "' must be "
                  << describeValues(*parameter)
                  << (parameter->count > 1 ? " with 'x' between" : "")
                  << ", got '" << value << "'";
      return {};
    }
    llvm::copy(given, values.begin() + parameter->first);
    if (named)
      named->push_back(ScheduleValue(parameter->first));
  }
  return get(context, values);
}

std::string ScheduleAttr::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const ScheduleParameter &parameter : kScheduleParameters) {
    ArrayRef<int64_t> values =
        getValues().slice(parameter.first, parameter.count);
    if (values == ArrayRef(parameter.defaults, parameter.count))
      continue;
    os << (text.empty() ? "" : ",") << parameter.key << "=";
    if (parameter.choices)
      os << choicesOf(parameter)[values[0]];
    else
      llvm::interleave(values, os, "x");
  }
  return text.empty() ? "default" : text;
}

LogicalResult
TunedAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  int64_t choice, ArrayRef<int64_t> above,
                  ArrayRef<int64_t> upTo, bool aligned) {
  if (choice < 0)
    return emitError() << "expected a choice of 0 or more, got " << choice;
  if (above.size() != 3 || upTo.size() != 3)
    return emitError() << "expected ranges of M, N and K, got " << above.size()
                       << " and " << upTo.size() << " extents";
  for (auto [least, most] : llvm::zip(above, upTo))
    if (least < 0 || least >= most)
      return emitError() << "expected extents above " << least
                         << " and up to a larger one, got " << most;
  return success();
}

void helios::printScheduleDocumentation(raw_ostream &os) {
  os << "| parameter | values | default | meaning |\n|---|---|---|---|\n";
  for (const ScheduleParameter &parameter : kScheduleParameters) {
    os << "| `" << parameter.key << "` | " << describeValues(parameter)
       << " | ";
    if (parameter.choices)
      os << choicesOf(parameter)[parameter.defaults[0]];
    else
      llvm::interleave(ArrayRef(parameter.defaults, parameter.count), os, "x");
    os << " | " << parameter.doc << " |\n";
  }
}
