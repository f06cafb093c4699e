//===- DeviceTests.cpp - Finding, opening, describing devices -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "vulkan/SelfTest.h"
#include <cstdio>
#include <cstdlib>

using namespace helios;
using namespace helios::cts;

CTS_TEST(device_enumeration) {
  std::vector<std::pair<std::string, Status>> problems;
  std::vector<rt::DeviceInfo> all = rt::listDevices(context.options, &problems);
  bool found = false;
  for (const rt::DeviceInfo &d : all) {
    CHECK(!d.id.empty() && !d.name.empty() && !d.driver.empty());
    found |= d.id == context.device->info().id;
  }
  CHECK(found);
  CHECK(!all.empty() && all.back().id == "null");
  CHECK(!context.device->whyChosen().empty());
}

CTS_TEST(device_description) {
  const rt::DeviceInfo &d = context.device->info();
  CHECK(d.unusable.empty());
  CHECK(d.subgroupSize > 0 && (d.subgroupSize & (d.subgroupSize - 1)) == 0);
  CHECK(d.minSubgroupSize <= d.subgroupSize &&
        d.subgroupSize <= d.maxSubgroupSize);
  CHECK(d.maxWorkgroupInvocations >= 128); // Vulkan's minimum
  CHECK(d.sharedMemoryBytes >= 16384);
  CHECK(d.maxPushConstantBytes >= 128);
  CHECK(d.maxStorageBufferRange >= uint64_t(1) << 27);
  CHECK(d.memoryBytes > 0 && d.maxAllocationBytes > 0);
  CHECK(d.storageBufferAlignment >= 1 && d.storageBufferAlignment <= 256);
}

CTS_TEST(device_opens_again_by_its_id) {
  Result<std::shared_ptr<rt::Device>> again =
      rt::openDevice(context.device->info().id, context.options);
  REQUIRE_OK(again);
  CHECK((*again)->info().id == context.device->info().id);
  CHECK((*again)->info().deviceUuid == context.device->info().deviceUuid);
}

CTS_TEST(device_bad_selectors) {
  for (const char *bad :
       {"", "gpu", "vulkan:", "vulkan:x", "vulkan:-1", "vulkan:99999999999"})
    CHECK_FAILS(rt::openDevice(bad, context.options), InvalidInput,
                "expected auto, vulkan[:n]");
  CHECK_FAILS(rt::openDevice("auto:1", context.options), InvalidInput,
              "takes no number");
  CHECK_FAILS(rt::openDevice("null:0", context.options), InvalidInput,
              "expected a number of processors from 1");
  for (const char *bad : {"emulator:0", "emulator:sm_100", "emulator:seed=",
                          "emulator:sm_89,seed=x", "emulator:threads=0"})
    CHECK_FAILS(rt::openDevice(bad, context.options), InvalidInput,
                "expected, with commas between, sm_80");
}

CTS_TEST(device_number_beyond_the_last) {
  if (context.device->info().driver == "vulkan")
    CHECK_FAILS(rt::openDevice("vulkan:999", context.options), InvalidInput,
                "Vulkan devices");
  if (context.device->info().driver == "cuda")
    CHECK_FAILS(rt::openDevice("cuda:999", context.options), InvalidInput,
                "CUDA devices");
}

CTS_TEST(missing_drivers_say_what_to_install) {
  rt::OpenOptions options = context.options;
  options.vulkanLoader = "/nonexistent/libvulkan.so.1";
  options.cudaLibrary = "/nonexistent/libcuda.so.1";
  for (const char *selector :
       {"vulkan", "vulkan:0", "cuda", "cuda:0", "auto"}) {
    Result<std::shared_ptr<rt::Device>> d = rt::openDevice(selector, options);
    CHECK_FAILS(d, Unsupported, "Install ");
    CHECK(!d && d.status().exitCode() == 3);
    bool cuda = selector[0] == 'c';
    CHECK(!d && d.status().message().find(cuda ? options.cudaLibrary
                                               : options.vulkanLoader) !=
                    std::string::npos);
  }
  std::vector<std::pair<std::string, Status>> problems;
  std::vector<rt::DeviceInfo> all = rt::listDevices(options, &problems);
  CHECK(!all.empty() && all.back().id == "null");
  for (const rt::DeviceInfo &d : all)
    CHECK(d.driver == "emulator" || d.driver == "null");
  CHECK(problems.size() == 2 && problems[0].first == "cuda" &&
        problems[1].first == "vulkan");
}

