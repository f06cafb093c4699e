// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lowering of one kernel into the program of one lane. Each source file of
// this folder defines the members of one idea.

#ifndef HELIOS_LIB_TARGETS_SPIRV_KERNELLOWERING_H
#define HELIOS_LIB_TARGETS_SPIRV_KERNELLOWERING_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace helios::spv {

/// A value of level 3 as one lane holds it.
struct LaneValue {
  enum class Form {
    Scalar,   ///< One value that is no fragment.
    Elements, ///< One value a register.
    Packets,  ///< vector<4xi32>, each holding the next 16 bytes of registers in
              ///< register order.
    Matrices, ///< One cooperative matrix a register.
  };
  Form form = Form::Scalar;
  llvm::SmallVector<mlir::Value> parts;
  /// Of packets, where some may be from outside of a view: whether each is what
  /// was loaded, and zeros else. What is asked of a packet waits for it, so it
  /// is asked where the packet is used.
  llvm::SmallVector<mlir::Value> guards;
};

/// A coordinate of a lane: a value (null: zero) and what divides it.
struct Coordinate {
  mlir::Value value;
  int64_t divisor = 0;
};

/// Where the registers of a fragment lie in memory. All vectors but `registers`
/// have one entry a memory dimension; a register's coordinates are uniform +
/// lane + its offset.
struct Place {
  llvm::SmallVector<Coordinate> uniform; ///< The operation's offsets.
  llvm::SmallVector<Coordinate>
      lane; ///< The lane's (or group's) place in the tile.
  llvm::SmallVector<llvm::SmallVector<int64_t>>
      registers; ///< Constant offsets of each register.
  llvm::SmallVector<mlir::OpFoldResult>
      strides; ///< In elements; a value is 32 bits wide.
  llvm::SmallVector<int64_t> strideDivisors; ///< What divides each stride.
  llvm::SmallVector<mlir::OpFoldResult>
      sizes;               ///< Extents to check; empty: none is checked.
  int64_t contiguous = -1; ///< The dimension of stride one, or -1.
};

/// Element type of a value in the lane's program: index is 32 bits, bf16 its
/// bits in the low half of 32.
mlir::Type getLaneType(mlir::Type type);

/// The extension beside matrices that an opaque layout's instruction has, or
/// that of the layout that a vector is a slice of; empty if none.
llvm::StringRef extensionOf(tile::LayoutAttrInterface layout);

/// On a loop that the driver is to unroll.
inline constexpr llvm::StringLiteral kUnrollAttr = "spv.unroll";

class KernelLowering {
public:
  KernelLowering(frag::KernelOp kernel);
  /// Writes the lane's program (arith, math, scf and spirv ops) into a new
  /// spirv.module in front of the kernel.
  mlir::LogicalResult run();
  mlir::spirv::ModuleOp getModule() { return module; }
  mlir::spirv::FuncOp getFunction() { return function; }
  /// Entry point, interface and required capabilities, once the function is
  /// pure SPIR-V.
  mlir::LogicalResult finish();

private:
  // Kernel.cpp: the module, what is bound to it, and identifiers.
  mlir::LogicalResult declareArguments();
  mlir::Value builtin(mlir::spirv::BuiltIn kind);
  mlir::Value addressOf(mlir::spirv::GlobalVariableOp variable);
  mlir::Value sharedMemory();
  /// A pointer to element `index` of the buffer of pointer argument `arg`, seen
  /// as `word`s, or to one component of it. `write`: it will be stored to.
  mlir::FailureOr<mlir::Value> bufferElement(mlir::Operation *op,
                                             mlir::Value arg, mlir::Type word,
                                             mlir::Value index, bool write,
                                             mlir::Value component = {});
  mlir::Value workgroupId(frag::IdKind kind);
  mlir::Value subgroupId();
  mlir::Value invocation();
  bool usesMatrices() const { return matrices; }
  // Limits.cpp
  mlir::LogicalResult checkLimits(int64_t subgroup);

  // Regions.cpp: the walk.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerBarrier(frag::BarrierOp op);
  mlir::spirv::MemorySemantics barrierSemantics();

