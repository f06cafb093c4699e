// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-allocate-shared: tiles in shared memory get byte offsets.

#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

bool isMemory(Value v) {
  LayoutAttrInterface layout = getLayout(v.getType());
  return layout && layout.isMemory();
}

struct Buffer {
  Operation *def;
  int64_t bytes, first, last, offset = 0;
};

class Allocation {
public:
  explicit Allocation(ProgramOp program) : program(program) {
    int64_t n = 0;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) { begin[op] = n++; });
    // The end of an op with regions is after everything in it.
    program.walk([&](Operation *op) {
      int64_t last = begin[op];
      op->walk([&](Operation *inner) { last = std::max(last, begin[inner]); });
      end[op] = last;
    });
  }

  LogicalResult collect() {
    WalkResult walk = program.walk([&](Operation *op) -> WalkResult {
      for (Value result : op->getResults()) {
        if (!isMemory(result) || isa<TransposeOp, SliceOp>(op))
          continue;
        if (!isa<ConvertLayoutOp>(op))
          return op->emitOpError("expected tiles in shared memory to come from "
                                 "tile.convert_layout");
        Buffer buffer{op, bytesOf(result), begin[op], begin[op]};
        if (failed(extend(buffer, result)))
          return WalkResult::interrupt();
        buffers.push_back(buffer);
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// First fit by decreasing size; among equals in program order.
  int64_t place() {
    SmallVector<Buffer *> order;
    for (Buffer &b : buffers)
      order.push_back(&b);
    llvm::stable_sort(order,
                      [](Buffer *a, Buffer *b) { return a->bytes > b->bytes; });
    SmallVector<Buffer *> placed;
    int64_t total = 0;
    for (Buffer *b : order) {
      SmallVector<Buffer *> live;
      for (Buffer *other : placed)
        if (b->first <= other->last && other->first <= b->last)
          live.push_back(other);
      llvm::sort(live,
                 [](Buffer *x, Buffer *y) { return x->offset < y->offset; });
      int64_t offset = 0;
      for (Buffer *other : live)
        if (offset + b->bytes > other->offset)
          offset = std::max(offset, other->offset + other->bytes);
        else
          break;
      b->offset = offset;
      total = std::max(total, offset + b->bytes);
      placed.push_back(b);
    }
    Builder builder(program.getContext());
    for (Buffer &b : buffers)
      b.def->setAttr("tile.offset", builder.getI64IntegerAttr(b.offset));
    return total;
  }

private:
  static int64_t bytesOf(Value v) {
    auto type = cast<RankedTensorType>(v.getType());
    return getLayout(type).getBytes(type.getShape(), type.getElementType());
  }

  /// A use inside a loop that does not hold the definition lasts to the loop's
  /// end.
  int64_t position(Operation *use, Operation *def) {
    int64_t at = end[use];
    for (Operation *up = use->getParentOp();
         up && !up->isProperAncestor(def) && up != program;
         up = up->getParentOp())
      if (isa<LoopLikeOpInterface>(up))
        at = end[up];
    return at;
  }

  LogicalResult extend(Buffer &buffer, Value v) {
    for (Operation *user : v.getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>() ||
          isa<LoopLikeOpInterface>(user))
        return user->emitOpError("carries a tile in shared memory; use a ring");
      buffer.last = std::max(buffer.last, position(user, buffer.def));
      // Views of the same bytes, and operands that a product reads step by
      // step.
      bool view = isa<TransposeOp, SliceOp>(user);
      bool operand =
          isa<ConvertLayoutOp>(user) && !isMemory(user->getResult(0));
      if (view && failed(extend(buffer, user->getResult(0))))
        return failure();
      if (operand)
        for (Operation *reader : user->getResult(0).getUsers())
          if (isa<DotOp>(reader))
            buffer.last = std::max(buffer.last, position(reader, buffer.def));
    }
    return success();
  }

  ProgramOp program;
  DenseMap<Operation *, int64_t> begin, end;
  SmallVector<Buffer> buffers;
};

struct AllocateShared : helios::impl::TileAllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    Allocation allocation(program);
    if (failed(allocation.collect()))
      return signalPassFailure();
    int64_t bytes = allocation.place();
    if (TargetAttrInterface row = program.getTargetRow();
        row && bytes > row.getSharedBytes()) {
      program.emitOpError("needs ")
          << bytes << " bytes of shared memory, but target '"
          << row.getRowName() << "' has " << row.getSharedBytes()
          << "; use a smaller tile or epilogue_rows";
      return signalPassFailure();
    }
    program.setSharedBytes(bytes);
  }
};

} // namespace
