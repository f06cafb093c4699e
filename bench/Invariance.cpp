// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batch-invariant products: launches with fewer rows have to give the same
// bits. They read the same tensors, of which they see a part.

#include "ReferenceImpl.h"
#include "helios/Bench/Runner.h"

namespace helios::bench {

Status Runner::checkInvariance(const Case &c, const bundle::Kernel &k,
                               rt::Kernel &kernel, const Set &set,
                               const std::vector<ResultImage> &images,
                               const std::vector<ImageLayout> &layouts) {
  for (const std::vector<std::vector<int64_t>> &extents : c.fewerRows) {
    Set fewer = set;
    std::vector<ResultImage> results(images.size());
    std::vector<ImageLayout> parts(layouts);
    for (size_t n = 0; n < k.arguments.size(); ++n) {
      parts[n].extents = extents[n];
      results[n].layout = parts[n];
      if (k.arguments[n].isResult) {
        auto buffer = device->createBuffer(parts[n].bytes);
        if (!buffer.ok())
          return buffer.status();
        fewer.buffers[n] = *buffer;
      }
      // Packed arguments are whole and do not have M.
      if (k.arguments[n].kind == bundle::ArgumentKind::Tensor &&
          k.arguments[n].packedBy.empty())
        fewer.arguments[n] =
            rt::LaunchArgument::tensor(fewer.buffers[n], parts[n].extents,
                                       parts[n].strides, parts[n].byteOffset);
    }
    if (Status s = poison(fewer, k, parts); !s.ok())
      return s;
    auto launch = kernel.prepare(fewer.arguments);
    if (!launch.ok())
      return launch.status();
    if (auto event = stream->enqueue(*launch); !event.ok())
      return event.status();
    if (Status s = stream->synchronize(); !s.ok())
      return s;
    if (Status s = readResults(fewer, k, results); !s.ok())
      return s;
    for (size_t n = 0; n < k.arguments.size(); ++n) {
      if (!k.arguments[n].isResult)
        continue;
      const std::string of = formatExtents(extents[n]);
      if (auto damage = findDamage(parts[n], results[n].bytes))
        return Status(StatusCode::WrongResult,
                      "result of " + of + ": " + *damage);
      if (auto at = findDifference(parts[n], images[n].bytes, results[n].bytes))
        return Status(
            StatusCode::WrongResult,
            "element " + *at + " has other bits where the result is " + of +
                " than where it is " + formatExtents(layouts[n].extents) +
                ", though the product is batch-invariant");
    }
  }
  return Status::success();
}

} // namespace helios::bench
