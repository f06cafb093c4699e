// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Runner.h"
#include "ReferenceImpl.h"
#include "helios/Bench/Directives.h"

#include <algorithm>

namespace helios::bench {

namespace {

Status stopped() { return Status(StatusCode::Device, "interrupted"); }

bool endsTheRun(const Status &s) {
  return s.code() == StatusCode::Device || s.code() == StatusCode::DeviceLost ||
         s.code() == StatusCode::OutOfMemory;
}

/// The kernel as its semantics describe it: of packed arguments what is packed.
bundle::Kernel asDescribed(const bundle::Bundle &bundle,
                           const bundle::Kernel &kernel) {
  bundle::Kernel seen = kernel;
  for (bundle::Argument &argument : seen.arguments)
    if (const bundle::Kernel *packer =
            argument.packedBy.empty() ? nullptr
                                      : bundle.findKernel(argument.packedBy)) {
      std::string name = argument.name;
      std::string packedBy = argument.packedBy;
      argument = packer->arguments.front();
      argument.name = std::move(name);
      argument.packedBy = std::move(packedBy);
    }
  return seen;
}

} // namespace

Status Runner::prepareExtents(const Case &c, const bundle::Kernel &k,
                              rt::Kernel &kernel,
                              std::vector<std::vector<int64_t>> &extents) {
  size_t inputs = 0;
  while (inputs < k.arguments.size() && !k.arguments[inputs].isResult)
    ++inputs;
  if (c.extents.size() != inputs && c.extents.size() != k.arguments.size())
    return Status::invalidInput(
        "kernel '" + k.name + "' has " + std::to_string(inputs) +
        " inputs, got extents of " + std::to_string(c.extents.size()) +
        " arguments");
  extents = c.extents;
  for (size_t n = 0; n < extents.size(); ++n) {
    const bundle::Argument &argument = k.arguments[n];
    bool agrees = extents[n].size() == argument.extents.size();
    for (size_t d = 0; agrees && d < extents[n].size(); ++d)
      agrees = argument.extents[d] < 0 || argument.extents[d] == extents[n][d];
    if (!agrees) {
      std::string wanted;
      for (int64_t e : argument.extents)
        wanted += (wanted.empty() ? "" : "x") +
                  (e < 0 ? std::string("?") : std::to_string(e));
      return Status::invalidInput(
          "argument '" + argument.name + "' of kernel '" + k.name +
          "': expected extents " + (wanted.empty() ? "of a scalar" : wanted) +
          ", got " + formatExtents(extents[n]));
    }
  }
  if (extents.size() == inputs && inputs < k.arguments.size()) {
    auto results = kernel.resultExtents(extents);
    if (!results.ok())
      return results.status();
    extents.insert(extents.end(), results->begin(), results->end());
  }
  if (k.semantics)
    if (auto slots = slotExtents(k, extents); !slots.ok())
      return slots.status().withPrefix("kernel '" + k.name + "': ");
  return Status::success();
}

Status Runner::poison(const Set &set, const bundle::Kernel &kernel,
                      const std::vector<ImageLayout> &layouts) {
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    if (!kernel.arguments[n].isResult)
      continue;
    const std::vector<uint8_t> image = poisonedImage(layouts[n]);
    if (Status s = set.buffers[n]->write(0, image.data(), image.size());
        !s.ok())
      return s;
  }
  return Status::success();
}

Result<Runner::Set>
Runner::makeEmptySet(const bundle::Kernel &k, const Problem &problem,
                     const std::vector<ImageLayout> &layouts) {
  Set set;
  for (size_t n = 0; n < k.arguments.size(); ++n) {
    if (k.arguments[n].kind == bundle::ArgumentKind::Scalar) {
      set.buffers.push_back(nullptr);
      set.arguments.push_back(rt::LaunchArgument::integer(problem.scalars[n]));
      continue;
    }
    auto buffer = device->createBuffer(layouts[n].bytes);
    if (!buffer.ok())
      return buffer.status().withPrefix(k.arguments[n].name + ": ");
    set.buffers.push_back(*buffer);
    set.arguments.push_back(
        rt::LaunchArgument::tensor(*buffer, layouts[n].extents,
                                   layouts[n].strides, layouts[n].byteOffset));
  }
  return set;
}

