// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// scf.for and scf.if of a lane's program to structured control flow. Carried
// values are phis, never function variables.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios::spv;

/// entry -> header(iv, carried): iv < bound ? body : merge; body -> latch(next
/// carried) -> header.
static void convertFor(scf::ForOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  // Unmarked loops are the driver's to unroll; marked ones are as they are to
  // be.
  auto control = op->hasAttr(kUnrollAttr) ? spirv::LoopControl::Unroll
                 : op->hasAttr(helios::tile::TileDialect::kUnrollAttr)
                     ? spirv::LoopControl::DontUnroll
                     : spirv::LoopControl::None;
  auto loop = spirv::LoopOp::create(b, loc, op.getResultTypes(), control);
  Region &region = loop.getBody();
  SmallVector<Type> carried(op.getResultTypes());
  SmallVector<Type> headerTypes{op.getInductionVar().getType()};
  llvm::append_range(headerTypes, carried);
  auto addBlock = [&](TypeRange types) {
    Block *block = new Block();
    region.push_back(block);
    block->addArguments(types, SmallVector<Location>(types.size(), loc));
    return block;
  };
  Block *entry = addBlock({}), *header = addBlock(headerTypes),
        *body = addBlock({}), *latch = addBlock(carried), *merge = addBlock({});

  b.setInsertionPointToEnd(entry);
  SmallVector<Value> first{op.getLowerBound()};
  llvm::append_range(first, op.getInitArgs());
  spirv::BranchOp::create(b, loc, header, first);

  b.setInsertionPointToEnd(header);
  Value iv = header->getArgument(0);
  Value more =
      spirv::SLessThanOp::create(b, loc, b.getI1Type(), iv, op.getUpperBound());
  spirv::BranchConditionalOp::create(b, loc, more, body, ValueRange(), merge,
                                     ValueRange());

  op.getInductionVar().replaceAllUsesWith(iv);
  for (auto [i, arg] : llvm::enumerate(op.getRegionIterArgs()))
    arg.replaceAllUsesWith(header->getArgument(i + 1));
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  SmallVector<Value> next(yield.getOperands());
  yield.erase();
  body->getOperations().splice(body->end(), op.getBody()->getOperations());
  b.setInsertionPointToEnd(body);
  spirv::BranchOp::create(b, loc, latch, next);

  // A nested loop's result as an argument of the back edge itself would be
  // serialised as id 0, hence the latch's arguments.
  b.setInsertionPointToEnd(latch);
  SmallVector<Value> back{spirv::IAddOp::create(b, loc, iv, op.getStep())};
  llvm::append_range(back, latch->getArguments());
  spirv::BranchOp::create(b, loc, header, back);

  b.setInsertionPointToEnd(merge);
  spirv::MergeOp::create(b, loc, header->getArguments().drop_front());
  op.replaceAllUsesWith(loop.getResults());
  op.erase();
}

static void convertIf(scf::IfOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto selection = spirv::SelectionOp::create(b, loc, op.getResultTypes(),
                                              spirv::SelectionControl::None);
  Region &region = selection.getBody();
  auto addBlock = [&] {
    region.push_back(new Block());
    return &region.back();
  };
  Block *head = addBlock(), *yes = addBlock(),
        *no = op.getElseRegion().empty() ? nullptr : addBlock(),
        *merge = addBlock();
  SmallVector<Type> types(op.getResultTypes());
  merge->addArguments(types, SmallVector<Location>(types.size(), loc));
  auto move = [&](Block &from, Block *to) {
    auto yield = cast<scf::YieldOp>(from.getTerminator());
    SmallVector<Value> results(yield.getOperands());
    yield.erase();
    to->getOperations().splice(to->end(), from.getOperations());
    b.setInsertionPointToEnd(to);
    spirv::BranchOp::create(b, loc, merge, results);
  };
  move(*op.thenBlock(), yes);
  if (no)
    move(*op.elseBlock(), no);
  b.setInsertionPointToEnd(head);
  spirv::BranchConditionalOp::create(b, loc, op.getCondition(), yes,
                                     ValueRange(), no ? no : merge,
                                     ValueRange());
  b.setInsertionPointToEnd(merge);
  spirv::MergeOp::create(b, loc, merge->getArguments());
  op.replaceAllUsesWith(selection.getResults());
  op.erase();
}

LogicalResult helios::spv::convertControlFlow(spirv::FuncOp function) {
  SmallVector<Operation *> structured;
  function.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) && !isa<scf::YieldOp>(op))
      structured.push_back(op);
  });
  for (Operation *op : structured) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      convertFor(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      convertIf(branch);
    else
      return op->emitOpError("is not lowered to SPIR-V");
  }
  return success();
}
