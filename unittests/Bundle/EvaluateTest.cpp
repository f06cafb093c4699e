//===- EvaluateTest.cpp - Formulas and plans -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Evaluate.h"
#include "TestBundle.h"
#include "helios/Bundle/Serialize.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace helios;
using namespace helios::bundle;
using Error = ExprValue::Error;

namespace {

constexpr int64_t least = INT64_MIN, most = INT64_MAX;

ExprValue one(ExprOp op, int64_t a, int64_t b = 0, int64_t c = 0) {
  Plan p;
  ExprBuilder e(p);
  ExprId x = e.constant(a), y = e.constant(b), z = e.constant(c);
  ExprId id = e.get(op, x, y, z);
  return evaluateAll(p, PlanInput())[id];
}

PlanInput vectors(int64_t n) {
  PlanInput in;
  in.arguments.resize(4);
  for (int i = 1; i < 4; ++i) {
    in.arguments[i].extents = {n};
    in.arguments[i].strides = {1};
  }
  return in;
}

Result<ResolvedPlan> run(const char *kernel, const PlanInput &in) {
  static const Bundle b = cts::makeTestBundle();
  const Kernel *k = b.findKernel(kernel);
  return resolve(*k, k->implementations[0].plan, in);
}

} // namespace

TEST(Evaluate, Arithmetic) {
  EXPECT_EQ(one(ExprOp::Add, 2, 3).value, 5);
  EXPECT_EQ(one(ExprOp::FloorDiv, -7, 2).value, -4);
  EXPECT_EQ(one(ExprOp::FloorDiv, 7, -2).value, -4);
  EXPECT_EQ(one(ExprOp::CeilDiv, 7, 2).value, 4);
  EXPECT_EQ(one(ExprOp::CeilDiv, -7, 2).value, -3);
  EXPECT_EQ(one(ExprOp::CeilDiv, 8, 2).value, 4);
  EXPECT_EQ(one(ExprOp::Rem, -7, 3).value, 2);
  EXPECT_EQ(one(ExprOp::Rem, 7, -3).value, -2);
  EXPECT_EQ(one(ExprOp::Rem, least, -1).value, 0);
  EXPECT_EQ(one(ExprOp::Min, -1, 3).value, -1);
  EXPECT_EQ(one(ExprOp::Max, -1, 3).value, 3);
  EXPECT_EQ(one(ExprOp::Lt, 1, 1).value, 0);
  EXPECT_EQ(one(ExprOp::Le, 1, 1).value, 1);
  EXPECT_EQ(one(ExprOp::Ne, 1, 2).value, 1);
  EXPECT_EQ(one(ExprOp::Not, 5).value, 0);
  EXPECT_EQ(one(ExprOp::And, 4, 8).value, 1);
  EXPECT_EQ(one(ExprOp::Or, 0, 0).value, 0);
  EXPECT_EQ(one(ExprOp::Select, 1, 10, 20).value, 10);
}

TEST(Evaluate, Errors) {
  EXPECT_EQ(one(ExprOp::Add, most, 1).error, Error::Overflow);
  EXPECT_EQ(one(ExprOp::Sub, least, 1).error, Error::Overflow);
  EXPECT_EQ(one(ExprOp::Mul, most, 2).error, Error::Overflow);
  EXPECT_EQ(one(ExprOp::FloorDiv, least, -1).error, Error::Overflow);
  EXPECT_EQ(one(ExprOp::CeilDiv, least, -1).error, Error::Overflow);
  EXPECT_EQ(one(ExprOp::FloorDiv, 1, 0).error, Error::DivisionByZero);
  EXPECT_EQ(one(ExprOp::CeilDiv, 1, 0).error, Error::DivisionByZero);
  EXPECT_EQ(one(ExprOp::Rem, 1, 0).error, Error::DivisionByZero);
  EXPECT_EQ(one(ExprOp::Rem, most, least).value,
            least + most); // -1, sign of the divisor
}