/// Replaces an argument by what the bundle's kernel for it packs.
Status Runner::pack(const Case &c, const bundle::Argument &argument,
                    const std::string &row, const ImageLayout &layout,
                    std::shared_ptr<rt::Buffer> &buffer,
                    rt::LaunchArgument &passed) {
  rt::KernelOptions kernelOptions;
  kernelOptions.row = row;
  auto packer = device->loadKernel(c.bundle, argument.packedBy, kernelOptions);
  if (!packer.ok())
    return packer.status();
  auto extents = (*packer)->resultExtents({layout.extents});
  if (!extents.ok())
    return extents.status();
  auto packed = layoutImage(argument.type, extents->front(), 0, 0, {});
  if (!packed.ok())
    return packed.status();
  auto memory = device->createBuffer(packed->bytes);
  if (!memory.ok())
    return memory.status();
  // What the kernel does not write is no number.
  const std::vector<uint8_t> poison(packed->bytes, 0xff);
  if (Status s = (*memory)->write(0, poison.data(), poison.size()); !s.ok())
    return s;
  auto result = rt::LaunchArgument::tensor(*memory, packed->extents,
                                           packed->strides, packed->byteOffset);
  auto launch = (*packer)->prepare({passed, result});
  if (!launch.ok())
    return launch.status();
  if (auto event = stream->enqueue(*launch); !event.ok())
    return event.status();
  buffer = *memory;
  passed = result;
  return stream->synchronize();
}

Result<Runner::Set> Runner::makeSet(const Case &c, const bundle::Kernel &k,
                                    rt::Kernel &kernel, const Problem &problem,
                                    const std::vector<ImageLayout> &layouts) {
  auto made = makeEmptySet(k, problem, layouts);
  if (!made.ok())
    return made;
  Set set = *made;
  for (size_t n = 0; n < k.arguments.size(); ++n) {
    const auto &buffer = set.buffers[n];
    if (!buffer || k.arguments[n].isResult)
      continue;
    const bundle::Step *step = k.semantics && !k.semantics->steps.empty()
                                   ? &k.semantics->steps.front()
                                   : nullptr;
    const bool isA = step && problem.rows && step->a == n,
               isB = step && problem.columns && step->b == n;
    const RepeatedLines *lines = isA   ? &*problem.rows
                                 : isB ? &*problem.columns
                                       : nullptr;
    // Lines are rows of the stored matrix, or its columns where the operand is
    // transposed (A) or not (B).
    const bool alongColumns =
        lines && (isA ? step->transposeA : !step->transposeB);
    const std::vector<uint8_t> image = inputImage(
        layouts[n], problem.arguments[n], alongColumns ? nullptr : lines,
        alongColumns ? lines : nullptr);
    if (Status s = buffer->write(0, image.data(), image.size()); !s.ok())
      return s;
    if (!k.arguments[n].packedBy.empty())
      if (Status s = pack(c, k.arguments[n], kernel.implementation().row,
                          layouts[n], set.buffers[n], set.arguments[n]);
          !s.ok())
        return s.withPrefix("packing " + k.arguments[n].name + ": ");
  }
  if (Status s = poison(set, k, layouts); !s.ok())
    return s;
  auto launch = kernel.prepare(set.arguments);
  if (!launch.ok())
    return launch.status();
  set.launch = *launch;
  return set;
}

Result<Runner::Set> Runner::cloneSet(rt::Kernel &kernel, const Set &set) {
  Set clone = set;
  for (size_t n = 0; n < set.buffers.size(); ++n) {
    if (!set.buffers[n])
      continue;
    auto buffer = device->createBuffer(set.buffers[n]->size());
    if (!buffer.ok())
      return buffer.status();
    auto copied =
        stream->copy(set.buffers[n], 0, *buffer, 0, set.buffers[n]->size());
    if (!copied.ok())
      return copied.status();
    clone.buffers[n] = clone.arguments[n].buffer = *buffer;
  }
  auto launch = kernel.prepare(clone.arguments);
  if (!launch.ok())
    return launch.status();
  clone.launch = *launch;
  return clone;
}

