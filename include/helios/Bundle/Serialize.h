//===- Serialize.h - Bundles to bytes and back ------------------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_SERIALIZE_H
#define HELIOS_BUNDLE_SERIALIZE_H

#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Status.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace helios::bundle {

/// Checks everything that the format demands of a bundle's contents: counts,
/// indices, enums, names, formulas that read only earlier ones, plans that name
/// existing tensors and modules, SPIR-V with the named entry point and
/// workgroup size, regions in SSA form. Called by write and read. InvalidInput
/// names the place ("kernel 'gemm', implementation 0 'khr', variant 1: ...").
Status validate(const Bundle &bundle);

/// Serialises a valid bundle. Equal bundles give equal bytes.
Result<std::vector<uint8_t>> write(const Bundle &bundle);

/// Reads a bundle. Nothing in `data` is trusted: every length, count, index and
/// enum is checked before use, and the hash does not replace any check.
/// InvalidInput names the place and what was expected.
Result<Bundle> read(const uint8_t *data, size_t size);

/// Reads a file; messages begin with the path.
Result<Bundle> readFile(const std::string &path);
/// Writes to a temporary file beside `path`, flushes it and renames it over
/// `path`: a full disk or an interruption leaves the old file as it was.
Status writeFile(const std::string &path, const std::vector<uint8_t> &bytes);

/// The bundle as text, including formulas in infix form.
std::string dump(const Bundle &bundle);
/// One formula as text, e.g. "ceildiv(extent(a, 0), 128)".
std::string formatExpr(const Kernel &kernel, const Plan &plan, ExprId id);

/// SHA-256 of `size` bytes.
std::array<uint8_t, 32> sha256(const uint8_t *data, size_t size);
std::string toHex(const std::array<uint8_t, 32> &digest);

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_SERIALIZE_H
