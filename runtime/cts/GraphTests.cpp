//===- GraphTests.cpp - Recorded sequences, and the order within them -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include <algorithm>
#include <functional>
#include <random>

using namespace helios;
using namespace helios::cts;
using rt::LaunchArgument;

namespace {

/// Elements that no device wants more of between two bindings: 256 bytes.
constexpr uint64_t unit = 64;

bool setsBarriers(Context &context) {
  return context.device->info().driver == "vulkan";
}

/// What axpy makes of a part of `out`, which is a part of a vector, as `x` and
/// `y` are: out = alpha x + y.
struct Part {
  std::shared_ptr<rt::Buffer> buffer;
  uint64_t first = 0;
};
LaunchArgument argumentOf(const Part &part, int64_t count) {
  return LaunchArgument::tensor(part.buffer, {count}, {}, part.first * 4);
}
Result<std::shared_ptr<rt::Launch>> axpy(rt::Kernel &kernel, float alpha,
                                         const Part &x, const Part &y,
                                         const Part &out, int64_t count) {
  return kernel.prepare(
      {LaunchArgument::scalar(bundle::ElementType::F32, alpha),
       argumentOf(x, count), argumentOf(y, count), argumentOf(out, count)});
}

/// Counts the barriers that a sequence needs by what was done to each element
/// since the last one.
class BarrierCount {
public:
  BarrierCount(size_t buffers, size_t length)
      : touched(buffers, std::vector<int>(length, untouched)) {}
  struct Span {
    size_t buffer, first, count;
    bool writes;
  };
  void add(const std::vector<Span> &spans) {
    for (const Span &s : spans)
      for (size_t i = s.first; i < s.first + s.count; ++i)
        if (touched[s.buffer][i] > (s.writes ? untouched : read)) {
          ++barriers;
          for (std::vector<int> &buffer : touched)
            std::fill(buffer.begin(), buffer.end(), int(untouched));
          return add(spans);
        }
    for (const Span &s : spans)
      for (size_t i = s.first; i < s.first + s.count; ++i)
        touched[s.buffer][i] =
            std::max<int>(touched[s.buffer][i], s.writes ? written : read);
  }
  uint32_t barriers = 0;

private:
  enum { untouched, read, written };
  std::vector<std::vector<int>> touched;
};

} // namespace

CTS_TEST(graphs) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> one = floats(context, Floats(700, 1)),
                              y = floats(context, Floats(700, 0));
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(k && one && y);
  Result<std::shared_ptr<rt::Launch>> add =
      k->prepare(vectorArguments(1, one, y, y, 700));
  REQUIRE_OK(add);
  rt::Stream &s = **stream;
  Result<std::shared_ptr<rt::Graph>> graph = s.record([&]() -> Status {
    if (Result<rt::Event> e = s.fill(y, 0, 400, 0); !e)
      return e.status();
    for (int i = 0; i < 5; ++i)
      if (Result<rt::Event> e = s.enqueue(*add); !e)
        return e.status();
    return Status::success();
  });
  REQUIRE_OK(graph);
  for (float v : download(*y, 700))
    REQUIRE(v == 0); // recorded, not run
  std::vector<std::string> names = (*graph)->kernelNames();
  CHECK(names.empty() || names == std::vector<std::string>(5, "axpy"));
  CHECK((*graph)->barriers() == (setsBarriers(context) ? 5 : 0));
  CHECK((*graph)->device() == context.device);
  add = Status::invalidInput("gone"); // the graph keeps what it uses
  for (int i = 0; i < 70; ++i)
    REQUIRE_OK(s.replay(*graph));
  Result<rt::Event> last = s.replay(*graph);
  REQUIRE_OK(last);
  Result<double> ns = s.elapsedNs(*last);
  if (context.executes() && context.device->info().timestampPeriodNs > 0)
    CHECK(ns.ok() && *ns > 0);
  else
    CHECK_FAILS(ns, Unsupported, "no times");
  // Any stream of the device replays it, and it may go while that runs.
  Result<std::shared_ptr<rt::Stream>> other = context.device->createStream();
  REQUIRE_OK(other);
  REQUIRE_OK(s.synchronize());
  REQUIRE_OK((*other)->replay(*graph));
  graph = Status::invalidInput("gone");
  REQUIRE_OK((*other)->synchronize());
  Floats got = download(*y, 700);
  if (context.executes())
    for (size_t i = 0; i < 700; ++i)
      REQUIRE(got[i] == (i < 100 ? 5.0f : 72 * 5.0f));
}

