// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Types of the tile dialect, and the pieces of syntax that types share.

#include "helios/Dialect/Tile/IR/Assembly.h"
#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

ParseResult helios::parseShapedElement(AsmParser &parser,
                                       SmallVector<int64_t> &shape,
                                       Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
                 parser.parseType(elementType));
}

void helios::printShapedElement(AsmPrinter &printer, ArrayRef<int64_t> shape,
                                Type elementType) {
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      printer << '?';
    else
      printer << extent;
    printer << 'x';
  }
  printer << elementType;
}

ParseResult helios::parseDynamicList(AsmParser &parser,
                                     SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          values.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(values.emplace_back());
      });
}

void helios::printDynamicList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer, [&](int64_t v) {
    if (ShapedType::isDynamic(v))
      printer << '?';
    else
      printer << v;
  });
  printer << ']';
}

ParseResult helios::parseList(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return parser.parseInteger(values.emplace_back());
      });
}

void helios::printList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

ParseResult helios::parseKeyedValues(
    AsmParser &parser,
    function_ref<std::optional<ParseResult>(StringRef)> parseValue) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    std::optional<ParseResult> result = parseValue(key);
    if (!result)
      return parser.emitError(loc, "unknown parameter '") << key << "'";
    if (*result)
      return failure();
  }
  return parser.parseGreater();
}

#define GET_TYPEDEF_CLASSES
#include "helios/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "helios/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float behind a pointer, got "
                       << elementType;
  return success();
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides, ArrayRef<int64_t> div,
                               int64_t align, int64_t gather,
                               Attribute packed) {
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element, got "
                       << elementType;
  if (strides.size() != shape.size())
    return emitError() << "expected " << shape.size()
                       << " strides, one a dimension, got " << strides.size();
  if (!div.empty() && div.size() != shape.size())
    return emitError() << "expected " << shape.size()
                       << " divisors in 'div', one a dimension, got "
                       << div.size();
  for (int64_t d : div)
    if (d < 1)
      return emitError() << "expected positive divisors in 'div', got " << d;
  for (int64_t s : strides)
    if (!ShapedType::isDynamic(s) && s < 0)
      return emitError() << "expected strides of at least 0, got " << s;
  if (align < 0 || (align & (align - 1)))
    return emitError() << "expected 'align' to be a power of two in bytes, got "
                       << align;
  if (gather < -1 || gather >= int64_t(shape.size()))
    return emitError() << "expected 'gather' to be a dimension below "
                       << shape.size() << ", got " << gather;
  if (!packed)
    return success();
  auto layout = dyn_cast<OpaqueMatrixAttr>(packed);
  if (!layout || layout.getSide() == Side::Acc || shape.size() != 2 ||
      gather >= 0 || align < 16)
    return emitError() << "expected 'packed' to be the layout #tile.opaque of "
                          "an operand, in a view of two dimensions that is "
                          "aligned to 16 bytes and not gathered, got "
                       << packed;
  return success();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides, div;
  Type elementType;
  int64_t align = 0, gather = -1;
  Attribute packed;
  if (parser.parseLess() || parseShapedElement(parser, shape, elementType) ||
      parseKeyedValues(parser,
                       [&](StringRef key) -> std::optional<ParseResult> {
                         if (key == "strides")
                           return parseDynamicList(parser, strides);
                         if (key == "div")
                           return parseList(parser, div);
                         if (key == "align")
                           return parser.parseInteger(align);
                         if (key == "gather")
                           return parser.parseInteger(gather);
                         if (key == "packed")
                           return parser.parseAttribute(packed);
                         return std::nullopt;
                       }))
    return {};
  return parser.getChecked<ViewType>(parser.getContext(), shape, elementType,
                                     strides, div, align, gather, packed);
}

void ViewType::print(AsmPrinter &p) const {
  p << '<';
  printShapedElement(p, getShape(), getElementType());
  p << ", strides = ";
  printDynamicList(p, getStrides());
  if (!getDiv().empty()) {
    p << ", div = ";
    printList(p, getDiv());
  }
  if (getAlign())
    p << ", align = " << getAlign();
  if (getGather() >= 0)
    p << ", gather = " << getGather();
  if (getPacked())
    p << ", packed = " << getPacked();
  p << '>';
}

int64_t ViewType::getStrideDivisor(unsigned dim) const {
  int64_t stride = getStrides()[dim];
  if (!ShapedType::isDynamic(stride))
    return stride;
  return getDiv().empty() ? 1 : getDiv()[dim];
}

LogicalResult ViewType::checkDims(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> dims) const {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < (i ? dims[i - 1] + 1 : 0) || dim >= getRank())
      return emitError() << "expected 'inside' to list dimensions below "
                         << getRank() << " in order, got [" << dims << "]";
  return success();
}

