// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: products in flight.
//
// An asynchronous product starts where its dot stands. It is awaited before the
// first op that needs its value; the next product may add to it, and a loop may
// carry it, without. What it reads from registers goes through the await, so
// that the registers live to there.

#include "Distribute.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

static bool isAsynchronous(DotOp dot) {
  return dot && !dot.getMmaAttr().getEngine().empty();
}

static bool isZero(Value v) {
  auto constant = v.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat)
    return false;
  Attribute value = splat.getSplatValue<Attribute>();
  if (auto f = dyn_cast<FloatAttr>(value))
    return f.getValue().isPosZero();
  return isa<IntegerAttr>(value) &&
         cast<IntegerAttr>(value).getValue().isZero();
}

//===----------------------------------------------------------------------===//
// Where a product stays in flight
//===----------------------------------------------------------------------===//

/// True if the uses of a value are exits alone, but for one.
static bool onlyExits(Value v, OpOperand *but = nullptr) {
  return llvm::all_of(v.getUses(), [&](OpOperand &use) {
    return &use == but || isa<ExitOp>(use.getOwner());
  });
}

/// True if something needs the value of a product as a fragment: all but exits,
/// the product that adds to it, and loops that carry it in flight.
bool Distributor::needsFragment(Value v) {
  unsigned added = 0;
  for (OpOperand &use : v.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ExitOp>(user))
      continue;
    if (auto dot = dyn_cast<DotOp>(user);
        isAsynchronous(dot) && use.getOperandNumber() == 2 &&
        dot->getBlock() == v.getParentBlock() && ++added == 1)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(user))
      if (use.getOperandNumber() >= loop.getNumControlOperands() &&
          carryOf(loop, use.getOperandNumber() -
                            loop.getNumControlOperands()) != Carry::Plain)
        continue;
    if (isa<scf::YieldOp>(user))
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
        if (carryOf(loop, use.getOperandNumber()) != Carry::Plain)
          continue;
    return true;
  }
  return false;
}

Distributor::Carry Distributor::carryOf(scf::ForOp loop, unsigned i) {
  auto key = std::pair(loop.getOperation(), i);
  if (auto it = carries.find(key); it != carries.end())
    return it->second;
  Carry carry = classifyCarry(loop, i);
  carries[key] = carry;
  return carry;
}

/// True if a value is a product that is in flight in a block.
bool Distributor::startsInFlight(Value v, Block *block) {
  if (v.getParentBlock() != block)
    return false;
  if (isAsynchronous(v.getDefiningOp<DotOp>()))
    return true;
  if (auto loop = v.getDefiningOp<scf::ForOp>())
    return carryOf(loop, cast<OpResult>(v).getResultNumber()) ==
           Carry::InFlight;
  return false;
}

Distributor::Carry Distributor::classifyCarry(scf::ForOp loop, unsigned i) {
  BlockArgument arg = loop.getRegionIterArg(i);
  OpOperand &init = loop.getInitArgsMutable()[i];
  auto *yield = loop.getBody()->getTerminator();
  OpOperand &next = yield->getOpOperand(i);
  auto last = next.get().getDefiningOp<DotOp>();
  bool product = isAsynchronous(last) && last->getBlock() == loop.getBody();
  if (!isa<RankedTensorType>(arg.getType()))
    return Carry::Plain;
  if (onlyExits(arg) && onlyExits(loop.getResult(i))) {
    if (!product)
      return Carry::Nothing;
    if (startsInFlight(init.get(), loop->getBlock()))
      return Carry::Token;
    return Carry::Plain;
  }
  // In flight all the way: from before the loop through the products that add
  // to it, of which nothing else needs the value.
  if (!product || !onlyExits(next.get(), &next) ||
      !startsInFlight(init.get(), loop->getBlock()) ||
      !onlyExits(init.get(), &init))
    return Carry::Plain;
  for (DotOp dot = last;;) {
    // No await in the loop would keep an operand in registers alive.
    for (Value operand : {dot.getA(), dot.getB()})
      if (!getLayout(operand.getType()).isMemory() &&
          loop.getRegion().isAncestor(operand.getParentRegion()))
        return Carry::Plain;
    OpOperand &acc = dot->getOpOperand(2);
    if (!onlyExits(acc.get(), &acc))
      return Carry::Plain;
    if (acc.get() == arg)
      return Carry::InFlight;
    dot = acc.get().getDefiningOp<DotOp>();
    if (!isAsynchronous(dot) || dot->getBlock() != loop.getBody())
      return Carry::Plain;
  }
}

