// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-fuse: moves element-wise tensor code that follows a product into the
// product's epilogue region.

#include "HeliosFuse.h"
#include "helios/Dialect/Helios/Utils/Elementwise.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSFUSE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

/// Erases, from the end, whatever nobody uses.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Replaces tensor.dim of products and element-wise results by extents of what
/// they are computed from, so that a shape query is no use of the result.
void resolveExtents(KernelOp kernel) {
  SmallVector<tensor::DimOp> dims;
  kernel.walk([&](tensor::DimOp op) { dims.push_back(op); });
  while (!dims.empty()) {
    tensor::DimOp op = dims.pop_back_val();
    Operation *source = op.getSource().getDefiningOp();
    std::optional<int64_t> position = op.getConstantIndex();
    if (!source || !position)
      continue;
    OpBuilder builder(op);
    if (OpTrait::hasElementwiseMappableTraits(source)) {
      auto isTensor = [](Value value) {
        return isa<RankedTensorType>(value.getType());
      };
      auto operand = llvm::find_if(source->getOperands(), isTensor);
      if (operand == source->operand_end())
        continue;
      op.getSourceMutable().assign(*operand);
      dims.push_back(op);
      continue;
    }
    FailureOr<OpFoldResult> extent = reifyDimOfResult(
        builder, source, cast<OpResult>(op.getSource()).getResultNumber(),
        *position);
    if (failed(extent) || !*extent)
      continue;
    Value value =
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), *extent);
    op.replaceAllUsesWith(value);
    op.erase();
    if (auto inner = value.getDefiningOp<tensor::DimOp>())
      dims.push_back(inner);
  }
}

} // namespace

bool fuse::hasWayAround(const llvm::SetVector<Operation *> &ops) {
  llvm::SetVector<Operation *> beside;
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (!ops.contains(user))
        beside.insert(user);
  };
  for (Operation *op : ops)
    addUsers(op);
  for (size_t i = 0; i < beside.size(); ++i) {
    if (llvm::any_of(beside[i]->getUsers(),
                     [&](Operation *user) { return ops.contains(user); }))
      return true;
    addUsers(beside[i]);
  }
  return false;
}

SmallVector<Value>
fuse::resultsUsedBeside(Operation *op,
                        const llvm::SetVector<Operation *> &ops) {
  SmallVector<Value> results;
  for (Value result : op->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return !ops.contains(user); }))
      results.push_back(result);
  return results;
}

Value fuse::asFusedOperand(OpBuilder &builder, Value tensor,
                           ArrayRef<int64_t> coordinates, int64_t rank) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t shift = rank - type.getRank();
  auto trailing = [&](auto pair) {
    auto [i, coordinate] = pair;
    return coordinate == int64_t(i) + shift ||
           (coordinate < 0 && type.getDimSize(i) == 1);
  };
  if (shift >= 0 && llvm::all_of(llvm::enumerate(coordinates), trailing))
    return tensor;
  if (llvm::is_contained(coordinates, -1) || !llvm::is_sorted(coordinates) ||
      std::adjacent_find(coordinates.begin(), coordinates.end()) !=
          coordinates.end())
    return {};
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> extents;
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    int64_t end = i + 1 < coordinates.size() ? coordinates[i + 1] : rank;
    groups.emplace_back();
    for (int64_t dim = coordinate; dim < end; ++dim) {
      groups.back().push_back(shape.size());
      shape.push_back(dim == coordinate ? type.getDimSize(i) : 1);
      extents.push_back(
          dim == coordinate
              ? tensor::getMixedSize(builder, tensor.getLoc(), tensor, i)
              : OpFoldResult(builder.getIndexAttr(1)));
    }
  }
  auto expanded = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(builder, tensor.getLoc(), expanded,
                                       tensor, groups, extents);
}

namespace {

/// Fusion into one product.
class Fusion {
public:
  Fusion(MatmulOp matmul) : matmul(matmul) {}

  /// The fused product, or null if nothing was fused; `reason` then says why.
  MatmulOp run() {
    collectCandidates();
    if (candidates.empty()) {
      reason = "no element-wise operation uses the product";
      reasonOp = matmul;
      return {};
    }
    // What leaves one value comes first; else several are stored.
    for (bool closed : {true, false})
      for (Operation *root : llvm::reverse(candidates)) {
        llvm::SetVector<Operation *> slice = sliceOf(root);
        SmallVector<Value> more = storedBeside(slice);
        if (more.empty() == closed)
          if (MatmulOp fused = fuseInto(root, slice, more))
            return fused;
      }
    return {};
  }

