// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Our kernel beside a vendor's library: both replayed from graphs in turns
// (ours, theirs, theirs, ours), on the same inputs, after the clocks settled.

#include "Power.h"
#include "helios/Bench/Gemm.h"
#include "helios/Bench/Peer.h"
#include "helios/Bench/Runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace helios::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// A graph lasts about this long, so that the gap between two does not count.
constexpr double kGraphNs = 8e6;
/// Alternating replays before the measurement at least and at most, in seconds:
/// a card at rest needs about three to reach the clocks of a long run.
constexpr double kSettleSeconds = 3, kSettleLimit = 10;
/// Clocks are settled when two readings half a second apart agree to this.
constexpr double kSettledClock = 0.01;
/// A short trial of a candidate is this part of a graph.
constexpr int kShortTrialShare = 8;
/// Rounds of ours, theirs, theirs, ours.
constexpr int kRounds = 40;
/// Energy is read over at least this long: the driver updates it every 0.1 s.
constexpr double kEnergySeconds = 1;

double seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

Result<PeerProblem> peerProblem(const Case &c,
                                const std::vector<ImageLayout> &layouts) {
  if (c.grouped)
    return Status::unsupported("cuBLAS is compared with one product at a time, "
                               "got '" +
                               c.name + "'");
  if (c.storedB)
    return Status::unsupported("cuBLAS is compared where B is stored as it is "
                               "multiplied, got '" +
                               c.name + "'");
  if (c.computedA)
    return Status::unsupported("cuBLAS is compared where A is multiplied as it "
                               "is stored, got '" +
                               c.name + "'");
  if (c.hasScales)
    return Status::unsupported(
        "cuBLAS is compared where blocks have no scales, got '" + c.name + "'");
  if (layouts.back().extents.size() != layouts[0].extents.size())
    return Status::unsupported("cuBLAS is compared where every result is a "
                               "matrix, got '" +
                               c.name + "'");
  GemmFamily family;
  for (Status s : {parseTypes(c.types, family), parseLayout(c.layout, family)})
    if (!s.ok())
      return s;
  const ImageLayout &a = layouts[0], &b = layouts[1], &d = layouts.back();
  const size_t rank = d.extents.size();
  PeerProblem p;
  p.m = d.extents[rank - 2];
  p.n = d.extents[rank - 1];
  p.k = a.extents[family.transposeA ? rank - 2 : rank - 1];
  p.batch = rank == 3 ? d.extents[0] : 0;
  p.transposeA = family.transposeA;
  p.transposeB = family.transposeB;
  p.a = family.a;
  p.b = family.b;
  p.accumulator = family.accumulator;
  p.result = family.d;
  p.fastSums = family.fastSums;
  p.lda = a.strides[rank - 2];
  p.ldb = b.strides[rank - 2];
  p.ldd = d.strides[rank - 2];
  if (p.batch) {
    p.strideA = a.strides[0];
    p.strideB = b.strides[0];
    p.strideD = d.strides[0];
  }
  p.epilogue = c.epilogue;
  return p;
}

Result<AttentionProblem>
attentionProblem(const Case &c, const std::vector<ImageLayout> &layouts) {
  const AttentionForm &form = c.attention->form;
  if (form.window || form.prefix || !form.scores.empty() ||
      !form.scoreRegion.empty())
    return Status::unsupported("cuDNN is compared for full and causal "
                               "attention only, got " +
                               form.name());
  if (c.attention->element != c.attention->result)
    return Status::unsupported("cuDNN is compared where the result has the "
                               "type of query, key and value, got " +
                               c.types);
  AttentionProblem p;
  p.shape = *c.attentionShape;
  p.element = c.attention->element;
  p.causal = form.causal;
  p.hasLse = form.hasLse;
  p.scale = 1 / std::sqrt(double(p.shape.depth));
  p.queryStrides = layouts[0].strides;
  p.keyStrides = layouts[1].strides;
  p.valueStrides = layouts[2].strides;
  p.resultStrides = layouts[layouts.size() - (form.hasLse ? 2 : 1)].strides;
  return p;
}

/// Replays of a recorded sequence.
class Replayer {
public:
  Replayer(rt::Stream &stream) : stream(stream) {}

  /// Nanoseconds of one replay on the device.
  Result<double> time(const std::shared_ptr<rt::Graph> &graph) {
    auto event = stream.replay(graph);
    return event.ok() ? stream.elapsedNs(*event) : event.status();
  }

private:
  rt::Stream &stream;
};

} // namespace

/// Both sides of one comparison, with the memory they work on.
struct Runner::Rivals {
  std::unique_ptr<Peer> peer;
  std::shared_ptr<rt::Buffer> workspace;
  std::vector<PeerArguments> arguments;            ///< of each set
  std::vector<std::shared_ptr<rt::Buffer>> theirs; ///< their results
  std::vector<std::shared_ptr<rt::Buffer>> others; ///< their second results
  size_t result = 0; ///< the argument that is compared
};

