// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Cases.h"
#include "Launches.h"
#include "ReferenceImpl.h"
#include "Split.h"
#include "helios/Bench/Directives.h"
#include "helios/Bundle/Serialize.h"

#include <algorithm>
#include <dirent.h>
#include <unistd.h>

namespace helios::bench {

BundleSource bundleSource(const Options &o) {
  BundleSource source;
  source.compiler = o.compiler;
  source.cacheDir = o.bundleCache;
  source.target = o.target;
  source.schedule = o.schedule;
  source.tuned = o.tuned;
  source.keepDir = o.keep;
  source.processors = o.processors;
  // Findings of the emulator name ops.
  source.debugInfo = o.device.compare(0, 8, "emulator") == 0;
  return source;
}

namespace {

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string baseName(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Result<std::shared_ptr<const bundle::Bundle>> load(const std::string &path) {
  auto bundle = bundle::readFile(path);
  if (!bundle.ok())
    return bundle.status();
  return std::shared_ptr<const bundle::Bundle>(
      std::make_shared<bundle::Bundle>(std::move(*bundle)));
}

/// A description, compiled, with its directives.
struct Loaded {
  std::shared_ptr<const bundle::Bundle> bundle;
  std::map<std::string, std::string> directives;
};

/// Gives the kernels of `to` the meaning of those of the same names in `from`.
Status addMeaning(bundle::Bundle &to, const bundle::Bundle &from) {
  for (bundle::Kernel &kernel : to.kernels) {
    const bundle::Kernel *says = from.findKernel(kernel.name);
    if (!says || !says->semantics)
      return Status::invalidInput("expected a kernel '" + kernel.name +
                                  "' that says what it computes, got " +
                                  (says ? "one that does not" : "none"));
    bool agree = kernel.arguments.size() == says->arguments.size();
    for (size_t n = 0; agree && n < kernel.arguments.size(); ++n) {
      const bundle::Argument &a = kernel.arguments[n], &b = says->arguments[n];
      agree = a.kind == b.kind && a.type == b.type &&
              a.isResult == b.isResult && a.extents.size() == b.extents.size();
    }
    if (!agree)
      return Status::invalidInput("expected kernel '" + kernel.name +
                                  "' with the same arguments, got other ones");
    kernel.semantics = says->semantics;
  }
  return Status::success();
}

Result<Loaded> loadFile(const Options &o, const std::string &path,
                        const Progress &progress) {
  Loaded loaded;
  // The compiler reads a description of level 1 that need not have code; only
  // between bundles the meaning is moved here.
  const bool isCompiled = endsWith(path, ".mlir"),
             compilerReads = isCompiled && endsWith(o.reference, ".mlir");
  std::string bundlePath = path, text;
  if (isCompiled) {
    auto read = readText(path);
    if (!read.ok())
      return read.status();
    text = *read;
    progress("compiling " + path);
    bool compiled = false;
    BundleSource source = bundleSource(o);
    source.textFile = path;
    if (compilerReads)
      source.meaning = o.reference;
    if (o.onlyLaunches)
      if (Status s = addLaunches(source, o, text); !s.ok())
        return s.withPrefix(path + ": ");
    auto made = bundleFor(source, text, baseName(path), compiled);
    if (!made.ok())
      return made.status();
    bundlePath = *made;
  } else if (!endsWith(path, ".hlx")) {
    return Status::invalidInput("expected a file FILE.mlir or FILE.hlx, got '" +
                                path + "'");
  } else if (o.onlyLaunches) {
    return Status::invalidInput("--only-launches: expected a description to "
                                "compile, got '" +
                                path + "'");
  }
  auto bundle = load(bundlePath);
  if (!bundle.ok())
    return bundle.status();
  loaded.bundle = *bundle;
  if (!o.reference.empty() && !compilerReads) {
    Options plain = o;
    plain.reference.clear();
    plain.onlyLaunches = false; // It says what is computed, and runs nowhere.
    auto reference = loadFile(plain, o.reference, progress);
    if (!reference.ok())
      return reference.status().withPrefix("--reference: ");
    auto both = std::make_shared<bundle::Bundle>(**bundle);
    if (Status s = addMeaning(*both, *reference->bundle); !s.ok())
      return s.withPrefix("--reference: " + o.reference + ": ");
    loaded.bundle = both;
  }
  if (text.empty())
    for (const bundle::Kernel &k : loaded.bundle->kernels)
      text += k.source;
  auto directives = parseDirectives(text);
  if (!directives.ok())
    return directives.status().withPrefix(path + ": ");
  loaded.directives = *directives;
  return loaded;
}

/// The name used for a bundle's kernel: the one asked for, or the only one.
Result<std::vector<std::string>> kernelNames(const bundle::Bundle &bundle,
                                             const std::string &wanted) {
  std::string known;
  std::vector<std::string> all;
  for (const bundle::Kernel &k : bundle.kernels) {
    known += (known.empty() ? "" : ", ") + k.name;
    // What packs an argument of another kernel runs before that one.
    const bool packs = std::any_of(
        bundle.kernels.begin(), bundle.kernels.end(),
        [&](const bundle::Kernel &other) {
          return std::any_of(
              other.arguments.begin(), other.arguments.end(),
              [&](const bundle::Argument &a) { return a.packedBy == k.name; });
        });
    if (!packs)
      all.push_back(k.name);
  }
  if (!wanted.empty() && !bundle.findKernel(wanted))
    return Status::invalidInput("--kernel: expected one of " + known +
                                ", got '" + wanted + "'");
  if (!wanted.empty())
    return std::vector<std::string>{wanted};
  if (all.empty())
    return Status::invalidInput(
        "expected a bundle with a kernel, got one without");
  return all;
}

/// Extents for each argument from those of the tensors among the inputs.
Result<std::vector<std::vector<int64_t>>>
extentsFromShapes(const bundle::Kernel &kernel,
                  const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<std::vector<int64_t>> extents;
  size_t next = 0;
  for (const bundle::Argument &a : kernel.arguments) {
    if (a.isResult)
      break;
    if (a.kind == bundle::ArgumentKind::Scalar) {
      extents.emplace_back();
      continue;
    }
    if (next < shapes.size())
      extents.push_back(shapes[next]);
    ++next;
  }
  if (next != shapes.size())
    return Status::invalidInput(
        "--shapes: expected extents of the " + std::to_string(next) +
        " tensors that kernel '" + kernel.name + "' takes, got " +
        std::to_string(shapes.size()));
  return extents;
}

/// Every dynamic extent as `extent`, leading ones of batches as 2.
std::vector<std::vector<int64_t>> defaultExtents(const bundle::Kernel &kernel,
                                                 int64_t extent) {
  std::vector<std::vector<int64_t>> all;
  for (const bundle::Argument &a : kernel.arguments) {
    if (a.isResult)
      break;
    all.push_back(a.extents);
    for (size_t d = 0; d < a.extents.size(); ++d)
      if (all.back()[d] < 0)
        all.back()[d] = d + 2 < a.extents.size() ? 2 : extent;
  }
  // As many ends as operands in a batch.
  if (kernel.semantics)
    for (const bundle::Step &step : kernel.semantics->steps)
      if (step.ends && *step.ends < all.size() && step.b < all.size())
        all[*step.ends][0] = all[step.b][0];
  return all;
}

std::string shapeName(const bundle::Kernel &kernel,
                      const std::vector<std::vector<int64_t>> &extents) {
  if (isSingleProduct(kernel)) {
    const bundle::Step &step = kernel.semantics->steps.front();
    std::vector<std::vector<int64_t>> slots(kernel.semantics->slots.size());
    std::copy(extents.begin(), extents.end(), slots.begin());
    if (auto p = productExtents(step, slots); p.ok())
      return (p->batch.empty() ? "" : formatExtents(p->batch) + "*") +
             formatExtents({p->m, p->n, p->k});
  }
  std::string name;
  for (size_t n = 0; n < extents.size(); ++n)
    if (kernel.arguments[n].kind == bundle::ArgumentKind::Tensor &&
        !kernel.arguments[n].isResult)
      name += (name.empty() ? "" : ",") + formatExtents(extents[n]);
  return name.empty() ? "-" : name;
}

std::string productTypes(const bundle::Kernel &kernel) {
  if (!kernel.semantics)
    return "";
  // The last product's result is stored, the first one's may be one of a pair;
  // where there are several results each is computed from sums.
  const auto &steps = kernel.semantics->steps;
  const auto last =
      std::find_if(steps.rbegin(), steps.rend(), [](const bundle::Step &s) {
        return s.kind == bundle::StepKind::Matmul;
      });
  if (last == steps.rend())
    return "";
  const bundle::Step &s = *last;
  const auto first =
      std::find_if(kernel.arguments.begin(), kernel.arguments.end(),
                   [](const bundle::Argument &a) { return a.isResult; });
  const size_t dest =
      s.dest < kernel.arguments.size() || first == kernel.arguments.end()
          ? s.dest
          : first - kernel.arguments.begin();
  // Where blocks have scales, A and B are what these are multiplied with.
  auto typeOf = [&](uint32_t slot) {
    if (s.hasScales)
      for (const bundle::Step &step : steps)
        if (step.dest == slot)
          slot = step.fused.front();
    return std::string(
        bundle::elementTypeName(kernel.semantics->slots[slot].type));
  };
  return typeOf(s.a) + ":" + typeOf(s.b) + ":" +
         bundle::elementTypeName(s.accumulator) + (s.fastSums ? "fast:" : ":") +
         bundle::elementTypeName(kernel.semantics->slots[dest].type);
}

Status addFileCases(const Options &o, const std::string &path,
                    const std::string &kernelName, int64_t extent,
                    const Progress &progress, std::vector<Case> &cases) {
  auto loaded = loadFile(o, path, progress);
  if (!loaded.ok())
    return loaded.status();
  auto names = kernelNames(*loaded->bundle, kernelName);
  if (!names.ok())
    return names.status().withPrefix(path + ": ");
  auto scalars = scalarsOf(o, loaded->directives);
  auto shapes = shapesOf(o, loaded->directives);
  if (!scalars.ok() || !shapes.ok())
    return (scalars.ok() ? shapes.status() : scalars.status())
        .withPrefix(path + ": ");
  if (names->size() > 1 && (!shapes->empty() || !o.dims.empty()))
    return Status::invalidInput(
        path + ": expected --kernel NAME beside extents, as the file holds " +
        std::to_string(names->size()) + " kernels");
  for (const std::string &name : *names) {
    const bundle::Kernel &kernel = *loaded->bundle->findKernel(name);
    Case base;
    base.name = kernel.name;
    base.kernel = kernel.name;
    base.bundle = loaded->bundle;
    base.types = productTypes(kernel);
    base.scalars = *scalars;
    for (const auto &[scalar, value] : o.scalars) {
      const bool known = std::any_of(
          kernel.arguments.begin(), kernel.arguments.end(),
          [&, n = scalar](const bundle::Argument &a) {
            return a.kind == bundle::ArgumentKind::Scalar && a.name == n;
          });
      if (!known)
        return Status::invalidInput(
            "--scalars: expected a scalar argument of kernel '" + kernel.name +
            "', got '" + scalar + "'");
    }
    if (auto flops = loaded->directives.find("flops");
        flops != loaded->directives.end())
      base.flopsFormula = flops->second;
    if (auto bytes = loaded->directives.find("bytes");
        bytes != loaded->directives.end())
      base.bytesFormula = bytes->second;
    if (auto types = loaded->directives.find("types");
        types != loaded->directives.end())
      base.types = types->second;
    std::vector<std::vector<std::vector<int64_t>>> choices;
    for (const auto &given : *shapes) {
      auto extents = extentsFromShapes(kernel, given);
      if (!extents.ok())
        return extents.status();
      choices.push_back(*extents);
    }
    if (choices.empty() && (isSingleProduct(kernel) || !o.dims.empty())) {
      auto extents = extentsFromDims(kernel, o.dims, extent);
      if (!extents.ok())
        return extents.status();
      choices.push_back(*extents);
    }
    if (auto sets = loaded->directives.find("working_set_mib");
        sets != loaded->directives.end() && choices.empty()) {
      for (const std::string &text : split(sets->second, ',')) {
        auto mib = evaluateFormula(text, {});
        if (!mib.ok() || !(*mib >= 1 && *mib <= 0x1p30))
          return Status::invalidInput(
              path +
              ": helios-bench: working_set_mib: expected numbers from "
              "1 on with commas between, got '" +
              sets->second + "'");
        Case c = base;
        c.workingSetMiB = int64_t(*mib);
        c.extents = defaultExtents(kernel, extent);
        c.shape = shapeName(kernel, c.extents);
        cases.push_back(std::move(c));
      }
      continue;
    }
    if (choices.empty())
      choices.push_back(defaultExtents(kernel, extent));
    for (auto &extents : choices) {
      Case c = base;
      c.shape = shapeName(kernel, extents);
      c.extents = std::move(extents);
      cases.push_back(std::move(c));
    }
  }
  return Status::success();
}

/// One case for each of --types and each shape; shapes of one family share a
/// bundle.
Result<std::vector<Case>> makeAttentionCases(const Options &o,
                                             const Progress &progress) {
  std::vector<Case> cases;
  std::map<std::string, Case> made; // by text
  for (const AttentionFamily &types : o.attentions)
    for (const AttentionShape &shape : o.attentionShapes) {
      const AttentionFamily family = familyOf(types, shape);
      const std::string text = attentionText(family);
      Case base;
      base.types = family.types();
      base.layout = family.form.rowsOfHeads ? "bshd" : "bhsd";
      base.epilogue = family.form.name();
      base.name = "attention " + base.types + " " + base.epilogue +
                  (family.form.rowsOfHeads ? " bshd" : "");
      if (auto known = made.find(text); known != made.end()) {
        base.unavailable = known->second.unavailable;
        base.bundle = known->second.bundle;
        base.kernel = known->second.kernel;
      } else {
        std::string path = o.bundle;
        if (path.empty()) {
          progress("compiling " + base.name + " of depth " +
                   std::to_string(family.depth));
          bool compiled = false;
          BundleSource source = bundleSource(o);
          if (o.onlyLaunches)
            addLaunches(source, o, types, text);
          auto bundle = bundleFor(source, text, base.name, compiled);
          const bool cannot =
              !bundle.ok() &&
              bundle.status().code() == StatusCode::Unsupported &&
              access(o.compiler.c_str(), X_OK) == 0;
          if (!bundle.ok() && !cannot)
            return bundle.status();
          if (cannot) // the target; others are still worth a run
            base.unavailable = bundle.status();
          else
            path = *bundle;
        }
        if (!path.empty()) {
          auto bundle = load(path);
          if (!bundle.ok())
            return bundle.status();
          base.bundle = *bundle;
          auto names = kernelNames(
              **bundle,
              base.bundle->findKernel("attention") ? "attention" : "");
          if (!names.ok())
            return names.status().withPrefix(path + ": ");
          base.kernel = names->front();
        }
        made[text] = base;
      }
      base.shape = shape.name();
      base.attention = family;
      base.attentionShape = shape;
      base.extents = attentionExtents(family, shape);
      base.scalars = attentionScalars(family, shape);
      cases.push_back(std::move(base));
    }
  return cases;
}

} // namespace

Result<std::vector<std::vector<int64_t>>>
extentsFromDims(const bundle::Kernel &kernel,
                const std::map<std::string, int64_t> &dims, int64_t extent) {
  if (!isSingleProduct(kernel))
    return Status::invalidInput(
        "--dims: expected a kernel that is one product; give kernel '" +
        kernel.name + "' the extents of its inputs with --shapes");
  std::map<std::string, int64_t> values;
  for (const auto &[name, value] : dims) {
    if (name != "M" && name != "N" && name != "K" && name != "B")
      return Status::invalidInput("--dims: expected M, N, K or B, got '" +
                                  name + "'");
    values[name] = value;
  }
  const bundle::Step &step = kernel.semantics->steps.front();
  // A name for every dimension of every argument; static extents speak first.
  std::vector<std::vector<const char *>> names(kernel.arguments.size());
  auto nameMatrix = [&](uint32_t slot, const char *rows, const char *columns) {
    const size_t rank = kernel.arguments[slot].extents.size();
    names[slot].assign(rank, "B");
    names[slot][rank - 2] = rows;
    names[slot][rank - 1] = columns;
  };
  nameMatrix(step.a, step.transposeA ? "K" : "M", step.transposeA ? "M" : "K");
  nameMatrix(step.b, step.transposeB ? "N" : "K", step.transposeB ? "K" : "N");
  nameMatrix(step.dest, "M", "N");
  for (uint32_t f : step.fused) {
    const size_t rank = kernel.arguments[f].extents.size(),
                 full = names[step.dest].size();
    if (names[f].empty() && rank <= full)
      names[f].assign(names[step.dest].begin() + long(full - rank),
                      names[step.dest].end());
  }
  for (size_t n = 0; n < kernel.arguments.size(); ++n)
    for (size_t d = 0; d < names[n].size(); ++d) {
      const int64_t fixed = kernel.arguments[n].extents[d];
      if (fixed < 0 || fixed == 1) // one may be a broadcast
        continue;
      auto [known, isNew] = values.emplace(names[n][d], fixed);
      if (!isNew && known->second != fixed)
        return Status::invalidInput(std::string("--dims: expected ") +
                                    names[n][d] + "=" + std::to_string(fixed) +
                                    ", which argument '" +
                                    kernel.arguments[n].name + "' fixes, got " +
                                    std::to_string(known->second));
    }
  for (const char *name : {"M", "N", "K"})
    values.emplace(name, extent);
  values.emplace("B", 2);
  std::vector<std::vector<int64_t>> extents;
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    extents.push_back(kernel.arguments[n].extents);
    for (size_t d = 0; d < extents.back().size(); ++d)
      if (extents.back()[d] < 0)
        extents.back()[d] = d < names[n].size() ? values[names[n][d]] : extent;
  }
  return extents;
}

/// What is said of a case of a family.
static Case describedCase(const GemmFamily &family) {
  Case base;
  base.types = family.types();
  base.layout = family.layout();
  base.epilogue = family.epilogueName();
  base.name = "gemm " + base.types + " " + base.layout + " " + base.epilogue;
  if (family.weights)
    base.name += " weights-" + family.weights->name();
  if (family.factors.any())
    base.name += " factors-" + family.factors.name();
  if (family.blocks)
    base.name += " blocks-" + std::to_string(family.blocks);
  base.hasScales = family.blocks != 0;
  base.storedB = bool(family.weights);
  base.computedA = family.factors.any();
  base.grouped = family.grouped;
  if (family.grouped)
    base.name += " grouped";
  if (family.constantA || family.constantB)
    base.name += family.constantA ? " constant-a" : " constant-b";
  if (family.invariant)
    base.name += " batch-invariant";
  return base;
}

Result<Case> gemmCase(const GemmFamily &family, const std::string &path) {
  Case base = describedCase(family);
  auto bundle = load(path);
  if (!bundle.ok())
    return bundle.status();
  base.bundle = *bundle;
  auto names =
      kernelNames(**bundle, base.bundle->findKernel("gemm") ? "gemm" : "");
  if (!names.ok())
    return names.status().withPrefix(path + ": ");
  if (names->size() != 1)
    return Status::invalidInput(
        path + ": expected one kernel, or one named gemm, got " +
        std::to_string(names->size()));
  base.kernel = names->front();
  // A bundle given by hand must compute what the flags say.
  const bundle::Kernel &kernel = *base.bundle->findKernel(base.kernel);
  if (const std::string types = productTypes(kernel);
      !types.empty() && types != base.types)
    return Status::invalidInput("--types: expected " + types + ", which " +
                                path + " was compiled for, got " + base.types);
  return base;
}

Case withShape(const Case &base, const GemmFamily &family,
               const Options::Shape &shape, int64_t batch) {
  Case c = base;
  c.shape = (batch ? std::to_string(batch) + "*" : "") +
            formatExtents({shape.m, shape.n, shape.k});
  c.extents = gemmExtents(family, shape.m, shape.n, shape.k, batch);
  for (int64_t m : fewerRows(family, shape.m))
    c.fewerRows.push_back(gemmExtents(family, m, shape.n, shape.k, batch));
  return c;
}

Result<std::vector<Case>> makeCases(const Options &o, int64_t extent,
                                    const Progress &progress) {
  std::vector<Case> cases;
  if (o.command == Options::Command::Run) {
    for (const std::string &file :
         o.files.empty() ? std::vector<std::string>{o.bundle} : o.files) {
      Status s = addFileCases(o, file, o.kernel, extent, progress, cases);
      if (s.code() == StatusCode::Unsupported && o.files.size() > 1 &&
          access(o.compiler.c_str(), X_OK) == 0) {
        // The target cannot do this one; the others are still worth a run.
        Case none;
        none.name = baseName(file);
        none.shape = "-";
        none.unavailable = s;
        cases.push_back(std::move(none));
        continue;
      }
      if (!s.ok())
        return s;
    }
    return cases;
  }
  if (o.command == Options::Command::Attention)
    return makeAttentionCases(o, progress);
  auto addShapes = [&](const Case &base, const GemmFamily &family) {
    for (const Options::Shape &s : o.shapes)
      cases.push_back(
          withShape(base, family, s, o.groups ? o.groups : o.batch));
  };
  for (const GemmFamily &family : o.families) {
    Case base = describedCase(family);
    base.batch = o.batch;
    std::string path = o.bundle;
    if (path.empty()) {
      progress("compiling " + base.name + (o.batch ? " batched" : ""));
      bool compiled = false;
      BundleSource source = bundleSource(o);
      if (o.onlyLaunches)
        addLaunches(source, o, family);
      auto made = bundleFor(source, gemmText(family),
                            base.name + (o.batch ? " batched" : ""), compiled);
      if (!made.ok() && made.status().code() == StatusCode::Unsupported &&
          access(o.compiler.c_str(), X_OK) == 0) {
        // The target cannot do this one; the others are still worth a run.
        base.unavailable = made.status();
        addShapes(base, family);
        continue;
      }
      if (!made.ok())
        return made.status();
      path = *made;
    }
    auto made = gemmCase(family, path);
    if (!made.ok())
      return made.status();
    made->batch = o.batch;
    base = *made;
    addShapes(base, family);
  }
  return cases;
}

Result<std::vector<Case>> makePeakCases(const Options &o,
                                        const Surroundings &surroundings,
                                        int64_t extent,
                                        const Progress &progress) {
  std::vector<std::string> paths = o.ceilingBundles;
  if (paths.empty()) {
    if (DIR *dir = opendir(surroundings.examplesDir.c_str())) {
      while (dirent *entry = readdir(dir)) {
        const std::string name = entry->d_name;
        if (name.compare(0, 5, "peak_") == 0 && endsWith(name, ".mlir"))
          paths.push_back(surroundings.examplesDir + "/" + name);
      }
      closedir(dir);
    }
    std::sort(paths.begin(), paths.end());
    if (paths.empty())
      return Status::invalidInput(
          "--ceilings: expected peak kernels peak_*.mlir in '" +
          surroundings.examplesDir +
          "', found none; name them with --ceiling-bundle FILE");
  }
  Options plain = o;
  plain.schedule.clear();
  plain.tuned.clear();
  plain.inputShapes.clear();
  plain.dims.clear();
  plain.scalars.clear();
  plain.reference.clear();
  std::vector<Case> cases;
  for (const std::string &path : paths) {
    const size_t first = cases.size();
    if (Status s = addFileCases(plain, path, "", extent, progress, cases);
        !s.ok()) {
      if (!o.ceilingBundles.empty())
        return s;
      // One that this target cannot have leaves the others.
      progress("ceiling " + baseName(path) +
               " not measured: " + s.message().substr(0, 500));
      continue;
    }
    for (size_t n = first; n < cases.size(); ++n)
      if (cases[n].flopsFormula.empty() && cases[n].bytesFormula.empty())
        return Status::invalidInput(path +
                                    ": expected '// helios-bench: flops = "
                                    "FORMULA' or 'bytes = FORMULA' in a peak "
                                    "kernel, got none");
  }
  return cases;
}

} // namespace helios::bench