CTS_TEST(automatic_choice_keeps_to_the_targets) {
  rt::OpenOptions options = context.options;
  options.targets = {bundle::TargetKind::Cuda};
  options.cudaLibrary = "/nonexistent/libcuda.so.1";
  CHECK_FAILS(rt::openDevice("auto", options), Unsupported,
              "device 'auto': the CUDA driver");
  options.targets = {bundle::TargetKind::Vulkan};
  options.cudaLibrary = context.options.cudaLibrary;
  options.vulkanLoader = "/nonexistent/libvulkan.so.1";
  CHECK_FAILS(rt::openDevice("auto", options), Unsupported,
              "there is no code for CUDA");
}

CTS_TEST(a_library_that_is_no_driver) {
  rt::OpenOptions options = context.options;
  options.vulkanLoader = options.cudaLibrary = "libm.so.6";
  CHECK_FAILS(rt::openDevice("vulkan", options), Unsupported,
              "no Vulkan loader");
  CHECK_FAILS(rt::openDevice("cuda", options), Unsupported, "no CUDA driver");
}

CTS_TEST(matrix_shapes_are_verified) {
  for (const rt::ListedShape &s : context.device->info().matrixShapes) {
    if (s.shape.scope != bundle::MatrixScope::Subgroup)
      continue;
    if (s.verdict == rt::ListedShape::Verdict::NotTested)
      CHECK(!s.detail.empty());
    else if (s.verdict != rt::ListedShape::Verdict::Verified)
      reportFailure(__FILE__, __LINE__,
                    toString(s.shape) + " is " + verdictName(s.verdict) + ": " +
                        s.detail);
  }
}

CTS_TEST(verdicts_are_cached_and_damage_is_ignored) {
  const rt::DeviceInfo &info = context.device->info();
  if (info.matrixShapes.empty())
    return;
  // The context's device was opened with the cache folder: its verdicts lie
  // there.
  std::string listing = context.folder + "/listing";
  std::string command =
      "ls " + context.folder + "/cache/selftest-*.txt > " + listing;
  REQUIRE(std::system(command.c_str()) == 0);
  char path[512] = {};
  FILE *f = std::fopen(listing.c_str(), "r");
  REQUIRE(f && std::fgets(path, sizeof(path), f));
  std::fclose(f);
  std::string file = path;
  file.pop_back();
  auto reopened = [&]() -> rt::ListedShape::Verdict {
    Result<std::shared_ptr<rt::Device>> d =
        rt::openDevice(info.id, context.options);
    return d ? (*d)->info().matrixShapes[0].verdict
             : rt::ListedShape::Verdict::Failed;
  };
  rt::ListedShape::Verdict before = info.matrixShapes[0].verdict;
  CHECK(reopened() == before);
  // A changed verdict shows that the file is read ...
  REQUIRE(std::system(("sed -i 's/^verified|/wrong|/' " + file).c_str()) == 0);
  if (before == rt::ListedShape::Verdict::Verified)
    CHECK(reopened() == rt::ListedShape::Verdict::Wrong);
  // ... a file without its end, or of garbage, is not believed, and is
  // replaced.
  REQUIRE(std::system(("sed -i '$d' " + file).c_str()) == 0);
  CHECK(reopened() == before);
  REQUIRE(std::system(("head -c 100 /dev/urandom > " + file).c_str()) == 0);
  CHECK(reopened() == before);
  CHECK(std::system(("tail -1 " + file + " | grep -qx end").c_str()) == 0);
}

CTS_TEST(without_self_test_no_matrix_kernel_runs) {
  rt::OpenOptions options = context.options;
  options.selfTest = false;
  Result<std::shared_ptr<rt::Device>> d =
      rt::openDevice(context.device->info().id, options);
  REQUIRE_OK(d);
  for (const rt::ListedShape &s : (*d)->info().matrixShapes) {
    CHECK(s.verdict == rt::ListedShape::Verdict::NotTested);
    bundle::Requirements r;
    r.matrixShapes = {s.shape};
    CHECK(rt::missingRequirements(r, (*d)->info()).size() == 1);
    CHECK(rt::missingRequirements(r, (*d)->info(), true).empty());
  }
}

