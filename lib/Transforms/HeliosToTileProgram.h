// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: what the programs of all ops of level 1 have in common: their
// arguments, views and the loop over work items.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPROGRAM_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPROGRAM_H

#include "HeliosToTile.h"

namespace helios::totile {

/// Builds the program of one op for a variant. What an item does is the derived
/// class's.
class ProgramEmitter {
public:
  ProgramEmitter(mlir::OpBuilder &builder, const Product &product,
                 Variant variant, int64_t vectorBytes)
      : builder(builder), product(product), variant(variant),
        vectorBytes(vectorBytes), loc(product.op->getLoc()) {}
  virtual ~ProgramEmitter() = default;

  mlir::FailureOr<Program> run(ScheduleAttr schedule, mlir::Attribute target,
                               llvm::StringRef name);

protected:
  /// Emits what stands before the loop over items.
  virtual void emitPrologue() {}
  /// How many items lie along an axis, where they are not its tiles.
  virtual mlir::Value itemsAlong(int64_t axis) { return {}; }
  /// Emits what is done for an item; its offsets are set.
  virtual llvm::LogicalResult emitItem() = 0;
  /// Emits the loop over items, into which the builder goes.
  virtual void enterItems(ScheduleAttr schedule, bool clustered);
  /// The tiles along each axis of items, and the order in which they are taken.
  llvm::SmallVector<mlir::Value> itemBounds();
  tile::ItemsAttr orderOf(ScheduleAttr schedule, bool clustered);
  /// Sets the offsets of the item with these indices.
  void setOffsets(mlir::ValueRange indices);
  /// Opens that loop; returns its variables.
  mlir::ValueRange openItems(mlir::ValueRange bounds, tile::ItemsAttr order);

  /// A new argument of the program.
  mlir::Value argument(mlir::Type type, ArgSource source,
                       llvm::ArrayRef<mlir::NamedAttribute> facts = {}) {
    arguments.push_back(source);
    attributes.push_back(builder.getDictionaryAttr(facts));
    return entry->addArgument(type, loc);
  }
  mlir::NamedAttribute range(int64_t low, int64_t high) {
    return builder.getNamedAttr(tile::TileDialect::kRangeAttr,
                                builder.getDenseI64ArrayAttr({low, high}));
  }
  mlir::NamedAttribute divisor(int64_t value) {
    return builder.getNamedAttr(tile::TileDialect::kDivAttr,
                                builder.getIndexAttr(value));
  }
  /// What is said of an access's pointer: whether the kernel's argument is
  /// constant.
  llvm::SmallVector<mlir::NamedAttribute> factsOf(const Access &access);
  /// A constant, which stands before the loop over items.
  mlir::Value constant(int64_t value);
  /// A tile of equal elements.
  mlir::Value splat(llvm::ArrayRef<int64_t> shape, mlir::TypedAttr element);

  /// A value repeated along a dimension of a tile.
  mlir::Value expand(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                     int64_t dim);

  /// Whether the variant reads or writes the access in wide units along its
  /// last dimension.
  bool isWide(const Access &access) const {
    return product.isWide(access, variant);
  }
  /// Whether no tile extends along a dimension of the access, so that its view
  /// has one more.
  bool isRepeated(const Access &access) const {
    return !access.single && llvm::none_of(access.axes, [&](int64_t axis) {
      return axis >= product.numBatch && !product.isOfGroups(axis);
    });
  }
  /// The dimensions of an access in the order of its view: those along which a
  /// tile extends come last.
  llvm::SmallVector<int64_t> dimsOfView(const Access &access) const;
  /// What divides the extent of an axis in this variant.
  int64_t extentDivisor(int64_t axis) const;
  /// Where the current item lies in an access.
  llvm::SmallVector<mlir::Value> offsetsOf(const Access &access);
  /// The tile of an access at the current offsets, or one of so many parts of
  /// it along K.
  mlir::Value load(int64_t number, int64_t parts = 1);
  /// The number of the current item along an axis.
  mlir::Value itemNumber(int64_t axis);
  /// One element of an access.
  mlir::Value element(int64_t number, mlir::ValueRange at);
  /// Ends an access at another extent along an axis, from here on.
  void clip(int64_t number, int64_t axis, mlir::Value extent);
  /// Stores into an access at the current offsets.
  void store(mlir::Value tile, int64_t number);
  /// A scalar of level 1 in the program: a constant, arithmetic on scalars, or
  /// an argument.
  mlir::FailureOr<mlir::Value> scalar(mlir::Value value);

  mlir::OpBuilder &builder;
  Product product;
  Variant variant;
  int64_t vectorBytes;
  mlir::Location loc;
  /// Whether the schedule's strategy copies tiles past the registers.
  bool copies = false;
  llvm::SmallVector<mlir::Value> extents; ///< of each axis
  llvm::SmallVector<mlir::Value> offsets; ///< of the current item along each
                                          ///< axis

private:
  void makeExtents();
  mlir::Value makeView(int64_t number, mlir::Value pointer);
  mlir::Value makePackedView(int64_t number, mlir::Value pointer);
  tile::ConfigAttr tuning(ScheduleAttr schedule, mlir::Attribute target);

  mlir::Block *entry = nullptr;
  llvm::SmallVector<ArgSource> arguments;
  llvm::SmallVector<mlir::Attribute> attributes;
  llvm::SmallVector<mlir::Value> views; ///< of each access
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  tile::ItemsOp items;

protected:
  /// The argument with the number of steps of one slice.
  mlir::Value sliceArgument() {
    return argument(builder.getIndexType(), {ArgSource::Steps, 0, 0, {}},
                    {range(1, kMaxIndex)});
  }
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEPROGRAM_H
