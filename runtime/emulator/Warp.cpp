//===- Warp.cpp - Executes the instructions of a warp -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Machine.h"
#include <algorithm>
#include <cstring>

namespace helios::emu {

namespace {

/// A value of a special register for one lane.
uint64_t specialValue(const Warp &w, Code::Special what, uint32_t lane) {
  const LaunchConfig &config = *w.grid->config;
  const Block &b = *w.block;
  uint64_t thread = uint64_t(w.index) * kLanes + lane;
  const uint32_t *size = config.block;
  using S = Code::Special;
  switch (what) {
  case S::Lane:
    return lane;
  case S::WarpIndex:
    return w.index;
  case S::NumWarps:
    return b.warps.size();
  case S::TidX:
    return thread % size[0];
  case S::TidY:
    return thread / size[0] % size[1];
  case S::TidZ:
    return thread / size[0] / size[1];
  case S::NtidX:
    return size[0];
  case S::NtidY:
    return size[1];
  case S::NtidZ:
    return size[2];
  case S::CtaidX:
    return b.coordinates[0];
  case S::CtaidY:
    return b.coordinates[1];
  case S::CtaidZ:
    return b.coordinates[2];
  case S::NctaidX:
    return config.grid[0];
  case S::NctaidY:
    return config.grid[1];
  case S::NctaidZ:
    return config.grid[2];
  case S::ClusterCtaidX:
  case S::ClusterCtarank:
    return b.rank;
  case S::ClusterNctaidX:
  case S::ClusterNctarank:
    return config.cluster;
  case S::ClusteridX:
    return b.coordinates[0] / config.cluster;
  case S::NclusteridX:
    return config.grid[0] / config.cluster;
  case S::LanemaskEq:
    return 1u << lane;
  case S::LanemaskLt:
    return (1u << lane) - 1;
  case S::LanemaskLe:
    return (2ull << lane) - 1;
  case S::LanemaskGt:
    return kAllLanes ^ Mask((2ull << lane) - 1);
  case S::LanemaskGe:
    return kAllLanes ^ ((1u << lane) - 1);
  case S::SmId:
    return b.id % config.computeUnits;
  case S::NsmId:
    return config.computeUnits;
  case S::GridId:
    return 0;
  case S::DynamicShared:
    return config.sharedBytes;
  case S::TotalShared:
    return b.shared.size();
  }
  return 0;
}

} // namespace

void Warp::start(Block &b, uint32_t warp) {
  block = &b;
  cluster = b.cluster;
  grid = cluster->grid;
  index = warp;
  const Code &code = *grid->code;
  const LaunchConfig &config = *grid->config;
  uint32_t threads = config.block[0] * config.block[1] * config.block[2];
  uint32_t mine = std::min(threads - warp * kLanes, uint32_t(kLanes));
  lanes = mine == kLanes ? kAllLanes : (1u << mine) - 1;
  if (config.dependent)
    afterDependencies = 0;
  stack.push_back({0, lanes, int32_t(code.insts.size())});
  storage.reset(new uint8_t[code.slotBytes + 64]);
  slots =
      storage.get() + (64 - reinterpret_cast<uintptr_t>(storage.get()) % 64);
  // What nobody has written looks like neither a number nor an address.
  std::memset(slots, 0xcd, code.slotBytes);
  auto fill = [&](uint32_t slot, uint32_t bits, uint64_t value, uint32_t lane) {
    if (bits == 1)
      predicate(slot) = value ? kAllLanes : 0;
    else if (bits == 16)
      at<uint16_t>(slot)[lane] = uint16_t(value);
    else if (bits == 32)
      at<uint32_t>(slot)[lane] = uint32_t(value);
    else
      at<uint64_t>(slot)[lane] = value;
  };
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (const Code::Constant &c : code.constants)
      fill(c.slot, c.bits, c.value, lane);
    for (const Code::SpecialSlot &s : code.specials)
      fill(s.slot, s.bits, specialValue(*this, s.what, lane), lane);
    for (auto [slot, offset] : code.globalConstants)
      fill(slot, 64, reinterpret_cast<uint64_t>(grid->globals.data()) + offset,
           lane);
  }
  local.assign(size_t(code.localBytes) * kLanes, 0xcd);
  agent = cluster->newAgent("block " + std::to_string(b.id) + " warp " +
                            std::to_string(warp));
  storeAgent = cluster->newAgent(
      "a bulk store of block " + std::to_string(b.id) + " warp " +
      std::to_string(warp) + " that nobody has waited for");
  known.seen.at(agent).base = epoch;
  // What the code begins with; setmaxnreg moves registers between warps.
  registerLimit = code.kernel->maxRegisters
                      ? (code.kernel->maxRegisters + 7) / 8 * 8
                  : code.kernel->requiredThreads[0]
                      ? std::min(65536 / threads / 8 * 8, 248u)
                      : 0;
  size_t n = code.kernel->registers.size();
  flight.assign(n, Free);
  stamp.assign(n, 0);
  if (sanitizes())
    defined.assign(n, 0);
}