//===----------------------------------------------------------------------===//
// Starts and awaits
//===----------------------------------------------------------------------===//

LogicalResult Distributor::startDot(DotOp dot) {
  Location loc = dot.getLoc();
  MmaAttrInterface mma = dot.getMmaAttr();
  Value tiles[] = {dot.getA(), dot.getB()}, operands[2];
  bool transposed[2] = {false, false};
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    auto it = places.find(tile);
    if (it == places.end()) {
      operands[i] = get(tile);
      continue;
    }
    if (!it->second.slot)
      return dot.emitOpError("is asynchronous and reads shared memory outside "
                             "of a ring, where nothing says when it may be "
                             "written again; pass the tile through a ring");
    operands[i] = it->second.mem;
    transposed[i] = it->second.transposed;
  }
  Value acc;
  if (!isZero(dot.getAcc())) {
    auto it = flying.find(dot.getAcc());
    if (it != flying.end() && !needsFragment(dot.getAcc())) {
      acc = it->second;
      flying.erase(dot.getAcc());
    } else {
      acc = get(dot.getAcc());
    }
  }
  MLIRContext *context = b.getContext();
  auto type = frag::InFlightType::get(
      context, cast<frag::FragmentType>(lowerType(dot.getType())));
  auto start = frag::MmaStartOp::create(
      b, loc, type, frag::TokenType::get(context, mma.getEngine()), mma,
      operands[0], operands[1], acc,
      transposed[0] ? b.getUnitAttr() : UnitAttr(),
      transposed[1] ? b.getUnitAttr() : UnitAttr());
  flying[dot.getResult()] = start.getResult();
  tokens[dot.getResult()] = start.getToken();
  pending.push_back({start, {dot.getA(), dot.getB()}});
  return success();
}

Value Distributor::get(Value v) {
  if (flying.contains(v))
    return land(v, b.getInsertionPoint() == b.getBlock()->end()
                       ? v.getLoc()
                       : b.getInsertionPoint()->getLoc());
  return values.lookup(v);
}

/// Values that are there already and from which a value is still to be
/// computed in a block.
void Distributor::collectSources(Value v, Block *block,
                                 llvm::SetVector<Value> &sources) {
  SmallVector<Value> work{v};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second || next.getParentBlock() != block)
      continue;
    if (values.contains(next)) {
      if (isa<frag::FragmentType>(values.lookup(next).getType()))
        sources.insert(next);
      continue;
    }
    Operation *def = next.getDefiningOp();
    if (!def || flying.contains(next) || places.contains(next))
      continue;
    def->walk(
        [&](Operation *op) { llvm::append_range(work, op->getOperands()); });
  }
}

/// What may be given the registers of a tile that a product reads: what a loop
/// carries on in its place, and what a branch gives to whatever follows, which
/// a loop around it may carry on.
static SmallVector<Value> replacementsOf(Value tile, Block *block) {
  if (isa<scf::IfOp>(block->getParentOp()))
    return llvm::filter_to_vector(
        block->getTerminator()->getOperands(), [&](Value next) {
          return next.getType() == tile.getType() && next != tile;
        });
  auto arg = dyn_cast<BlockArgument>(tile);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || arg.getArgNumber() == 0)
    return {};
  Value next = loop.getYieldedValues()[arg.getArgNumber() - 1];
  return next == arg ? SmallVector<Value>() : SmallVector<Value>{next};
}

