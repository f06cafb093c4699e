//===- BundleTest.cpp - Writer, reader, validation -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"
#include "helios/Bundle/Evaluate.h"
#include "helios/Bundle/Serialize.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace helios;
using namespace helios::bundle;

namespace {

/// One kernel with semantics, one with workspace, one with tensor maps: every
/// kind of field, few bytes.
std::vector<uint8_t> goodBytes() {
  Bundle b = cts::makeTestBundle();
  b.kernels = {*b.findKernel("axpy"), *b.findKernel("twostep"),
               *b.findKernel("tiles")};
  Result<std::vector<uint8_t>> bytes = write(b);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return *bytes;
}

/// Recomputes the hash, so that what was altered is found by the checks alone.
void rehash(std::vector<uint8_t> &bytes) {
  std::memset(bytes.data() + 24, 0, 32);
  std::array<uint8_t, 32> hash = sha256(bytes.data(), bytes.size());
  std::memcpy(bytes.data() + 24, hash.data(), 32);
}

Status readStatus(const std::vector<uint8_t> &bytes) {
  return read(bytes.data(), bytes.size()).status();
}

/// validate() of the test bundle after `change`.
template <typename Change>
Status changed(Change change) {
  Bundle b = cts::makeTestBundle();
  change(b);
  return validate(b);
}

#define EXPECT_INVALID(status, text)                                           \
  do {                                                                         \
    Status s = (status);                                                       \
    EXPECT_EQ(s.code(), StatusCode::InvalidInput) << s.message();              \
    EXPECT_NE(s.message().find(text), std::string::npos) << s.message();       \
  } while (0)

} // namespace

TEST(Sha256, KnownDigests) {
  auto hex = [](const std::string &s) {
    return toHex(sha256(reinterpret_cast<const uint8_t *>(s.data()), s.size()));
  };
  EXPECT_EQ(hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Bundle, RoundTrip) {
  std::vector<uint8_t> bytes = goodBytes();
  Result<Bundle> b = read(bytes.data(), bytes.size());
  ASSERT_TRUE(b.ok()) << b.status().message();
  Result<std::vector<uint8_t>> again = write(*b);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(bytes, *again);
  Result<std::vector<uint8_t>> whole = write(cts::makeTestBundle());
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(dump(*read(whole->data(), whole->size())),
            dump(cts::makeTestBundle()));
  EXPECT_NE(dump(*b).find("ceildiv(extent(x, 0), 64)"), std::string::npos)
      << dump(*b);
  ASSERT_TRUE(b->findKernel("axpy") != nullptr);
  EXPECT_TRUE(b->findKernel("axpy")->semantics.has_value());
  EXPECT_EQ(b->findKernel("nothing"), nullptr);
}

TEST(Bundle, TruncatedAtEveryLength) {
  std::vector<uint8_t> bytes = goodBytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    // An exact allocation, so that a sanitizer sees any read beyond it.
    std::vector<uint8_t> cut(bytes.begin(),
                             bytes.begin() + static_cast<long>(n));
    Status s = readStatus(cut);
    ASSERT_EQ(s.code(), StatusCode::InvalidInput) << "length " << n;
    ASSERT_FALSE(s.message().empty());
  }
}

TEST(Bundle, TruncatedWithAGoodHash) {
  std::vector<uint8_t> bytes = goodBytes();
  for (size_t n = 128; n < bytes.size(); n += 7) {
    std::vector<uint8_t> cut(bytes.begin(),
                             bytes.begin() + static_cast<long>(n));
    for (int i = 0; i < 8; ++i)
      cut[16 + i] = static_cast<uint8_t>(uint64_t(n) >> (8 * i));
    rehash(cut);
    ASSERT_EQ(readStatus(cut).code(), StatusCode::InvalidInput)
        << "length " << n;
  }
}

TEST(Bundle, EveryByteAltered) {
  std::vector<uint8_t> bytes = goodBytes();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> other = bytes;
    other[i] ^= 0x41;
    ASSERT_EQ(readStatus(other).code(), StatusCode::InvalidInput)
        << "byte " << i;
  }
}