TEST(Evaluate, UnusedErrorsDoNotCount) {
  Plan p;
  ExprBuilder e(p);
  ExprId zero = e.constant(0), ten = e.constant(10);
  ExprId bad = e.floorDiv(ten, zero);
  ExprId a = e.select(zero, bad, ten), b = e.logicalAnd(zero, bad),
         c = e.logicalOr(ten, bad);
  ExprId d = e.add(bad, ten), f = e.select(bad, ten, ten);
  std::vector<ExprValue> v = evaluateAll(p, PlanInput());
  EXPECT_EQ(v[a].error, Error::None);
  EXPECT_EQ(v[a].value, 10);
  EXPECT_EQ(v[b].value, 0);
  EXPECT_EQ(v[b].error, Error::None);
  EXPECT_EQ(v[c].value, 1);
  EXPECT_EQ(v[d].error, Error::DivisionByZero);
  EXPECT_EQ(v[d].origin, bad);
  EXPECT_EQ(v[f].error, Error::DivisionByZero);
}

TEST(Evaluate, AgainstWideArithmetic) {
  // Random formulas beside __int128.
  std::mt19937_64 random(11);
  const int64_t corners[] = {least, least + 1, -2, -1,       0,
                             1,     2,         3,  most - 1, most};
  for (int i = 0; i < 20000; ++i) {
    int64_t a =
        random() % 2 ? corners[random() % 10] : static_cast<int64_t>(random());
    int64_t b = random() % 2
                    ? corners[random() % 10]
                    : static_cast<int64_t>(random() >> (random() % 60));
    ExprOp op =
        static_cast<ExprOp>(static_cast<int>(ExprOp::Add) + random() % 6);
    __int128 wide = 0, x = a, y = b;
    bool division =
        op == ExprOp::FloorDiv || op == ExprOp::CeilDiv || op == ExprOp::Rem;
    ExprValue got = one(op, a, b);
    if (division && b == 0) {
      ASSERT_EQ(got.error, Error::DivisionByZero);
      continue;
    }
    __int128 floor = 0;
    if (division)
      floor = x / y - ((x % y != 0 && ((x < 0) != (y < 0))) ? 1 : 0);
    switch (op) {
    case ExprOp::Add:
      wide = x + y;
      break;
    case ExprOp::Sub:
      wide = x - y;
      break;
    case ExprOp::Mul:
      wide = x * y;
      break;
    case ExprOp::FloorDiv:
      wide = floor;
      break;
    case ExprOp::CeilDiv:
      wide = floor + (x - floor * y != 0 ? 1 : 0);
      break;
    default:
      wide = x - floor * y;
    }
    if (wide < least || wide > most)
      ASSERT_EQ(got.error, Error::Overflow);
    else
      ASSERT_EQ(got.value, static_cast<int64_t>(wide))
          << exprOpName(op) << " " << a << " " << b;
  }
}

TEST(Resolve, PicksTheFirstVariant) {
  Result<ResolvedPlan> a = run("guards", vectors(128)),
                       b = run("guards", vectors(100));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->variantName, "whole");
  EXPECT_EQ(b->variantName, "ragged");
  EXPECT_EQ(b->dispatches[0].groups, 2u);
  EXPECT_EQ(b->dispatches[0].pushConstants[0], 100u);
}

TEST(Resolve, NoVariantSaysWhatEachWanted) {
  Result<ResolvedPlan> r = run("axpy", vectors(6000000));
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), StatusCode::Unsupported);
  EXPECT_NE(r.status().message().find("(extent(x, 0) <= 5000000)"),
            std::string::npos)
      << r.status().message();
  EXPECT_NE(r.status().message().find("x: 6000000xf32"), std::string::npos)
      << r.status().message();
}

