// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lowering of one kernel into the program of one lane. Each source file of
// this folder defines the members of one idea.
//
// The walk writes arith, math, scf, llvm and nvvm ops into an llvm.func;
// Finish.cpp makes llvm and nvvm of them. An index is 64 bits wide there, and
// so is an address of global memory; offsets in shared memory are 32 bits wide.

#ifndef HELIOS_LIB_TARGETS_PTX_KERNELLOWERING_H
#define HELIOS_LIB_TARGETS_PTX_KERNELLOWERING_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/PTX/Rows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace helios::ptx {

/// A value of level 3 as one lane holds it.
struct LaneValue {
  enum class Form {
    Scalar,   ///< One value that is no fragment; tokens have no parts.
    Elements, ///< One value a register.
    Words,    ///< i32, each holding the next 4 bytes of registers in register
              ///< order.
    Cursor,   ///< {count, slot, parity} of a ring of `depth` slots, each i32.
    Slot,     ///< {slot, parity}, each i32.
  };
  Form form = Form::Scalar;
  llvm::SmallVector<mlir::Value> parts;
  int64_t depth = 0; ///< Of a cursor's ring.
};

/// A coordinate of a lane: a value (null: zero), what divides it, and whether
/// it may be below zero.
struct Coordinate {
  mlir::Value value;
  int64_t divisor = 0;
  bool mayBeNegative = false;
};

/// Where the registers of a fragment lie in a view or a tile, by element
/// coordinates. All vectors but `registers` have one entry a memory dimension;
/// a register's coordinates are uniform + constant + lane + its offset.
struct Place {
  llvm::SmallVector<Coordinate> uniform; ///< Varying offsets of the operation.
  llvm::SmallVector<int64_t> constant;   ///< Constant ones.
  llvm::SmallVector<mlir::AffineExpr>
      lane; ///< Of (group, lane): the lane's place in the tile.
  tile::LayoutAttrInterface layout; ///< Whose groups and lanes those are.
  llvm::SmallVector<llvm::SmallVector<int64_t>>
      registers; ///< Constant offsets of each register.
};

/// A view as lanes address it.
struct Global {
  tile::ViewOp view;
  mlir::Value pointer;
  llvm::SmallVector<mlir::OpFoldResult>
      strides; ///< In elements; a value is 64 bits wide.
  llvm::SmallVector<int64_t> strideDivisors;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  int64_t contiguous = -1; ///< The dimension of stride one, or -1.
};

/// What decides whether the registers of an access lie within a view.
struct Bounds {
  mlir::Value all; ///< Coordinates that registers and lanes share (i1); null:
                   ///< nothing to compare.
  /// Along a dimension, elements of the view behind the access's origin (i32);
  /// null: nothing to compare.
  llvm::SmallVector<mlir::Value> left;
  llvm::SmallVector<int64_t> wide; ///< Dimensions compared in 64 bits.
};

/// The register before in the order of a fragment, and where its element lies
/// but for constant bytes.
struct PreviousRegister {
  llvm::SmallVector<int64_t> reg;
  mlir::Value address;
};

/// A tile in shared memory. Its first byte is at `base` + `offset` of the
/// kernel's shared memory.
struct SharedTile {
  mlir::Value base;   ///< i32 bytes, a multiple of `align`; null: zero.
  int64_t offset = 0; ///< Constant bytes.
  int64_t align = 1024;
  tile::SharedAttr layout;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape;    ///< Of the whole tile, for its strides.
  llvm::SmallVector<mlir::Value> part; ///< Coordinates of a part of it (index
                                       ///< values of level 3).
  std::optional<int64_t> workgroup;    ///< Of the cluster; this one if none.
};

/// The lanes that run a piece of the program together: the kernel's, or those
/// of a role's replica. Layouts number the lanes from `number` = 0.
struct Lanes {
  int64_t count = 0;
  mlir::Value number;                ///< i32, below `count`.
  mlir::Operation *marker = nullptr; ///< What is computed once goes before it.
  mlir::Value replica;  ///< i32: the role's replica; null: the only one.
  mlir::Value leader;   ///< i1: whether this is lane 0, once asked for.
  mlir::Value arriving; ///< i1: whether the lane's number is that of a
                        ///< workgroup of the cluster, once asked for.
  int64_t barrier = 0;  ///< Number of the first replica's named barrier.
  int64_t turn = 0;     ///< Number of the barrier of its turn; 0: none.
  int64_t replicas = 1;
  std::map<std::pair<const void *, const void *>, mlir::Value> bases;
};

