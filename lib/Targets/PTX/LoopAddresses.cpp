// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Addresses in loops: what a round would multiply or add up anew is carried
// from round to round. A copy's address in global memory advances by a step,
// and the offset of a ring's slot follows its cursor, so that neither stands
// between a barrier and the copies and loads behind it.

#include "LoopAddresses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A multiple of values that a loop carries, carried itself. Values are header
/// phis, constants, sums with constants, and selections of such.
class Multiples {
public:
  Multiples(Loop &loop, const APInt &factor) : loop(loop), factor(factor) {}

  bool canCarry(Value *value) {
    SmallPtrSet<Value *, 8> seen;
    return isMultiplied(value, seen);
  }

  Value *of(Value *value) {
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return ConstantInt::get(value->getType(), constant->getValue() * factor);
    if (Value *known = multiples.lookup(value))
      return known;
    if (auto *phi = dyn_cast<PHINode>(value)) {
      auto *carried = PHINode::Create(phi->getType(), 2, phi->getName(),
                                      phi->getIterator());
      multiples[value] = carried;
      for (BasicBlock *block : phi->blocks())
        carried->addIncoming(of(phi->getIncomingValueForBlock(block)), block);
      return carried;
    }
    auto *instruction = cast<Instruction>(value);
    IRBuilder<> builder(instruction);
    Value *result;
    if (auto *select = dyn_cast<SelectInst>(value))
      result = builder.CreateSelect(select->getCondition(),
                                    of(select->getTrueValue()),
                                    of(select->getFalseValue()));
    else
      result = builder.CreateAdd(of(instruction->getOperand(0)),
                                 of(instruction->getOperand(1)));
    return multiples[value] = result;
  }

private:
  bool isMultiplied(Value *value, SmallPtrSetImpl<Value *> &seen) {
    if (isa<ConstantInt>(value) || !seen.insert(value).second)
      return true;
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return false;
    auto all = [&](auto operands) {
      return all_of(operands,
                    [&](Value *v) { return isMultiplied(v, seen); });
    };
    if (auto *phi = dyn_cast<PHINode>(value))
      return phi->getParent() == loop.getHeader() &&
             all(phi->incoming_values());
    if (auto *select = dyn_cast<SelectInst>(value))
      return all(drop_begin(select->operands()));
    return match(value, m_Add(m_Value(), m_ConstantInt())) &&
           all(instruction->operands());
  }

  Loop &loop;
  APInt factor;
  DenseMap<Value *, Value *> multiples;
};

} // namespace

static void carryMultiples(Loop &loop) {
  MapVector<std::pair<Type *, APInt>, SmallVector<Instruction *>> products;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (const APInt * factor;
          match(&instruction, m_Mul(m_Value(), m_APInt(factor))))
        products[{instruction.getType(), *factor}].push_back(&instruction);
  for (auto &[key, found] : products) {
    Multiples multiples(loop, key.second);
    for (Instruction *product : found)
      if (Value *value = product->getOperand(0);
          isa<Instruction>(value) && multiples.canCarry(value)) {
        product->replaceAllUsesWith(multiples.of(value));
        product->eraseFromParent();
      }
  }
}

/// What an address is before the first round: the instructions that compute it,
/// with what the loop carries as it starts. Null if that is no mere arithmetic.
static Value *atStart(Value *value, Loop &loop, ValueToValueMapTy &known) {
  if (loop.isLoopInvariant(value))
    return value;
  if (Value *start = known.lookup(value))
    return start;
  auto *instruction = cast<Instruction>(value);
  auto *phi = dyn_cast<PHINode>(instruction);
  if (phi && phi->getParent() == loop.getHeader())
    return phi->getIncomingValueForBlock(loop.getLoopPreheader());
  if (!isa<GetElementPtrInst, BinaryOperator, CastInst>(instruction) ||
      instruction->isIntDivRem())
    return nullptr;
  SmallVector<Value *> operands;
  for (Value *operand : instruction->operands()) {
    Value *start = atStart(operand, loop, known);
    if (!start)
      return nullptr;
    operands.push_back(start);
  }
  Instruction *clone = instruction->clone();
  for (auto [i, operand] : enumerate(operands))
    clone->setOperand(i, operand);
  clone->dropPoisonGeneratingFlags();
  clone->insertBefore(loop.getLoopPreheader()->getTerminator()->getIterator());
  known[value] = clone;
  return clone;
}

/// Lets the loop carry the addresses from which it copies.
static void carryPointers(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  if (!preheader || !latch)
    return;
  SmallVector<std::pair<Use *, const SCEVAddRecExpr *>> found;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call)
        continue;
      for (Use &use : call->args()) {
        auto *type = dyn_cast<PointerType>(use->getType());
        if (!type || type->getAddressSpace() != 1)
          continue;
        auto *address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(use.get()));
        if (address && address->getLoop() == &loop && address->isAffine() &&
            isa<SCEVConstant>(address->getStepRecurrence(evolution)))
          found.emplace_back(&use, address);
      }
    }
  ValueToValueMapTy starts;
  DenseMap<const SCEV *, Value *> carried;
  for (auto [use, address] : found) {
    Value *&pointer = carried[address];
    if (!pointer) {
      Value *start = atStart(use->get(), loop, starts);
      if (!start)
        continue;
      auto *phi = PHINode::Create(start->getType(), 2, "address",
                                  loop.getHeader()->begin());
      IRBuilder<> builder(latch->getTerminator());
      auto *step =
          cast<SCEVConstant>(address->getStepRecurrence(evolution));
      phi->addIncoming(start, preheader);
      phi->addIncoming(builder.CreatePtrAdd(phi, step->getValue()), latch);
      pointer = phi;
    }
    use->set(pointer);
  }
}

PreservedAnalyses LoopAddresses::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost()) {
      carryPointers(*loop, evolution);
      carryMultiples(*loop);
    }
  return PreservedAnalyses::none();
}
