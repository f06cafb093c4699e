//===- RequirementsTest.cpp - What plans are told of a device -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Common.h"
#include "gtest/gtest.h"

using namespace helios;
using bundle::DeviceProperty;

/// A property of a device of so many compute units, as plans see it.
static int64_t propertyOf(uint32_t computeUnits, DeviceProperty property) {
  rt::DeviceInfo info;
  info.computeUnits = computeUnits;
  bundle::PlanInput input;
  rt::fillDeviceProperties(info, input);
  return input.device[static_cast<uint32_t>(property)];
}

TEST(Requirements, ComputeUnitsAreThoseOfTheDevice) {
  EXPECT_EQ(propertyOf(132, DeviceProperty::ComputeUnits), 132);
  EXPECT_EQ(propertyOf(1, DeviceProperty::ComputeUnits), 1);
}

TEST(Requirements, UnknownComputeUnitsAreSeveral) {
  EXPECT_EQ(propertyOf(0, DeviceProperty::ComputeUnits), 16);
  EXPECT_EQ(propertyOf(0, DeviceProperty::ClustersOf2), 8);
}
