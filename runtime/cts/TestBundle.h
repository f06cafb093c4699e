//===- TestBundle.h - A small bundle made by hand -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CTS_TESTBUNDLE_H
#define HELIOS_RUNTIME_CTS_TESTBUNDLE_H

#include "helios/Bundle/Bundle.h"

namespace helios::cts {

/// SPIR-V 1.3 with the entry point "axpy": out[i] = alpha * x[i] + y[i] for i <
/// n, f32, 64 invocations; bindings 0 x, 1 y, 2 out; push constants n, alpha.
std::vector<uint8_t> axpyModule();

/// The same as PTX for sm_80; parameters x, y, out, n, alpha.
const char *axpyPtx();

/// PTX for sm_90 with the entry point "tiles": 256 threads and a cluster of two
/// copy boxes of 8 x 32 f32 through a tensor map and add the rank in the
/// cluster; parameters out, columns of out, boxes in a row of boxes, the map.
const char *tilesPtx();

/// Kernels over f32 vectors, all on any Vulkan 1.1 device and any CUDA device
/// of compute capability 8.0:
///   axpy(alpha, x, y) -> out      out = alpha * x + y; one variant, n <= 5e6
///   guards(alpha, x, y) -> out    the same in two variants: "whole" for
///                                 n % 64 == 0, "ragged" otherwise
///   twostep(alpha, x, y) -> out   out = alpha * (alpha * x + x) + y, in two
///                                 dispatches through workspace
///   overflow(alpha, x, y) -> out  a grid that overflows 64 bits for n >= 2^16
///   narrow(alpha, x, y) -> out    a push constant beyond 32 bits for n >= 2^16
///   matrix(alpha, x, y) -> out    needs a matrix shape that nobody lists
///   twoways(alpha, x, y) -> out   "matrix" first, then an implementation for
///   all
/// And one for CUDA devices of compute capability 9.0:
///   tiles(in) -> out              out is larger than the matrix in, which is
///                                 continued with zeros, in multiples of 16 x
///                                 32; the second 8 of each 16 rows are 1 more
bundle::Bundle makeTestBundle();

} // namespace helios::cts

#endif // HELIOS_RUNTIME_CTS_TESTBUNDLE_H