TEST(Bundle, EveryByteAlteredWithAGoodHash) {
  // Whatever is read must be valid, and must survive writing and printing.
  std::vector<uint8_t> bytes = goodBytes();
  size_t read_ = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i >= 24 && i < 56)
      continue;
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> other = bytes;
      other[i] ^= flip;
      rehash(other);
      Result<Bundle> b = read(other.data(), other.size());
      if (!b) {
        ASSERT_EQ(b.status().code(), StatusCode::InvalidInput);
        continue;
      }
      ++read_;
      ASSERT_TRUE(validate(*b).ok());
      Result<std::vector<uint8_t>> again = write(*b);
      ASSERT_TRUE(again.ok());
      ASSERT_EQ(*again, other) << "byte " << i;
      ASSERT_FALSE(dump(*b).empty());
      // And every plan must resolve or say why not.
      for (const Kernel &k : b->kernels)
        for (const Implementation &impl : k.implementations)
          for (int64_t n : {int64_t(0), int64_t(100), INT64_MAX}) {
            PlanInput in;
            in.arguments.resize(k.arguments.size());
            for (size_t a = 0; a < k.arguments.size(); ++a) {
              in.arguments[a].extents.assign(k.arguments[a].rank(), n);
              in.arguments[a].strides.assign(k.arguments[a].rank(), 1);
            }
            Result<ResolvedPlan> r = resolve(k, impl.plan, in);
            ASSERT_TRUE(r.ok() || !r.status().message().empty());
            if (r)
              for (const ResolvedDispatch &d : r->dispatches)
                ASSERT_LE(d.groups, kMaxGroups);
          }
    }
  }
  EXPECT_GT(read_, 0u); // names and constants may change freely
}

TEST(Bundle, RandomDamageWithAGoodHash) {
  std::vector<uint8_t> bytes = goodBytes();
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> other = bytes;
    for (int n = 1 + static_cast<int>(random() % 8); n > 0; --n)
      other[56 + random() % (other.size() - 56)] =
          static_cast<uint8_t>(random());
    rehash(other);
    Result<Bundle> b = read(other.data(), other.size());
    if (b)
      ASSERT_TRUE(validate(*b).ok());
  }
}

TEST(Bundle, GiantCounts) {
  // Any 32-bit field set to a giant value: no crash, no giant allocation.
  std::vector<uint8_t> bytes = goodBytes();
  for (size_t i = 56; i + 4 <= bytes.size(); ++i) {
    std::vector<uint8_t> other = bytes;
    for (int k = 0; k < 4; ++k)
      other[i + k] = k == 3 ? 0x7f : 0xff;
    rehash(other);
    Result<Bundle> b = read(other.data(), other.size());
    if (b)
      ASSERT_TRUE(validate(*b).ok());
  }
}

TEST(Bundle, MessagesNameThePlace) {
  EXPECT_INVALID(readStatus({}), "not a bundle");
  std::vector<uint8_t> bytes = goodBytes();
  std::vector<uint8_t> other = bytes;
  other[8] = kFormatVersion + 1;
  EXPECT_INVALID(readStatus(other),
                 "format version " + std::to_string(kFormatVersion + 1));
  other = bytes;
  other.push_back(0);
  EXPECT_INVALID(readStatus(other), "truncated or extended");
  other = bytes;
  other[200] ^= 1;
  EXPECT_INVALID(readStatus(other), "SHA-256");
}

TEST(Validate, Names) {
  EXPECT_INVALID(changed([](Bundle &b) { b.kernels.clear(); }), "no kernels");
  EXPECT_INVALID(changed([](Bundle &b) { b.kernels[1].name = "axpy"; }),
                 "used before");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].name = std::string("a\0b", 3); }),
      "zero byte");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].arguments[1].name = "alpha"; }),
      "used before");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].arguments[1].extents = {-2}; }),
      "extent -2");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].arguments[3].isResult = false; }),
      "no result");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].arguments[1].isResult = true; }),
      "inputs come first");
  EXPECT_INVALID(
      changed([](Bundle &b) { b.kernels[0].implementations.clear(); }),
      "0 implementations");
}

TEST(Validate, Formulas) {
  auto plan = [](Bundle &b) -> Plan & {
    return b.kernels[0].implementations[0].plan;
  };
  EXPECT_INVALID(changed([&](Bundle &b) {
                   Expr e;
                   e.op = ExprOp::Add;
                   e.operands[0] = e.operands[1] =
                       static_cast<uint32_t>(plan(b).exprs.size());
                   plan(b).exprs.push_back(e);
                 }),
                 "expected an earlier one");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   Expr e;
                   e.op = ExprOp::Extent;
                   e.operands[0] = 1;
                   e.operands[1] = 1;
                   plan(b).exprs.push_back(e);
                 }),
                 "dimension 1");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   Expr e;
                   e.op = ExprOp::Extent;
                   plan(b).exprs.push_back(e);
                 }),
                 "no tensor");
  EXPECT_INVALID(changed([&](Bundle &b) { plan(b).variants[0].guard = 60000; }),
                 "formula 60000");
  EXPECT_INVALID(changed([&](Bundle &b) { plan(b).checks[0].expr = 60000; }),
                 "check 0");
  EXPECT_INVALID(changed([&](Bundle &b) { plan(b).variants.clear(); }),
                 "no variants");
  EXPECT_INVALID(changed([&](Bundle &b) { plan(b).resultExtents = {{0, 0}}; }),
                 "another rank");
}