TEST(Resolve, ForcedVariant) {
  Bundle b = cts::makeTestBundle();
  const Kernel &k = *b.findKernel("guards");
  const Plan &p = k.implementations[0].plan;
  Result<ResolvedPlan> r = resolveVariant(k, p, vectors(128), 1);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->variantName, "ragged");
  EXPECT_EQ(resolveVariant(k, p, vectors(100), 0).status().code(),
            StatusCode::Unsupported);
  EXPECT_EQ(resolveVariant(k, p, vectors(100), 2).status().code(),
            StatusCode::InvalidInput);
}

TEST(Resolve, ChecksAreBadInput) {
  PlanInput in = vectors(64);
  in.arguments[2].extents = {65};
  Result<ResolvedPlan> r = run("axpy", in);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().exitCode(), 2);
  EXPECT_NE(r.status().message().find("extents must agree"), std::string::npos);
}

TEST(Resolve, HostileGridOverflows) {
  // Through the file, whose hash is right.
  Result<std::vector<uint8_t>> bytes = write(cts::makeTestBundle());
  ASSERT_TRUE(bytes.ok());
  Result<Bundle> b = read(bytes->data(), bytes->size());
  ASSERT_TRUE(b.ok());
  const Kernel &k = *b->findKernel("overflow");
  for (int64_t n : {int64_t(1) << 17, int64_t(1) << 40, most}) {
    Result<ResolvedPlan> r = resolve(k, k.implementations[0].plan, vectors(n));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.status().code(), StatusCode::InvalidInput);
    EXPECT_NE(r.status().message().find("overflows 64 bits"), std::string::npos)
        << r.status().message();
  }
  // 1000^4 fits 64 bits, but is no grid.
  Result<ResolvedPlan> r = resolve(k, k.implementations[0].plan, vectors(1000));
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.status().message().find("grid"), std::string::npos)
      << r.status().message();
}

TEST(Resolve, PushConstantMustFit) {
  EXPECT_TRUE(run("narrow", vectors(32767)).ok());
  Result<ResolvedPlan> r = run("narrow", vectors(32768));
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.status().message().find("push constant 0"), std::string::npos)
      << r.status().message();
}

TEST(Resolve, WideScalarsInHalves) {
  Bundle b = cts::makeTestBundle();
  Kernel k = *b.findKernel("narrow");
  Plan &p = k.implementations[0].plan;
  ExprBuilder e(p);
  p.variants[0].dispatches[0].pushConstants = {
      {e.constant(0x1122334455667788), PushKind::Low32},
      {e.constant(0x1122334455667788), PushKind::High32}};
  Result<ResolvedPlan> r = resolve(k, p, vectors(5));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->dispatches[0].pushConstants,
            (std::vector<uint32_t>{0x55667788, 0x11223344}));
}

TEST(Resolve, WorkspaceStaysInside) {
  Bundle b = cts::makeTestBundle();
  Kernel k = *b.findKernel("twostep");
  Plan &p = k.implementations[0].plan;
  Result<ResolvedPlan> r = resolve(k, p, vectors(100));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->workspaceBytes, 656u);
  EXPECT_EQ(r->dispatches[0].bindings[2].workspaceOffset, 256u);
  EXPECT_EQ(r->dispatches[0].bindings[2].workspaceBytes, 400u);
  ExprBuilder e(p);
  p.variants[0].workspaceBytes = e.constant(655);
  EXPECT_EQ(resolve(k, p, vectors(100)).status().code(),
            StatusCode::InvalidInput);
  p.variants[0].workspaceBytes = e.constant(2000);
  p.variants[0].dispatches[0].bindings[2].workspaceOffset = e.constant(255);
  EXPECT_NE(
      resolve(k, p, vectors(100)).status().message().find("multiple of 256"),
      std::string::npos);
  // Neither before the workspace nor behind it, nor more of it than there may
  // be.
  Binding &bound = p.variants[0].dispatches[0].bindings[2];
  for (auto [offset, bytes, all] : {std::array<int64_t, 3>{-256, 400, 2000},
                                    {2048, 0, 2000},
                                    {256, 1745, 2000},
                                    {256, -1, 2000},
                                    {0, 0, -1},
                                    {0, 0, int64_t(kMaxWorkspaceBytes) + 1}}) {
    bound.workspaceOffset = e.constant(offset);
    bound.workspaceBytes = e.constant(bytes);
    p.variants[0].workspaceBytes = e.constant(all);
    EXPECT_EQ(resolve(k, p, vectors(100)).status().code(),
              StatusCode::InvalidInput)
        << offset << " " << bytes << " " << all;
  }
}

