//===- Launch.cpp - Runs a grid -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Machine.h"
#include <algorithm>
#include <thread>

namespace helios::emu {

const char *findingName(Finding::Kind kind) {
  switch (kind) {
  case Finding::Kind::OutOfBounds:
    return "out of bounds";
  case Finding::Kind::Misaligned:
    return "misaligned access";
  case Finding::Kind::Uninitialized:
    return "uninitialised read";
  case Finding::Kind::Race:
    return "data race";
  case Finding::Kind::InFlight:
    return "read of data in flight";
  case Finding::Kind::Proxy:
    return "missing proxy fence";
  case Finding::Kind::Mbarrier:
    return "misuse of an mbarrier";
  case Finding::Kind::Barrier:
    return "misuse of a barrier";
  case Finding::Kind::Convergence:
    return "divergent lanes";
  case Finding::Kind::Deadlock:
    return "deadlock";
  case Finding::Kind::Endless:
    return "no end";
  case Finding::Kind::Registers:
    return "register budget";
  case Finding::Kind::Wgmma:
    return "misuse of wgmma";
  case Finding::Kind::Copy:
    return "misuse of a copy";
  case Finding::Kind::Trap:
    return "trap";
  case Finding::Kind::Descriptor:
    return "wrong descriptor";
  case Finding::Kind::Dependency:
    return "no wait for the grid before";
  }
  return "finding";
}

std::string describe(const Finding &f) {
  std::string text = std::string(findingName(f.kind)) + ": " + f.message;
  text += "\n  kernel '" + f.kernel + "'";
  if (f.line)
    text += ", PTX line " + std::to_string(f.line);
  if (!f.source.empty())
    text += ", " + f.source;
  text +=
      ", block " + std::to_string(f.block) + ", warp " + std::to_string(f.warp);
  if (f.lane >= 0)
    text += ", lane " + std::to_string(f.lane);
  if (f.count > 1)
    text += "; " + std::to_string(f.count) + " times in all";
  if (!f.text.empty())
    text += "\n  " + f.text;
  return text;
}

void Grid::add(Finding f, bool fatal) {
  std::lock_guard<std::mutex> lock(mutex);
  if (fatal)
    stop = true;
  for (Finding &old : report->findings)
    if (old.kind == f.kind && old.line == f.line) {
      ++old.count;
      return;
    }
  if (report->findings.size() >= options->maxFindings)
    return;
  f.kernel = code->kernel->name;
  const std::vector<std::string> &lines = code->module->lines;
  if (f.line && f.line <= lines.size()) {
    f.text = lines[f.line - 1];
    f.text.erase(0, f.text.find_first_not_of(" \t"));
    if (f.text.size() > 120)
      f.text = f.text.substr(0, 117) + "...";
  }
  report->findings.push_back(std::move(f));
  if (report->findings.size() >= options->maxFindings)
    stop = true;
}

namespace {

Status check(const Code &code, const LaunchConfig &c) {
  auto wrong = [&](const std::string &what) {
    return Status::invalidInput("kernel '" + code.kernel->name + "': " + what);
  };
  uint64_t threads = uint64_t(c.block[0]) * c.block[1] * c.block[2];
  if (!threads || threads > 1024)
    return wrong("expected 1 to 1024 threads in a block, got " +
                 std::to_string(threads));
  const uint32_t *required = code.kernel->requiredThreads;
  if (required[0])
    for (int d = 0; d < 3; ++d)
      if (required[d] != c.block[d])
        return wrong(".reqntid wants " + std::to_string(required[d]) +
                     " threads in dimension " + std::to_string(d) + ", got " +
                     std::to_string(c.block[d]));
  if (c.parameters.size() != code.kernel->parameterBytes)
    return wrong("expected " + std::to_string(code.kernel->parameterBytes) +
                 " bytes of parameters, got " +
                 std::to_string(c.parameters.size()));
  if (!c.cluster || c.cluster > 16 || c.grid[0] % c.cluster)
    return wrong("expected a grid of whole clusters of 1 to 16 blocks, got " +
                 std::to_string(c.grid[0]) + " blocks in clusters of " +
                 std::to_string(c.cluster));
  if (c.cluster > 1 && code.arch < 90)
    return wrong("clusters need sm_90, the module is for " +
                 code.module->target);
  if (c.dependent && code.arch < 90)
    return wrong("dependent launches need sm_90, the module is for " +
                 code.module->target);
  if (uint32_t required = code.kernel->clusterDims[0];
      required && required != c.cluster)
    return wrong(".reqnctapercluster wants " + std::to_string(required) +
                 " blocks, got " + std::to_string(c.cluster));
  uint64_t shared = uint64_t(code.staticShared) + c.sharedBytes;
  uint64_t most = code.arch >= 90   ? 227 << 10
                  : code.arch == 80 ? 163 << 10
                                    : 99 << 10;
  if (shared > most)
    return wrong(std::to_string(shared) + " bytes of shared memory, sm_" +
                 std::to_string(code.arch) + " has " + std::to_string(most));
  return Status::success();
}

/// Takes clusters until none is left. One that does not end soon takes turns
/// with others: blocks may wait for each other as long as all fit the machine.
void work(Grid &grid, uint64_t numClusters, size_t resident, unsigned thread) {
  std::vector<std::unique_ptr<Cluster>> running;
  bool more = true;
  for (size_t turn = 0; !grid.stop;) {
    if (more && (running.empty() || running.size() < resident)) {
      uint64_t next = grid.nextCluster++;
      if (next >= numClusters) {
        more = false;
      } else {
        running.push_back(std::make_unique<Cluster>());
        running.back()->start(grid, next * grid.config->cluster);
        turn = running.size() - 1;
      }
    }
    if (running.empty())
      break;
    turn %= running.size();
    Cluster &c = *running[turn];
    Cluster::Outcome outcome = c.run(100000);
    if (outcome == Cluster::Outcome::More) {
      ++turn;
      continue;
    }
    std::lock_guard<std::mutex> lock(grid.mutex);
    Report &r = *grid.report;
    r.instructions += c.instructions;
    ++r.clustersOfThread[thread];
    r.bankConflicts += c.bankConflicts;
    r.sharedAccesses += c.sharedAccesses;
    r.globalAccesses += c.globalAccesses;
    r.globalSectors += c.globalSectors;
    r.idealSectors += c.idealSectors;
    r.uses.join(c.uses);
    running.erase(running.begin() + int64_t(turn));
  }
}

} // namespace

Status launch(const std::shared_ptr<const Code> &code,
              const LaunchConfig &config, const Options &options,
              Report &report) {
  if (Status s = check(*code, config); !s.ok())
    return s;
  Grid grid;
  grid.code = code.get();
  grid.config = &config;
  grid.options = &options;
  grid.report = &report;
  grid.globals = code->globals;
  grid.numBlocks = config.grid[0] * config.grid[1] * config.grid[2];
  auto add = [&](const MemoryRange &m) {
    grid.memory.emplace_back();
    static_cast<MemoryRange &>(grid.memory.back()) = m;
    grid.largestRange = std::max(grid.largestRange, m.bytes);
    if (m.writable && options.sanitize && m.bytes <= uint64_t(1) << 32)
      grid.memory.back().shadow = std::make_unique<GlobalShadow>(m.bytes);
  };
  for (const MemoryRange &m : config.memory)
    add(m);
  if (!grid.globals.empty()) {
    MemoryRange own;
    own.address = reinterpret_cast<uint64_t>(grid.globals.data());
    own.bytes = grid.globals.size();
    own.name = "the module's variables";
    add(own);
  }
  std::sort(grid.memory.begin(), grid.memory.end(),
            [](const Grid::Range &a, const Grid::Range &b) {
              return a.address != b.address ? a.address < b.address
                                            : a.writable < b.writable;
            });
  uint64_t numClusters = grid.numBlocks / config.cluster;
  unsigned threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  threads = unsigned(std::min<uint64_t>(std::max(threads, 1u), numClusters));
  // As many blocks at once as a small machine would hold.
  size_t resident = std::max<size_t>(1, 8 / std::max(threads, 1u));
  report.clustersOfThread.resize(std::max(threads, 1u));
  std::vector<std::thread> helpers;
  for (unsigned t = 1; t < threads; ++t)
    helpers.emplace_back([&, t] { work(grid, numClusters, resident, t); });
  work(grid, numClusters, resident, 0);
  for (std::thread &t : helpers)
    t.join();
  return Status::success();
}

} // namespace helios::emu