/// How the matrix instruction finds a matrix in shared memory.
struct MatrixDescriptor {
  mlir::Value low;  ///< i32: of the matrix's first element.
  int32_t high = 0; ///< The same for all elements.
  bool contractedIsContiguous = false;
  int64_t swizzle = 0, panel = 0, elementBytes = 0;
  /// What to add for an element at these coordinates, along the contracted
  /// dimension and the other one.
  int64_t at(int64_t other, int64_t contracted) const;
};

/// An expression of (group, lane), none of which is negative, over all lanes.
struct LaneRange {
  int64_t most = 0;
  uint64_t bits = 0; ///< that some lane has
};

/// An expression of (group, lane) at a lane.
int64_t evaluate(mlir::AffineExpr expr, int64_t group, int64_t lane);

/// The full and empty barriers of a ring's slots.
struct BarrierPair {
  int64_t offset = 0, depth = 0;
  int64_t writers = 1, readers = 1; ///< Arrivals that end a phase.
  bool allRead = false;             ///< Every lane of a reader arrives.
  bool perReplica = false;
  bool acrossCluster = false; ///< Lanes of all workgroups read each slot.
};

/// A tile's share of a bulk copy: one instruction a panel.
struct BulkCopy {
  mlir::Value start;             ///< i32 bytes; null: zero.
  int64_t offset = 0;            ///< Constant bytes.
  int64_t panel = 0, panels = 1; ///< Bytes of a panel; their number.
  int64_t columns = 0;           ///< Elements of a panel's row.
  mlir::Value map;
  llvm::SmallVector<mlir::Value> coordinates; ///< i32, innermost first.
};

/// Bytes of one panel of a tile: as wide as its swizzle.
mlir::FailureOr<int64_t> panelBytes(mlir::Operation *op,
                                    const SharedTile &tile);
/// The dimensions of a view in the order in which a tile of it lies in memory,
/// innermost first.
llvm::SmallVector<int64_t> copyDimensions(frag::MemType memory,
                                          int64_t viewRank);
/// Where a slot comes from; an error if from several rings.
mlir::FailureOr<frag::AcquireOp> acquireOf(mlir::Operation *op,
                                           mlir::Value slot);
/// Bytes of a payload's entry in a slot.
int64_t payloadBytes(mlir::Type type);

/// Type of a value in the lane's program: an index is 64 bits wide.
mlir::Type getLaneType(mlir::Type type);
/// Bytes of an element in memory.
int64_t bytesOf(mlir::Type type);

class KernelLowering {
public:
  KernelLowering(frag::KernelOp kernel);
  /// Writes the lane's program into a new gpu.module, which stands nowhere.
  mlir::LogicalResult run();
  mlir::gpu::GPUModuleOp getModule() { return module; }
  mlir::LLVM::LLVMFuncOp getFunction() { return function; }

private:
  // Kernel.cpp: module, function, arguments, identifiers, launch interface.
  mlir::LogicalResult declareArguments();
  void declareInterface();
  mlir::Value sharedMemory();
  /// That of a workgroup of the cluster, by number.
  mlir::Value sharedMemoryOf(int64_t workgroup);
  mlir::Value workgroupId(frag::IdKind kind);
  mlir::Value invocation();
  mlir::Value sreg(llvm::StringRef op);
  const Row &row() const { return *targetRow; }
  /// What instructions ask for, where that is more than the row's.
  int64_t ptxVersion = 0;
  /// Records that a pointer argument is read or written, and gives its pointer.
  mlir::FailureOr<mlir::Value> argumentPointer(mlir::Operation *op,
                                               mlir::Value arg, bool write);

  // Regions.cpp: the walk.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerBarrier(frag::BarrierOp op);
  void awaitDependencies(frag::AwaitDependenciesOp op);
  mlir::LogicalResult notLowered(mlir::Operation *op);

  // IotaElements.cpp: coordinates, which registers of a lane share but for
  // constants.
  /// A value as what it has in common with those in other registers, and what
  /// it does not; an element of an iota and the distance of two fit in 32 bits.
  struct IotaElement {
    enum Kind { Other, Coordinate, Distance };
    mlir::Value base;
    int64_t constant = 0;
    Kind kind = Other;
  };
  mlir::Value iotaElement(mlir::Value base, int64_t constant,
                          IotaElement::Kind kind);
  IotaElement splitElement(mlir::Value value);
  mlir::Value saturated(mlir::Value value);
  mlir::Value compareApart(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                           mlir::Value y);
  mlir::Value narrowIotaElement(mlir::Value value, mlir::Type type);
  mlir::Value lowerWithIotas(mlir::Operation *op, mlir::ValueRange operands);

