// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a device's matrix instructions and its memory reach: peak kernels, run
// until a launch is long enough to be timed well.

#include "helios/Bench/Directives.h"
#include "helios/Bench/Random.h"
#include "helios/Bench/Runner.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

namespace {

/// A launch of a peak kernel takes at least this long.
constexpr double kGpuNs = 5e6, kCpuNs = 5e7;
/// A CPU's tensors take no more than this: its caches are smaller.
constexpr int64_t kCpuMiB = 64;
/// Leading extents are multiples of this, so that blocks of rows fit.
constexpr int64_t kRowMultiple = 64;
/// Inputs of many bytes repeat one piece of this size.
constexpr size_t kPieceBytes = size_t(8) << 20;

/// Open leading extents so large that all tensors together take `bytes`.
Status fillWorkingSet(const bundle::Kernel &kernel, double bytes,
                      std::vector<std::vector<int64_t>> &extents) {
  double rowBytes = 0;
  for (const bundle::Argument &a : kernel.arguments)
    if (a.kind == bundle::ArgumentKind::Tensor && !a.extents.empty() &&
        a.extents[0] < 0) {
      double row = bundle::elementBytes(a.type);
      for (size_t d = 1; d < a.extents.size(); ++d)
        row *= double(a.extents[d]);
      if (row <= 0)
        return Status::invalidInput("working_set_mib: expected tensors of "
                                    "which the first extent alone is open");
      rowBytes += row;
    }
  if (rowBytes == 0)
    return Status::invalidInput(
        "working_set_mib: expected a tensor with an open first extent");
  const int64_t rows =
      std::max<int64_t>(1, int64_t(bytes / rowBytes) / kRowMultiple) *
      kRowMultiple;
  extents.clear();
  for (const bundle::Argument &a : kernel.arguments) {
    if (a.isResult)
      break;
    extents.push_back(a.extents);
    if (!a.extents.empty() && a.extents[0] < 0)
      extents.back()[0] = rows;
  }
  return Status::success();
}

/// Bytes of a piece: numbers between 1 and 2 in f32, finite in bf16.
std::vector<uint8_t> randomPiece(size_t bytes, uint64_t seed) {
  std::vector<uint8_t> piece(bytes);
  const RandomStream random(seed, 0);
  for (size_t at = 0; at + 4 <= bytes; at += 4) {
    const uint32_t word =
        (uint32_t(random.below(at, uint64_t(1) << 32)) & 0x007fffffu) |
        0x3f800000u;
    std::copy_n(reinterpret_cast<const uint8_t *>(&word), 4, piece.data() + at);
  }
  return piece;
}

} // namespace

/// A set for measuring memory: tensors of any size, without an image of each on
/// the host.
Result<Runner::Set>
Runner::makeLargeSet(rt::Kernel &kernel, const Problem &scalars,
                     const std::vector<ImageLayout> &layouts) {
  const bundle::Kernel &k = kernel.description();
  auto made = makeEmptySet(k, scalars, layouts);
  if (!made.ok())
    return made;
  Set set = *made;
  std::vector<uint8_t> piece;
  for (size_t n = 0; n < k.arguments.size(); ++n) {
    const auto &buffer = set.buffers[n];
    if (!buffer || k.arguments[n].isResult)
      continue;
    if (piece.empty())
      piece = randomPiece(kPieceBytes, options.seed);
    for (uint64_t at = 0; at < layouts[n].bytes; at += piece.size())
      if (Status s = buffer->write(
              at, piece.data(),
              std::min<uint64_t>(piece.size(), layouts[n].bytes - at));
          !s.ok())
        return s;
  }
  auto launch = kernel.prepare(set.arguments);
  if (!launch.ok())
    return launch.status();
  set.launch = *launch;
  return set;
}

Result<Runner::Peak> Runner::measureCeiling(const Case &given) {
  auto kernel = device->loadKernel(given.bundle, given.kernel);
  if (!kernel.ok())
    return kernel.status();
  const bundle::Kernel &k = (*kernel)->description();
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  const bool isMemory = !given.bytesFormula.empty();
  Case c = given;
  if (c.workingSetMiB) {
    const int64_t mib =
        isGpu ? c.workingSetMiB : std::min(c.workingSetMiB, kCpuMiB);
    if (Status s = fillWorkingSet(k, double(mib) * 0x1p20, c.extents); !s.ok())
      return s;
  }
  std::vector<std::vector<int64_t>> extents;
  if (Status s = prepareExtents(c, k, **kernel, extents); !s.ok())
    return s;
  Peak peak;
  std::vector<ImageLayout> layouts(extents.size());
  // Where memory is measured, an image on the host has one row of each tensor:
  // only its scalars are used.
  std::vector<std::vector<int64_t>> onHost = extents;
  for (size_t n = 0; n < extents.size(); ++n) {
    auto layout = layoutImage(k.arguments[n].type, extents[n], 0, 0);
    if (!layout.ok())
      return layout.status();
    layouts[n] = *layout;
    const auto &open = k.arguments[n].extents;
    if (isMemory && !open.empty() && open[0] < 0) {
      peak.workingSet += double(elementCount(extents[n])) *
                         bundle::elementBytes(k.arguments[n].type);
      onHost[n][0] = 1;
    }
  }
  std::map<std::string, double> scalars = c.scalars;
  const double wantedNs = isGpu ? kGpuNs : kCpuNs;
  Set set;
  for (;;) {
    auto problem =
        makeInputs(k, onHost, InputKind::Uniform, options.seed, scalars);
    if (!problem.ok())
      return problem.status();
    if (isMemory && set.launch) {
      for (size_t n = 0; n < k.arguments.size(); ++n)
        if (k.arguments[n].kind == bundle::ArgumentKind::Scalar)
          set.arguments[n] = rt::LaunchArgument::integer(problem->scalars[n]);
      auto launch = (*kernel)->prepare(set.arguments);
      if (!launch.ok())
        return launch.status();
      set.launch = *launch;
    } else {
      set = Set(); // before the next one is made
      auto made = isMemory ? makeLargeSet(**kernel, *problem, layouts)
                           : makeSet(c, k, **kernel, *problem, layouts);
      if (!made.ok())
        return made.status();
      set = *made;
    }
    auto work = evaluateFlops(isMemory ? c.bytesFormula : c.flopsFormula, k,
                              extents, scalars, set.launch->plan());
    if (!work.ok())
      return work.status();
    auto timing = stream->time({set.launch}, isGpu ? 12 : 1);
    if (!timing.ok())
      return timing.status();
    std::vector<double> sorted = timing->gpuNs;
    std::sort(sorted.begin(), sorted.end());
    const double median = quantile(sorted, 0.5);
    auto steps = scalars.find("iters");
    const bool canGrow = steps != scalars.end() && steps->second < 1e8;
    if (median >= wantedNs || !canGrow) {
      peak.rate = *work / (median * 1e-9);
      return peak;
    }
    steps->second = std::ceil(
        steps->second *
        std::clamp(1.5 * wantedNs / std::max(median, 1.0), 2.0, 64.0));
  }
}

} // namespace helios::bench