/// Sets the peer of a comparison whose workspace is there.
Status Runner::openPeer(const Case &c, const std::vector<ImageLayout> &layouts,
                        Rivals &rivals) {
  auto open = [&]() -> Result<std::unique_ptr<Peer>> {
    const uint64_t workspace = rivals.workspace->deviceAddress();
    if (c.attention) {
      auto problem = attentionProblem(c, layouts);
      return problem.ok() ? openCudnn(*problem, options.cudnn, workspace)
                          : problem.status();
    }
    auto problem = peerProblem(c, layouts);
    return problem.ok() ? openCublas(*problem, options.cublas, workspace)
                        : problem.status();
  };
  auto peer = open();
  if (!peer.ok())
    return peer.status();
  rivals.peer = std::move(*peer);
  return Status::success();
}

Result<Runner::Rivals>
Runner::makeRivals(const Case &c, const std::vector<Set> &sets,
                   const std::vector<ImageLayout> &layouts) {
  Rivals r;
  if (c.layout.empty())
    return Status::unsupported("only products of the command 'gemm' and "
                               "'attention' can be compared with a library");
  r.result = layouts.size() - 1;
  if (c.attention && c.attention->form.hasLse)
    --r.result;
  auto workspace = device->createBuffer(kPeerWorkspaceBytes);
  if (!workspace.ok())
    return workspace.status();
  r.workspace = *workspace;
  if (r.workspace->deviceAddress() == 0)
    return Status::unsupported(
        "the " + device->info().driver + " driver shares no memory with " +
        (c.attention ? "cuDNN" : "cuBLASLt") + "; use --device cuda");
  if (Status s = device->makeCurrent(); !s.ok())
    return s;
  if (Status s = openPeer(c, layouts, r); !s.ok())
    return s;
  const ImageLayout &d = layouts[r.result];
  for (const Set &set : sets) {
    auto result = device->createBuffer(d.bytes);
    if (!result.ok())
      return result.status();
    r.theirs.push_back(*result);
    auto address = [&](size_t n) {
      return set.buffers[n]->deviceAddress() + layouts[n].byteOffset;
    };
    if (c.attention) {
      PeerArguments own{address(0), address(1), 0,
                        (*result)->deviceAddress() + d.byteOffset, address(2)};
      if (c.attention->form.hasLse) {
        auto lse = device->createBuffer(layouts.back().bytes);
        if (!lse.ok())
          return lse.status();
        r.others.push_back(*lse);
        own.lse = (*lse)->deviceAddress() + layouts.back().byteOffset;
      }
      r.arguments.push_back(own);
      continue;
    }
    const bool hasBias = c.epilogue.rfind("bias", 0) == 0;
    r.arguments.push_back({address(0), address(1), hasBias ? address(2) : 0,
                           (*result)->deviceAddress() + d.byteOffset});
  }
  return r;
}

Result<std::shared_ptr<rt::Graph>>
Runner::recordPeer(Rivals &rivals, size_t candidate, size_t launches) {
  return stream->record([&]() {
    for (size_t i = 0; i < launches; ++i)
      if (Status s = rivals.peer->enqueue(
              candidate, rivals.arguments[i % rivals.arguments.size()],
              stream->nativeHandle());
          !s.ok())
        return s;
    return Status::success();
  });
}

/// Candidates recorded into graphs of this runner's stream.
class Runner::GraphTrial final : public PeerTrial {
public:
  GraphTrial(Runner &runner, Rivals &rivals, size_t launches)
      : runner(runner), rivals(rivals), launches(launches) {}

  Result<std::vector<std::string>> kernels(size_t candidate) override {
    if (runner.interrupted())
      return Status(StatusCode::Device, "interrupted");
    auto graph = runner.recordPeer(rivals, candidate, 1);
    if (!graph.ok()) // a refused algorithm is no failure of the device
      return Status::unsupported(graph.status().message());
    return (*graph)->kernelNames();
  }

