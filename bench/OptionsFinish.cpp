// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the flags of a command say together.

#include "OptionsImpl.h"
#include "Split.h"
#include "helios/Bench/Reference.h"

#include <algorithm>

namespace helios::bench {

/// No tensor may be larger than the address space.
static Status checkSize(const std::vector<int64_t> &extents) {
  const int64_t count = elementCount(extents);
  if (count >= 0 && count <= int64_t(1) << 56)
    return Status::success();
  std::string text;
  for (int64_t e : extents)
    text += (text.empty() ? "" : "x") + std::to_string(e);
  return Status::invalidInput(
      "--shapes: expected tensors of at most 2^56 elements, got one of " +
      text);
}

Status finishAttention(Options &o, const Pending &p) {
  if (p.shapes.empty())
    return Status::invalidInput(
        "--shapes: expected BxHxSxD[,...], got nothing; for example --shapes "
        "4x16x1024x128");
  for (const std::string &text : split(p.shapes, ',')) {
    auto shape = parseAttentionShape(text);
    if (!shape.ok())
      return shape.status();
    o.attentionShapes.push_back(*shape);
    for (int64_t depth : {shape->depth, shape->valueDepth})
      for (Status s :
           {checkSize({shape->batch, shape->heads, shape->queries, depth}),
            checkSize({shape->batch, shape->keyHeads, shape->keys, depth})})
        if (!s.ok())
          return s;
  }
  AttentionForm form = p.form;
  if (p.layouts.size() > 1 ||
      (p.layouts.size() == 1 && p.layouts[0] != "bhsd" &&
       p.layouts[0] != "bshd"))
    return Status::invalidInput("--layout: expected bhsd or bshd, got '" +
                                p.layouts.back() + "'");
  form.rowsOfHeads = p.layouts.size() == 1 && p.layouts[0] == "bshd";
  if (form.prefix && !form.causal && !form.window)
    return Status::invalidInput("--prefix: expected --causal or --window with "
                                "it, without which every query sees all keys");
  for (const std::string &types :
       p.types.empty() ? std::vector<std::string>{"f16"} : p.types) {
    AttentionFamily family;
    family.form = form;
    if (Status s = parseAttentionTypes(types, family); !s.ok())
      return s;
    o.attentions.push_back(family);
  }
  return Status::success();
}

/// What grouped products do not go with.
static Status checkGroups(const GemmFamily &family) {
  if (!family.grouped)
    return Status::success();
  const char *other = family.batched                         ? "--batch"
                      : family.transposeA                    ? "--layout t"
                      : family.constantA || family.constantB ? "--constant"
                                                             : nullptr;
  for (const Epilogue *e : family.epilogue)
    if (e->fused == FusedShape::Stored || e->fused == FusedShape::Rows ||
        e->fused == FusedShape::Columns)
      other = e->name;
  if (!other)
    return Status::success();
  return Status::invalidInput(
      std::string("--groups: expected rows of A as they are stored, and one "
                  "result of them, got ") +
      other);
}

Status finishGemm(Options &o, Pending p) {
  if (p.types.empty())
    p.types = {"f16:f16:f32:f16"};
  if (p.layouts.empty())
    p.layouts = {"nn"};
  if (p.epilogues.empty())
    p.epilogues = {"none"};
  if (p.constant.empty())
    p.constant = {"none"};
  if (p.weights.empty())
    p.weights = {"none"};
  if (p.scales.empty())
    p.scales = {"none"};
  if (p.factors.empty())
    p.factors = {"none"};
  if (p.shapes.empty() && o.randomShapes.count == 0)
    return Status::invalidInput("--shapes: expected MxNxK[,...], got nothing; "
                                "for example --shapes 512x512x512");
  for (const std::string &text :
       p.shapes.empty() ? std::vector<std::string>() : split(p.shapes, ',')) {
    auto extents = parseExtents("--shapes", text);
    if (!extents.ok())
      return extents.status();
    if (extents->size() != 3)
      return Status::invalidInput(
          "--shapes: expected three extents MxNxK, got '" + text + "'");
    o.shapes.push_back({(*extents)[0], (*extents)[1], (*extents)[2]});
  }
  for (const Options::Shape &drawn : drawShapes(o.randomShapes, o.seed))
    o.shapes.push_back(drawn);
  for (const std::string &types : p.types)
    for (const std::string &layout : p.layouts)
      for (const std::string &epilogue : p.epilogues)
        for (const std::string &constant : p.constant)
          for (const std::string &weights : p.weights)
            for (const std::string &scales : p.scales)
              for (const std::string &factors : p.factors) {
                GemmFamily family;
                family.batched = o.batch > 0;
                family.grouped = o.groups > 0;
                family.invariant = o.batchInvariant;
                for (Status s :
                     {parseTypes(types, family), parseLayout(layout, family),
                      parseEpilogue(epilogue, family),
                      parseConstant(constant, family),
                      parseFactors(factors, family),
                      parseWeights(weights, family),
                      parseScales(scales, family)})
                  if (!s.ok())
                    return s;
                if (Status s = checkGroups(family); !s.ok())
                  return s;
                o.families.push_back(family);
              }
  const int64_t batch = std::max<int64_t>({o.batch, o.groups, 1});
  for (const Options::Shape &s : o.shapes)
    for (auto [x, y] :
         {std::pair{s.m, s.k}, std::pair{s.k, s.n}, std::pair{s.m, s.n}})
      if (Status bad = checkSize({batch, x, y}); !bad.ok())
        return bad;
  for (const GemmFamily &family : o.families)
    for (const Options::Shape &s : o.shapes) {
      if (const int64_t group = family.weights ? family.weights->group : 0;
          group > 0 && s.k % group != 0)
        return Status::invalidInput(
            "--weights: expected K of whole groups of " +
            std::to_string(group) + ", got " + std::to_string(s.k) +
            "; give another group, or, of i8, none for one scale a column");
      if (family.blocks && s.k % family.blocks != 0)
        return Status::invalidInput("--scales: expected K of whole blocks of " +
                                    std::to_string(family.blocks) + ", got " +
                                    std::to_string(s.k));
    }
  return Status::success();
}

Status finishRun(Options &o, const Pending &p) {
  if (o.files.empty() && o.bundle.empty())
    return Status::invalidInput(
        "run: expected a file (.mlir or .hlx), got nothing");
  if (!p.shapes.empty())
    for (const std::string &one : split(p.shapes, ';')) {
      o.inputShapes.emplace_back();
      for (const std::string &text : split(one, ',')) {
        auto extents = parseExtents("--shapes", text);
        if (!extents.ok())
          return extents.status();
        o.inputShapes.back().push_back(*extents);
      }
    }
  if (o.files.size() > 1)
    for (const auto &[flag, isGiven] :
         {std::pair{"--shapes", !o.inputShapes.empty()},
          {"--dims", !o.dims.empty()},
          {"--scalars", !o.scalars.empty()},
          {"--kernel", !o.kernel.empty()},
          {"--reference", !o.reference.empty()}})
      if (isGiven)
        return Status::invalidInput(std::string(flag) +
                                    ": expected one file beside it, got " +
                                    std::to_string(o.files.size()));
  if (!o.dims.empty() && !o.inputShapes.empty())
    return Status::invalidInput(
        "--dims: expected either --dims or --shapes, got both");
  return Status::success();
}

} // namespace helios::bench
