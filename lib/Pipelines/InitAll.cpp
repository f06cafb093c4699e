// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every tool of the compiler registers.

#include "helios/InitAll.h"
#include "helios/Dialect/Helios/IR/HeliosDialect.h"
#include "helios/Pipelines.h"
#include "helios/Targets/PTX/Emit.h"
#include "helios/Targets/PTX/Passes.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/SPIRV/Passes.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

void helios::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  mlir::linalg::LinalgDialect, mlir::spirv::SPIRVDialect,
                  mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  HeliosDialect, tile::TileDialect, frag::FragDialect,
                  spv::SpvDialect, ptx::PtxDialect>();
  ptx::registerEmission(registry);
}

void helios::registerAllPasses() {
  helios::registerHeliosPasses();
  spv::registerSPIRVPasses();
  ptx::registerPTXPasses();
  registerPipelines();
  mlir::registerTransformsPasses();
}
