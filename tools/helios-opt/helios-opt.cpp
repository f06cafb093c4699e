// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-opt: runs passes over a file, as mlir-opt does.

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Helios/IR/HeliosDialect.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::linalg::LinalgDialect, mlir::spirv::SPIRVDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect, helios::HeliosDialect,
                  helios::tile::TileDialect, helios::frag::FragDialect, helios::spv::SpvDialect, helios::ptx::PtxDialect>();
  mlir::registerTransformsPasses();
  helios::registerHeliosFuse();
  helios::registerHeliosSelectSchedule();
  helios::registerHeliosToTile();
  helios::registerTileCutEpilogue();
  helios::registerTileAssignLayouts();
  helios::registerTileProveBounds();
  helios::registerTileSchedule();
  helios::registerTileExpand();
  helios::registerTileLowerItems();
  helios::registerTileAllocateShared();
  helios::registerTileDistribute();
  helios::registerFragInsertBarriers();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Helios optimizer driver\n", registry));
}