bool Warp::sanitizes() const { return grid->options->sanitize; }

void Warp::report(Finding::Kind kind, const Inst &i, Mask m,
                  const std::string &message) {
  Finding f;
  f.kind = kind;
  f.message = message;
  f.line = i.line;
  f.source = grid->code->module->describePlace(i.place);
  f.block = block->id;
  f.warp = index;
  f.lane = m ? __builtin_ctz(m) : -1;
  bool fatal = kind == Finding::Kind::OutOfBounds ||
               kind == Finding::Kind::Misaligned ||
               kind == Finding::Kind::Trap || kind == Finding::Kind::Deadlock ||
               kind == Finding::Kind::Endless;
  grid->add(std::move(f), fatal);
}

/// Undefined registers, and such as a matrix product in flight uses.
bool Warp::checkRegisters(const Inst &i, Mask m) {
  const Code &code = *grid->code;
  const uint32_t *list = code.registerLists.data();
  auto name = [&](uint32_t r) { return code.kernel->registers[r].name; };
  for (uint32_t k = i.uses, e = i.uses + i.numUses; k < e; ++k) {
    uint32_t r = list[k];
    if (flight[r] == Written) {
      report(Finding::Kind::Wgmma, i, m,
             "register " + name(r) +
                 " is read while a wgmma that writes it is in flight");
      return false;
    }
    if (m & ~defined[r] && !i.moves) {
      auto loaded = unwrittenLine.find(r);
      report(Finding::Kind::Uninitialized, i, m & ~defined[r],
             "register " + name(r) +
                 (loaded == unwrittenLine.end()
                      ? " was never written"
                      : " holds shared memory that was never written, loaded "
                        "on line " +
                            std::to_string(loaded->second)));
      defined[r] |= m;
      return false;
    }
  }
  for (uint32_t k = i.defs, e = i.defs + i.numDefs; k < e; ++k)
    if (uint32_t r = list[k]; flight[r] != Free) {
      report(Finding::Kind::Wgmma, i, m,
             "register " + name(r) + " is written while a wgmma that " +
                 (flight[r] == Read ? "reads" : "writes") + " it is in flight");
      return false;
    }
  return true;
}

/// What an instruction has loaded from memory that nobody has written is as
/// undefined as a register.
void Warp::noteUnwritten(const Inst &i) {
  if (!(unwritten[0] | unwritten[1] | unwritten[2] | unwritten[3]))
    return;
  for (uint32_t k = 0; k < i.numDefs; ++k) {
    uint32_t r = grid->code->registerLists[i.defs + k];
    if (Mask m = unwritten[k % 4]) {
      defined[r] &= ~m;
      unwrittenLine[r] = i.line;
    }
  }
  std::fill_n(unwritten, 4, 0);
}

