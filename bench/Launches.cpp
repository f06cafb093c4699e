// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launches.h"
#include "ReferenceImpl.h"
#include "Split.h"
#include "helios/Bench/Directives.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

Result<std::map<std::string, double>>
scalarsOf(const Options &o,
          const std::map<std::string, std::string> &directives) {
  std::map<std::string, double> scalars;
  if (auto found = directives.find("scalars"); found != directives.end())
    for (const std::string &part : split(found->second, ',')) {
      const size_t equals = part.find('=');
      auto v = equals == std::string::npos
                   ? Result<double>(Status::invalidInput("no '='"))
                   : evaluateFormula(part.substr(equals + 1), {});
      if (!v.ok())
        return Status::invalidInput(
            "helios-bench: scalars: expected NAME=NUMBER, got '" + part + "'");
      const size_t first = part.find_first_not_of(' ');
      scalars[part.substr(first, equals - first)] = *v;
    }
  for (const auto &[name, value] : o.scalars)
    scalars[name] = value;
  return scalars;
}

Result<std::vector<std::vector<std::vector<int64_t>>>>
shapesOf(const Options &o,
         const std::map<std::string, std::string> &directives) {
  if (!o.inputShapes.empty() || !o.dims.empty())
    return o.inputShapes;
  std::vector<std::vector<std::vector<int64_t>>> shapes;
  auto found = directives.find("shapes");
  if (found == directives.end())
    return shapes;
  for (const std::string &one : split(found->second, ';')) {
    shapes.emplace_back();
    for (std::string text : split(one, ',')) {
      text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
      auto extents = parseExtents("helios-bench: shapes", text);
      if (!extents.ok())
        return extents.status();
      shapes.back().push_back(*extents);
    }
  }
  return shapes;
}

/// A launch as --only-launches of the compiler takes it: the extents of tensors
/// (scalars have none), and scalars that are integers.
static std::string launchText(const std::vector<std::vector<int64_t>> &extents,
                              const std::map<std::string, double> &scalars) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ",") + part;
  };
  for (const std::vector<int64_t> &tensor : extents)
    if (!tensor.empty())
      add(formatExtents(tensor));
  for (const auto &[name, value] : scalars)
    if (value == std::floor(value) && std::abs(value) < 0x1p53)
      add(name + "=" + std::to_string(int64_t(value)));
  return text;
}

static void addLaunch(BundleSource &source, const std::string &launch) {
  source.launches += (source.launches.empty() ? "" : ";") + launch;
}

Status addLaunches(BundleSource &source, const Options &o,
                   const std::string &text) {
  auto directives = parseDirectives(text);
  if (!directives.ok())
    return directives.status();
  auto scalars = scalarsOf(o, *directives);
  if (!scalars.ok())
    return scalars.status();
  auto shapes = shapesOf(o, *directives);
  if (!shapes.ok())
    return shapes.status();
  if (shapes->empty())
    return Status::invalidInput("--only-launches: expected shapes, with "
                                "--shapes or in the file, got none");
  for (const auto &extents : *shapes)
    addLaunch(source, launchText(extents, *scalars));
  return Status::success();
}

std::vector<int64_t> fewerRows(const GemmFamily &family, int64_t m) {
  std::vector<int64_t> rows;
  if (family.invariant)
    for (int64_t fewer : {int64_t(1), m / 2 | 1})
      if (fewer < m)
        rows.push_back(fewer);
  return rows;
}

void addLaunches(BundleSource &source, const Options &o,
                 const GemmFamily &family) {
  for (const Options::Shape &s : o.shapes) {
    std::vector<int64_t> rows = fewerRows(family, s.m);
    rows.push_back(s.m);
    for (int64_t m : rows)
      addLaunch(source, launchText(gemmExtents(family, m, s.n, s.k,
                                               o.groups ? o.groups : o.batch),
                                   {}));
  }
}

void addLaunches(BundleSource &source, const Options &o,
                 const AttentionFamily &types, const std::string &text) {
  for (const AttentionShape &shape : o.attentionShapes)
    if (const AttentionFamily family = familyOf(types, shape);
        attentionText(family) == text)
      addLaunch(source, launchText(attentionInputExtents(family, shape),
                                   attentionScalars(family, shape)));
}

} // namespace helios::bench