TEST(Resolve, WorkspaceFormulasExist) {
  auto refused = [](auto change) {
    Bundle b = cts::makeTestBundle();
    auto kernel =
        std::find_if(b.kernels.begin(), b.kernels.end(),
                     [](const Kernel &k) { return k.name == "twostep"; });
    Variant &variant = kernel->implementations[0].plan.variants[0];
    change(variant, variant.dispatches[0].bindings[2]);
    return validate(b).message();
  };
  EXPECT_EQ(refused([](Variant &, Binding &) {}), "");
  EXPECT_NE(refused([](Variant &v, Binding &) {
              v.workspaceBytes = 100000;
            }).find("guard or workspace is formula"),
            std::string::npos);
  EXPECT_NE(refused([](Variant &, Binding &b) {
              b.workspaceOffset = 100000;
            }).find("workspace formulas"),
            std::string::npos);
  EXPECT_NE(refused([](Variant &, Binding &b) {
              b.workspaceBytes = 100000;
            }).find("workspace formulas"),
            std::string::npos);
}

TEST(Resolve, CudaParametersAndTensorMaps) {
  Bundle b = cts::makeTestBundle();
  Kernel *k = &b.kernels.back(); // tiles
  Dispatch &dispatch = k->implementations[0].plan.variants[0].dispatches[0];
  PlanInput in;
  in.arguments.resize(2);
  in.arguments[0].extents = {20, 40};
  in.arguments[0].strides = {44, 1};
  in.arguments[1].extents = {32, 64};
  in.arguments[1].strides = {100, 1};
  auto run = [&] { return resolve(*k, k->implementations[0].plan, in); };
  Result<ResolvedPlan> r = run();
  ASSERT_TRUE(r.ok()) << r.status().message();
  const ResolvedDispatch &d = r->dispatches[0];
  EXPECT_EQ(d.groups, 8u);
  EXPECT_EQ(d.clusterSize, 2u);
  EXPECT_EQ(d.sharedBytes, 1024u);
  EXPECT_TRUE(d.dependent);
  ASSERT_EQ(d.parameters.size(), 4u);
  EXPECT_EQ(d.parameters[0].index, 1u);
  EXPECT_EQ(d.parameters[1].value, 100u);
  EXPECT_EQ(d.parameters[2].value, 2u);
  ASSERT_EQ(d.tensorMaps.size(), 1u);
  EXPECT_EQ(d.tensorMaps[0].extents, (std::vector<uint64_t>{40, 20}));
  EXPECT_EQ(d.tensorMaps[0].strides, (std::vector<uint64_t>{176}));
  EXPECT_EQ(d.tensorMaps[0].box, (std::vector<uint32_t>{32, 8}));

  in.arguments[0].strides = {int64_t(1) << 38, 1};
  EXPECT_NE(run().status().message().find("tensor map 0: stride 1"),
            std::string::npos);
  in.arguments[0].strides = {44, 1};
  in.arguments[0].extents = {(int64_t(1) << 32) + 1, 40};
  EXPECT_NE(run().status().message().find("tensor map 0: extent 1"),
            std::string::npos);
  in.arguments[0].extents = {20, 40};
  dispatch.clusterSize = 16; // of 8 workgroups
  EXPECT_NE(run().status().message().find("no multiple of the cluster of 16"),
            std::string::npos);
  dispatch.clusterSize = 2;
  // Narrow scalars take signed values and the bits of unsigned ones.
  const struct {
    ParameterKind kind;
    int64_t value;
    bool fits;
  } cases[] = {
      {ParameterKind::Scalar8, 255, true},
      {ParameterKind::Scalar8, -128, true},
      {ParameterKind::Scalar8, 256, false},
      {ParameterKind::Scalar16, 65535, true},
      {ParameterKind::Scalar16, -32769, false},
      {ParameterKind::Scalar32, INT32_MIN, true},
      {ParameterKind::Scalar32, int64_t(INT32_MAX) + 1, false},
      {ParameterKind::Scalar64, most, true},
  };
  for (auto [kind, value, fits] : cases) {
    ExprBuilder e(k->implementations[0].plan);
    dispatch.parameters[2] = {kind, 0, e.constant(value)};
    r = run();
    EXPECT_EQ(r.ok(), fits) << value;
    if (r)
      EXPECT_EQ(r->dispatches[0].parameters[2].value, uint64_t(value));
    else
      EXPECT_NE(r.status().message().find("parameter 2"), std::string::npos);
  }
}

