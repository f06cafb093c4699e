//===- Machine.h - Grids, clusters, blocks, warps ----------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of an execution. A cluster of blocks is run by one thread of the
// host, so that all but global memory needs no lock.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_MACHINE_H
#define HELIOS_RUNTIME_EMULATOR_MACHINE_H

#include "emulator/Clock.h"
#include "emulator/Emulator.h"
#include "emulator/Shadow.h"
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace helios::emu {

struct Block;
struct Cluster;
struct Grid;

struct Frame {
  int32_t pc;
  Mask mask;
  int32_t reconverge;
};

/// One 4, 8 or 16-byte copy of a lane that is not done (cp.async).
struct PendingCopy {
  uint32_t lane;
  uint64_t group; ///< of its lane
  uint32_t to, bytes, sourceBytes;
  uint64_t from;
  bool done = false; ///< the bytes are there, but nobody may count on it
  const Inst *inst;
};

/// A bulk copy out of shared memory that is not done.
struct PendingStore {
  uint32_t lane;
  uint64_t group;
  uint32_t epoch; ///< of the agent of the warp's stores
  bool read = false, written = false;
  bool readWaited = false; ///< by wait_group.read
  std::function<void()> doRead, doWrite;
};

struct WgmmaOp {
  const Inst *inst;
  uint64_t descriptorA, descriptorB;
  bool accumulates;
};

struct ProductGroup {
  std::vector<WgmmaOp> ops;
  bool executed = false;
};

struct Warp {
  Grid *grid = nullptr;
  Cluster *cluster = nullptr;
  Block *block = nullptr;
  uint32_t index = 0; ///< in the block
  Mask lanes = 0;     ///< that have not exited
  std::vector<Frame> stack;
  std::unique_ptr<uint8_t[]> storage;
  uint8_t *slots = nullptr;
  std::vector<uint8_t> local;

  // Waiting.
  enum class Reason : uint8_t {
    None,
    Barrier,
    ClusterBarrier,
    WarpgroupProducts,
    Registers
  } reason = Reason::None;
  uint32_t waitsFor = 0; ///< number of the barrier
  /// Instruction at which it spins on an mbarrier, and the one it tests; -1.
  int32_t spinsAt = -1;
  uint32_t spinsOn = 0, spinParity = 0;
  const Inst *current = nullptr;

  // Asynchronous copies.
  std::vector<PendingCopy> copies;
  uint64_t copyGroup[kLanes] = {};
  std::vector<PendingStore> stores;
  uint64_t storeGroup[kLanes] = {};

  // Matrix products of the warpgroup.
  std::vector<WgmmaOp> openProducts;
  std::deque<ProductGroup> products; ///< committed, not waited for
  uint64_t productsCommitted = 0, productsWaited = 0;

  // Registers: which lanes hold a value; the epoch of fences when written; what
  // a product in flight does to it.
  std::vector<Mask> defined;
  std::vector<uint32_t> stamp;
  enum : uint8_t { Free = 0, Read = 1, Written = 2 };
  std::vector<uint8_t> flight;
  uint32_t fenceEpoch = 1;
  /// Lanes to which the instruction at hand loads what nobody has written, by
  /// its registers; where that was for those that still hold it.
  Mask unwritten[4] = {};
  std::map<uint32_t, uint32_t> unwrittenLine;
  uint32_t registerLimit = 0;
  /// Lanes that may touch global memory: the grids before have ended.
  Mask afterDependencies = kAllLanes;

  // Clocks.
  uint32_t agent = 0, storeAgent = 0;
  uint32_t epoch = 1;
  uint32_t storeEpoch = 1;
  Knowledge known;
  std::vector<std::pair<Mask, Knowledge>> laneKnown; ///< of some lanes alone
  Knowledge initialized; ///< published by fence.mbarrier_init
  Knowledge clusterArrival;
  uint64_t clusterPhase = 0;
  bool clusterArrived = false;

  template <typename T>
  T *at(uint32_t slot) {
    return reinterpret_cast<T *>(slots + slot);
  }
  Mask &predicate(uint32_t slot) { return *at<Mask>(slot); }

  bool finished() const { return lanes == 0; }
  bool waits() const { return reason != Reason::None; }
  void start(Block &b, uint32_t warp);
  /// Executes up to `budget` instructions.
  Step run(uint64_t budget);
  Step exit(const Inst &i, Mask m);
  /// Adds a finding about the first lane of `m`.
  void report(Finding::Kind kind, const Inst &i, Mask m,
              const std::string &message);
  bool sanitizes() const;
  bool checkRegisters(const Inst &i, Mask m);
  void noteUnwritten(const Inst &i);

  // Clocks.
  /// What the lanes of `m` know.
  bool covers(uint32_t lane, uint32_t agent, uint32_t epoch,
              uint32_t ofLane) const;
  bool coversFenced(uint32_t lane, uint32_t agent, uint32_t epoch,
                    uint32_t ofLane) const;
  /// What the lanes of `m` publish by a release; begins a new epoch.
  Knowledge release(Mask m);
  void acquire(Mask m, const Knowledge &k);
  /// Whether `k` is nothing new to the lanes of `m`.
  bool knows(Mask m, const Knowledge &k) const;
  /// All lanes of the warp have met.
  void meet();
  void proxyFence(Mask m);
};

struct NamedBarrier {
  uint32_t expected = 0, arrived = 0; ///< threads
  bool wholeBlock = false; ///< no count given: whoever has not exited
  std::vector<Warp *> waiting;
  std::vector<uint32_t> arrivedWarps;
  Knowledge knowledge;
  const Inst *inst = nullptr;
};

struct Mbarrier {
  uint32_t address = 0; ///< in shared memory
  uint32_t expected = 0, pending = 0;
  int64_t transactions = 0;
  uint32_t phase = 0;  ///< completed phases
  uint32_t writer = 0; ///< who initialised it, as in a Shadow
  uint32_t agent = 0;
  bool valid = false;
  bool copies = false; ///< were issued in this phase
  Knowledge gathering, completed;
  /// Lines of the arrivals in this phase, and in those before for which nobody
  /// has waited.
  std::set<uint32_t> arrivals, unawaited;
  uint32_t line = 0;
};

struct Block {
  Cluster *cluster = nullptr;
  uint64_t id = 0;   ///< in the grid
  uint32_t rank = 0; ///< in the cluster
  uint64_t coordinates[3] = {};
  std::vector<uint8_t> shared;
  std::vector<std::unique_ptr<Warp>> warps;
  NamedBarrier barriers[16];
  std::deque<Mbarrier> mbarriers; ///< places do not move
  Shadow shadow;
  std::vector<uint32_t> productAgents; ///< of warpgroups
  uint32_t registersFree = 0;
  /// It has synchronised with other blocks by atomics or acquiring loads.
  bool acquired = false;
  /// Some lane has waited for the grids before.
  bool afterDependencies = true;
  /// The last access of each lane of other blocks to this one's shared memory,
  /// by agent and lane: the block may not exit before it knows of them.
  struct Visit {
    uint32_t epoch = 0;
    const Inst *inst = nullptr;
    const Warp *warp = nullptr;
  };
  std::map<std::pair<uint32_t, uint32_t>, Visit> visits;

  uint32_t sharedEnd() const { return kSharedBase + uint32_t(shared.size()); }
  uint8_t *sharedAt(uint32_t address) {
    return shared.data() + (address - kSharedBase);
  }
  Mbarrier *findMbarrier(uint32_t address);
  bool finished() const;
};

/// A bulk copy into shared memory that has not landed.
struct Landing {
  std::function<bool()> land; ///< false: the kernel stops
};

struct Cluster {
  Grid *grid = nullptr;
  uint64_t first = 0; ///< block
  uint64_t random = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Warp *> warps;
  std::vector<Landing> landings;
  uint64_t events = 0; ///< whatever others may have waited for
  uint64_t instructions = 0;
  uint32_t quietRounds = 0;
  Block *favoured = nullptr; ///< the one that the adversary lets run
  uint32_t numAgents = 0;
  std::vector<std::string> agentNames;
  uint32_t barrierArrived = 0;
  uint64_t barrierPhase = 0;
  Knowledge barrierKnowledge;
  bool adversary = false;
  uint64_t bankConflicts = 0, sharedAccesses = 0, globalSectors = 0,
           globalAccesses = 0, idealSectors = 0;

  Uses uses;

  void start(Grid &g, uint64_t firstBlock);
  enum class Outcome : uint8_t { Done, More, Stopped };
  Outcome run(uint64_t rounds);
  uint64_t draw();
  /// True `n` times in `of`; never without an adversary.
  bool chance(uint32_t n, uint32_t of) { return adversary && draw() % of < n; }
  uint32_t newAgent(const std::string &name);
  void deadlock();
  bool atEnd();
};

struct Grid {
  const Code *code = nullptr;
  const LaunchConfig *config = nullptr;
  const Options *options = nullptr;
  struct Range : MemoryRange {
    std::unique_ptr<GlobalShadow> shadow; ///< of writable ones
  };
  std::vector<Range> memory; ///< sorted
  uint64_t largestRange = 0;
  std::vector<uint8_t> globals;
  uint64_t numBlocks = 0;
  std::atomic<uint64_t> nextCluster{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  Report *report = nullptr;

  const Range *find(uint64_t address, uint64_t bytes) const;
  void add(Finding finding, bool fatal);
};

// Memory.cpp: the grid before may still write what a lane is about to touch.
void needDependencies(Warp &w, const Inst &i, uint32_t lane);
// Places of lanes. Null after a finding.
enum class Access : uint8_t { Read, Write, Atomic };
/// A place in the shared memory of any block of the cluster.
struct SharedPlace {
  Block *block = nullptr;
  uint32_t address = 0;
};
bool sharedPlace(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                 uint32_t bytes, uint32_t align, SharedPlace &out);
uint8_t *globalPlace(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                     uint32_t bytes, uint32_t align, Access access);
/// Races of an ordinary access to shared memory; false if it reads a byte that
/// was never written: what uses that is wrong, reading it ahead is not. `data`
/// is what a write writes: lanes that write the same race about nothing.
bool noteShared(Warp &w, const Inst &i, uint32_t lane, const SharedPlace &p,
                uint32_t bytes, Access access, const uint8_t *data = nullptr);
void noteGlobal(Warp &w, const Inst &i, uint32_t lane, uint64_t address,
                uint32_t bytes, Access access, const uint8_t *data = nullptr);
/// The same for the asynchronous proxy; a read is one of `agent` at `epoch`.
bool noteAsyncRead(Warp &w, const Inst &i, uint32_t lane, Block &b,
                   uint32_t address, uint32_t bytes, uint32_t agent,
                   uint32_t epoch);
bool noteAsyncWrite(Warp &w, const Inst &i, uint32_t lane, Block &b,
                    uint32_t address, uint32_t bytes, uint32_t agent,
                    uint32_t epoch);
const uint8_t *parameterPlace(Warp &w, const Inst &i, uint32_t lane,
                              uint64_t offset, uint32_t bytes);
std::string hex(uint64_t v);

// Mbarrier.cpp.
void completeTransactions(Block &b, Mbarrier &m, int64_t bytes);
bool arrive(Warp &w, const Inst &i, Mask lane, Block &b, Mbarrier &m,
            uint32_t count);
// CopyAsync.cpp.
/// Ends the copies that `which` names; how many those were.
size_t landCopies(Warp &w,
                  const std::function<bool(const PendingCopy &)> &which);
void landSomeCopies(Warp &w);
// Bulk.cpp.
void landSomeStores(Warp &w);
// Barriers.cpp: lets those go on who waited for a warp that exits.
void leaveBarriers(Warp &w);
// Wgmma.cpp: executes the groups of products of a warpgroup that are numbered
// below `upTo`; false if not all its warps have committed them.
bool runProducts(Block &b, uint32_t warpgroup, uint64_t upTo);

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_MACHINE_H