  std::string reason;
  Operation *reasonOp = nullptr;

private:
  /// Element-wise operations of the product's block that depend on it, in
  /// order.
  void collectCandidates() {
    for (Operation *op = matmul->getNextNode(); op; op = op->getNextNode())
      if (isElementwise(op) &&
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return dependsOnProduct(operand);
          }))
        candidates.insert(op);
  }

  bool dependsOnProduct(Value value) {
    return value.getDefiningOp() == matmul ||
           (value.getDefiningOp() &&
            candidates.contains(value.getDefiningOp()));
  }

  /// The product and everything between it and `root`, which is the first.
  llvm::SetVector<Operation *> sliceOf(Operation *root) {
    llvm::SetVector<Operation *> slice;
    slice.insert(root);
    for (size_t i = 0; i < slice.size(); ++i)
      for (Value operand : slice[i]->getOperands())
        if (operand.getDefiningOp() &&
            candidates.contains(operand.getDefiningOp()))
          slice.insert(operand.getDefiningOp());
    slice.insert(matmul);
    return slice;
  }

  /// What is used beside a slice, but for its root's result: the product's
  /// results first, then in the order of the text.
  SmallVector<Value> storedBeside(const llvm::SetVector<Operation *> &slice) {
    SmallVector<Value> results = fuse::resultsUsedBeside(matmul, slice);
    for (Operation *op : candidates)
      if (op != slice.front() && slice.contains(op))
        llvm::append_range(results, fuse::resultsUsedBeside(op, slice));
    return results;
  }

  MatmulOp fuseInto(Operation *root, const llvm::SetVector<Operation *> &slice,
                    ArrayRef<Value> more) {
    reason.clear();
    if (matmul.getReductions()) {
      reason = "'reductions' are of what the epilogue yields as it is";
      reasonOp = matmul;
      return {};
    }
    OpBuilder builder(root);
    auto type = cast<RankedTensorType>(root->getResult(0).getType());
    int64_t rank = type.getRank();
    if (rank != matmul.getResult().getType().getRank()) {
      reason = "'" + root->getName().getStringRef().str() +
               "' changes the number of dimensions";
      reasonOp = root;
      return {};
    }
    reasonOp = root;
    for (Value value : more)
      if (cast<RankedTensorType>(value.getType()).getShape() !=
          type.getShape()) {
        reason = "another value that is used has another shape";
        return {};
      }
    if (fuse::hasWayAround(slice)) {
      reason = "an operand is computed from the product by something else";
      return {};
    }
    SmallVector<Value> fused(matmul.getFused());
    SmallVector<Type> types{type};
    llvm::append_range(types, ValueRange(more).getTypes());
    MatmulOp fusedOp = matmul.withResults(builder, types);
    // The epilogue so far, with every index as an argument; canonicalisation
    // drops what stays unused.
    matmul.materializeEpilogue(builder);
    IRMapping mapping;
    matmul.getPrologue().cloneInto(&fusedOp.getPrologue(), mapping);
    matmul.getPrologueA().cloneInto(&fusedOp.getPrologueA(), mapping);
    matmul.getEpilogue().cloneInto(&fusedOp.getEpilogue(), mapping);
    Block &block = fusedOp.getEpilogue().front();
    if (!fusedOp.epilogueHasIndices())
      for (int64_t i = 0; i < rank; ++i)
        block.addArgument(builder.getIndexType(), matmul.getLoc());
    auto yield = cast<YieldOp>(block.getTerminator());
    OpBuilder inner(yield);
    unsigned numSums = fusedOp.getNumSums();
    ElementCoordinates identity(llvm::to_vector(llvm::seq<int64_t>(0, rank)));

    SmallVector<Value> elements(yield.getValues());

    auto leaf = [&](Value tensor,
                    ArrayRef<int64_t> coordinates) -> FailureOr<Value> {
      if (tensor.getDefiningOp() == matmul) {
        if (coordinates == ArrayRef(identity))
          return elements[cast<OpResult>(tensor).getResultNumber()];
        reason = "the product's elements are used at other coordinates than "
                 "their own";
        return failure();
      }
      Operation *definition = tensor.getDefiningOp();
      if (definition && isElementwise(definition))
        return Value();
      DenseElementsAttr constant;
      if (definition && matchPattern(definition, m_Constant(&constant))) {
        reason = "a constant tensor that is no splat cannot be fused";
        return failure();
      }
      Value operand = fuse::asFusedOperand(builder, tensor, coordinates, rank);
      if (!operand) {
        reason = "an operand's dimensions are no sub-sequence of the product's";
        return failure();
      }
      if (definition && isa<tensor::EmptyOp>(definition)) {
        reason = "an uninitialised tensor is read";
        return failure();
      }
      auto known = llvm::find(fused, operand);
      size_t position = known - fused.begin();
      if (known != fused.end())
        return Value(block.getArgument(numSums + position));
      fused.push_back(operand);
      fusedOp.getFusedMutable().append(operand);
      return Value(block.insertArgument(
          numSums + position,
          cast<RankedTensorType>(operand.getType()).getElementType(),
          operand.getLoc()));
    };
    auto index = [&](int64_t dim) -> Value {
      return block.getArgument(numSums + fused.size() + dim);
    };
    builder.setInsertionPoint(fusedOp);
    ElementwiseEmitter emitter(inner, leaf, index);
    SmallVector<Value> stored{root->getResult(0)}, yielded;
    llvm::append_range(stored, more);
    for (Value tensor : stored) {
      FailureOr<Value> value = emitter.emit(tensor, identity);
      if (failed(value)) {
        if (reason.empty())
          reason = emitter.reason().str();
        reasonOp = emitter.failedAt() ? emitter.failedAt() : root;
        fusedOp.erase();
        return {};
      }
      yielded.push_back(*value);
    }
    yield.getValuesMutable().assign(yielded);
    if (llvm::all_of(
            block.getArguments().take_back(rank),
            [](BlockArgument argument) { return argument.use_empty(); }))
      block.eraseArguments(block.getNumArguments() - rank, rank);
    for (auto [from, to] : llvm::zip(stored, fusedOp->getResults()))
      from.replaceAllUsesWith(to);
    // What used the other values may stand before.
    if (!more.empty()) {
      eraseDead(*fusedOp->getBlock());
      sortTopologically(fusedOp->getBlock());
    }
    return fusedOp;
  }

  MatmulOp matmul;
  llvm::SmallSetVector<Operation *, 16> candidates;
};