  Result<double> time(size_t candidate, bool isLong) override {
    if (runner.interrupted())
      return Status(StatusCode::Device, "interrupted");
    const size_t count =
        isLong ? launches
               : std::max<size_t>(1, launches / size_t(kShortTrialShare));
    auto graph = runner.recordPeer(rivals, candidate, count);
    if (!graph.ok())
      return Status::unsupported(graph.status().message());
    std::vector<double> times;
    Replayer replayer(*runner.stream);
    for (int i = 0; i < (isLong ? 5 : 3); ++i) {
      auto ns = replayer.time(*graph);
      if (!ns.ok())
        return ns.status();
      times.push_back(*ns / double(count));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

private:
  Runner &runner;
  Rivals &rivals;
  const size_t launches;
};

/// The largest difference between their result and ours, relative to the
/// largest element of ours.
Status Runner::compareResults(const Rivals &rivals, const Set &ours,
                              const ImageLayout &layout, PeerComparison &out) {
  std::vector<uint8_t> a(layout.bytes), b(layout.bytes);
  if (Status s = ours.buffers[rivals.result]->read(0, a.data(), a.size());
      !s.ok())
    return s;
  if (Status s = rivals.theirs.front()->read(0, b.data(), b.size()); !s.ok())
    return s;
  const uint32_t size = bundle::elementBytes(layout.type);
  double largest = 0, difference = 0;
  for (int64_t n = 0, e = elementCount(layout.extents); n < e; ++n) {
    const uint64_t at = elementOffset(layout, n);
    uint64_t bitsA = 0, bitsB = 0;
    std::copy_n(a.data() + at, size, reinterpret_cast<uint8_t *>(&bitsA));
    std::copy_n(b.data() + at, size, reinterpret_cast<uint8_t *>(&bitsB));
    const double x = bundle::decodeElement(layout.type, bitsA),
                 y = bundle::decodeElement(layout.type, bitsB);
    largest = std::max(largest, std::abs(x));
    const double d = std::abs(x - y);
    difference = d <= difference ? difference : d; // NaN stays
  }
  out.difference = largest > 0 ? difference / largest : difference;
  return Status::success();
}

Status Runner::measurePairs(const std::shared_ptr<rt::Graph> &ours,
                            const std::shared_ptr<rt::Graph> &theirs,
                            PeerComparison &out) {
  Replayer replayer(*stream);
  const PowerMeter meter(device->info().deviceUuid);
  Status error;
  auto replay = [&](const std::shared_ptr<rt::Graph> &graph) {
    auto ns = replayer.time(graph);
    if (!ns.ok())
      error = ns.status();
    else if (interrupted())
      error = Status(StatusCode::Device, "interrupted");
    return ns.ok() ? *ns / double(out.launches) : 0;
  };
  const auto start = Clock::now();
  auto lastReading = start;
  double clock = meter.processorMHz();
  for (bool settled = false; error.ok() && !settled;) {
    replay(ours);
    replay(theirs);
    if (seconds(lastReading) < 0.5)
      continue;
    const double before = clock;
    clock = meter.processorMHz();
    lastReading = Clock::now();
    settled = seconds(start) >= kSettleSeconds &&
              (std::abs(clock - before) <= kSettledClock * before ||
               seconds(start) >= kSettleLimit);
  }
  out.clockBefore = meter.processorMHz();
  for (int round = 0; round < kRounds && error.ok(); ++round) {
    const double a = replay(ours), b = replay(theirs), c = replay(theirs),
                 d = replay(ours);
    out.oursNs.insert(out.oursNs.end(), {a, d});
    out.theirsNs.insert(out.theirsNs.end(), {b, c});
  }
  out.clockAfter = meter.processorMHz();
  if (!error.ok())
    return error;
  // One ratio a round: drifts within it cancel.
  std::vector<double> pairOurs, pairTheirs;
  for (size_t i = 0; i + 1 < out.oursNs.size(); i += 2) {
    pairOurs.push_back(out.oursNs[i] + out.oursNs[i + 1]);
    pairTheirs.push_back(out.theirsNs[i] + out.theirsNs[i + 1]);
  }
  out.ratio = pairedRatio(pairOurs, pairTheirs);
  out.ours = summarize({out.oursNs});
  out.theirs = summarize({out.theirsNs});
  auto energy = [&](const std::shared_ptr<rt::Graph> &graph) {
    const auto begin = Clock::now();
    const double before = meter.joules();
    size_t launches = 0;
    while (before > 0 && error.ok() && seconds(begin) < kEnergySeconds) {
      replay(graph);
      launches += out.launches;
    }
    return launches ? (meter.joules() - before) / double(launches) : 0;
  };
  out.oursJoules = energy(ours);
  out.theirsJoules = energy(theirs);
  return error;
}

Status Runner::compareWithPeer(const Case &c, const std::vector<Set> &sets,
                               const std::vector<ImageLayout> &layouts,
                               CaseResult &result) {
  PeerComparison &out = result.peer.emplace();
  auto rivals = makeRivals(c, sets, layouts);
  if (!rivals.ok()) {
    out.problem = rivals.status().message();
    return rivals.status().code() == StatusCode::Unsupported ? Status::success()
                                                             : rivals.status();
  }
  out.peer = rivals->peer->name();
  // As many launches in a graph as last long enough, every set equally often.
  const double wanted = std::ceil(kGraphNs / std::max(result.gpu.median, 1e3));
  out.launches =
      sets.size() *
      size_t(std::max(1.0, std::round(wanted / double(sets.size()))));
  GraphTrial trial(*this, *rivals, out.launches);
  if (Status s =
          chooseCandidate(*rivals->peer, trial, options.compareClass, out);
      !s.ok()) {
    out.problem = s.message();
    return s.code() == StatusCode::Unsupported ? Status::success() : s;
  }
  auto ours = stream->record([&]() {
    for (size_t i = 0; i < out.launches; ++i)
      if (auto event = stream->enqueue(sets[i % sets.size()].launch);
          !event.ok())
        return event.status();
    return Status::success();
  });
  if (!ours.ok())
    return ours.status();
  auto theirs = recordPeer(*rivals, out.best, out.launches);
  if (!theirs.ok())
    return theirs.status();
  if (Status s = measurePairs(*ours, *theirs, out); !s.ok())
    return s;
  return compareResults(*rivals, sets.front(), layouts[rivals->result], out);
}

} // namespace helios::bench