TEST(Validate, Choices) {
  auto with = [](const Choice &choice) {
    return changed([&](Bundle &b) {
      b.kernels[0].implementations[0].plan.choices = {choice};
    });
  };
  EXPECT_TRUE(with({"tile=8x8x8", Origin::Table, 0, 0, 0}).ok());
  EXPECT_INVALID(with({"s", Origin::User, 70000, 0, 0}),
                 "choice 0 has formula 70000 of");
  EXPECT_INVALID(with({"s", Origin::User, 0, 70000, 0}), "formula 70000");
  EXPECT_INVALID(with({"s", Origin::User, 0, 0, 70000}), "formula 70000");
  EXPECT_INVALID(with({std::string(70000, 's'), Origin::User, 0, 0, 0}),
                 "schedule");
  EXPECT_INVALID(changed([](Bundle &b) {
                   b.kernels[0].implementations[0].plan.choices.resize(1025);
                 }),
                 "1025 choices, at most 1024");
}

TEST(Bundle, ChoicesRoundTrip) {
  Bundle b = cts::makeTestBundle();
  b.kernels[0].implementations[0].plan.choices = {
      {"tile=8x8x8", Origin::Model, 1, 2, 0},
      {"tile=9", Origin::Table, 0, 1, 2}};
  Result<std::vector<uint8_t>> bytes = write(b);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  Result<Bundle> back = read(bytes->data(), bytes->size());
  ASSERT_TRUE(back.ok()) << back.status().message();
  const auto &choices = back->kernels[0].implementations[0].plan.choices;
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].schedule, "tile=8x8x8");
  EXPECT_EQ(choices[1].origin, Origin::Table);
  EXPECT_EQ(choices[0].price, 1u);
  EXPECT_EQ(choices[0].taken, 2u);
  EXPECT_EQ(choices[1].tuned, 2u);
  EXPECT_EQ(dump(*back), dump(b));
  EXPECT_NE(dump(b).find("choice of the table 'tile=9' costs"),
            std::string::npos);
}

TEST(Validate, Dispatches) {
  auto dispatch = [](Bundle &b) -> Dispatch & {
    return b.kernels[0].implementations[0].plan.variants[0].dispatches[0];
  };
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).module = 7; }),
                 "module 7");
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).entryPoint = "other"; }),
                 "no entry point 'other'");
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).workgroupSize[0] = 32; }),
                 "the module says 64");
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).workgroupSize[1] = 0; }),
                 "workgroup extent 0");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).workgroupSize[1] = 4096; }),
      "invocations");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).bindings[1].binding = 0; }),
      "used before");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).bindings[0].argument = 0; }),
      "no tensor");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   dispatch(b).bindings[0].access = Access::Write;
                 }),
                 "writes input");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).bindings[0].early = true; }),
      "read early");
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).bindings.pop_back(); }),
                 "uses binding 2");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).pushConstants.resize(65); }),
      "push constants");
  EXPECT_INVALID(
      changed([&](Bundle &b) {
        b.kernels[0].implementations[0].requirements.pushConstantBytes = 4;
      }),
      "requires only 4");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   b.kernels[0].implementations[0].target = TargetKind::Cuda;
                 }),
                 "not of the target's kind");
}

