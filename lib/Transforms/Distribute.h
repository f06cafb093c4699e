// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of tile-distribute, which walks a program once, in order. Its parts
// lie in files of their own: control flow and dispatch (Distribute.cpp), layout
// changes and synchronous products (DistributeMoves.cpp), element-wise work and
// reductions (DistributeElementwise.cpp), rings (DistributeRings.cpp), products
// in flight (DistributeProducts.cpp), roles (DistributeRoles.cpp).

#ifndef HELIOS_LIB_TRANSFORMS_DISTRIBUTE_H
#define HELIOS_LIB_TRANSFORMS_DISTRIBUTE_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace helios::tile {

/// The type at level 3: tiles become fragments or memory, slots, rings and
/// cursors what they are there.
mlir::Type lowerType(mlir::Type type);

/// The lanes over which the first tile in registers below an op is distributed;
/// 0 if there is none.
int64_t lanesOfTiles(mlir::Operation *root);

/// Operands that only synchronous products beside the op read are read step by
/// step with them, before a slot is handed back; one that a loop reuses stays
/// in registers.
bool isReadWithProducts(mlir::Operation *op);

/// Merges a map into the only map that uses it, so that a chain of element-wise
/// ops is one region, and a relabelling of registers into the map before it.
void fuseMaps(mlir::Operation *root);

class Distributor {
public:
  explicit Distributor(ProgramOp program)
      : program(program), b(program.getContext()) {}

  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Operation = mlir::Operation;
  using Location = mlir::Location;
  using LogicalResult = mlir::LogicalResult;

  /// A tile in memory: a place, of which it may be the transpose.
  struct Place {
    Value mem; ///< Shared memory, or a packed view.
    bool transposed = false;
    /// In a view: the tile's offsets. In a ring: the slot, the payload's index
    /// and the tile's offsets in it, none for the whole payload.
    Value slot;
    int64_t index = 0;
    /// Of the cluster, whose slot it is; this one if there is none.
    std::optional<int64_t> workgroup;
    llvm::SmallVector<Value> offsets;
    mlir::Attribute copy; ///< The ring's copy engine.
  };

  /// What becomes of a tile that a loop carries.
  enum class Carry {
    Plain,    ///< It is carried as what it is at level 3.
    InFlight, ///< A product in flight and its token.
    Token,    ///< Only exits name it: the product's token.
    Nothing   ///< Only exits name it, and what it names is done by then.
  };

  /// A product that may still read its operands from registers.
  struct Pending {
    frag::MmaStartOp start;
    llvm::SmallVector<Value> operands; ///< Tiles.
  };

  //===--- Values -------------------------------------------------------===//

  /// The value at level 3. A product in flight is awaited here.
  Value get(Value v);
  llvm::SmallVector<Value> get(ValueRange vs) {
    return llvm::map_to_vector(vs, [&](Value v) { return get(v); });
  }
  Value index(int64_t n, Location loc) {
    return mlir::arith::ConstantIndexOp::create(b, loc, n);
  }
  LogicalResult map(Operation *op, Value v) {
    values.map(op->getResult(0), v);
    return mlir::success();
  }

  //===--- Control flow -------------------------------------------------===//

  mlir::FailureOr<int64_t> getThreads();
  Value lowerId(Operation *op);
  LogicalResult lowerBlock(mlir::Block &block);
  LogicalResult lower(Operation *op);
  LogicalResult lowerFor(mlir::scf::ForOp loop);
  LogicalResult lowerIf(mlir::scf::IfOp branch);

  //===--- Moves and synchronous products -------------------------------===//

  LogicalResult lowerConvert(ConvertLayoutOp convert);
  llvm::FailureOr<mlir::Value> scratchOf(ConvertLayoutOp convert);
  llvm::LogicalResult combineSlices(ConvertLayoutOp convert);
  LogicalResult combineMatrices(ConvertLayoutOp convert);
  LogicalResult lowerTranspose(TransposeOp transpose);
  LogicalResult lowerSlice(SliceOp slice);
  Value readPlace(const Place &place, mlir::ArrayRef<int64_t> offsets,
                  mlir::RankedTensorType type, Location loc);
  Value operandStep(Value original, Side side, int64_t k, int64_t step,
                    Location loc);
  LogicalResult lowerDot(DotOp dot);

  //===--- Element-wise work --------------------------------------------===//

  LogicalResult lowerConstant(mlir::arith::ConstantOp constant);
  LogicalResult lowerExpand(ExpandOp expand);
  LogicalResult lowerElementwise(Operation *op);
  LogicalResult lowerMap(MapOp op);
  LogicalResult lowerReduce(ReduceOp reduce);
  static ReduceKind kindOf(Partial partial);
  mlir::FailureOr<Value> reduceRows(Operation *op, ReduceKind kind, Value tile,
                                    SliceAttr result);
  mlir::FailureOr<Value> combine(Operation *op, Value partial);
  LogicalResult lowerWhere(WhereOp where);
  llvm::SmallVector<Value>
  buildMap(Location loc, ValueRange inputs, mlir::TypeRange types,
           llvm::function_ref<llvm::SmallVector<Value>(mlir::OpBuilder &,
                                                       ValueRange)>
               body);

  //===--- Rings --------------------------------------------------------===//

  LogicalResult lowerRing(RingOp ring);
  mlir::FailureOr<Value> sharedPart(CopyInOp copy, mlir::RankedTensorType tile,
                                    llvm::SmallVectorImpl<Value> &offsets);
  LogicalResult lowerAdvance(AdvanceOp advance);
  LogicalResult lowerEnter(EnterOp enter);
  LogicalResult lowerCopyIn(CopyInOp copy);
  LogicalResult lowerCopyOut(CopyOutOp copy);
  LogicalResult lowerPut(PutOp put);
  LogicalResult lowerExit(ExitOp exit);
  Value slotMem(Location loc, Value slot, int64_t index,
                mlir::RankedTensorType type, ValueRange offsets,
                std::optional<int64_t> workgroup = std::nullopt);

  //===--- Products in flight -------------------------------------------===//

  LogicalResult startDot(DotOp dot);
  Value land(Value v, Location loc);
  void landUsedIn(Operation *op);
  void landLeft(mlir::Block &block, Operation *terminator);
  bool needsFragment(Value v);
  Carry carryOf(mlir::scf::ForOp loop, unsigned i);
  Carry classifyCarry(mlir::scf::ForOp loop, unsigned i);
  bool startsInFlight(Value v, mlir::Block *block);
  void collectSources(Value v, mlir::Block *block,
                      llvm::SetVector<Value> &sources);
  llvm::SmallVector<Value> tokensOf(ValueRange after);

  //===--- Roles --------------------------------------------------------===//

  LogicalResult lowerRoles(RolesOp roles);
  mlir::FailureOr<int64_t> lanesPerReplica(RoleOp role);

  ProgramOp program;
  mlir::OpBuilder b;
  mlir::IRMapping values;
  llvm::DenseMap<Value, Place> places;
  /// Of tiles that products compute: the value while it is in flight, and the
  /// token, which stays.
  llvm::MapVector<Value, Value> flying;
  llvm::DenseMap<Value, Value> tokens;
  llvm::SmallVector<Pending> pending; ///< Of this block, oldest first.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Carry> carries;
};

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_DISTRIBUTE_H