CTS_TEST(requirements_name_what_is_missing) {
  const rt::DeviceInfo &info = context.device->info();
  bundle::Requirements r;
  CHECK(rt::missingRequirements(r, info).empty());
  r.sharedMemoryBytes = info.sharedMemoryBytes + 1;
  r.workgroupInvocations = info.maxWorkgroupInvocations + 1;
  r.pushConstantBytes = info.maxPushConstantBytes + 4;
  r.subgroupSize = 1024;
  r.minApiVersion = 9u << 22;
  rt::DeviceInfo poor = info;
  poor.features = 0;
  r.require(bundle::Feature::ShaderFloat16);
  std::vector<std::string> missing = rt::missingRequirements(r, poor);
  std::string all;
  for (const std::string &m : missing)
    all += m + "\n";
  for (const char *part :
       {"shared memory", "workgroup invocations", "push-constant",
        "subgroup size 1024",
        info.computeCapability ? "a driver for CUDA 37748" : "Vulkan 9.0",
        "shaderFloat16"})
    if (all.find(part) == std::string::npos)
      reportFailure(__FILE__, __LINE__,
                    std::string("'") + part + "' is not named in: " + all);
}

CTS_TEST(compute_capabilities) {
  rt::DeviceInfo info = context.device->info();
  bundle::Requirements r;
  r.computeCapability = 89;
  auto missing = [&](uint32_t has, bool exact) {
    info.computeCapability = has;
    r.exactComputeCapability = exact;
    std::vector<std::string> all = rt::missingRequirements(r, info);
    return all.empty() ? std::string() : all[0];
  };
  CHECK(missing(90, false).empty() && missing(89, true).empty());
  CHECK(missing(0, false) ==
        "compute capability 8.9, the device is no CUDA device");
  CHECK(missing(80, false) == "compute capability 8.9, the device has 8.0");
  CHECK(missing(90, true) ==
        "compute capability 8.9 exactly, the device has 9.0");
}

CTS_TEST(self_test_values_show_mistakes) {
  // Exact in every type, and changed by any mistake in which element goes
  // where.
  using E = bundle::ElementType;
  const E types[][3] = {{E::F16, E::F16, E::F32},
                        {E::F16, E::F16, E::F16},
                        {E::BF16, E::BF16, E::BF16},
                        {E::I8, E::I8, E::I32},
                        {E::U8, E::U8, E::I32}};
  for (const E *t : types)
    for (uint32_t extent : {8u, 16u, 32u}) {
      bundle::MatrixShape s;
      s.m = s.n = s.k = extent;
      s.a = t[0];
      s.b = t[1];
      s.c = s.result = t[2];
      rt::ProductTestValues v = rt::productTestValues(s);
      for (double x : v.a)
        CHECK(bundle::roundTo(s.a, x) == x);
      for (double x : v.expected)
        CHECK(bundle::roundTo(s.result, x) == x);
      auto differing = [&](auto a, auto b, auto c) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < extent; ++i)
          for (uint32_t j = 0; j < extent; ++j) {
            double sum = c(i, j);
            for (uint32_t k = 0; k < extent; ++k)
              sum += a(i, k) * b(k, j);
            n += sum != v.expected[i * extent + j];
          }
        return n;
      };
      auto A = [&](uint32_t i, uint32_t j) { return v.a[i * extent + j]; };
      auto B = [&](uint32_t i, uint32_t j) { return v.b[i * extent + j]; };
      auto C = [&](uint32_t i, uint32_t j) { return v.c[i * extent + j]; };
      uint32_t half = extent * extent / 2;
      CHECK(differing(A, B, C) == 0);
      CHECK(differing([&](uint32_t i, uint32_t j) { return A(j, i); }, B, C) >
            half);
      CHECK(differing(
                A, [&](uint32_t i, uint32_t j) { return B(j, i); }, C) > half);
      CHECK(differing(A, B, [&](uint32_t i, uint32_t j) { return C(j, i); }) >
            half);
      CHECK(differing(A, B, [](uint32_t, uint32_t) { return 0.0; }) > half);
      CHECK(differing(B, A, C) > half);
      // One row of A taken for its neighbour.
      CHECK(differing([&](uint32_t i, uint32_t j) { return A(i ^ (i < 2), j); },
                      B, C) > extent / 2);
    }
}