TEST(Validate, CudaDispatches) {
  auto impl = [](Bundle &b) -> Implementation & {
    return b.kernels.back().implementations[0]; // tiles
  };
  auto dispatch = [&](Bundle &b) -> Dispatch & {
    return impl(b).plan.variants[0].dispatches[0];
  };
  auto map = [&](Bundle &b) -> TensorMap & {
    return dispatch(b).tensorMaps[0];
  };
  EXPECT_INVALID(changed([&](Bundle &b) { dispatch(b).entryPoint = "other"; }),
                 "no entry point 'other'");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   dispatch(b).pushConstants = {{0, PushKind::I32}};
                   impl(b).requirements.pushConstantBytes = 4;
                 }),
                 "for Vulkan implementations only");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   b.kernels[0]
                       .implementations[0]
                       .plan.variants[0]
                       .dispatches[0]
                       .sharedBytes = 16;
                 }),
                 "for CUDA implementations only");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   b.kernels[0]
                       .implementations[0]
                       .plan.variants[0]
                       .dispatches[0]
                       .dependent = true;
                 }),
                 "for CUDA implementations only");
  // Code that does not wait may not be launched early.
  EXPECT_INVALID(changed([&](Bundle &b) {
                   Module &m = b.modules[dispatch(b).module];
                   std::string text(m.bytes.begin(), m.bytes.end()),
                       wait = "griddepcontrol.wait;";
                   text.replace(text.find(wait), wait.size(), "");
                   m.bytes.assign(text.begin(), text.end());
                 }),
                 "has no griddepcontrol.wait");
  // Nor is another entry point's wait its own.
  EXPECT_INVALID(
      changed([&](Bundle &b) {
        Module &m = b.modules[dispatch(b).module];
        std::string text(m.bytes.begin(), m.bytes.end()),
            wait = "griddepcontrol.wait;";
        text.replace(text.find(wait), wait.size(), "");
        text += ".visible .entry second() { griddepcontrol.wait; ret; }\n";
        m.bytes.assign(text.begin(), text.end());
      }),
      "'tiles' of module");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   impl(b).requirements.computeCapability = 89;
                   dispatch(b).tensorMaps.clear();
                   dispatch(b).parameters.pop_back();
                   dispatch(b).clusterSize = 1;
                 }),
                 "dependent dispatches need compute capability 90");
  EXPECT_INVALID(
      changed([&](Bundle &b) { impl(b).requirements.computeCapability = 0; }),
      "names no compute capability");
  EXPECT_INVALID(
      changed([&](Bundle &b) { impl(b).requirements.computeCapability = 89; }),
      "need compute capability 90");
  for (uint32_t cluster : {0u, 3u, 16u})
    EXPECT_INVALID(
        changed([&](Bundle &b) { dispatch(b).clusterSize = cluster; }),
        "cluster of " + std::to_string(cluster));
  EXPECT_INVALID(
      changed([&](Bundle &b) { impl(b).requirements.sharedMemoryBytes = 512; }),
      "requires only 512");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).parameters[0].index = 7; }),
      "points to binding 7");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).parameters[1].expr = 60000; }),
      "parameter 1: formula 60000");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).parameters[3].index = 1; }),
      "tensor map 1 of 1");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   dispatch(b).parameters.resize(
                       40, {ParameterKind::TensorMap, 0, 0});
                 }),
                 "at most 4096");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).parameters.resize(129); }),
      "129 parameters");
  EXPECT_INVALID(
      changed([&](Bundle &b) { dispatch(b).tensorMaps.resize(32, map(b)); }),
      "32 tensor maps");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).binding = 9; }),
                 "views binding 9");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).type = ElementType::I1; }),
                 "i1");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   map(b).extents.clear();
                   map(b).box.clear();
                   map(b).strides.clear();
                 }),
                 "rank 0");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   map(b).extents.resize(6);
                   map(b).strides.resize(5);
                   map(b).box.resize(6, 1);
                 }),
                 "rank 6");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).strides.clear(); }),
                 "0 strides");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).box.pop_back(); }),
                 "a box of rank 1");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).extents[1] = 60000; }),
                 "formula 60000");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).strides[0] = 60000; }),
                 "formula 60000");
  for (uint32_t extent : {0u, 257u})
    EXPECT_INVALID(changed([&](Bundle &b) { map(b).box[1] = extent; }),
                   "box extent " + std::to_string(extent));
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).box[1] = 9; }),
                 "a box of 1152 bytes does not fit");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).swizzle = 48; }),
                 "swizzle 48");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).swizzle = 64; }),
                 "at most the swizzle's 64");
  EXPECT_INVALID(changed([&](Bundle &b) { map(b).box[0] = 31; }),
                 "row has 124 bytes");
  EXPECT_TRUE(changed([&](Bundle &b) { map(b).swizzle = 128; }).ok());
}

TEST(Validate, Modules) {
  auto ptx = [](Bundle &b, const std::string &text) {
    b.modules[1].bytes.assign(text.begin(), text.end());
  };
  EXPECT_INVALID(changed([&](Bundle &b) { ptx(b, "int main() {}"); }),
                 "not PTX");
  EXPECT_INVALID(changed([&](Bundle &b) { b.modules[1].bytes[5] = 0; }),
                 "zero byte at 5");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   ptx(b, ".version 7.0\n.target sm_80\n.entryway x");
                 }),
                 "without .entry");

  EXPECT_INVALID(changed([](Bundle &b) { b.modules[0].bytes.resize(22); }),
                 "SPIR-V of 22 bytes");
  EXPECT_INVALID(changed([](Bundle &b) { b.modules[0].bytes[0] = 0; }),
                 "not SPIR-V");
  EXPECT_INVALID(changed([](Bundle &b) { b.modules[0].bytes[22] = 0xff; }),
                 "length");
  EXPECT_INVALID(changed([](Bundle &b) { b.modules[0].bytes.clear(); }),
                 "no bytes");
}