  // Scalars.cpp: arith and math on single values.
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::Value toF32(mlir::Value lane);
  mlir::Value fromF32(mlir::Value value, mlir::Type type);
  /// Each constant stands once, at the head of the lanes' program.
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value constantOf(mlir::Type elementType, double value);
  mlir::Value constantLike(mlir::Value value, int64_t c);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addConstant(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, mlir::OpFoldResult b);
  mlir::Value toI32(mlir::Value a);
  mlir::Value toI64(mlir::Value a);

  // Values.cpp: forms of fragments.
  mlir::Value scalar(mlir::Value value);
  void setScalar(mlir::Value value, mlir::Value lane);
  void set(mlir::Value value, LaneValue::Form form,
           llvm::SmallVector<mlir::Value> parts, int64_t depth = 0);
  LaneValue as(mlir::Value value, LaneValue::Form form, int64_t depth = 0);
  llvm::SmallVector<mlir::Value> elements(mlir::Value fragment);
  llvm::SmallVector<mlir::Value> words(mlir::Value fragment);
  mlir::Value packWord(llvm::ArrayRef<mlir::Value> elements, mlir::Type type);
  void unpackWord(mlir::Value word, mlir::Type type,
                  llvm::SmallVectorImpl<mlir::Value> &elements);
  /// The form in which a loop or branch carries a value.
  std::pair<LaneValue::Form, int64_t> carriedForm(mlir::Value init,
                                                  mlir::Value carried);

  // Address.cpp: where registers lie.
  mlir::Value expand(mlir::AffineExpr expr, mlir::Value group,
                     mlir::Value lane);
  /// An expression of (group, lane), written once at the head of the lanes'
  /// program. i32; null for zero.
  mlir::Value laneValue(tile::LayoutAttrInterface layout,
                        mlir::AffineExpr expr);
  /// What such an expression is over all lanes.
  LaneRange rangeOf(tile::LayoutAttrInterface layout, mlir::AffineExpr expr);
  /// The origin of an access: its offsets, and those of the part of a tile.
  Place originOf(mlir::Value memory, int64_t rank, mlir::ValueRange offsets);
  mlir::FailureOr<Place> placeOf(mlir::Operation *op,
                                 frag::FragmentType fragment,
                                 mlir::Value memory, mlir::ValueRange offsets,
                                 bool trans);
  bool hasRuns(const Place &place, int64_t contiguous, int64_t length);

  // Global.cpp: accesses of views by lanes.
  mlir::LogicalResult lowerRead(frag::ReadOp op);
  mlir::LogicalResult lowerWrite(frag::WriteOp op);
  mlir::LogicalResult lowerElement(frag::ElementOp op);
  mlir::FailureOr<Global> globalOf(mlir::Operation *op, mlir::Value view,
                                   bool write);
  mlir::Value globalAddress(const Global &global, const Place &place,
                            llvm::ArrayRef<int64_t> reg,
                            PreviousRegister *before = nullptr);
  int64_t elementsPerAccess(const Global &global, const Place &place,
                            mlir::Type type, bool inBounds);
  mlir::LogicalResult readGlobal(frag::ReadOp op);
  mlir::LogicalResult writeGlobal(frag::WriteOp op);

  // Bounds.cpp: what of an access lies within its view.
  mlir::Value coordinate(const Place &place, int64_t dim, int64_t offset);
  mlir::Value extentOf(const Global &global, int64_t dim);
  mlir::Value isInside(const Global &global, const Place &place, int64_t dim,
                       int64_t offset);
  int64_t mostOf(const Place &place, int64_t dim);
  Bounds boundsOf(const Global &global, const Place &place,
                  llvm::ArrayRef<int64_t> known = {});
  mlir::Value inBounds(const Global &global, const Place &place,
                       const Bounds &bounds, llvm::ArrayRef<int64_t> reg);
  mlir::Value bytesInside(const Global &global, const Place &place,
                          llvm::ArrayRef<int64_t> reg, int64_t along,
                          int64_t bytes, int64_t unitBytes);