class HeliosFuse : public helios::impl::HeliosFuseBase<HeliosFuse> {
public:
  using HeliosFuseBase::HeliosFuseBase;

  /// Later products first, as they were fused.
  void makePairs(KernelOp kernel) {
    SmallVector<MatmulOp> products(kernel.getBody().getOps<MatmulOp>());
    while (!products.empty()) {
      MatmulOp op = products.pop_back_val();
      std::string reason;
      if (fuse::makePair(op, reason))
        products.assign(kernel.getBody().getOps<MatmulOp>().begin(),
                        kernel.getBody().getOps<MatmulOp>().end());
      else if (remarks && !reason.empty())
        op.emitRemark("not paired with a product of its left operand: ")
            << reason;
    }
  }

  void makePrologues(KernelOp kernel, bool isLhs) {
    for (MatmulOp op : kernel.getBody().getOps<MatmulOp>()) {
      std::string reason;
      if (!fuse::makePrologue(op, isLhs, reason) && remarks && !reason.empty())
        op.emitRemark("its ")
            << (isLhs ? "left" : "right")
            << " operand is not computed in a prologue: " << reason;
    }
    eraseDead(kernel.getBody().front());
  }

  /// Elements are fused by now: what is combined is a product's result.
  void makeReductions(KernelOp kernel) {
    for (MatmulOp op :
         llvm::make_early_inc_range(kernel.getBody().getOps<MatmulOp>()))
      fuse::makeReductions(op, [&](Operation *reduce, StringRef reason) {
        if (remarks)
          reduce->emitRemark("not combined in the product: ") << reason;
      });
    eraseDead(kernel.getBody().front());
  }

  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      resolveExtents(kernel);
      // What nobody uses must not count as a use of a product.
      eraseDead(kernel.getBody().front());
      SmallVector<MatmulOp> worklist(kernel.getBody().getOps<MatmulOp>());
      while (!worklist.empty()) {
        Fusion fusion(worklist.pop_back_val());
        if (MatmulOp fused = fusion.run()) {
          eraseDead(kernel.getBody().front());
          worklist.assign(kernel.getBody().getOps<MatmulOp>().begin(),
                          kernel.getBody().getOps<MatmulOp>().end());
        } else if (remarks) {
          fusion.reasonOp->emitRemark() << "not fused: " << fusion.reason;
        }
      }
      eraseDead(kernel.getBody().front());
      // The left operand of a pair is one value until it is computed within.
      makePrologues(kernel, /*isLhs=*/false);
      makePairs(kernel);
      makePrologues(kernel, /*isLhs=*/true);
      makeReductions(kernel);
    });
  }
};

} // namespace
