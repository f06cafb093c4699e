//===- StreamTests.cpp - Order, threads, time, lifetime, caches -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

using namespace helios;
using namespace helios::cts;

CTS_TEST(stream_keeps_order) {
  // y = x + y, 300 times: more than the stream keeps in flight.
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> x = floats(context, Floats(500, 1)),
                              y = floats(context, Floats(500, 0));
  REQUIRE(k && x && y);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(1, x, y, y, 500));
  REQUIRE_OK(launch);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  uint64_t last = 0;
  for (int i = 0; i < 300; ++i) {
    Result<rt::Event> e = (*stream)->enqueue(*launch);
    REQUIRE_OK(e);
    CHECK(e->serial > last);
    last = e->serial;
  }
  REQUIRE_OK((*stream)->synchronize());
  for (float v : download(*y, 500))
    REQUIRE(v == (context.executes() ? 300.0f : 0.0f));
}

CTS_TEST(streams_wait_for_each_other) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  constexpr int n = 20000;
  std::shared_ptr<rt::Buffer> one = floats(context, Floats(n, 1)),
                              y = floats(context, Floats(n, 0));
  REQUIRE(k && one && y);
  // y = y + 1 on one stream, y = 2 * y on another, in turn.
  Result<std::shared_ptr<rt::Launch>> add = k->prepare(
                                          vectorArguments(1, one, y, y, n)),
                                      twice = k->prepare(
                                          vectorArguments(1, y, y, y, n));
  REQUIRE_OK(add);
  REQUIRE_OK(twice);
  Result<std::shared_ptr<rt::Stream>> a = context.device->createStream(),
                                      b = context.device->createStream();
  REQUIRE_OK(a);
  REQUIRE_OK(b);
  float expected = 0;
  for (int i = 0; i < 20; ++i) {
    Result<rt::Event> e = (*a)->enqueue(*add);
    REQUIRE_OK(e);
    REQUIRE_OK((*b)->wait(**a, *e));
    Result<rt::Event> f = (*b)->enqueue(*twice);
    REQUIRE_OK(f);
    REQUIRE_OK((*a)->wait(**b, *f));
    expected = (expected + 1) * 2;
  }
  REQUIRE_OK((*a)->synchronize());
  REQUIRE_OK((*b)->synchronize());
  for (float v : download(*y, n))
    REQUIRE(v == (context.executes() ? expected : 0.0f));
  if (context.executes())
    CHECK_FAILS((*a)->wait(**b, rt::Event{1000}), InvalidInput, "event 1000");
}

CTS_TEST(a_waited_for_stream_may_go) {
  Result<std::shared_ptr<rt::Stream>> a = context.device->createStream(),
                                      b = context.device->createStream();
  Result<std::shared_ptr<rt::Buffer>> buffer = context.device->createBuffer(64);
  REQUIRE_OK(a);
  REQUIRE_OK(b);
  REQUIRE_OK(buffer);
  Result<rt::Event> e = (*a)->fill(*buffer, 0, 64, 1);
  REQUIRE_OK(e);
  REQUIRE_OK((*b)->wait(**a, *e));
  a = Status::invalidInput("gone");
  REQUIRE_OK((*b)->fill(*buffer, 0, 64, 2));
  REQUIRE_OK((*b)->synchronize());
  uint32_t v = 0;
  REQUIRE_OK((*buffer)->read(0, &v, 4));
  CHECK(v == 2);
}

CTS_TEST(uploads_beside_work) {
  // y = sum of x over rounds; each x comes through host memory on a stream of
  // its own, into one of two buffers while the other one is read.
  constexpr size_t n = 5000;
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> y = floats(context, Floats(n, 0));
  REQUIRE(k && y);
  Result<std::shared_ptr<rt::Stream>> uploads = context.device->createStream(),
                                      work = context.device->createStream();
  REQUIRE_OK(uploads);
  REQUIRE_OK(work);
  std::shared_ptr<rt::Buffer> host[2], x[2];
  std::shared_ptr<rt::Launch> add[2];
  rt::Event used[2];
  for (int i : {0, 1}) {
    Result<std::shared_ptr<rt::Buffer>> made =
        context.device->createBuffer(n * 4, rt::MemoryKind::Host);
    REQUIRE_OK(made);
    REQUIRE((*made)->hostPointer());
    host[i] = *made;
    x[i] = floats(context, Floats(n, 0));
    REQUIRE(x[i]);
    Result<std::shared_ptr<rt::Launch>> launch =
        k->prepare(vectorArguments(1, x[i], y, y, n));
    REQUIRE_OK(launch);
    add[i] = *launch;
  }
  for (int round = 0; round < 12; ++round) {
    int i = round % 2;
    // What was uploaded from this memory before is there.
    REQUIRE_OK((*uploads)->synchronize());
    auto *to = static_cast<float *>(host[i]->hostPointer());
    for (size_t j = 0; j < n; ++j)
      to[j] = static_cast<float>(round * 10 + int(j % 7));
    REQUIRE_OK((*uploads)->wait(**work, used[i]));
    Result<rt::Event> there = (*uploads)->copy(host[i], 0, x[i], 0, n * 4);
    REQUIRE_OK(there);
    REQUIRE_OK((*work)->wait(**uploads, *there));
    Result<rt::Event> done = (*work)->enqueue(add[i]);
    REQUIRE_OK(done);
    used[i] = *done;
  }
  REQUIRE_OK((*work)->synchronize());
  Floats got = download(*y, n);
  for (size_t j = 0; j < n && context.executes(); ++j)
    REQUIRE(got[j] == static_cast<float>(660 + 12 * (j % 7)));
}

