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
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The bits of the constant that a machine instruction adds to an address.
static constexpr unsigned kOffsetBits = 24;

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
      result = builder.CreateSelect(conditionOf(*select, builder),
                                    of(select->getTrueValue()),
                                    of(select->getFalseValue()));
    else
      result = builder.CreateAdd(of(instruction->getOperand(0)),
                                 of(instruction->getOperand(1)));
    return multiples[value] = result;
  }

private:
  /// Of a number below K that wraps to zero the multiple is compared, so that
  /// the number itself need not be carried.
  Value *conditionOf(SelectInst &select, IRBuilder<> &builder) {
    Value *condition = select.getCondition();
    Value *counter;
    ConstantInt *end;
    bool overflows = false;
    if (!match(&select,
               m_Select(m_SpecificICmp(ICmpInst::ICMP_EQ,
                                       m_Specific(select.getFalseValue()),
                                       m_ConstantInt(end)),
                        m_Zero(), m_Add(m_Value(counter), m_One()))))
      return condition;
    auto *phi = dyn_cast<PHINode>(counter);
    if (!phi || phi->getParent() != loop.getHeader())
      return condition;
    (void)end->getValue().umul_ov(factor, overflows);
    auto *start = dyn_cast<ConstantInt>(
        phi->getIncomingValueForBlock(loop.getLoopPreheader()));
    bool wraps = phi->getIncomingValueForBlock(loop.getLoopLatch()) == &select;
    if (overflows || !wraps || !start || start->getValue().uge(end->getValue()))
      return condition;
    return builder.CreateICmpEQ(of(select.getFalseValue()), of(end));
  }

  bool isMultiplied(Value *value, SmallPtrSetImpl<Value *> &seen) {
    if (isa<ConstantInt>(value) || !seen.insert(value).second)
      return true;
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction))
      return false;
    auto all = [&](auto operands) {
      return all_of(operands, [&](Value *v) { return isMultiplied(v, seen); });
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
    for (Instruction &instruction : *block) {
      const APInt *factor;
      Type *type = instruction.getType();
      if (match(&instruction, m_Mul(m_Value(), m_APInt(factor))))
        products[{type, *factor}].push_back(&instruction);
      else if (match(&instruction, m_Shl(m_Value(), m_APInt(factor))) &&
               factor->ult(factor->getBitWidth()))
        products[{type, APInt::getOneBitSet(factor->getBitWidth(),
                                            factor->getZExtValue())}]
            .push_back(&instruction);
    }
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

namespace {
/// An address that a loop carries.
struct Carried {
  const SCEV *address;
  Value *pointer;
};
} // namespace

/// An address at a constant distance from one that the loop carries, or null:
/// accesses add constants of so many bits.
static Value *besideCarried(const SCEV *address, ArrayRef<Carried> carried,
                            Instruction *user, ScalarEvolution &evolution) {
  for (const Carried &other : carried) {
    auto *distance =
        dyn_cast<SCEVConstant>(evolution.getMinusSCEV(address, other.address));
    if (!distance || !distance->getAPInt().isSignedIntN(kOffsetBits))
      continue;
    if (distance->isZero())
      return other.pointer;
    return IRBuilder<>(user).CreatePtrAdd(other.pointer, distance->getValue());
  }
  return nullptr;
}

using Copies = SmallVector<std::pair<Use *, const SCEVAddRecExpr *>>;

/// Whether all addresses lie at constant distances from the first.
static bool isOneAddress(const Copies &copies, ScalarEvolution &evolution) {
  return llvm::all_of(copies, [&](const auto &copy) {
    return isa<SCEVConstant>(
        evolution.getMinusSCEV(copy.second, copies.front().second));
  });
}

/// Lets the loop carry the addresses from which it copies. Of copies with a
/// condition, which are written as assembly, it carries one alone: more take as
/// many instructions as making all of one, and registers that programs of 128
/// miss.
static void carryPointers(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  SCEVExpander expander(evolution, "step");
  Copies found, conditional;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || !(isa<IntrinsicInst>(call) || call->isInlineAsm()))
        continue;
      for (Use &use : call->args()) {
        auto *type = dyn_cast<PointerType>(use->getType());
        if (!type || type->getAddressSpace() != 1)
          continue;
        auto *address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(use.get()));
        if (address && address->getLoop() == &loop && address->isAffine() &&
            expander.isSafeToExpand(address->getStepRecurrence(evolution)))
          (call->isInlineAsm() ? conditional : found)
              .emplace_back(&use, address);
      }
    }
  if (isOneAddress(conditional, evolution))
    found.append(conditional);
  ValueToValueMapTy starts;
  SmallVector<Carried> carried;
  for (auto [use, address] : found) {
    Value *pointer = besideCarried(
        address, carried, cast<Instruction>(use->getUser()), evolution);
    if (!pointer) {
      Value *start = atStart(use->get(), loop, starts);
      if (!start)
        continue;
      auto *phi = PHINode::Create(start->getType(), 2, "address",
                                  loop.getHeader()->begin());
      IRBuilder<> builder(latch->getTerminator());
      const SCEV *distance = address->getStepRecurrence(evolution);
      Value *step = expander.expandCodeFor(distance, distance->getType(),
                                           preheader->getTerminator());
      phi->addIncoming(start, preheader);
      phi->addIncoming(builder.CreatePtrAdd(phi, step), latch);
      carried.push_back({address, phi});
      pointer = phi;
    }
    use->set(pointer);
  }
}

/// Removes counters of which only addresses were made.
static void removeDeadPhis(Loop &loop) {
  SmallVector<WeakTrackingVH> phis;
  for (PHINode &phi : loop.getHeader()->phis())
    phis.push_back(&phi);
  for (WeakTrackingVH &phi : phis)
    if (auto *left = dyn_cast_or_null<PHINode>(phi))
      RecursivelyDeleteDeadPHINode(left);
}

PreservedAnalyses LoopAddresses::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopPreheader() &&
        loop->getLoopLatch()) {
      carryPointers(*loop, evolution);
      carryMultiples(*loop);
      removeDeadPhis(*loop);
    }
  return PreservedAnalyses::none();
}