TEST(Validate, PackedArguments) {
  auto packedBy = [](unsigned argument, const char *name) {
    return changed([&](Bundle &b) {
      b.kernels[0].arguments[argument].packedBy =
          name ? name : b.kernels[1].name;
    });
  };
  EXPECT_INVALID(packedBy(1, "nobody"), "which the bundle lacks");
  EXPECT_INVALID(packedBy(0, nullptr), "a scalar or a result is not packed");
  EXPECT_INVALID(packedBy(1, nullptr), "does not make such a tensor");
}

TEST(Validate, Semantics) {
  auto step = [](Bundle &b) -> Step & {
    return b.kernels[0].semantics->steps[0];
  };
  EXPECT_INVALID(changed([&](Bundle &b) { step(b).dest = 1; }), "is an input");
  EXPECT_INVALID(changed([&](Bundle &b) { step(b).fused = {3, 2}; }),
                 "not defined");
  EXPECT_INVALID(changed([&](Bundle &b) { step(b).region.ops[0].index = 1; }),
                 "no scalar");
  EXPECT_INVALID(
      changed([&](Bundle &b) { step(b).region.ops[4].operands[0] = 4; }),
      "earlier one");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   Region &region = step(b).region;
                   ScalarOp tanh = region.ops.back();
                   tanh.kind = ScalarOpKind::Tanh;
                   tanh.operands[0] = uint32_t(region.ops.size() - 1);
                   tanh.index = 2;
                   region.result = region.append(tanh);
                 }),
                 "precision 2");
  EXPECT_INVALID(changed([&](Bundle &b) { step(b).region.result = 99; }),
                 "region result");
  EXPECT_INVALID(
      changed([&](Bundle &b) { b.kernels[0].semantics->steps.clear(); }),
      "no step writes");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   step(b).kind = StepKind::Matmul;
                   step(b).a = 1;
                   step(b).b = 2;
                 }),
                 "no result of rank");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   step(b).kind = StepKind::Matmul;
                   step(b).a = 1;
                   step(b).b = 2;
                   step(b).ends = 1;
                 }),
                 "slot 1 with the ends of groups is not defined or no vector");
  EXPECT_INVALID(changed([&](Bundle &b) {
                   step(b).kind = StepKind::Elementwise;
                   step(b).groups = {{0, 8, 3}};
                 }),
                 "groups of 8 in 3 parts along dimension 0");
  auto reduces = [&](uint32_t from, uint32_t dim) {
    return changed([&](Bundle &b) {
      step(b).kind = StepKind::Reduce;
      step(b).a = from;
      step(b).reduction.dim = dim;
    });
  };
  EXPECT_INVALID(reduces(99, 0), "slot 99 of a reduction is not defined");
  EXPECT_INVALID(reduces(1, 7), "a reduction along dimension 7 of rank");
}

TEST(File, WriteAndRead) {
  std::string path = testing::TempDir() + "helios-bundle-test.hlx";
  std::vector<uint8_t> bytes = goodBytes();
  ASSERT_TRUE(writeFile(path, bytes).ok());
  EXPECT_TRUE(readFile(path).ok());
  EXPECT_INVALID(writeFile("/nonexistent-folder/x.hlx", bytes), "cannot write");
  EXPECT_INVALID(readFile("/nonexistent-folder/x.hlx").status(),
                 "No such file");
  EXPECT_INVALID(readFile("/dev/zero").status(), "not a regular file");
  std::remove(path.c_str());
}

TEST(File, FullDisk) {
  std::ifstream exists("/dev/full");
  if (!exists)
    GTEST_SKIP() << "no /dev/full here";
  EXPECT_INVALID(writeFile("/dev/full", goodBytes()), "No space left");
}

TEST(File, FailedWriteLeavesTheOldFile) {
  // A folder in the way of the rename.
  std::string folder = testing::TempDir() + "helios-bundle-folder";
  std::string make = "mkdir -p " + folder + "/inside";
  ASSERT_EQ(std::system(make.c_str()), 0);
  EXPECT_FALSE(writeFile(folder, goodBytes()).ok());
  std::string find = "test -z \"$(ls " + testing::TempDir() +
                     " | grep helios-bundle-folder.tmp)\"";
  EXPECT_EQ(std::system(find.c_str()), 0) << "a temporary file stayed behind";
}