Status Runner::readResults(const Set &set, const bundle::Kernel &kernel,
                           std::vector<ResultImage> &results) {
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    if (!kernel.arguments[n].isResult)
      continue;
    results[n].bytes.resize(results[n].layout.bytes);
    if (Status s = set.buffers[n]->read(0, results[n].bytes.data(),
                                        results[n].layout.bytes);
        !s.ok())
      return s;
  }
  return Status::success();
}

Status Runner::check(const Case &c, const bundle::Kernel &k, rt::Kernel &kernel,
                     const std::vector<std::vector<int64_t>> &extents,
                     const std::vector<ImageLayout> &layouts,
                     CaseResult &result, Set &last,
                     std::vector<ResultImage> &images) {
  CheckLimits limits = defaultLimits(options.seed);
  if (options.whole >= 0)
    limits.wholeMultiplyAdds = double(options.whole) * 0x1p30;
  std::vector<InputKind> kinds{InputKind::Integers, hasAttention(k)
                                                        ? InputKind::Normal
                                                        : InputKind::Uniform};
  if (!k.semantics)
    kinds = {InputKind::Uniform};
  else if (canRepeatLines(k) &&
           *multiplyAdds(k, extents) > limits.wholeMultiplyAdds)
    kinds.insert(kinds.begin(), InputKind::Repeated);
  if (!device->executes())
    kinds.resize(1); // The plan reads no elements.
  for (InputKind kind : kinds) {
    if (interrupted())
      return stopped();
    auto problem = makeInputs(k, extents, kind, options.seed, c.scalars);
    if (!problem.ok())
      return problem.status();
    if (Status s = putEnds(*problem, options.ends, options.seed); !s.ok())
      return s;
    if (Status s = putGarbage(*problem, options.garbage); !s.ok())
      return s;
    if (hasAttention(k) || hasGroups(k)) {
      auto useful = usefulMultiplyAdds(*problem);
      if (!useful.ok())
        return useful.status();
      result.flops = 2 * *useful;
    }
    last = Set(); // before the next set is made
    auto set = makeSet(c, k, kernel, *problem, layouts);
    if (!set.ok())
      return set.status();
    last = *set;
    result.variant = last.launch->variantName();
    result.choice = bundle::explainChoice(last.launch->plan());
    // Of several schedules, the one that the plan took.
    for (const bundle::ResolvedChoice &choice : last.launch->plan().choices)
      if (choice.taken)
        result.schedule = choice.schedule;
    result.workspaceBytes = last.launch->workspaceBytes();
    if (auto event = stream->enqueue(last.launch); !event.ok())
      return event.status();
    if (Status s = stream->synchronize(); !s.ok())
      return s;
    if (!device->executes()) {
      result.reason =
          "the " + device->info().driver + " device computes nothing";
      continue;
    }
    if (Status s = readResults(last, k, images); !s.ok())
      return s;
    auto report = checkResults(*problem, images, limits);
    if (!report.ok())
      return report.status();
    result.checks.push_back({kind, *report});
    if (report->verdict() != Verdict::Passed)
      break;
  }
  if (result.checks.empty())
    return Status::success();
  // The verdict is the worst; integers may leave single elements of functions
  // unbounded, uniform inputs must not.
  const CheckOfKind &worst = result.checks.back();
  result.verdict = worst.report.verdict();
  result.reason = worst.report.reason();
  if (!k.semantics && result.verdict == Verdict::NotVerified)
    result.reason =
        "the bundle does not say what kernel '" + k.name + "' computes";
  if (result.verdict != Verdict::Passed && k.semantics)
    result.reason = "inputs " + std::string(inputKindName(worst.kind)) + ": " +
                    result.reason;
  result.maxError = worst.report.maxError;
  result.relativeError = worst.report.relativeError();
  for (const CheckOfKind &done : result.checks)
    if (result.coverage.empty() || done.report.isWhole())
      result.coverage = done.report.coverage();
  return Status::success();
}

