//===- SelfTest.h - Bundles that multiply one matrix shape -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_SELFTEST_H
#define HELIOS_RUNTIME_VULKAN_SELFTEST_H

#include "helios/Bundle/Bundle.h"

namespace helios::rt {

/// A bundle whose kernel "product" computes d[M,N] = a[M,K] * b[K,N] + c[M,N]
/// in one workgroup of `workgroup` invocations with one cooperative matrix
/// product.
bundle::Bundle matrixProductBundle(const bundle::MatrixShape &shape,
                                   uint32_t workgroup, bool subgroupSizeControl,
                                   bool fullSubgroups);

/// Small integers for the operands: distinct enough that a wrong row, column or
/// operand shows, small enough that every sum is exact in the result type.
struct ProductTestValues {
  std::vector<double> a, b, c, expected;
};
ProductTestValues productTestValues(const bundle::MatrixShape &shape);

} // namespace helios::rt

#endif // HELIOS_RUNTIME_VULKAN_SELFTEST_H
