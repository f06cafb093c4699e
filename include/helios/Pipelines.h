// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pipelines: which passes run, in which order. lib/Pipelines/Pipelines.cpp
// alone knows it.

#ifndef HELIOS_PIPELINES_H
#define HELIOS_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/SmallVector.h"

namespace helios {

/// Options of every pipeline; a pipeline reads those that concern it.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Target row for kernels and programs that name none "
                     "(Rows.cpp of lib/Targets/SPIRV and lib/Targets/PTX)"),
      llvm::cl::init("")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("Schedule to impose on every kernel, as in "
                     "tile=128x128x32,groups=2x2"),
      llvm::cl::init("")};
  Option<std::string> tuned{
      *this, "tuned",
      llvm::cl::desc("File of measured schedules, as helios-tune writes it"),
      llvm::cl::init("")};
  ListOption<std::string> without{
      *this, "without",
      llvm::cl::desc("Optimisation passes to leave out, by name")};
  Option<bool> debugInfo{
      *this, "debug-info",
      llvm::cl::desc("Carry the places and names of the input's ops to the end "
                     "(PTX: as .loc and a list of names)"),
      llvm::cl::init(false)};
  Option<bool> canonicalizeBetween{
      *this, "canonicalize-between",
      llvm::cl::desc("Run canonicalize and cse between any two passes"),
      llvm::cl::init(false)};
  Option<bool> roundTripBetween{
      *this, "round-trip-between",
      llvm::cl::desc("Print and parse the module between any two passes"),
      llvm::cl::init(false)};
};

/// Names of the passes that only make code faster: leaving any of them out
/// leaves results as they are.
llvm::ArrayRef<llvm::StringRef> getOptionalPasses();

/// Why `options.without` cannot be obeyed, or an empty string.
std::string checkWithout(const PipelineOptions &options);

/// What comes before schedules are chosen: everything is fused into products.
void populateBeforeSchedules(mlir::OpPassManager &pm,
                             const PipelineOptions &options);
/// Level 1 to 2: kernels become tile programs and launch plans.
void populateHeliosToTile(mlir::OpPassManager &pm,
                          const PipelineOptions &options);
/// Level 2 to 3: tile programs become kernels over fragments.
void populateTileToFrag(mlir::OpPassManager &pm,
                        const PipelineOptions &options);
/// Level 3 to 4: kernels over fragments become SPIR-V modules.
void populateFragToSpirv(mlir::OpPassManager &pm,
                         const PipelineOptions &options);

/// Level 3 to 4: kernels over fragments become modules of llvm and nvvm.
void populateFragToPtx(mlir::OpPassManager &pm, const PipelineOptions &options);

/// The target attribute of a row of any target's table; null if there is none.
mlir::Attribute findTarget(mlir::MLIRContext *context, llvm::StringRef row);
/// The names of all rows.
llvm::SmallVector<llvm::StringRef> getTargetRows();

/// Registers `helios-to-spirv`, `helios-to-ptx` and their parts:
/// `helios-to-tile-level`, `tile-to-frag-level`, `frag-to-spirv-level`,
/// `frag-to-ptx-level`, `tile-to-spirv`, `tile-to-ptx`.
void registerPipelines();

} // namespace helios

#endif // HELIOS_PIPELINES_H