  // Shared.cpp: tiles in shared memory.
  mlir::FailureOr<SharedTile> sharedTile(mlir::Operation *op,
                                         mlir::Value memory);
  /// Pointer to a byte of the kernel's shared memory (addrspace 3), or of that
  /// of another workgroup of the cluster (7).
  mlir::Value sharedPointer(mlir::Value bytes, int64_t offset,
                            std::optional<int64_t> workgroup = std::nullopt);
  /// Pointers to the places of registers, one each of `regs`.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  sharedAddresses(mlir::Operation *op, const SharedTile &tile,
                  const Place &place,
                  llvm::ArrayRef<llvm::SmallVector<int64_t>> regs);
  mlir::LogicalResult readShared(frag::ReadOp op);
  mlir::LogicalResult writeShared(frag::WriteOp op);
  // Matrices.cpp: ldmatrix and stmatrix. False: the layouts do not fit.
  mlir::FailureOr<bool> readMatrices(frag::ReadOp op, const SharedTile &tile,
                                     const Place &place);
  mlir::FailureOr<bool> writeMatrices(frag::WriteOp op, const SharedTile &tile,
                                      const Place &place);

  // Fragments.cpp: element-wise work on lanes' elements.
  mlir::LogicalResult lowerSplat(frag::SplatOp op);
  mlir::LogicalResult lowerIota(frag::IotaOp op);
  mlir::LogicalResult lowerSlice(frag::SliceOp op);
  mlir::LogicalResult lowerMap(frag::MapOp op);
  // Reduce.cpp: combinations within and across lanes.
  mlir::LogicalResult lowerReduce(frag::ReduceOp op);
  mlir::LogicalResult reduceRegisters(frag::ReduceOp op);
  mlir::LogicalResult reduceLanes(frag::ReduceOp op);
  mlir::LogicalResult vote(frag::ReduceOp op);
  mlir::LogicalResult lowerPermute(frag::PermuteOp op);

  // MmaSync.cpp: products.
  mlir::LogicalResult lowerMma(frag::MmaOp op);
  mlir::LogicalResult multiplyMatrices(frag::MmaOp op, MmaSyncAttr mma);
  // Simt.cpp: products of single lanes.
  mlir::LogicalResult multiplyElements(frag::MmaOp op);

  // Rings.cpp: slots, and copies completed in groups.
  mlir::LogicalResult lowerAcquire(frag::AcquireOp op);
  mlir::LogicalResult lowerSlotMem(frag::SlotMemOp op);
  mlir::LogicalResult lowerRelease(frag::ReleaseOp op);
  // CopyAsync.cpp: copies of 16 or 4 bytes a lane.
  mlir::LogicalResult lowerCopyIn(frag::CopyInOp op);

  // Descriptors.cpp: tiles as the matrix instruction and copies find them.
  mlir::Value sharedAddress(mlir::Value bytes, int64_t offset);
  mlir::FailureOr<mlir::Value> partStart(mlir::Operation *op,
                                         const SharedTile &tile);
  mlir::FailureOr<MatrixDescriptor> descriptorOf(mlir::Operation *op,
                                                 mlir::Value memory,
                                                 tile::Side side,
                                                 bool transposed);
  /// Both halves, i64.
  mlir::Value wholeDescriptor(const MatrixDescriptor &descriptor);
  // Wgmma.cpp: asynchronous products.
  mlir::LogicalResult lowerMmaStart(frag::MmaStartOp op);
  mlir::LogicalResult lowerAwait(frag::AwaitOp op);
  void waitForProducts(int64_t pending);

  // Mbarriers.cpp: barriers in shared memory.
  mlir::FailureOr<BarrierPair> barriersOf(mlir::Operation *op,
                                          mlir::Value ring);
  mlir::LogicalResult initBarriers();
  mlir::Value barrierOffset(const BarrierPair &pair, mlir::Value slot);
  mlir::Value barrierAddress(const BarrierPair &pair, bool full,
                             mlir::Value slot);
  mlir::Value barrierPointer(const BarrierPair &pair, bool full,
                             mlir::Value slot);
  void waitForBarrier(mlir::Value address, mlir::Value parity, bool isWide);
  void arrive(mlir::Value address, bool allLanes);
  void arriveAtCluster(mlir::Value address, int64_t cluster, bool isWide);
  /// All workgroups of the cluster meet. What they wrote before is seen behind
  /// it, unless a fence has published all that matters.
  void clusterBarrier(bool isFenced);
  /// Whether several workgroups share a cluster.
  bool inCluster() { return kernel.getCluster().value_or(1) > 1; }
  void arriveExpecting(mlir::Value address, mlir::Value bytes);

  // BarrierRings.cpp: rings whose sides meet through those barriers.
  mlir::LogicalResult acquireThroughBarrier(frag::AcquireOp op,
                                            mlir::Value slot,
                                            mlir::Value parity);
  mlir::LogicalResult acquireStoreSlot(frag::AcquireOp op);
  void fenceForEngines();
  mlir::LogicalResult releaseAsync(frag::ReleaseOp op, frag::AcquireOp acquire);
  mlir::FailureOr<mlir::Value> scalarAddress(mlir::Operation *op,
                                             mlir::Value slot, int64_t index);
  mlir::LogicalResult lowerSlotGet(frag::SlotGetOp op);
  mlir::LogicalResult lowerSlotPut(frag::SlotPutOp op);

  // TensorMaps.cpp: what the copy engine knows of views.
  mlir::FailureOr<mlir::DictionaryAttr>
  tensorMapRecipe(mlir::Operation *op, mlir::Value view, frag::MemType memory);
  mlir::LogicalResult collectTensorMaps();
  void declareTensorMaps();
  void prefetchTensorMaps();
  mlir::Value tensorMap(mlir::Operation *op);

  // Bulk.cpp: copies by that engine.
  mlir::FailureOr<BulkCopy> bulkCopy(mlir::Operation *op, mlir::Value memory,
                                     mlir::Value view,
                                     mlir::ValueRange offsets);
  mlir::LogicalResult recordAccess(mlir::Operation *op, mlir::Value view,
                                   bool write);
  mlir::LogicalResult lowerBulkIn(frag::CopyInOp op);
  mlir::LogicalResult lowerCopyOut(frag::CopyOutOp op);
  mlir::Value clusterPointer(mlir::Value bytes, int64_t offset);

  // Roles.cpp: ranges of lanes with a program of their own.
  mlir::LogicalResult lowerRoles(frag::RoleOp first);
  mlir::LogicalResult lowerRoleBody(frag::RoleOp role, mlir::Value unit,
                                    int64_t unitLanes);
  mlir::LogicalResult setRegisterBudget(frag::RoleOp role);
  mlir::Value uniform(mlir::Value value);
  mlir::Value leaderLane();
  void ifLeader(llvm::function_ref<void()> emit);
  void groupBarrier();
  void lowerTurn(tile::Turn turn);
  void drainStores(mlir::Operation *scope);

  frag::KernelOp kernel;
  const Row *targetRow = nullptr;
  mlir::gpu::GPUModuleOp module;
  mlir::LLVM::LLVMFuncOp function;
  mlir::ImplicitLocOpBuilder b; ///< Where the walk writes.
  mlir::LLVM::GlobalOp sharedVariable;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, SharedTile> tiles;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::AffineExpr>, LaneRange>
      ranges;
  llvm::DenseMap<mlir::Value, IotaElement> iotaElements;
  llvm::SmallVector<Lanes> lanes; ///< The innermost last.
  struct Pointer {
    mlir::Value lane;
    bool read = false, written = false;
  };
  llvm::MapVector<mlir::Value, Pointer> pointers; ///< By kernel argument.
  llvm::StringMap<mlir::Value> registers;         ///< Special registers read.
  mlir::Value sharedBase;
  llvm::DenseMap<int64_t, mlir::Value> sharedBases; ///< By workgroup.
  llvm::SetVector<mlir::Attribute> tensorMaps;      ///< Recipes, by parameter.
  llvm::DenseMap<mlir::Operation *, BarrierPair> barrierPairs;
  bool loweredRoles = false;
  int64_t nextBarrier = 1; ///< The first named barrier that no role uses.
};

/// Exponentials and logarithms of f32.
void populateMathFunctions(mlir::RewritePatternSet &patterns);
/// Simplification of a lane's program, then llvm and nvvm ops alone, whose
/// equal blocks may be merged.
mlir::LogicalResult finishLaneProgram(mlir::gpu::GPUModuleOp module,
                                      bool mergesBlocks);

} // namespace helios::ptx

#endif // HELIOS_LIB_TARGETS_PTX_KERNELLOWERING_H