std::optional<Runner::Prepared> Runner::prepare(const Case &c,
                                                CaseResult &result) {
  auto fail = [&](const Status &s) {
    result.error = s;
    result.verdict = s.code() == StatusCode::Unsupported ? Verdict::Unsupported
                                                         : Verdict::NotVerified;
    result.reason = s.message();
    return std::nullopt;
  };
  if (!c.unavailable.ok())
    return fail(c.unavailable);
  rt::KernelOptions kernelOptions;
  kernelOptions.row = options.row;
  auto kernel = device->loadKernel(c.bundle, c.kernel, kernelOptions);
  if (!kernel.ok())
    return fail(kernel.status());
  const bundle::Kernel k = asDescribed(*c.bundle, (*kernel)->description());
  result.row = (*kernel)->implementation().row;
  result.schedule = (*kernel)->implementation().schedule;
  result.whyChosen = (*kernel)->whyChosen();
  std::vector<std::vector<int64_t>> extents;
  if (Status s = prepareExtents(c, k, **kernel, extents); !s.ok())
    return fail(s);
  std::vector<ImageLayout> layouts(extents.size());
  std::vector<ResultImage> images(extents.size());
  for (size_t n = 0; n < extents.size(); ++n) {
    if (k.arguments[n].kind == bundle::ArgumentKind::Scalar)
      continue;
    // One element, or as much as a device that binds no finer wants.
    const uint64_t misalign =
        options.misalign
            ? std::max<uint64_t>(bundle::elementBytes(k.arguments[n].type),
                                 device->info().storageBufferAlignment)
            : 0;
    auto layout = layoutImage(
        k.arguments[n].type, extents[n], options.padRows, misalign,
        c.attention && c.attention->form.rowsOfHeads && extents[n].size() == 4
            ? std::vector<size_t>{0, 2, 1, 3}
            : std::vector<size_t>{});
    if (!layout.ok())
      return fail(layout.status());
    layouts[n] = *layout;
    images[n].layout = *layout;
    result.bytes += double(elementCount(extents[n])) *
                    bundle::elementBytes(k.arguments[n].type);
  }
  if (k.semantics) {
    auto work = multiplyAdds(k, extents);
    if (!work.ok())
      return fail(work.status());
    result.flops = 2 * *work;
  }
  Set set;
  if (Status s = check(c, k, **kernel, extents, layouts, result, set, images);
      !s.ok())
    return fail(s);
  if (result.verdict == Verdict::Passed) {
    if (Status s = checkInvariance(c, k, **kernel, set, images, layouts);
        s.code() == StatusCode::WrongResult) {
      result.verdict = Verdict::Incorrect;
      result.reason = s.message();
    } else if (!s.ok()) {
      return fail(s);
    }
  }
  if (!c.flopsFormula.empty() && set.launch) {
    auto flops = evaluateFlops(c.flopsFormula, k, extents, c.scalars,
                               set.launch->plan());
    if (!flops.ok())
      return fail(flops.status());
    result.flops = *flops;
  }
  result.statistics = (*kernel)->statistics();
  // What failed its check is no time; what nobody can check may be timed, and
  // says so.
  const bool mayTime = result.verdict == Verdict::Passed ||
                       (!k.semantics && result.verdict == Verdict::NotVerified);
  if (!mayTime || !device->executes())
    return std::nullopt;
  return Prepared{*kernel, std::move(layouts), std::move(images),
                  std::move(set)};
}

CaseResult Runner::run(const Case &c) {
  CaseResult result;
  std::optional<Prepared> prepared = prepare(c, result);
  if (options.checkOnly || !prepared)
    return result;
  if (Status s = time(c, *prepared, result); !s.ok()) {
    result.reason = s.message();
    if (s.code() == StatusCode::WrongResult) {
      result.verdict = Verdict::Incorrect;
      result.timed = false;
    } else if (endsTheRun(s)) {
      result.error = s;
      result.verdict = Verdict::NotVerified;
    } else {
      result.reason = "not timed: " + s.message();
    }
  }
  return result;
}

} // namespace helios::bench
