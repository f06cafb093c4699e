// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: what its steps share.

#ifndef HELIOS_LIB_TRANSFORMS_ASSIGNLAYOUTS_H
#define HELIOS_LIB_TRANSFORMS_ASSIGNLAYOUTS_H

#include "MatrixWork.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace helios::tile {

/// The layouts of one program: inferred, then written into its types.
class LayoutAssignment {
public:
  explicit LayoutAssignment(ProgramOp program)
      : program(program), context(program.getContext()) {}

  mlir::LogicalResult run();

private:
  // Components: tiles that element-wise ops tie together.
  /// The layout of products' results, if their elements have no known places.
  mlir::LogicalResult findMatrices();

  static mlir::RankedTensorType tileType(mlir::Value v) {
    return mlir::dyn_cast<mlir::RankedTensorType>(v.getType());
  }

  static mlir::Operation *yieldOf(WhereOp where) {
    return where.getBody().front().getTerminator();
  }

  void collectComponents();

  struct Access {
    int64_t bytes = 0;
    int64_t contiguous = -1;
    bool store = false;
  };

  const void *leader(mlir::Value v) {
    return *components.findLeader(components.insert(v.getAsOpaquePointer()));
  }

  /// Whether a tile is computed from a product, element by element.
  bool hasProduct(mlir::Value v);

  /// A product's stored result beside which an op reduces or stores a tile that
  /// the product has no part in; null where there is none.
  mlir::Value resultBeside(mlir::Operation *user, mlir::Value tile);

  void noteAccess(mlir::Value tile, ViewType view, bool store);

  /// The layout for a tile and what it is computed with: the accumulator's
  /// where that has coordinates, else wide accesses.
  mlir::Attribute preferred(mlir::Value v);

  /// The tile with the widest elements of those that are computed from each
  /// other with this one, in the same shape.
  mlir::Value widest(mlir::Value v);

  /// Elements from one row of an exchanged tile to the next.
  int64_t sharedPitch(mlir::RankedTensorType type, int64_t fastest,
                      int64_t bytes);

  // Inference.
  LayoutAttrInterface get(mlir::Value v) {
    return mlir::dyn_cast_or_null<LayoutAttrInterface>(layouts.lookup(v));
  }

  void set(mlir::Value v, mlir::Attribute layout);

  /// A cast of the width keeps matrices without coordinates as they are;
  /// everything else is computed where places are known. Not a cast to bf16:
  /// some drivers convert whole matrices to it by truncation, which is not the
  /// rounding of arith.truncf.
  static bool keepsOpaque(mlir::Operation *op);

  /// Whether a cast of matrices is of what products alone take, without a way
  /// through memory. Then its elements are rounded before they are converted.
  bool isHandedOn(mlir::Operation *op, LayoutAttrInterface matrices);

  /// The layout of tiles of a packed view; null for other views.
  mlir::Attribute packedLayout(ViewType view);

  /// Vectors that are only broadcast are loaded where their broadcast needs
  /// them.
  mlir::Attribute demandedByExpand(mlir::Value v);

  /// Where lanes own what a partial vector of matrices is combined to.
  SliceAttr rowsOf(SliceAttr slice);

  /// Vectors that are broadcast to work on matrices alone are taken there.
  mlir::Attribute matricesOfUsers(ExpandOp expand);

  void inferElementwise(mlir::Operation *op);

  // Vectors that are still to be combined over lanes.
  static mlir::Attribute withPartial(mlir::Attribute layout, Partial kind);

  /// What is still to be combined in the result of an element-wise op, whose
  /// operands are taken as they are where it is closed for them. What a loop
  /// carries may become partial as the op's other operands are.
  Partial kindOfResult(mlir::Operation *op);

  /// Whether an element-wise op takes this operand as partial as it is.
  bool takesPartial(mlir::Operation *op);

  /// Whether every lane may begin with this value, so that what is combined is
  /// this value once.
  bool isNeutral(mlir::Value v, Partial kind);

  /// What loops carry stays partial where nothing in the loop needs it whole:
  /// lanes then meet once, behind the loop. True if a layout had to change.
  bool completeCarried();

  // Tiles that are copied into shared memory.
  static mlir::InFlightDiagnostic silent() { return {}; }

  /// Whether a product can take this side out of shared memory as it lies
  /// there.
  bool isTaken(DotOp dot, Side side, mlir::Attribute layout);

  /// Whether only products read a tile, and can from this layout.
  bool isTakenByAll(mlir::Value tile, mlir::Attribute layout);

  /// Whether every trip of a product's loop reads another part of a tensor,
  /// for arithmetic alone, and one lane can have all of it copied.
  bool isStreamed(LoadOp load);

  /// The layout in which a product takes from registers what element-wise ops
  /// make of a tile, and nothing else does with it; null otherwise.
  mlir::Attribute operandMadeOf(mlir::Value tile);

  /// The same of a tile in shared memory, or of its transpose; what is computed
  /// then has that layout.
  bool isComputedOn(mlir::Value tile);

  /// Demands whole units, with a diagnostic that says how to get them.
  mlir::LogicalResult checkUnits(LoadOp load);

  /// The layout into which the strategy's engine copies a tile past the
  /// registers; null if it goes through them.
  mlir::FailureOr<mlir::Attribute> copiedLayout(LoadOp load);

