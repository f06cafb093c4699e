// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of all passes.

#include "helios/Pipelines.h"
#include "helios/Targets/PTX/Passes.h"
#include "helios/Targets/SPIRV/Passes.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace helios;

namespace {

/// Ops of any kind.
struct Any {};

/// Adds passes to a pipeline under its options.
class Sequence {
public:
  Sequence(OpPassManager &pm, const PipelineOptions &options)
      : pm(pm), options(options) {}

  /// A pass over the module, over each of its `OpT`, or with `Any` over each of
  /// its ops.
  template <typename OpT = ModuleOp>
  void add(std::unique_ptr<Pass> pass) {
    if (llvm::is_contained(options.without, pass->getArgument()))
      return;
    addAlways<OpT>(std::move(pass));
    if (options.canonicalizeBetween) {
      pm.addPass(createCanonicalizerPass());
      pm.addPass(createCSEPass());
    }
    if (options.roundTripBetween)
      pm.addPass(createHeliosRoundTrip());
  }

  /// The end of a level: what stands in the module must belong to it.
  void verifyLevel(unsigned level) {
    VerifyLevelOptions verify;
    verify.level = level;
    pm.addPass(createVerifyLevel(verify));
  }

private:
  template <typename OpT>
  void addAlways(std::unique_ptr<Pass> pass) {
    if constexpr (std::is_same_v<OpT, ModuleOp>)
      pm.addPass(std::move(pass));
    else if constexpr (std::is_same_v<OpT, Any>)
      pm.nestAny().addPass(std::move(pass));
    else
      pm.addNestedPass<OpT>(std::move(pass));
  }

  OpPassManager &pm;
  const PipelineOptions &options;
};

} // namespace

ArrayRef<StringRef> helios::getOptionalPasses() {
  static const StringRef names[] = {"canonicalize",
                                    "cse",
                                    "tile-cut-epilogue",
                                    "tile-prove-bounds",
                                    "tile-schedule",
                                    "tile-expand",
                                    "tile-split-masked-ranges",
                                    "tile-defer-reads",
                                    "frag-pipeline-k-steps",
                                    "frag-read-ahead",
                                    "frag-interleave-copies",
                                    "frag-overlap-dispatches",
                                    "frag-read-constants-first"};
  return names;
}

std::string helios::checkWithout(const PipelineOptions &options) {
  for (StringRef name : options.without)
    if (!llvm::is_contained(getOptionalPasses(), name))
      return "pass '" + name.str() +
             "' cannot be left out; those that can are " +
             llvm::join(getOptionalPasses(), ", ");
  return "";
}

/// What every level begins with: locations name the ops of the level that the
/// compilation begins with, kernels and programs get the row of the options.
static void begin(Sequence &passes, const PipelineOptions &options) {
  if (options.debugInfo)
    passes.add(createNameLocations());
  if (options.device.empty())
    return;
  HeliosSetTargetOptions target;
  target.device = options.device;
  passes.add(createHeliosSetTarget(target));
}

void helios::populateBeforeSchedules(OpPassManager &pm,
                                     const PipelineOptions &options) {
  Sequence passes(pm, options);
  begin(passes, options);
  passes.add(createHeliosFuse());
  passes.add(createCanonicalizerPass());
}

void helios::populateHeliosToTile(OpPassManager &pm,
                                  const PipelineOptions &options) {
  populateBeforeSchedules(pm, options);
  Sequence passes(pm, options);
  HeliosSelectScheduleOptions schedule;
  schedule.schedule = options.schedule;
  schedule.tuned = options.tuned;
  passes.add(createHeliosSelectSchedule(schedule));
  passes.add(createHeliosPackConstants());
  passes.add(createHeliosToTile());
  // Programs and plans at the same time.
  passes.add<Any>(createCanonicalizerPass());
  passes.add<Any>(createCSEPass());
  passes.verifyLevel(2);
}