CTS_TEST(threads) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  REQUIRE(k);
  std::atomic<int> good{0};
  auto work = [&](int id) {
    for (int round = 0; round < 5; ++round) {
      Floats x = pattern(3000, id), y = pattern(3000, id + 50);
      Result<std::shared_ptr<rt::Stream>> stream =
          context.device->createStream();
      Result<std::shared_ptr<rt::Buffer>> bx = context.device->createBuffer(
                                              12000),
                                          by = context.device->createBuffer(
                                              12000),
                                          out = context.device->createBuffer(
                                              12000);
      if (!stream || !bx || !by || !out ||
          !(*bx)->write(0, x.data(), 12000).ok() ||
          !(*by)->write(0, y.data(), 12000).ok() ||
          !(*out)->write(0, y.data(), 12000).ok())
        return;
      Result<std::shared_ptr<rt::Launch>> launch = k->prepare(
          vectorArguments(static_cast<float>(id), *bx, *by, *out, 3000));
      if (!launch || !(*stream)->enqueue(*launch) ||
          !(*stream)->synchronize().ok())
        return;
      Floats got(3000);
      if (!(*out)->read(0, got.data(), 12000).ok())
        return;
      for (size_t i = 0; i < 3000; ++i)
        if (got[i] !=
            (context.executes() ? static_cast<float>(id) * x[i] + y[i] : y[i]))
          return;
      ++good;
    }
  };
  std::vector<std::thread> all;
  for (int id = 0; id < 6; ++id)
    all.emplace_back(work, id);
  for (std::thread &t : all)
    t.join();
  CHECK(good == 30);
}

CTS_TEST(handles_may_go_before_the_work) {
  std::shared_ptr<rt::Buffer> x = floats(context, Floats(1000, 2)),
                              out = floats(context, Floats(1000, 0));
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(x && out);
  {
    std::shared_ptr<rt::Kernel> k = kernel(context, "twostep");
    REQUIRE(k);
    Result<std::shared_ptr<rt::Launch>> launch =
        k->prepare(vectorArguments(1, x, x, out, 1000));
    REQUIRE_OK(launch);
    REQUIRE_OK((*stream)->enqueue(*launch));
  }
  x.reset();
  REQUIRE_OK((*stream)->synchronize());
  for (float v : download(*out, 1000))
    REQUIRE(v == (context.executes() ? 6.0f : 0.0f));
}

CTS_TEST(device_handle_may_go_first) {
  Result<std::shared_ptr<rt::Device>> device =
      rt::openDevice(context.device->info().id, context.options);
  REQUIRE_OK(device);
  Result<std::shared_ptr<rt::Buffer>> buffer = (*device)->createBuffer(64);
  Result<std::shared_ptr<rt::Stream>> stream = (*device)->createStream();
  REQUIRE_OK(buffer);
  REQUIRE_OK(stream);
  device = Status::invalidInput("gone");
  REQUIRE_OK((*stream)->fill(*buffer, 0, 64, 9));
  REQUIRE_OK((*stream)->synchronize());
  uint32_t v = 0;
  REQUIRE_OK((*buffer)->read(60, &v, 4));
  CHECK(v == 9);
}

CTS_TEST(timestamps) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  constexpr int n = 400000;
  std::shared_ptr<rt::Buffer> x = floats(context, Floats(n, 1)),
                              out = floats(context, Floats(n, 0));
  REQUIRE(k && x && out);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(1, x, x, out, n));
  REQUIRE_OK(launch);
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  Result<rt::Event> first = (*stream)->enqueue(*launch);
  REQUIRE_OK(first);
  if (context.device->info().timestampPeriodNs == 0) {
    CHECK_FAILS((*stream)->elapsedNs(*first), Unsupported, "times");
    return;
  }
  auto start = std::chrono::steady_clock::now();
  Result<rt::Event> second = (*stream)->enqueue(*launch);
  REQUIRE_OK(second);
  Result<double> a = (*stream)->elapsedNs(*first),
                 b = (*stream)->elapsedNs(*second);
  double host = std::chrono::duration<double, std::nano>(
                    std::chrono::steady_clock::now() - start)
                    .count();
  REQUIRE_OK(a);
  REQUIRE_OK(b);
  CHECK(*a > 0 && *b > 0);
  CHECK(*b <= host * 1.05 + 1e5);
  // Asking again says the same.
  Result<double> again = (*stream)->elapsedNs(*second);
  CHECK(again.ok() && *again == *b);
  CHECK_FAILS((*stream)->elapsedNs(rt::Event{second->serial + 1}), InvalidInput,
              "not among the last");
  CHECK_FAILS((*stream)->elapsedNs(rt::Event{0}), InvalidInput,
              "not among the last");
  for (int i = 0; i < 64; ++i)
    REQUIRE_OK((*stream)->enqueue(*launch));
  CHECK_FAILS((*stream)->elapsedNs(*first), InvalidInput, "not among the last");
}