bool Block::finished() const {
  return std::all_of(warps.begin(), warps.end(),
                     [](const auto &w) { return w->finished(); });
}

/// The last warp of a block exits: what other blocks have done to its shared
/// memory must be known to have happened, or it might as well come later.
static void checkVisits(Warp &last, const Inst &i) {
  Block &b = *last.block;
  for (const auto &[who, visit] : b.visits) {
    auto knows = [&, agent = who.first, of = who.second,
                  epoch = visit.epoch](const Warp &w) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        if (w.covers(lane, agent, epoch, of))
          return true;
      return false;
    };
    if (std::any_of(b.warps.begin(), b.warps.end(),
                    [&](const auto &w) { return knows(*w); }))
      continue;
    last.report(Finding::Kind::Race, i, 1,
                "the block exits, but nothing orders that behind line " +
                    std::to_string(visit.inst->line) + " of block " +
                    std::to_string(visit.warp->block->id) +
                    ", which uses its shared memory (no cluster barrier at "
                    "its end)");
    return;
  }
}

Step Warp::exit(const Inst &i, Mask m) {
  for (Frame &f : stack)
    f.mask &= ~m;
  lanes &= ~m;
  ++cluster->events;
  if (sanitizes()) {
    for (const PendingStore &s : stores)
      if ((m >> s.lane & 1) && !s.readWaited) {
        report(Finding::Kind::Copy, i, 1u << s.lane,
               "the lane exits while its bulk store may still read shared "
               "memory (no cp.async.bulk.wait_group before)");
        break;
      }
    if (!lanes && (!openProducts.empty() || !products.empty()))
      report(Finding::Kind::Wgmma, i, m,
             "the warp exits with a wgmma that nobody has waited for");
  }
  if (!lanes) {
    // What is left lands now; the memory of the block lives on.
    landCopies(*this, [](const PendingCopy &) { return true; });
    for (PendingStore &s : stores) {
      if (!s.read)
        s.doRead();
      if (!s.written)
        s.doWrite();
    }
    stores.clear();
    leaveBarriers(*this);
    if (sanitizes() && block->finished()) {
      checkVisits(*this, i);
      // Its end would say that those grids have ended as well.
      if (!block->afterDependencies)
        report(Finding::Kind::Dependency, i, m,
               "the block of a dependent launch ends without "
               "griddepcontrol.wait");
    }
  }
  return Step::Jump;
}

Step Warp::run(uint64_t budget) {
  const Code &code = *grid->code;
  const Inst *insts = code.insts.data();
  const int32_t numInsts = int32_t(code.insts.size());
  const bool checks = sanitizes();
  uint64_t executed = 0;
  Step last = Step::Next;
  while (executed < budget) {
    while (!stack.empty() &&
           (stack.back().pc == stack.back().reconverge || !stack.back().mask)) {
      if (stack.back().pc == numInsts && stack.back().mask) {
        Inst end;
        end.line = insts[numInsts - 1].line;
        exit(end, stack.back().mask);
        continue;
      }
      stack.pop_back();
    }
    if (stack.empty() || !lanes)
      break;
    Frame &top = stack.back();
    const Inst &i = insts[top.pc];
    Mask m = top.mask;
    ++executed;
    if (i.guarded) {
      if (checks && (m & ~defined[i.guardRegister])) {
        report(Finding::Kind::Uninitialized, i, m & ~defined[i.guardRegister],
               "predicate " + code.kernel->registers[i.guardRegister].name +
                   " was never written");
        defined[i.guardRegister] |= m;
      }
      Mask p = predicate(i.guard);
      m &= i.guardNegated ? ~p : p;
      if (!m && i.target < 0) {
        ++top.pc;
        continue;
      }
    }
    if (i.aligned && m != lanes) {
      report(Finding::Kind::Convergence, i, m,
             "all lanes of the warp must execute this together; " +
                 std::to_string(__builtin_popcount(m)) + " of " +
                 std::to_string(__builtin_popcount(lanes)) + " do");
      grid->stop = true;
      last = Step::Stop;
      break;
    }
    if (checks && !checkRegisters(i, m) && grid->stop) {
      last = Step::Stop;
      break;
    }
    current = &i;
    last = i.run(*this, i, m);
    if (last == Step::Again) {
      break;
    }
    if (checks) {
      const uint32_t *list = code.registerLists.data();
      for (uint32_t k = i.uses, e = i.uses + i.numUses; k < e; ++k)
        stamp[list[k]] = fenceEpoch;
      for (uint32_t k = i.defs, e = i.defs + i.numDefs; k < e; ++k) {
        uint32_t r = list[k];
        Mask undefined = i.moves ? m & ~defined[list[i.uses]] : 0;
        defined[r] = (defined[r] | m) & ~undefined;
        stamp[r] = fenceEpoch;
      }
      noteUnwritten(i);
    }
    if (last == Step::Jump)
      continue;
    if (last == Step::Stop)
      break;
    ++stack.back().pc;
    if (last != Step::Next)
      break;
  }
  cluster->instructions += executed;
  return last;
}