void helios::populateTileToFrag(OpPassManager &pm,
                                const PipelineOptions &options) {
  Sequence passes(pm, options);
  begin(passes, options);
  passes.add<tile::ProgramOp>(createTileCutEpilogue());
  passes.add<tile::ProgramOp>(createTileAssignLayouts());
  passes.add<tile::ProgramOp>(createTileProveBounds());
  passes.add<tile::ProgramOp>(createTileLowerItems());
  passes.add<tile::ProgramOp>(createTileRings());
  passes.add<tile::ProgramOp>(createTileRoles());
  // Replicas own their rows only now.
  passes.add<tile::ProgramOp>(createTileCutEpilogue());
  passes.add<tile::ProgramOp>(createTileRingSums());
  passes.add<tile::ProgramOp>(createTileRingStores());
  passes.add<tile::ProgramOp>(createTileDoubleSlots());
  passes.add<tile::ProgramOp>(createTileSchedule());
  passes.add<tile::ProgramOp>(createTileExpand());
  passes.add<tile::ProgramOp>(createTileAlternateBuffers());
  passes.add<tile::ProgramOp>(createTileSplitMaskedRanges());
  passes.add<tile::ProgramOp>(createTileDeferReads());
  passes.add<tile::ProgramOp>(createCanonicalizerPass());
  passes.add<tile::ProgramOp>(createCSEPass());
  passes.add<tile::ProgramOp>(createTileAllocateShared());
  passes.add(createTileDistribute());
  passes.add<frag::KernelOp>(createCanonicalizerPass());
  passes.add<frag::KernelOp>(createCSEPass());
  passes.add<frag::KernelOp>(createFragPipelineKSteps());
  passes.add<frag::KernelOp>(createFragReadAhead());
  passes.add<frag::KernelOp>(createFragInterleaveCopies());
  passes.add<frag::KernelOp>(createCanonicalizerPass());
  passes.add<frag::KernelOp>(createCSEPass());
  passes.verifyLevel(3);
}

void helios::populateFragToSpirv(OpPassManager &pm,
                                 const PipelineOptions &options) {
  Sequence passes(pm, options);
  begin(passes, options);
  passes.add<frag::KernelOp>(createFragUnroll());
  passes.add<frag::KernelOp>(createFragInsertBarriers());
  passes.add(spv::createConvertFragToSPIRV());
  passes.verifyLevel(4);
}

void helios::populateFragToPtx(OpPassManager &pm,
                               const PipelineOptions &options) {
  Sequence passes(pm, options);
  begin(passes, options);
  passes.add<frag::KernelOp>(createFragUnroll());
  passes.add<frag::KernelOp>(createFragAssignWaitCounts());
  passes.add<frag::KernelOp>(createFragInsertBarriers());
  passes.add(createFragOverlapDispatches());
  passes.add<frag::KernelOp>(createFragReadConstantsFirst());
  passes.add(ptx::createConvertFragToPTX());
  if (options.debugInfo)
    passes.add(LLVM::createDIScopeForLLVMFuncOpPass(
        {LLVM::DIEmissionKind::DebugDirectivesOnly}));
  passes.verifyLevel(4);
}

namespace {
using Populate = void (*)(OpPassManager &, const PipelineOptions &);
} // namespace

/// Registers a pipeline of parts; unlike PassPipelineRegistration it can refuse
/// its options.
static void registerPipeline(StringRef name, StringRef description,
                             ArrayRef<Populate> list) {
  SmallVector<Populate> parts(list);
  registerPassPipeline(
      name, description,
      [parts](OpPassManager &pm, StringRef text,
              function_ref<LogicalResult(const Twine &)> errorHandler)
          -> LogicalResult {
        PipelineOptions options;
        std::string message;
        llvm::raw_string_ostream os(message);
        if (failed(options.parseFromString(text, os)))
          return errorHandler(message.empty()
                                  ? "malformed options '" + text.str() + "'"
                                  : message);
        if (std::string error = checkWithout(options); !error.empty())
          return errorHandler(error);
        for (Populate part : parts)
          part(pm, options);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handler) {
        PipelineOptions options;
        handler(options);
      });
}

void helios::registerPipelines() {
  registerPipeline("helios-to-tile-level",
                   "Level 1 to 2: kernels to tile programs and launch plans",
                   {populateHeliosToTile});
  registerPipeline("tile-to-frag-level",
                   "Level 2 to 3: tile programs to kernels over fragments",
                   {populateTileToFrag});
  registerPipeline("frag-to-spirv-level",
                   "Level 3 to 4: kernels over fragments to SPIR-V modules",
                   {populateFragToSpirv});
  registerPipeline("tile-to-spirv",
                   "Level 2 to 4: tile programs to SPIR-V modules",
                   {populateTileToFrag, populateFragToSpirv});
  registerPipeline("frag-to-ptx-level",
                   "Level 3 to 4: kernels over fragments to llvm and nvvm",
                   {populateFragToPtx});
  registerPipeline("tile-to-ptx",
                   "Level 2 to 4: tile programs to llvm and nvvm",
                   {populateTileToFrag, populateFragToPtx});
  registerPipeline(
      "helios-to-ptx", "Level 1 to 4: kernels to llvm and nvvm",
      {populateHeliosToTile, populateTileToFrag, populateFragToPtx});
  registerPipeline(
      "helios-to-spirv", "Level 1 to 4: kernels to SPIR-V modules",
      {populateHeliosToTile, populateTileToFrag, populateFragToSpirv});
}