int64_t ViewType::getContiguousDim() const {
  for (int64_t d = getRank() - 1; d >= 0; --d)
    if (getStrides()[d] == 1)
      return d;
  return -1;
}

Type RingType::parse(AsmParser &parser) {
  int64_t depth, readers = 1, cluster = 1;
  SmallVector<Type> payload;
  RingKind kind;
  RingScope scope = RingScope::Workgroup;
  Attribute copy;
  bool multicast = false;
  SmallVector<int64_t> dims;
  StringRef keyword;
  if (parser.parseLess() ||
      parser.parseDimensionList(dims, /*allowDynamic=*/false) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&]() -> ParseResult {
                                       return parser.parseType(
                                           payload.emplace_back());
                                     }) ||
      parser.parseComma())
    return {};
  if (dims.size() != 1) {
    parser.emitError(parser.getCurrentLocation(),
                     "expected the depth of the ring, as in '3x(tensor<...>)'");
    return {};
  }
  depth = dims[0];
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  if (auto k = symbolizeRingKind(keyword)) {
    kind = *k;
  } else {
    parser.emitError(loc, "expected 'load', 'store' or 'pass', got '")
        << keyword << "'";
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "multicast") {
      multicast = true;
      continue;
    }
    if (parser.parseEqual())
      return {};
    ParseResult ok = success();
    if (keyword == "copy") {
      ok = parser.parseAttribute(copy);
    } else if (keyword == "readers") {
      ok = parser.parseInteger(readers);
    } else if (keyword == "cluster") {
      ok = parser.parseInteger(cluster);
    } else if (keyword == "scope") {
      StringRef name;
      ok = parser.parseKeyword(&name);
      if (auto s = symbolizeRingScope(name))
        scope = *s;
      else
        ok = parser.emitError(
                 loc, "expected 'workgroup', 'replica' or 'cluster', got '")
             << name << "'";
    } else {
      ok = parser.emitError(loc, "expected 'copy', 'readers', 'scope', "
                                 "'cluster' or 'multicast', got '")
           << keyword << "'";
    }
    if (ok)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RingType>(parser.getContext(), depth, payload, kind,
                                     copy, readers, scope, cluster, multicast);
}

void RingType::print(AsmPrinter &p) const {
  p << '<' << getDepth() << "x(";
  llvm::interleaveComma(getPayload(), p, [&](Type t) { p << t; });
  p << "), " << stringifyRingKind(getKind());
  if (getCopy())
    p << ", copy = " << getCopy();
  if (getReaders() != 1)
    p << ", readers = " << getReaders();
  if (getScope() != RingScope::Workgroup)
    p << ", scope = " << stringifyRingScope(getScope());
  if (getCluster() != 1)
    p << ", cluster = " << getCluster();
  if (getMulticast())
    p << ", multicast";
  p << '>';
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t depth, ArrayRef<Type> payload,
                               RingKind kind, Attribute copy, int64_t readers,
                               RingScope scope, int64_t cluster,
                               bool multicast) {
  if (depth < 1 || readers < 1 || cluster < 1)
    return emitError()
           << "expected depth, readers and cluster to be at least 1, got "
           << depth << ", " << readers << " and " << cluster;
  auto engine = dyn_cast_or_null<CopyAttrInterface>(copy);
  if (copy && !engine)
    return emitError() << "expected 'copy' to be a copy engine, got " << copy;
  if (kind != RingKind::Pass && !engine)
    return emitError() << "expected a 'copy' engine on a "
                       << stringifyRingKind(kind) << " ring, got none";
  if (multicast && (!engine || !engine.canMulticast()))
    return emitError() << "expected a copy engine that can multicast, got "
                       << copy;
  if ((scope == RingScope::Cluster) != (cluster > 1))
    return emitError() << "expected scope = cluster with cluster > 1 and only "
                          "then, got scope = "
                       << stringifyRingScope(scope)
                       << " with cluster = " << cluster;
  if (multicast && cluster == 1)
    return emitError() << "expected scope = cluster for 'multicast', got "
                          "scope = "
                       << stringifyRingScope(scope);
  for (Type type : payload) {
    if (type.isIntOrIndexOrFloat())
      continue;
    auto layout = getLayout(type);
    if (!layout || !layout.isMemory())
      return emitError()
             << "expected scalars or tiles in shared memory in a ring, got "
             << type;
    if (engine &&
        failed(engine.checkShared(
            emitError, layout, cast<RankedTensorType>(type).getElementType())))
      return failure();
  }
  return success();
}