//===----------------------------------------------------------------------===//
// What a warp knows of others
//===----------------------------------------------------------------------===//

bool Warp::covers(uint32_t lane, uint32_t other, uint32_t e,
                  uint32_t ofLane) const {
  if (other == Shadow::kAnybody)
    return true;
  if (other == agent && (ofLane == lane || e < known.seen.get(agent).base))
    return true;
  if (known.seen.covers(other, e, ofLane))
    return true;
  for (const auto &[m, k] : laneKnown)
    if ((m >> lane & 1) && k.seen.covers(other, e, ofLane))
      return true;
  return false;
}

bool Warp::coversFenced(uint32_t lane, uint32_t other, uint32_t e,
                        uint32_t ofLane) const {
  if (other == Shadow::kAnybody)
    return true;
  if (known.fenced.covers(other, e, ofLane))
    return true;
  for (const auto &[m, k] : laneKnown)
    if ((m >> lane & 1) && k.fenced.covers(other, e, ofLane))
      return true;
  return false;
}

Knowledge Warp::release(Mask m) {
  Knowledge k = known;
  for (const auto &[lanesOf, extra] : laneKnown)
    if (lanesOf & m)
      k.join(extra);
  Clock::Entry &own = k.seen.at(agent);
  if (m == lanes) {
    own.base = epoch + 1;
  } else {
    own.mask |= m;
    own.top = epoch + 1;
  }
  ++epoch;
  return k;
}

void Warp::acquire(Mask m, const Knowledge &k) {
  if (m == lanes) {
    Clock::Entry own = known.seen.get(agent);
    known.join(k);
    // Others know of this warp no more than it has published.
    known.seen.at(agent).base = std::max(own.base, known.seen.get(agent).base);
    return;
  }
  for (auto &[lanesOf, extra] : laneKnown)
    if (lanesOf == m) {
      extra.join(k);
      return;
    }
  laneKnown.push_back({m, k});
}

bool Warp::knows(Mask m, const Knowledge &k) const {
  Knowledge mine = known;
  for (const auto &[lanesOf, extra] : laneKnown)
    if ((lanesOf & m) == m)
      mine.join(extra);
  return mine.seen.includes(k.seen, agent) &&
         mine.fenced.includes(k.fenced, agent);
}

void Warp::meet() {
  for (const auto &[lanesOf, extra] : laneKnown)
    known.join(extra);
  laneKnown.clear();
  known.seen.at(agent).base = ++epoch;
}

void Warp::proxyFence(Mask m) {
  Knowledge k = release(m);
  if (m == lanes) {
    known.fenced.join(k.seen);
    return;
  }
  Knowledge mine;
  mine.fenced = k.seen;
  acquire(m, mine);
}

} // namespace helios::emu
