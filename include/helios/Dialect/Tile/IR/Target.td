// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of targets: the facts on which generic passes decide.

#ifndef HELIOS_TILE_TARGET
#define HELIOS_TILE_TARGET

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Tile_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::helios::tile";
  let description = [{ One row of the target table: limits and capabilities of a class of devices. }];
  let methods = [
    InterfaceMethod<"Name of the row.", "::llvm::StringRef", "getRowName">,
    InterfaceMethod<"Shared memory of one workgroup, in bytes.", "int64_t", "getSharedBytes">,
    InterfaceMethod<"Shared memory that the resident workgroups of one processor share, in bytes.", "int64_t", "getProcessorSharedBytes">,
    InterfaceMethod<"Lanes of a subgroup; 0 if kernels may not rely on one.", "int64_t", "getSubgroupSize">,
    InterfaceMethod<"Whether a subgroup may meet at a barrier of its own where others do not go.",
      "bool", "meetsInBranches", (ins), "", [{ return true; }]>,
    InterfaceMethod<"Most invocations (lanes) of a workgroup.", "int64_t", "getMaxInvocations">,
    InterfaceMethod<"Most workgroups of a cluster, which run at once and reach each other's shared memory; 1 if there are none.",
      "int64_t", "getMaxCluster", (ins), "", [{ return 1; }]>,
    InterfaceMethod<"Whether a dispatch may begin while the one before it still runs, and wait for its end where it has to.",
      "bool", "canOverlapDispatches", (ins), "", [{ return false; }]>,
    InterfaceMethod<"32-bit registers of one processor; 0 if unknown.", "int64_t", "getRegisterFile">,
    InterfaceMethod<"Most 32-bit registers of one lane.", "int64_t", "getMaxRegisters", (ins), "", [{ return 255; }]>,
    InterfaceMethod<"Most 32-bit registers of one lane that a schedule gives to accumulators; 0 if its registers alone bound "
                    "them.", "int64_t", "getMaxAccumulators", (ins), "", [{ return 0; }]>,
    InterfaceMethod<"Bytes of the widest global and shared access of one lane.", "int64_t", "getVectorBytes">,
    InterfaceMethod<"Bits of the offsets of elements in global memory, without the sign.", "int64_t", "getOffsetBits", (ins), "", [{ return 31; }]>,
    InterfaceMethod<"Bytes of the narrowest store of one lane to shared memory; narrower ones would race with what other lanes store beside them.",
      "int64_t", "getSharedStoreBytes", (ins), "", [{ return 1; }]>,
    InterfaceMethod<"Elements that a lane holds of a matrix of an opaque operand, where it holds the same ones in every program and each "
                    "is in one lane, so that memory may hold operands in the order of lanes; 0 where nobody says so.",
      "int64_t", "getPackedElements", (ins "::helios::tile::MmaAttrInterface":$mma, "::helios::tile::Side":$side), "", [{ return 0; }]>,
    InterfaceMethod<"Whether constant operands are packed for it; else they stay as they are stored.",
      "bool", "packsConstants", (ins), "", [{ return true; }]>,
    InterfaceMethod<"What work takes on it, by which schedules are compared.", "const ::helios::tile::TargetCosts &", "getCosts">,
    InterfaceMethod<"Every matrix instruction for these element types, the best first.",
      "::llvm::SmallVector<::helios::tile::MmaAttrInterface>", "getMmas",
      (ins "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc)>,
    InterfaceMethod<"Pipelining strategies that the target lowers, the best last.", "::llvm::SmallVector<::llvm::StringRef>", "getStrategies">,
    InterfaceMethod<"The engine with which a strategy copies tiles into shared memory; null if it copies through registers.",
      "::helios::tile::CopyAttrInterface", "getCopy", (ins "::llvm::StringRef":$strategy), "", [{ return {}; }]>
  ];
}

#endif // HELIOS_TILE_TARGET
