//===- ValidateCuda.cpp - Checks of PTX and of CUDA launches -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "ValidateImpl.h"
#include <algorithm>

namespace helios::bundle {

namespace {

Status bad(const std::string &message) { return Status::invalidInput(message); }
std::string num(uint64_t v) { return std::to_string(v); }

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$';
}

Status validateParameters(const Dispatch &d, size_t numExprs) {
  auto isBound = [&](uint32_t number) {
    return std::any_of(d.bindings.begin(), d.bindings.end(),
                       [&](const Binding &b) { return b.binding == number; });
  };
  uint32_t bytes = 0;
  if (d.parameters.size() > limits::parameters)
    return bad(num(d.parameters.size()) + " parameters, at most " +
               num(limits::parameters));
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    const Parameter &p = d.parameters[i];
    std::string where = "parameter " + num(i) + ": ";
    if (static_cast<uint8_t>(p.kind) >= kNumParameterKinds)
      return bad(where + "unknown kind " + num(static_cast<uint8_t>(p.kind)));
    bool isMap = p.kind == ParameterKind::TensorMap;
    bool isPointer = p.kind == ParameterKind::Pointer;
    if (isPointer && !isBound(p.index))
      return bad(where + "points to binding " + num(p.index) +
                 ", which the dispatch does not bind");
    if (isMap && p.index >= d.tensorMaps.size())
      return bad(where + "tensor map " + num(p.index) + " of " +
                 num(d.tensorMaps.size()));
    if (!isMap && !isPointer && p.expr >= numExprs)
      return bad(where + "formula " + num(p.expr) + " of " + num(numExprs));
    uint32_t size = parameterBytes(p.kind), unit = isMap ? 64 : size;
    bytes = (bytes + unit - 1) / unit * unit + size;
  }
  if (bytes > limits::parameterBytes)
    return bad("parameters of " + num(bytes) + " bytes, at most " +
               num(limits::parameterBytes));

  if (d.tensorMaps.size() > limits::tensorMaps)
    return bad(num(d.tensorMaps.size()) + " tensor maps, at most " +
               num(limits::tensorMaps));
  for (size_t i = 0; i < d.tensorMaps.size(); ++i) {
    const TensorMap &m = d.tensorMaps[i];
    std::string where = "tensor map " + num(i) + ": ";
    if (!isBound(m.binding))
      return bad(where + "views binding " + num(m.binding) +
                 ", which the dispatch does not bind");
    if (static_cast<uint8_t>(m.type) >= kNumElementTypes ||
        m.type == ElementType::I1)
      return bad(where + "i1 or an unknown type does not exist in memory");
    size_t rank = m.extents.size();
    if (rank < 1 || rank > limits::tensorMapRank)
      return bad(where + "rank " + num(rank) + ", expected 1 to " +
                 num(limits::tensorMapRank));
    if (m.strides.size() != rank - 1 || m.box.size() != rank)
      return bad(where + num(m.strides.size()) + " strides and a box of rank " +
                 num(m.box.size()) + ", expected " + num(rank - 1) + " and " +
                 num(rank));
    for (const std::vector<ExprId> *ids : {&m.extents, &m.strides})
      for (ExprId e : *ids)
        if (e >= numExprs)
          return bad(where + "formula " + num(e) + " of " + num(numExprs));
    uint64_t boxBytes = elementBytes(m.type);
    for (uint32_t e : m.box) {
      if (e < 1 || e > limits::boxExtent)
        return bad(where + "box extent " + num(e) + ", expected 1 to " +
                   num(limits::boxExtent));
      boxBytes *= e; // at most 8 * 2^40
    }
    if (boxBytes > d.sharedBytes)
      return bad(where + "a box of " + num(boxBytes) +
                 " bytes does not fit the dynamic shared memory of " +
                 num(d.sharedBytes));
    if (m.swizzle != 0 && m.swizzle != 32 && m.swizzle != 64 &&
        m.swizzle != 128)
      return bad(where + "swizzle " + num(m.swizzle) +
                 ", expected 0, 32, 64 or 128");
    uint32_t row = m.box[0] * elementBytes(m.type);
    if (row % 16 != 0 || (m.swizzle && row > m.swizzle))
      return bad(where + "a box's row has " + num(row) +
                 " bytes, expected a multiple of 16" +
                 (m.swizzle ? ", at most the swizzle's " + num(m.swizzle)
                            : std::string()));
  }
  return Status::success();
}

} // namespace

