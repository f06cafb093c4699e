//===- Suite.cpp - Runs the conformance suite on one device -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "TestBundle.h"
#include "helios/Bundle/Serialize.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace helios::cts {

namespace {
bool failed = false;
}

std::vector<Test *> &allTests() {
  static std::vector<Test *> tests;
  return tests;
}

Test::Test(const char *name, void (*body)(Context &)) : name(name), body(body) {
  allTests().push_back(this);
}

void reportFailure(const char *file, int line, const std::string &message) {
  failed = true;
  const char *slash = std::strrchr(file, '/');
  std::printf("    %s:%d: %s\n", slash ? slash + 1 : file, line,
              message.c_str());
}

bool currentTestFailed() { return failed; }

std::shared_ptr<rt::Buffer> floats(Context &context, const Floats &values) {
  Result<std::shared_ptr<rt::Buffer>> b =
      context.device->createBuffer(values.size() * 4);
  Status s = b ? (*b)->write(0, values.data(), values.size() * 4) : b.status();
  if (!s.ok()) {
    reportFailure(__FILE__, __LINE__, "no buffer: " + text(s));
    return nullptr;
  }
  return *b;
}

Floats download(rt::Buffer &buffer, size_t count, uint64_t offset) {
  Floats values(count);
  Status s = buffer.read(offset, values.data(), count * 4);
  if (!s.ok())
    reportFailure(__FILE__, __LINE__, "download: " + text(s));
  return values;
}

std::shared_ptr<rt::Kernel> kernel(Context &context, const std::string &name) {
  Result<std::shared_ptr<rt::Kernel>> k =
      context.device->loadKernel(context.bundle, name);
  if (!k) {
    reportFailure(__FILE__, __LINE__, "no kernel: " + text(k.status()));
    return nullptr;
  }
  return *k;
}

std::vector<rt::LaunchArgument> vectorArguments(float alpha,
                                                std::shared_ptr<rt::Buffer> x,
                                                std::shared_ptr<rt::Buffer> y,
                                                std::shared_ptr<rt::Buffer> out,
                                                int64_t n) {
  return {rt::LaunchArgument::scalar(bundle::ElementType::F32, alpha),
          rt::LaunchArgument::tensor(x, {n}),
          rt::LaunchArgument::tensor(y, {n}),
          rt::LaunchArgument::tensor(out, {n})};
}

Floats pattern(size_t count, int seed) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] =
        static_cast<float>((i * 37 + static_cast<size_t>(seed) * 101 + i / 64) %
                           1009) -
        504;
  return values;
}

} // namespace helios::cts

using namespace helios;
using namespace helios::cts;

int main(int argc, char **argv) {
  const char *const usage = "usage: helios-cts [--device SELECTOR] "
                            "[--vulkan-loader FILE] [--cuda-library FILE] "
                            "[--filter TEXT] "
                            "[--staged] [--validation] [--list]\n";
  Context context;
  context.selector = "auto";
  std::string filter;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    bool more = i + 1 < argc;
    if (a == "--device" && more)
      context.selector = argv[++i];
    else if (a == "--vulkan-loader" && more)
      context.options.vulkanLoader = argv[++i];
    else if (a == "--cuda-library" && more)
      context.options.cudaLibrary = argv[++i];
    else if (a == "--filter" && more)
      filter = argv[++i];
    else if (a == "--staged")
      context.options.stageDeviceMemory = true;
    else if (a == "--validation")
      context.options.validation = true;
    else if (a == "--list") {
      for (Test *t : allTests())
        std::printf("%s\n", t->name);
      return 0;
    } else {
      std::fputs(usage, a == "--help" ? stdout : stderr);
      return a == "--help" ? 0 : 2;
    }
  }
  char folder[] = "/tmp/helios-cts-XXXXXX";
  if (!::mkdtemp(folder)) {
    std::fprintf(stderr, "helios-cts: cannot make a folder in /tmp\n");
    return 2;
  }
  context.folder = folder;
  context.options.cacheDir = context.folder + "/cache";
  Result<std::shared_ptr<rt::Device>> device =
      rt::openDevice(context.selector, context.options);
  if (!device) {
    std::fprintf(stderr, "helios-cts: %s\n", device.status().message().c_str());
    return device.status().exitCode();
  }
  context.device = *device;
  Result<std::vector<uint8_t>> bytes = bundle::write(makeTestBundle());
  Result<bundle::Bundle> made = bytes
                                    ? bundle::read(bytes->data(), bytes->size())
                                    : Result<bundle::Bundle>(bytes.status());
  if (!made) {
    std::fprintf(stderr, "helios-cts: the test bundle is wrong: %s\n",
                 made.status().message().c_str());
    return 1;
  }
  context.bundle = std::make_shared<const bundle::Bundle>(std::move(*made));
  std::printf("conformance on %s (%s, %s)\n", context.device->info().id.c_str(),
              context.device->info().name.c_str(),
              context.device->info().driverDescription.c_str());

  int passed = 0, bad = 0;
  for (Test *t : allTests()) {
    if (std::string(t->name).find(filter) == std::string::npos)
      continue;
    failed = false;
    auto start = std::chrono::steady_clock::now();
    t->body(context);
    double ms = std::chrono::duration<double, std::milli>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    std::printf("%s %s (%.0f ms)\n", failed ? "FAILED" : "passed", t->name, ms);
    std::fflush(stdout);
    ++(failed ? bad : passed);
  }
  context.device.reset();
  std::string remove =
      "rm -rf " + context.folder; // made by mkdtemp: no odd characters
  if (std::system(remove.c_str()) != 0)
    std::printf("(could not remove %s)\n", context.folder.c_str());
  std::printf("%d passed, %d failed\n", passed, bad);
  return bad || passed == 0 ? 1 : 0;
}