TEST(Resolve, ResultExtents) {
  Bundle b = cts::makeTestBundle();
  const Kernel &k = *b.findKernel("axpy");
  Result<std::vector<std::vector<int64_t>>> r =
      inferResultExtents(k, k.implementations[0].plan, vectors(77));
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(*r, (std::vector<std::vector<int64_t>>{{77}}));
  Plan none = k.implementations[0].plan;
  none.resultExtents.clear();
  EXPECT_EQ(inferResultExtents(k, none, vectors(77)).status().code(),
            StatusCode::Unsupported);
}

TEST(Text, SharedFormulasStayShort) {
  Kernel k;
  Plan p;
  ExprBuilder e(p);
  ExprId x = e.constant(1);
  for (int i = 0; i < 60; ++i)
    x = e.add(x, x);
  EXPECT_LT(formatExpr(k, p, x).size(), 4000u);
}

TEST(ElementType, RoundsHalf) {
  EXPECT_EQ(roundTo(ElementType::F16, 65504), 65504);
  EXPECT_EQ(roundTo(ElementType::F16, 65519.9), 65504);
  EXPECT_TRUE(std::isinf(roundTo(ElementType::F16, 65520)));
  EXPECT_EQ(roundTo(ElementType::F16, 2049), 2048);
  EXPECT_EQ(roundTo(ElementType::F16, 2051), 2052);
  EXPECT_EQ(roundTo(ElementType::F16, std::ldexp(1.0, -24)),
            std::ldexp(1.0, -24));
  EXPECT_EQ(roundTo(ElementType::F16, std::ldexp(1.0, -25)), 0);
  EXPECT_EQ(roundTo(ElementType::F16, std::ldexp(1.5, -25)),
            std::ldexp(1.0, -24));
  EXPECT_EQ(roundTo(ElementType::BF16, 257), 256);
  EXPECT_EQ(roundTo(ElementType::BF16, 259), 260);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::F16, std::nan(""))));
}

TEST(ElementType, EightBits) {
  EXPECT_EQ(roundTo(ElementType::E4M3, 464), 448);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::E4M3, 465)));
  EXPECT_EQ(encodeElement(ElementType::E4M3, -1e9), 0xffu);
  EXPECT_EQ(roundTo(ElementType::E5M2, 65536), INFINITY);
  EXPECT_EQ(roundTo(ElementType::E5M2, 1.125), 1);
  EXPECT_STREQ(mlirTypeName(ElementType::E4M3), "f8E4M3FN");
}

TEST(ElementType, EveryHalfRoundTrips) {
  for (ElementType t : {ElementType::F16, ElementType::BF16, ElementType::E4M3,
                        ElementType::E5M2})
    for (uint32_t bits = 0; bits < (1u << elementBits(t)); ++bits) {
      double v = decodeElement(t, bits);
      if (std::isnan(v)) {
        ASSERT_TRUE(std::isnan(decodeElement(t, encodeElement(t, v))));
        continue;
      }
      ASSERT_EQ(encodeElement(t, v), bits) << elementTypeName(t);
      ASSERT_EQ(roundTo(t, v), v);
    }
}

