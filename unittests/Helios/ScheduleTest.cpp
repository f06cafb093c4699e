// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of tuning parameters, and the schedules that it describes.

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace helios;

namespace {

class ScheduleTest : public ::testing::Test {
protected:
  ScheduleTest() { context.loadDialect<HeliosDialect>(); }

  ScheduleAttr parse(StringRef text) {
    return ScheduleAttr::parseString(
        text, &context, [&] { return emitError(UnknownLoc::get(&context)); });
  }

  MLIRContext context;
};

TEST_F(ScheduleTest, DefaultsAreInRange) {
  unsigned next = 0;
  for (const ScheduleParameter &parameter : kScheduleParameters) {
    EXPECT_EQ(parameter.first, next) << parameter.key;
    next += parameter.count;
    for (unsigned i = 0; i < parameter.count; ++i) {
      EXPECT_GE(parameter.defaults[i], parameter.min) << parameter.key;
      EXPECT_LE(parameter.defaults[i], parameter.max) << parameter.key;
    }
    EXPECT_GT(StringRef(parameter.doc).size(), 10u) << parameter.key;
  }
  EXPECT_EQ(next, unsigned(kScheduleValueCount));
  EXPECT_EQ(ScheduleAttr::getDefault(&context).toString(), "default");
}

TEST_F(ScheduleTest, TextRoundTrip) {
  for (StringRef text :
       {"default", "tile=64x32x16",
        "strategy=roles,tile=64x256x64,groups=1x8,mma=8x8x8,depth=4,pad=0"}) {
    ScheduleAttr schedule = parse(text);
    ASSERT_TRUE(schedule) << text.str();
    EXPECT_EQ(schedule.toString(), text);
    EXPECT_EQ(parse(schedule.toString()), schedule);
  }
  EXPECT_EQ(parse("tile=64x32x16").getTile(), ArrayRef<int64_t>({64, 32, 16}));
  EXPECT_EQ(parse("strategy=groups").getStrategyName(), "groups");
}

TEST_F(ScheduleTest, WithReplacesValues) {
  ScheduleAttr schedule = ScheduleAttr::getDefault(&context)
                              .with(kScheduleGroups, {1, 4})
                              .with(kScheduleDepth, {3});
  EXPECT_EQ(schedule.toString(), "groups=1x4,depth=3");
}

TEST_F(ScheduleTest, DocumentationNamesEveryParameter) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printScheduleDocumentation(os);
  for (const ScheduleParameter &parameter : kScheduleParameters)
    EXPECT_NE(text.find("| `" + std::string(parameter.key) + "` |"),
              std::string::npos)
        << parameter.key;
  EXPECT_NE(
      text.find("3 integers (m, n, k), each from 1 to 1024 | 128x128x32 |"),
      std::string::npos)
      << text;
}

} // namespace