CTS_TEST(graphs_refuse) {
  std::shared_ptr<rt::Buffer> y = floats(context, Floats(4, 0));
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(y);
  rt::Stream &s = **stream;
  CHECK_FAILS(s.replay(nullptr), InvalidInput, "no graph of");
  CHECK_FAILS(s.record([] { return Status::device("stop here"); }), Device,
              "stop here");
  Result<std::shared_ptr<rt::Graph>> empty =
      s.record([] { return Status::success(); });
  REQUIRE_OK(empty);
  REQUIRE_OK(s.replay(*empty));
  auto whileRecorded = [&](const std::function<Status()> &asked) {
    Status inside;
    CHECK(s.record([&] {
             inside = asked();
             return Status::success();
           }).ok());
    CHECK_FAILS(inside, InvalidInput, "being recorded");
  };
  whileRecorded([&] { return s.synchronize(); });
  whileRecorded([&] { return statusOf(s.replay(*empty)); });
  whileRecorded(
      [&] { return statusOf(s.record([] { return Status::success(); })); });
  REQUIRE_OK(s.fill(y, 0, 4, 0)); // the stream works on
  CHECK(s.synchronize().ok());
  if (context.device->info().driver == "null")
    return;
  Result<std::shared_ptr<rt::Device>> another = rt::openDevice("null", {});
  REQUIRE_OK(another);
  Result<std::shared_ptr<rt::Stream>> theirs = (*another)->createStream();
  REQUIRE_OK(theirs);
  CHECK_FAILS((*theirs)->replay(*empty), InvalidInput, "no graph of");
}

CTS_TEST(graphs_of_launches_with_workspace) {
  std::shared_ptr<rt::Kernel> k = kernel(context, "twostep");
  Floats hostX = pattern(700, 1), hostY = pattern(700, 2);
  std::shared_ptr<rt::Buffer> x = floats(context, hostX),
                              y = floats(context, hostY),
                              out = floats(context, Floats(700, 0));
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(k && x && y && out);
  Result<std::shared_ptr<rt::Launch>> launch =
      k->prepare(vectorArguments(3, x, y, out, 700));
  REQUIRE_OK(launch);
  CHECK((*launch)->workspaceBytes() > 0);
  rt::Stream &s = **stream;
  Result<std::shared_ptr<rt::Graph>> graph =
      s.record([&]() -> Status { return statusOf(s.enqueue(*launch)); });
  REQUIRE_OK(graph);
  // Its second kernel reads what the first leaves in the workspace, which the
  // graph keeps.
  CHECK((*graph)->barriers() == (setsBarriers(context) ? 1 : 0));
  launch = Status::invalidInput("gone");
  for (int i = 0; i < 3; ++i) {
    REQUIRE_OK(s.fill(out, 0, 2800, 0));
    REQUIRE_OK(s.replay(*graph));
    REQUIRE_OK(s.synchronize());
    Floats got = download(*out, 700);
    if (context.executes())
      for (size_t j = 0; j < 700; ++j)
        REQUIRE(got[j] == 3 * (3 * hostX[j] + hostX[j]) + hostY[j]);
  }
}