TEST(ElementType, Integers) {
  EXPECT_EQ(roundTo(ElementType::I8, 200), -56);
  EXPECT_EQ(roundTo(ElementType::U8, -1), 255);
  EXPECT_EQ(roundTo(ElementType::I32, 2147483648.0), -2147483648.0);
  EXPECT_EQ(roundTo(ElementType::I32, -2.9), -2);
  EXPECT_EQ(decodeElement(ElementType::I8, 0xff), -1);
  EXPECT_EQ(decodeElement(ElementType::I64, ~uint64_t(0)), -1);
  for (uint8_t i = 0; i < kNumElementTypes; ++i) {
    ElementType t = static_cast<ElementType>(i);
    EXPECT_EQ(parseElementType(elementTypeName(t)), t);
  }
  EXPECT_FALSE(parseElementType("f17").has_value());
}

TEST(Explain, WhoChoseAndWhy) {
  ResolvedPlan plan;
  plan.variantName = "full";
  EXPECT_EQ(explainChoice(plan),
            "no schedule is named by the plan; variant 'full' runs\n");
  plan.choices = {{"a", Origin::User, 0, true, false}};
  EXPECT_EQ(
      explainChoice(plan),
      "chosen by the user: a\n  variant 'full' runs, the only schedule\n");
  plan.choices = {{"a", Origin::Model, 300, false, false},
                  {"b", Origin::Model, 200, true, false},
                  {"c", Origin::Model, INT64_MAX, false, false},
                  {"d", Origin::Table, 100, false, false}};
  EXPECT_EQ(explainChoice(plan, 2),
            "chosen by the model: b\n"
            "  variant 'full' runs, the cheapest of 2 schedules by the least "
            "work of the busiest processor, 200 units\n"
            "  0.500 times its price: d (the table's, for other extents)\n"
            "  1.500 times its price: a\n");
  plan.choices[1].taken = false;
  plan.choices[3] = {"d", Origin::Table, 250, true, true};
  EXPECT_EQ(explainChoice(plan, 1),
            "chosen by the table: d\n"
            "  variant 'full' runs, as measurements of such extents say; the "
            "model would have taken b, by its prices 0.800 times as dear\n"
            "  0.800 times its price: b\n");
  plan.choices[3] = {"b", Origin::Model, 200, true, true};
  EXPECT_NE(explainChoice(plan).find("the model would have taken it too"),
            std::string::npos);
}

TEST(Explain, PlansResolveTheirChoices) {
  Bundle b = cts::makeTestBundle();
  const Kernel *kernel = b.findKernel("axpy");
  ASSERT_NE(kernel, nullptr);
  Plan plan = kernel->implementations[0].plan;
  ExprBuilder e(plan);
  ExprId huge = e.mul(e.constant(most), e.constant(2));
  plan.choices = {
      {"a", Origin::Model, e.constant(7), e.constant(1), e.constant(0)},
      {"b", Origin::Model, huge, huge, e.constant(1)}};
  auto resolved = resolve(*kernel, plan, vectors(4));
  ASSERT_TRUE(resolved.ok()) << resolved.status().message();
  ASSERT_EQ(resolved->choices.size(), 2u);
  EXPECT_EQ(resolved->choices[0].price, 7);
  EXPECT_TRUE(resolved->choices[0].taken);
  EXPECT_FALSE(resolved->choices[0].tuned);
  // What has no value is dear and not taken, and no error.
  EXPECT_EQ(resolved->choices[1].price, most);
  EXPECT_FALSE(resolved->choices[1].taken);
  EXPECT_TRUE(resolved->choices[1].tuned);
}