  mlir::LogicalResult inferOp(mlir::Operation *op);

  /// Whether matrices side by side are combined as they are, so that one of
  /// each row is left to be combined by the lanes of its group: where the tile
  /// stays in matrices for the sake of a product, too.
  bool canReduceMatrices(ReduceOp reduce);

  static Partial partialOf(ReduceKind kind);

  mlir::LogicalResult infer();

  /// Values that are made anew in whatever layout their user has.
  static bool isFlexible(mlir::Value v);

  // Rewriting.
  /// The shared-memory layout through which a tile is exchanged: in the order
  /// in which it is written, rows padded against bank conflicts and aligned to
  /// the widest access.
  SharedAttr sharedFor(mlir::Value v);

  mlir::Value convert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                      mlir::Attribute layout) {
    return ConvertLayoutOp::create(b, loc, withLayout(tileType(v), layout), v);
  }

  /// 32-bit registers of a lane that a tile takes.
  static int64_t registersOf(mlir::RankedTensorType type);

  /// Whether an operand from outside of a product's loop has room in registers
  /// beside what the loop carries, what its products give and what they take
  /// from registers.
  bool fitsBeside(mlir::Operation *user, mlir::RankedTensorType operand);

  /// Whether a product in a loop, which could read an operand from outside of
  /// it where that lies, has room for it in registers: one reading instead of
  /// one in every trip. Where a trip is not certain, products do not overlap
  /// with those of the next one, and an assembler then took the same registers
  /// for the operands of both products of a trip (docs/benchmarks/2026-11-28):
  /// it is read where it lies.
  bool isKept(DotOp dot, Side side, mlir::Value v, mlir::Attribute layout);

  /// The value in a layout, from the value in the layout that was inferred for
  /// it.
  mlir::FailureOr<mlir::Value> as(mlir::OpBuilder &b, mlir::Operation *user,
                                  mlir::Value v, mlir::Attribute wanted);

  /// Whether lanes hold elements of a vector one by one, each narrower than
  /// what may be written on its own everywhere.
  static bool isScattered(mlir::RankedTensorType type);

  /// The same as `as` of such a vector: its elements go through memory as f32,
  /// which all of them are.
  mlir::FailureOr<mlir::Value> asNumbers(mlir::OpBuilder &b,
                                         mlir::Operation *user, mlir::Value v,
                                         mlir::Attribute wanted);

  /// Users come in program order, so what an earlier one converted serves the
  /// later ones.
  mlir::Value convertOnce(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                          mlir::Attribute layout);

  mlir::Value remake(mlir::OpBuilder &b, mlir::Value v, mlir::Attribute layout);

  /// The value again, in another layout, where all that it is computed from can
  /// be made in any; else null.
  mlir::Value computeAgain(mlir::OpBuilder &b, mlir::Value v,
                           mlir::Attribute layout);

  mlir::LogicalResult convertOperands(mlir::Operation *op,
                                      mlir::Attribute layout);

  mlir::LogicalResult convertOperand(mlir::OpOperand &operand,
                                     mlir::Attribute layout);

  void setTypes(mlir::ValueRange values);

  /// Lanes that hold small pieces of rows write sectors of memory in parts,
  /// each of which costs as much as a whole one: where nobody else stores
  /// tiles, they are exchanged for rows. Null if the tile is best stored as it
  /// is.
  mlir::Attribute wideInsteadOf(StoreOp store, LayoutAttrInterface have);

  mlir::LogicalResult rewriteOp(mlir::Operation *op);

  /// Matrices side by side are combined, and what is left by lanes that own
  /// rows.
  mlir::LogicalResult reduceMatrices(ReduceOp reduce, SliceAttr rows);

  /// A choice between matrices by truth values that have places: these go to
  /// the matrices as numbers.
  mlir::LogicalResult rewriteChoice(mlir::arith::SelectOp select);

  /// The condition lies as the leading dimensions of what it chooses between,
  /// partial as it is.
  mlir::LogicalResult rewriteWhere(WhereOp where);

  mlir::LogicalResult rewriteElementwise(mlir::Operation *op);

  bool takesPartialOperand(mlir::Operation *op);

  /// `arith` and `math` want equal types, so what is partial in some operands
  /// only is a `tile.map`.
  mlir::LogicalResult rewritePartial(mlir::Operation *op);

  mlir::LogicalResult rewrite(mlir::Region &region);

  ProgramOp program;
  mlir::MLIRContext *context;
  int64_t lanes = 0, groups = 0, vectorBytes = 16;
  CopyAttrInterface copy; ///< past the registers; null without
  bool changed = false;
  LayoutAttrInterface matrices; ///< of results without coordinates, or null
  MatrixWork work;
  llvm::EquivalenceClasses<const void *> components;
  llvm::DenseMap<const void *, Access> accesses;
  llvm::DenseMap<const void *, int64_t> reduced; ///< the dimension, of those
                                                 ///< that are
  /// The layouts of components of which a product takes an operand as it is
  /// computed.
  llvm::DenseMap<const void *, mlir::Attribute> operands;
  llvm::DenseMap<mlir::Value, mlir::Attribute> layouts;
  /// Loop arguments of which something needs the whole.
  llvm::DenseSet<mlir::Value> whole;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value>
      converted;
  llvm::SmallVector<mlir::Operation *> flexible;
};

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_ASSIGNLAYOUTS_H