CTS_TEST(timing_of_many_launches) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  constexpr int n = 200000;
  REQUIRE(k);
  std::vector<std::shared_ptr<rt::Launch>> rotation;
  std::vector<std::shared_ptr<rt::Buffer>> outs;
  Floats x = pattern(n, 8);
  for (int i = 0; i < 3; ++i) {
    std::shared_ptr<rt::Buffer> bx = floats(context, x);
    outs.push_back(floats(context, Floats(n, 0)));
    REQUIRE(bx && outs.back());
    Result<std::shared_ptr<rt::Launch>> launch =
        k->prepare(vectorArguments(2, bx, bx, outs.back(), n));
    REQUIRE_OK(launch);
    rotation.push_back(*launch);
  }
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  Result<rt::Timing> timing = (*stream)->time(rotation, 20);
  if (context.device->info().timestampPeriodNs == 0) {
    CHECK_FAILS(timing, Unsupported, "times");
    return;
  }
  REQUIRE_OK(timing);
  REQUIRE(timing->gpuNs.size() == 20);
  double sum = 0;
  for (double ns : timing->gpuNs) {
    CHECK(ns > 0);
    sum += ns;
  }
  CHECK(std::abs(sum - timing->gpuTotalNs) < 1e-6 * sum + 100);
  CHECK(timing->gpuTotalNs <= timing->hostNs * 1.05 + 1e5);
  for (const std::shared_ptr<rt::Buffer> &out : outs) {
    Floats got = download(*out, n);
    for (size_t i = 0; i < n; ++i)
      REQUIRE(got[i] == 3 * x[i]);
  }
  CHECK_FAILS((*stream)->time({}, 3), InvalidInput, "at least one");
  CHECK_FAILS((*stream)->time(rotation, 0), InvalidInput, "0 launches");
}

CTS_TEST(pipeline_cache_on_disk) {
  if (context.device->info().driver != "vulkan")
    return;
  rt::OpenOptions options = context.options;
  options.cacheDir = context.folder + "/pipelines";
  options.selfTest = false;
  std::string find =
      "ls " + options.cacheDir + "/pipelines-*.bin > /dev/null 2>&1";
  auto build = [&]() -> Status {
    Result<std::shared_ptr<rt::Device>> d =
        rt::openDevice(context.device->info().id, options);
    if (!d)
      return d.status();
    Context other = context;
    other.device = *d;
    std::shared_ptr<rt::Kernel> k = kernel(other, "axpy");
    std::shared_ptr<rt::Buffer> b = floats(other, Floats(64, 1));
    Result<std::shared_ptr<rt::Launch>> l =
        k->prepare(vectorArguments(1, b, b, b, 64));
    if (!l)
      return l.status();
    Result<std::shared_ptr<rt::Stream>> s = (*d)->createStream();
    if (!s || !(*s)->enqueue(*l))
      return Status::device("no launch");
    return (*s)->synchronize();
  };
  CHECK(std::system(find.c_str()) != 0);
  REQUIRE_OK(build());
  CHECK(std::system(find.c_str()) == 0);
  REQUIRE_OK(build());
  // Damaged, shortened, emptied: ignored and replaced.
  for (const char *harm :
       {"printf 'x' | dd of=$f bs=1 seek=60 conv=notrunc 2>/dev/null",
        "truncate -s 50 $f", "truncate -s 0 $f",
        "head -c 3000 /dev/urandom > $f"}) {
    std::string command = "for f in " + options.cacheDir +
                          "/pipelines-*.bin; do " + harm + "; done";
    REQUIRE(std::system(command.c_str()) == 0);
    REQUIRE_OK(build());
  }
  CHECK(std::system(("test -z \"$(ls " + options.cacheDir + " | grep tmp)\"")
                        .c_str()) == 0);
}

CTS_TEST(unwritable_cache_is_no_error) {
  rt::OpenOptions options = context.options;
  options.cacheDir = "/proc/helios-no-such-folder";
  CHECK(rt::openDevice(context.device->info().id, options).ok());
}

CTS_TEST(statistics_are_given_or_empty) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> b = floats(context, Floats(64, 1));
  REQUIRE(k && b);
  REQUIRE_OK(k->prepare(vectorArguments(1, b, b, b, 64)));
  for (const rt::PipelineStatistic &s : k->statistics())
    CHECK(s.entryPoint == "axpy" && !s.name.empty() && !s.value.empty());
}