CTS_TEST(graphs_set_barriers_where_needed) {
  constexpr int64_t n = 256;
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  std::shared_ptr<rt::Buffer> a = floats(context, Floats(4 * n, 1)),
                              b = floats(context, Floats(4 * n, 2)),
                              c = floats(context, Floats(4 * n, 3));
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(k && a && b && c);
  rt::Stream &s = **stream;
  using Work = std::function<Status()>;
  auto launch = [&](Part x, Part y, Part out) -> Work {
    return [=, &s]() -> Status {
      Result<std::shared_ptr<rt::Launch>> l = axpy(*k, 1, x, y, out, n);
      return l.ok() ? statusOf(s.enqueue(*l)) : l.status();
    };
  };
  auto fill = [&](Part out) -> Work {
    return
        [=, &s] { return statusOf(s.fill(out.buffer, out.first * 4, 64, 0)); };
  };
  auto copy = [&](Part from, Part to) -> Work {
    return [=, &s] {
      return statusOf(
          s.copy(from.buffer, from.first * 4, to.buffer, to.first * 4, 64));
    };
  };
  auto expect = [&](const char *what, const std::vector<Work> &sequence,
                    uint32_t barriers) {
    Result<std::shared_ptr<rt::Graph>> graph = s.record([&]() -> Status {
      for (const Work &work : sequence)
        if (Status status = work(); !status.ok())
          return status;
      return Status::success();
    });
    REQUIRE_OK(graph);
    uint32_t want = setsBarriers(context) ? barriers : 0,
             got = (*graph)->barriers();
    if (got != want)
      reportFailure(__FILE__, __LINE__,
                    std::string(what) + ": " + std::to_string(got) +
                        " barriers, expected " + std::to_string(want));
    CHECK(s.replay(*graph).ok() && s.synchronize().ok());
  };
  expect("the same inputs", {launch({a}, {a}, {b}), launch({a}, {a}, {c})}, 0);
  expect("read after write", {launch({a}, {a}, {b}), launch({b}, {a}, {c})}, 1);
  expect("write after read", {launch({a}, {b}, {c}), launch({c}, {c}, {a})}, 1);
  expect("write after write", {launch({a}, {a}, {b}), launch({c}, {c}, {b})},
         1);
  expect("parts of one buffer",
         {launch({a}, {a}, {b}), launch({a}, {a}, {b, n}),
          launch({b, 2 * n}, {b, 2 * n}, {b, 3 * n})},
         0);
  expect("parts that meet",
         {launch({a}, {a}, {b}), launch({a}, {a}, {b, n - unit})}, 1);
  // One barrier is enough for all that stands before it.
  expect("two and two",
         {launch({a}, {a}, {b}), launch({a}, {a}, {b, n}),
          launch({b}, {b}, {c}), launch({b, n}, {b, n}, {c, n})},
         1);
  expect("forgotten behind a barrier",
         {launch({a}, {a}, {b}), launch({b}, {b}, {c}),
          launch({b}, {b}, {c, n}), launch({c}, {c}, {c, 2 * n})},
         2);
  expect("fills and copies",
         {fill({a}), fill({b}), copy({a}, {c}), launch({c}, {c}, {b, n}),
          copy({b}, {a, n}), fill({b, n})},
         3);
  // In turns each waits for all before it, whatever it needs of them.
  Result<std::shared_ptr<rt::Graph>> turns = s.record(
      [&]() -> Status {
        for (const Work &work :
             {launch({a}, {a}, {b}), launch({a}, {a}, {b, n}), fill({c})})
          if (Status status = work(); !status.ok())
            return status;
        return Status::success();
      },
      rt::GraphOrder::Turns);
  REQUIRE_OK(turns);
  CHECK((*turns)->barriers() == (setsBarriers(context) ? 2 : 0));
  CHECK(s.replay(*turns).ok() && s.synchronize().ok());
}

CTS_TEST(graphs_of_random_sequences) {
  constexpr uint64_t units = 40, length = units * unit;
  std::shared_ptr<rt::Kernel> k = kernel(context, "axpy");
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  REQUIRE(k);
  rt::Stream &s = **stream;
  std::mt19937 random(7);
  auto below = [&](uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 4; ++round) {
    std::vector<Floats> host;
    std::vector<std::shared_ptr<rt::Buffer>> buffers;
    for (int i = 0; i < 5; ++i) {
      host.push_back(pattern(length, round + i));
      buffers.push_back(floats(context, host.back()));
      REQUIRE(buffers.back());
    }
    BarrierCount needed(5, length);
    Result<std::shared_ptr<rt::Graph>> graph = s.record([&]() -> Status {
      for (int step = 0; step < 40; ++step) {
        size_t x = below(5), y = below(5), out = below(5);
        uint64_t count = 1 + below(length / 3), places = 2 * units / 3,
                 atX = below(places) * unit, atY = below(places) * unit,
                 atOut = below(places) * unit;
        if (out == x || out == y || step % 4 == 3) {
          // Into another part of the memory than it comes from.
          size_t from = out == x ? (out + 1) % 5 : x;
          needed.add({{from, atX, count, false}, {out, atOut, count, true}});
          for (uint64_t i = 0; i < count; ++i)
            host[out][atOut + i] = host[from][atX + i];
          if (Result<rt::Event> e = s.copy(buffers[from], atX * 4, buffers[out],
                                           atOut * 4, count * 4);
              !e)
            return e.status();
          continue;
        }
        needed.add({{x, atX, count, false},
                    {y, atY, count, false},
                    {out, atOut, count, true}});
        for (uint64_t i = 0; i < count; ++i)
          host[out][atOut + i] = -host[x][atX + i] + host[y][atY + i];
        Result<std::shared_ptr<rt::Launch>> launch =
            axpy(*k, -1, {buffers[x], atX}, {buffers[y], atY},
                 {buffers[out], atOut}, static_cast<int64_t>(count));
        if (!launch)
          return launch.status();
        if (Result<rt::Event> e = s.enqueue(*launch); !e)
          return e.status();
      }
      return Status::success();
    });
    REQUIRE_OK(graph);
    CHECK((*graph)->barriers() ==
          (setsBarriers(context) ? needed.barriers : 0));
    CHECK(needed.barriers > 0 && needed.barriers < 39);
    REQUIRE_OK(s.replay(*graph));
    REQUIRE_OK(s.synchronize());
    if (context.executes())
      for (size_t i = 0; i < 5; ++i)
        CHECK(download(*buffers[i], length) == host[i]);
  }
}
