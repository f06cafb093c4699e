//===- Cluster.cpp - Whose turn it is, and who waits for what -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Machine.h"
#include <algorithm>

namespace helios::emu {

uint64_t Cluster::draw() {
  // splitmix64
  uint64_t z = random += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

uint32_t Cluster::newAgent(const std::string &name) {
  agentNames.push_back(name);
  return std::min(numAgents++, Shadow::kMaxAgents);
}

void Cluster::start(Grid &g, uint64_t firstBlock) {
  grid = &g;
  first = firstBlock;
  const LaunchConfig &config = *g.config;
  adversary = g.options->seed != 0;
  random = g.options->seed * 0x2545f4914f6cdd1dull + firstBlock;
  uint32_t threads = config.block[0] * config.block[1] * config.block[2];
  uint32_t numWarps = (threads + kLanes - 1) / kLanes;
  uint32_t bytes = g.code->dynamicShared - kSharedBase + config.sharedBytes;
  for (uint32_t rank = 0; rank < config.cluster; ++rank) {
    blocks.push_back(std::make_unique<Block>());
    Block &b = *blocks.back();
    b.cluster = this;
    b.id = firstBlock + rank;
    b.afterDependencies = !g.config->dependent;
    b.rank = rank;
    b.coordinates[0] = b.id % config.grid[0];
    b.coordinates[1] = b.id / config.grid[0] % config.grid[1];
    b.coordinates[2] = b.id / config.grid[0] / config.grid[1];
    b.shared.assign(bytes, 0xcd);
    if (g.options->sanitize)
      b.shadow.enable(bytes);
    for (uint32_t w = 0; w < numWarps; ++w) {
      b.warps.push_back(std::make_unique<Warp>());
      b.warps.back()->start(b, w);
      warps.push_back(b.warps.back().get());
    }
    for (uint32_t w = 0; g.code->usesWgmma && w < numWarps; w += 4)
      b.productAgents.push_back(
          newAgent("a wgmma of block " + std::to_string(b.id) + " warpgroup " +
                   std::to_string(w / 4) + " that nobody has waited for"));
  }
}

/// Some of what is in flight may happen at any time.
static void happen(Cluster &c) {
  if (!c.adversary)
    return;
  if (!c.landings.empty() && c.chance(1, 4)) {
    size_t n = c.draw() % c.landings.size();
    Landing l = std::move(c.landings[n]);
    c.landings.erase(c.landings.begin() + int64_t(n));
    ++c.events;
    if (!l.land())
      c.grid->stop = true;
  }
  Warp &w = *c.warps[c.draw() % c.warps.size()];
  if (!w.copies.empty() && c.chance(1, 8))
    landSomeCopies(w);
  if (!w.stores.empty() && c.chance(1, 8))
    landSomeStores(w);
}

bool Cluster::atEnd() {
  for (Warp *w : warps)
    if (!w->finished())
      return false;
  return true;
}

Cluster::Outcome Cluster::run(uint64_t rounds) {
  std::vector<Warp *> order;
  for (uint64_t round = 0; round < rounds; ++round) {
    if (grid->stop)
      return Outcome::Stopped;
    order.clear();
    for (Warp *w : warps)
      if (!w->finished())
        order.push_back(w);
    if (order.empty()) {
      while (!landings.empty()) {
        Landing l = std::move(landings.back());
        landings.pop_back();
        if (!l.land())
          return Outcome::Stopped;
      }
      return Outcome::Done;
    }
    if (adversary)
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[draw() % i]);
    // For a while one block is far ahead of the others, or all go alike.
    if (adversary && blocks.size() > 1 && round % 32 == 0) {
      uint64_t drawn = draw() % (2 * blocks.size());
      favoured = drawn < blocks.size() ? blocks[drawn].get() : nullptr;
    }
    uint64_t before = events, busy = 0;
    for (Warp *w : order) {
      happen(*this);
      if (w->waits() || w->finished())
        continue;
      // Some warps are far ahead of others at times.
      uint64_t budget = !adversary      ? 2000
                        : chance(1, 16) ? 3000
                                        : 1 + draw() % 200;
      if (favoured && w->block != favoured && !chance(1, 64)) {
        ++busy; // it could go on
        continue;
      }
      w->spinsAt = -1;
      Step step = w->run(budget);
      if (grid->stop)
        return Outcome::Stopped;
      if (step != Step::Again && step != Step::Wait && w->spinsAt < 0)
        ++busy;
    }
    if (instructions > grid->options->maxInstructions) {
      Warp *w = order.front();
      static const Inst nowhere;
      w->report(Finding::Kind::Endless, w->current ? *w->current : nowhere, 0,
                "after " + std::to_string(instructions) +
                    " instructions of its warps block " +
                    std::to_string(w->block->id) + " is not at its end");
      return Outcome::Stopped;
    }
    if (events != before || busy) {
      quietRounds = 0;
      continue;
    }
    if (!landings.empty()) {
      // Nobody goes on before the oldest copy lands.
      Landing l = std::move(landings.front());
      landings.erase(landings.begin());
      ++events;
      if (!l.land())
        return Outcome::Stopped;
      continue;
    }
    if (++quietRounds > 24) {
      deadlock();
      return Outcome::Stopped;
    }
  }
  return Outcome::More;
}

void Cluster::deadlock() {
  std::string text = "no warp goes on:";
  const Warp *somebody = nullptr;
  for (Warp *w : warps) {
    if (w->finished())
      continue;
    if (!somebody)
      somebody = w;
    text += "\n    block " + std::to_string(w->block->id) + " warp " +
            std::to_string(w->index) + ", line " +
            std::to_string(w->current ? w->current->line : 0) + ": ";
    const Block &b = *w->block;
    if (w->reason == Warp::Reason::Barrier) {
      const NamedBarrier &bar = b.barriers[w->waitsFor];
      text += "waits at barrier " + std::to_string(w->waitsFor) + ", where " +
              std::to_string(bar.arrived) + " of " +
              std::to_string(bar.expected) + " threads are";
    } else if (w->reason == Warp::Reason::ClusterBarrier) {
      text += "waits at the cluster's barrier, where " +
              std::to_string(barrierArrived) + " threads are";
    } else if (w->reason == Warp::Reason::Registers) {
      text += "waits for registers (setmaxnreg.inc); the block has " +
              std::to_string(b.registersFree) + " free";
    } else if (w->spinsAt >= 0) {
      const Mbarrier *m = nullptr;
      for (const Mbarrier &x : b.mbarriers)
        if (x.address == w->spinsOn)
          m = &x;
      text += "waits for parity " + std::to_string(w->spinParity) +
              " of the mbarrier at " + hex(w->spinsOn);
      if (m)
        text += ": phase " + std::to_string(m->phase) + ", " +
                std::to_string(m->pending) + " of " +
                std::to_string(m->expected) + " arrivals and " +
                std::to_string(m->transactions) + " bytes are missing";
    } else {
      text += "waits for the other warps of its warpgroup";
    }
  }
  static const Inst nowhere;
  if (somebody)
    const_cast<Warp *>(somebody)->report(
        Finding::Kind::Deadlock,
        somebody->current ? *somebody->current : nowhere, 0, text);
}

Mbarrier *Block::findMbarrier(uint32_t address) {
  for (Mbarrier &m : mbarriers)
    if (m.address == address && m.valid)
      return &m;
  return nullptr;
}

} // namespace helios::emu