Result<std::vector<PtxEntryPoint>> scanPtx(const std::vector<uint8_t> &bytes) {
  std::string text(bytes.begin(), bytes.end());
  if (size_t zero = text.find('\0'); zero != std::string::npos)
    return bad("PTX contains a zero byte at " + num(zero));
  for (const char *directive : {".version", ".target"})
    if (text.find(directive) == std::string::npos)
      return bad(std::string("not PTX: it has no ") + directive);
  std::vector<PtxEntryPoint> entries;
  const std::string keyword = ".entry";
  for (size_t at = text.find(keyword); at != std::string::npos;
       at = text.find(keyword, at)) {
    at += keyword.size();
    size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == at || begin == std::string::npos)
      continue; // another word that begins so
    size_t end = begin;
    while (end < text.size() && isNameCharacter(text[end]))
      ++end;
    if (end == begin)
      continue;
    size_t wait = text.find("griddepcontrol.wait", end);
    entries.push_back(
        {text.substr(begin, end - begin),
         wait != std::string::npos && wait < text.find(keyword, end)});
  }
  if (entries.empty())
    return bad("PTX without .entry");
  return entries;
}

Status validateCudaDispatch(const Implementation &impl, const Dispatch &d,
                            const std::vector<PtxEntryPoint> &entries,
                            const std::string &moduleName) {
  if (impl.target != TargetKind::Cuda) {
    if (!d.parameters.empty() || !d.tensorMaps.empty() || d.clusterSize != 1 ||
        d.sharedBytes != 0 || d.dependent)
      return bad("parameters, tensor maps, clusters, dynamic shared memory and "
                 "dependent dispatches are for CUDA implementations only");
    return Status::success();
  }
  if (!d.pushConstants.empty())
    return bad("push constants are for Vulkan implementations only");
  uint32_t capability = impl.requirements.computeCapability;
  if (capability == 0)
    return bad("the implementation names no compute capability");
  if (capability < 90 &&
      (!d.tensorMaps.empty() || d.clusterSize > 1 || d.dependent))
    return bad("tensor maps, clusters and dependent dispatches need compute "
               "capability 90; the implementation requires only " +
               num(capability));
  if (d.clusterSize < 1 || d.clusterSize > limits::clusterSize ||
      (d.clusterSize & (d.clusterSize - 1)))
    return bad("cluster of " + num(d.clusterSize) +
               " workgroups, expected a power of two up to " +
               num(limits::clusterSize));
  if (d.sharedBytes > impl.requirements.sharedMemoryBytes)
    return bad("dynamic shared memory of " + num(d.sharedBytes) +
               " bytes; the implementation requires only " +
               num(impl.requirements.sharedMemoryBytes));
  if (Status s = validateParameters(d, impl.plan.exprs.size()); !s.ok())
    return s;
  auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const PtxEntryPoint &e) {
        return e.name == d.entryPoint;
      });
  if (entry == entries.end())
    return bad("module '" + moduleName + "' has no entry point '" +
               d.entryPoint + "'");
  // Such a launch would touch what the one before it still uses.
  if (d.dependent && !entry->waits)
    return bad("the dispatch begins while the one before it ends, but '" +
               d.entryPoint + "' of module '" + moduleName +
               "' has no griddepcontrol.wait");
  return Status::success();
}

} // namespace helios::bundle