/// Awaits a product. Registers that it and older products of its engine read,
/// and what replaces them in the next iteration, go through.
Value Distributor::land(Value v, Location loc) {
  Value fly = flying.lookup(v), token = tokens.lookup(v);
  auto *at = llvm::find_if(
      pending, [&](Pending &p) { return p.start.getToken() == token; });
  // Tiles, and the values that products know them by.
  llvm::MapVector<Value, Value> through;
  SmallVector<Pending> left;
  for (auto *p = pending.begin(); p != pending.end(); ++p) {
    if (at == pending.end() || p > at ||
        p->start.getToken().getType() != token.getType()) {
      left.push_back(*p);
      continue;
    }
    Value used[] = {p->start.getA(), p->start.getB()};
    for (auto [tile, operand] : llvm::zip(p->operands, used)) {
      if (!isa<frag::FragmentType>(operand.getType()))
        continue;
      auto loop = dyn_cast<scf::ForOp>(p->start->getParentOp());
      if (loop && !loop.getRegion().isAncestor(operand.getParentRegion()))
        continue;
      through[operand] = tile;
      llvm::SetVector<Value> sources;
      Block *block = v.getParentBlock();
      for (Value next : replacementsOf(tile, block))
        collectSources(next,
                       isa<scf::IfOp>(block->getParentOp())
                           ? block
                           : tile.getParentBlock(),
                       sources);
      for (Value source : sources)
        if (!flying.contains(source))
          through.insert({values.lookup(source), source});
    }
  }
  pending = std::move(left);
  SmallVector<Value> pinned;
  SmallVector<Type> types{
      cast<frag::InFlightType>(fly.getType()).getFragment()};
  for (auto &[value, tile] : through) {
    pinned.push_back(value);
    types.push_back(value.getType());
  }
  auto await = frag::AwaitOp::create(b, loc, types, token, ValueRange{fly},
                                     pinned, IntegerAttr());
  flying.erase(v);
  values.map(v, await.getResult(0));
  unsigned n = 1;
  for (auto &[value, tile] : through) {
    Value pinnedTo = await.getResult(n++);
    if (values.contains(tile) && values.lookup(tile) == value)
      values.map(tile, pinnedTo);
  }
  return await.getResult(0);
}

/// Awaits what regions of an op need, which may not await it themselves.
void Distributor::landUsedIn(Operation *op) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (isa<ExitOp>(inner))
        return;
      for (Value operand : inner->getOperands())
        if (flying.contains(operand) &&
            !op->isAncestor(operand.getParentBlock()->getParentOp()))
          land(operand, op->getLoc());
    });
}

/// Awaits what is in flight at the end of a block and goes no further.
void Distributor::landLeft(Block &block, Operation *terminator) {
  SmallVector<Value> left;
  for (auto &[v, fly] : flying)
    if (v.getParentBlock() == &block)
      left.push_back(v);
  auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
  for (Value v : left) {
    bool carried =
        loop && llvm::any_of(terminator->getOpOperands(), [&](OpOperand &use) {
          return use.get() == v &&
                 carryOf(loop, use.getOperandNumber()) == Carry::InFlight;
        });
    if (!carried)
      land(v, terminator->getLoc());
  }
}

/// The tokens behind what an exit names. The result of a loop names all of its
/// products.
SmallVector<Value> Distributor::tokensOf(ValueRange after) {
  llvm::SetVector<Value> found;
  for (Value v : after) {
    if (isa<TokenType>(v.getType()))
      found.insert(get(v));
    else if (auto loop = v.getDefiningOp<scf::ForOp>())
      for (Value result : loop.getResults())
        if (Value token = tokens.lookup(result))
          found.insert(token);
    if (Value token = tokens.lookup(v))
      found.insert(token);
  }
  return found.takeVector();
}