  // Scalars.cpp: arith and math on single values.
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::Value toF32(mlir::Value lane, mlir::Type type);
  mlir::Value fromF32(mlir::Value value, mlir::Type type);
  mlir::Value roundToBF16(mlir::Value value, bool hasSign);
  mlir::Value constant(int64_t value);
  mlir::Value constantOf(mlir::Type elementType, double value);
  mlir::Value constantPacket(mlir::Type elementType, double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addConstant(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, mlir::OpFoldResult b);
  mlir::Value shiftRight(mlir::Value a, int64_t divisor, bool isSigned);

  // Values.cpp: forms of fragments.
  mlir::Value scalar(mlir::Value value);
  void setScalar(mlir::Value value, mlir::Value lane);
  void set(mlir::Value value, LaneValue::Form form,
           llvm::SmallVector<mlir::Value> parts);
  LaneValue as(mlir::Value value, LaneValue::Form form);
  LaneValue resolved(LaneValue value);
  LaneValue carried(mlir::Value value, LaneValue::Form form, bool guarded);
  llvm::SmallVector<mlir::Value> elements(mlir::Value fragment);
  llvm::SmallVector<mlir::Value> packets(mlir::Value fragment);
  mlir::Value pack(llvm::ArrayRef<mlir::Value> elements, mlir::Type type);
  mlir::Value packWord(llvm::ArrayRef<mlir::Value> elements, mlir::Type type);
  void unpackWord(mlir::Value word, mlir::Type type,
                  llvm::SmallVectorImpl<mlir::Value> &elements);
  LaneValue::Form loopForm(mlir::Value init, mlir::Value carried);
  mlir::Type partType(frag::FragmentType type, LaneValue::Form form);

  // Address.cpp: where registers lie.
  llvm::ArrayRef<Coordinate> laneBase(tile::LayoutAttrInterface layout,
                                      llvm::ArrayRef<int64_t> shape);
  mlir::Value expand(mlir::AffineExpr expr, mlir::Value group,
                     mlir::Value lane);
  mlir::FailureOr<Place> placeOf(mlir::Operation *op,
                                 frag::FragmentType fragment,
                                 mlir::Value memory, mlir::ValueRange offsets,
                                 bool trans);
  bool hasRuns(const Place &place, int64_t length);
  mlir::Value linearIndex(const Place &place, llvm::ArrayRef<int64_t> reg,
                          int64_t unit);
  mlir::Value inBounds(const Place &place, llvm::ArrayRef<int64_t> reg);

  // Global.cpp and Shared.cpp: accesses by lanes.
  mlir::LogicalResult lowerRead(frag::ReadOp op);
  mlir::LogicalResult lowerWrite(frag::WriteOp op);
  mlir::LogicalResult lowerElement(frag::ElementOp op);
  mlir::LogicalResult readGlobal(frag::ReadOp op);
  mlir::LogicalResult writeGlobal(frag::WriteOp op);
  mlir::FailureOr<mlir::Value> globalPointer(mlir::Operation *op,
                                             mlir::Value arg, mlir::Type word,
                                             mlir::Value index, int64_t bits,
                                             bool write);
  mlir::LogicalResult readShared(frag::ReadOp op);
  mlir::LogicalResult writeShared(frag::WriteOp op);
  mlir::FailureOr<int64_t> sharedOffset(mlir::Operation *op,
                                        mlir::Value memory);
  mlir::Value loadShared(mlir::Value pointer);
  void storeShared(mlir::Value pointer, mlir::Value value);
  mlir::Value sharedUnit(mlir::Value index);
  mlir::Value sharedWord(mlir::Value index);
  mlir::Value loadSharedPacket(mlir::Value index);
  void storeSharedPacket(mlir::Value index, mlir::Value packet);

  // Fragments.cpp: element-wise work on lanes' elements.
  mlir::LogicalResult lowerSplat(frag::SplatOp op);
  mlir::LogicalResult lowerIota(frag::IotaOp op);
  mlir::LogicalResult lowerSlice(frag::SliceOp op);
  mlir::LogicalResult lowerMap(frag::MapOp op);

  // Reduce.cpp: combinations within a lane and over lanes.
  mlir::LogicalResult lowerReduce(frag::ReduceOp op);
  mlir::LogicalResult reduceRegisters(frag::ReduceOp op);
  mlir::LogicalResult reduceMatrices(frag::ReduceOp op);
  mlir::LogicalResult reduceLanes(frag::ReduceOp op);
  mlir::LogicalResult reduceWithinMatrices(frag::ReduceOp op);
  mlir::LogicalResult vote(frag::ReduceOp op);
  void exchangeParts(frag::ReduceOp op, llvm::ArrayRef<int64_t> bits,
                     llvm::MutableArrayRef<mlir::Value> parts);
  bool areSubgroups(tile::LayoutAttrInterface layout);
  /// Parts that every lane may leave at once beside the program's tiles; one at
  /// least.
  size_t partsAtOnce();
  int64_t scratchOfReductions();

  // Matrix.cpp and Simt.cpp: products.
  mlir::FailureOr<mlir::spirv::CooperativeMatrixType>
  matrixType(mlir::Operation *op, frag::FragmentType fragment);
  mlir::Value splatMatrix(mlir::spirv::CooperativeMatrixType type,
                          mlir::Value element);
  mlir::LogicalResult readMatrices(frag::ReadOp op);
  mlir::LogicalResult readBroadcast(frag::ReadOp op);
  mlir::LogicalResult writeMatrices(frag::WriteOp op);
  mlir::LogicalResult mapMatrices(frag::MapOp op);
  mlir::LogicalResult lowerPermute(frag::PermuteOp op);

  // Packed.cpp: matrices in memory in the order of lanes.
  struct PackedPlace {
    int64_t elements = 0; ///< Of a matrix in a lane.
    int64_t packets = 0;  ///< That they take.
    llvm::SmallVector<mlir::Value>
        matrices; ///< The lane's first packet of each.
  };
  mlir::FailureOr<PackedPlace>
  packedPlace(mlir::Operation *op, frag::FragmentType fragment,
              mlir::Value memory, mlir::ValueRange offsets, bool inBounds);
  mlir::LogicalResult readPacked(frag::ReadOp op);
  mlir::LogicalResult writePacked(frag::WriteOp op);

  /// Matrices of one type computed element by element, through variables; none
  /// if the body failed.
  llvm::SmallVector<mlir::Value> forEachElement(
      llvm::ArrayRef<mlir::Value> inputs,
      mlir::spirv::CooperativeMatrixType type, size_t results,
      llvm::function_ref<mlir::LogicalResult(
          llvm::ArrayRef<mlir::Value>, llvm::SmallVectorImpl<mlir::Value> &)>
          body);
  mlir::Value matrixVariable(mlir::spirv::CooperativeMatrixType type);
  /// An unrolled loop over the numbers of a lane's elements.
  mlir::scf::ForOp loopOverElements(mlir::spirv::CooperativeMatrixType type,
                                    mlir::ValueRange inits);
  /// What `body` makes of an element and of what it made of those before, for
  /// all of a lane's elements of a matrix.
  mlir::Value
  foldElements(mlir::Value matrix, mlir::Value init,
               llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::LogicalResult lowerMma(frag::MmaOp op);
  mlir::LogicalResult multiplyMatrices(frag::MmaOp op);
  mlir::LogicalResult multiplyElements(frag::MmaOp op);

  /// A buffer of a pointer argument in one of its two guises.
  struct Binding {
    mlir::spirv::GlobalVariableOp variable;
    mlir::Type word;
    bool read = false, written = false;
  };

  frag::KernelOp kernel;
  mlir::spirv::ModuleOp module;
  mlir::spirv::FuncOp function;
  mlir::ImplicitLocOpBuilder b; ///< Where the walk writes.
  mlir::ImplicitLocOpBuilder
      prologue; ///< What is computed once, before everything else.
  mlir::ImplicitLocOpBuilder globals; ///< The module's variables.
  bool matrices = false;
  bool exchanging = false; ///< Lanes of a subgroup with each other.
  mlir::Value subgroupInvocation;
  llvm::DenseMap<mlir::Value, LaneValue> values;
  llvm::DenseMap<mlir::Value, unsigned>
      pointerArgs; ///< Position among the pointer arguments.
  llvm::MapVector<unsigned, Binding> bindings; ///< By binding number.
  llvm::SmallVector<int64_t> pushConstants;    ///< Kernel arguments, in order.
  llvm::MapVector<int64_t, mlir::spirv::GlobalVariableOp> builtins;
  mlir::spirv::GlobalVariableOp sharedVariable, pushVariable;
  int64_t sharedBytes;     ///< Of the program, and of reductions behind it.
  int64_t sharedUnitBytes; ///< Of an element of the array that it is.
  llvm::DenseMap<mlir::Operation *, mlir::Value> addresses;
  llvm::DenseMap<int64_t, mlir::Value> builtinValues;
  std::map<std::pair<const void *, std::vector<int64_t>>,
           llvm::SmallVector<Coordinate>>
      laneBases;
  llvm::SetVector<CoopAttr> products;
};

/// A select on a whole packet.
mlir::Value selectPacket(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                         mlir::Value yes, mlir::Value no);

/// Simplification and code motion of a lane's program.
mlir::LogicalResult optimizeLaneProgram(mlir::spirv::FuncOp function);
/// Whether a divisor is a constant that OpFDiv is precise for.
bool isKnownDivisor(mlir::Value divisor);
/// arith and math to spirv.
mlir::LogicalResult convertScalarOps(mlir::spirv::FuncOp function);
/// scf.for and scf.if to structured control flow with phis.
mlir::LogicalResult convertControlFlow(mlir::spirv::FuncOp function);

} // namespace helios::spv

#endif // HELIOS_LIB_TARGETS_SPIRV_KERNELLOWERING_H
