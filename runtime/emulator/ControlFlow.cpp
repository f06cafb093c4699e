//===- ControlFlow.cpp - Branches, and where lanes meet again -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that part at a branch meet again at its immediate post-dominator: the
// first instruction through which every way from the branch leads.
//
//===----------------------------------------------------------------------===//

#include "emulator/Decoder.h"
#include "emulator/Machine.h"

namespace helios::emu {

namespace {

Step branch(Warp &w, const Inst &i, Mask m) {
  Frame &top = w.stack.back();
  Mask other = top.mask & ~m;
  if (!m) {
    ++top.pc;
    return Step::Jump;
  }
  if (!other) {
    top.pc = i.target;
    return Step::Jump;
  }
  // The frame on top becomes the place to meet; both ways run above it.
  int32_t fall = top.pc + 1;
  top.pc = i.reconverge;
  Frame taken{i.target, m, i.reconverge}, rest{fall, other, i.reconverge};
  bool swap = w.cluster->chance(1, 2);
  w.stack.push_back(swap ? taken : rest);
  w.stack.push_back(swap ? rest : taken);
  return Step::Jump;
}

Step leave(Warp &w, const Inst &i, Mask m) { return w.exit(i, m); }

Step nothing(Warp &, const Inst &, Mask) { return Step::Next; }
Step nap(Warp &, const Inst &, Mask) { return Step::Yield; }

Step trap(Warp &w, const Inst &i, Mask m) {
  w.report(Finding::Kind::Trap, i, m, "the kernel traps");
  return Step::Stop;
}

void decodeBranch(Decoder &d) {
  d.take("uni");
  d.inst.run = branch;
  d.inst.target = int32_t(d.code.kernel->labels[d.operand(0).reg]);
}
void decodeRet(Decoder &d) {
  d.take("uni");
  d.inst.run = leave;
}
void decodeTrap(Decoder &d) { d.inst.run = trap; }
void decodeNap(Decoder &d) {
  d.takeType();
  d.read(0, 32);
  d.inst.run = nap;
}
/// The kernels before and after this one are launched when it is at its end.
void decodeGridDependency(Decoder &d) {
  if (!d.needs(90, "griddepcontrol"))
    return;
  if (!d.take("wait") && !d.take("launch_dependents"))
    d.fail("expected .wait or .launch_dependents");
  d.inst.run = nothing;
}

} // namespace

void addControl(DecodeTable &table) {
  table["bra"] = decodeBranch;
  table["ret"] = decodeRet;
  table["exit"] = decodeRet;
  table["trap"] = decodeTrap;
  table["nanosleep"] = decodeNap;
  table["griddepcontrol"] = decodeGridDependency;
}

void findReconvergence(Code &code) {
  const int n = int(code.insts.size());
  // Immediate post-dominators over blocks, by the algorithm of Cooper, Harvey
  // and Kennedy on the reversed graph; the exit is one more block.
  std::vector<bool> leads(size_t(n) + 1, false);
  leads[0] = true;
  auto isExit = [&](const Inst &i) { return i.run == leave || i.run == trap; };
  auto isBranch = [&](const Inst &i) { return i.run == branch; };
  for (int i = 0; i < n; ++i) {
    const Inst &x = code.insts[size_t(i)];
    if (isBranch(x))
      leads[size_t(x.target)] = true;
    if (isBranch(x) || isExit(x))
      leads[size_t(i) + 1] = true;
  }
  std::vector<int> first, blockOf(size_t(n) + 1, -1);
  for (int i = 0; i < n; ++i) {
    if (leads[size_t(i)])
      first.push_back(i);
    blockOf[size_t(i)] = int(first.size()) - 1;
  }
  const int numBlocks = int(first.size()), exitBlock = numBlocks;
  auto blockAt = [&](int inst) {
    return inst >= n ? exitBlock : blockOf[size_t(inst)];
  };
  std::vector<std::vector<int>> next(size_t(numBlocks) + 1),
      before(size_t(numBlocks) + 1);
  for (int b = 0; b < numBlocks; ++b) {
    int end = b + 1 < numBlocks ? first[size_t(b) + 1] : n;
    const Inst &last = code.insts[size_t(end) - 1];
    std::vector<int> to;
    if (isBranch(last)) {
      to.push_back(blockAt(last.target));
      if (last.guarded)
        to.push_back(blockAt(end));
    } else if (isExit(last)) {
      to.push_back(exitBlock);
      if (last.guarded)
        to.push_back(blockAt(end));
    } else {
      to.push_back(blockAt(end));
    }
    next[size_t(b)] = to;
    for (int t : to)
      before[size_t(t)].push_back(b);
  }
  // Postorder of the reversed graph from the exit.
  std::vector<int> order(size_t(numBlocks) + 1, -1), sequence;
  std::vector<std::pair<int, size_t>> walk{{exitBlock, 0}};
  std::vector<bool> seen(size_t(numBlocks) + 1, false);
  seen[size_t(exitBlock)] = true;
  while (!walk.empty()) {
    auto &[b, k] = walk.back();
    if (k < before[size_t(b)].size()) {
      int p = before[size_t(b)][k++];
      if (!seen[size_t(p)]) {
        seen[size_t(p)] = true;
        walk.push_back({p, 0});
      }
    } else {
      order[size_t(b)] = int(sequence.size());
      sequence.push_back(b);
      walk.pop_back();
    }
  }
  std::vector<int> meet(size_t(numBlocks) + 1, -1);
  meet[size_t(exitBlock)] = exitBlock;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = sequence.size(); s-- > 0;) {
      int b = sequence[s], found = -1;
      if (b == exitBlock)
        continue;
      for (int t : next[size_t(b)]) {
        if (order[size_t(t)] < 0 || meet[size_t(t)] < 0)
          continue;
        if (found < 0) {
          found = t;
          continue;
        }
        int x = t, y = found;
        while (x != y) {
          while (order[size_t(x)] < order[size_t(y)])
            x = meet[size_t(x)];
          while (order[size_t(y)] < order[size_t(x)])
            y = meet[size_t(y)];
        }
        found = x;
      }
      if (found >= 0 && meet[size_t(b)] != found) {
        meet[size_t(b)] = found;
        changed = true;
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    Inst &x = code.insts[size_t(i)];
    if (!isBranch(x))
      continue;
    int b = meet[size_t(blockOf[size_t(i)])];
    // Loops without a way out never meet: at the end, as far as it matters.
    x.reconverge = b < 0 || b == exitBlock ? n : first[size_t(b)];
  }
}

} // namespace helios::emu
