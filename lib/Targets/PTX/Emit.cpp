// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emission: LLVM IR of a module of level 4, the optimiser, the NVPTX back end.

#include "helios/Targets/PTX/Emit.h"
#include "LoopAddresses.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <set>

using namespace mlir;
using namespace helios;

void ptx::registerEmission(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
/// Addresses of a program beyond which straight-line strength reduction, which
/// compares them with each other, is left out: of products of f32 it took
/// longer than all other passes together, and programs for few rows, of 200 to
/// 480 addresses, take as long without it (docs/benchmarks/2026-11-30).
constexpr size_t kMostAddresses = 200;

/// Whether a program has roles with budgets of registers.
bool hasRoles(const llvm::Function &function) {
  return llvm::any_of(
      llvm::instructions(function), [](const llvm::Instruction &instruction) {
        auto *call = dyn_cast<llvm::IntrinsicInst>(&instruction);
        return call &&
               call->getIntrinsicID() ==
                   llvm::Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32;
      });
}

/// What LLVM 22 runs over functions for -O3, but passes that a module of one
/// function, without calls and variables on the stack, has no use for, and
/// repetitions that change nothing: of 547 programs of twelve examples and two
/// rows 347 are the same PTX as behind ten more passes, and of 60 of the others
/// 58 assemble to as many instructions (docs/benchmarks, how long the compiler
/// takes). Three loop passes that went later change none of 479.
constexpr StringLiteral kFunctionPasses =
    "nvvm-intr-range,simplifycfg,early-cse,"
    "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,"
    "simplifycfg,reassociate,"
    "loop-mssa(licm<no-allowspeculation>,loop-rotate,licm),"
    "simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion,loop-unroll-full),"
    "gvn<no-memdep>,sccp,bdce,correlated-propagation,loop-mssa(licm),"
    "simplifycfg<hoist-common-insts;sink-common-insts>,"
    "simplifycfg<no-keep-loops;hoist-common-insts;sink-common-insts>,"
    "loop-unroll<O3>,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
    "div-rem-pairs,simplifycfg<speculate-unpredictables>";

/// Passes of the back end that are left out, for they find little and take long
/// (docs/benchmarks, how long the compiler takes): value numbering behind that
/// of the passes above, and what makes addresses of each other where there are
/// many, or in roles: their loops' copies and products take descriptions.
struct Gate : llvm::OptPassGate {
  bool shouldRunPass(StringRef name, StringRef) const override {
    return name != "gvn" && (name != "nary-reassociate" || !hasRoles) &&
           (name != "slsr" || (!hasRoles && !hasManyAddresses));
  }
  bool isEnabled() const override { return true; }
  bool hasRoles = false, hasManyAddresses = false;
};

/// A module on its way to PTX.
struct Emission {
  Gate gate;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;

  LogicalResult run(gpu::GPUModuleOp source);

private:
  LogicalResult createMachine(gpu::GPUModuleOp source);
  void optimize();
};
} // namespace

LogicalResult Emission::createMachine(gpu::GPUModuleOp source) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto interface = source->getAttrOfType<DictionaryAttr>("helios.interface");
  auto sm = interface ? interface.getAs<StringAttr>("sm") : StringAttr();
  auto version =
      interface ? interface.getAs<IntegerAttr>("ptx_version") : IntegerAttr();
  if (!sm || !version)
    return source.emitOpError("expected an attribute 'helios.interface' with "
                              "'sm' and 'ptx_version', as "
                              "convert-frag-to-ptx writes it");
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return source.emitOpError("cannot be made PTX of: ") << error;
  machine.reset(target->createTargetMachine(
      triple, sm.getValue(), ("+ptx" + Twine(version.getInt())).str(),
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  return success();
}

/// Instructions that lanes execute together, and waits, keep their place: MLIR
/// cannot say so of inline assembly.
static void markInlineAssembly(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallInst>(&instruction);
          call && call->isInlineAsm()) {
        call->setConvergent();
        call->setDoesNotThrow();
      }
}

void Emission::optimize() {
  llvm::PassBuilder builder(machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kFunctionPasses));
  passes.addPass(LoopAddresses());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(*module, modules);
  size_t addresses = 0;
  for (llvm::Function &function : *module)
    addresses += llvm::count_if(llvm::instructions(function),
                                llvm::IsaPred<llvm::GetElementPtrInst>);
  gate.hasManyAddresses = addresses > kMostAddresses;
  gate.hasRoles = llvm::any_of(*module, hasRoles);
  context.setOptPassGate(gate);
}

LogicalResult Emission::run(gpu::GPUModuleOp source) {
  if (failed(createMachine(source)))
    return failure();
  module = translateModuleToLLVMIR(source, context, source.getName());
  if (!module)
    return source.emitOpError("could not be translated to LLVM IR");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  markInlineAssembly(*module);
  optimize();
  return success();
}

/// The ops that .loc of the PTX stand for: a comment for each place that has a
/// name (helios-name-locations), which the emulator reads.
static void listOperations(gpu::GPUModuleOp source, llvm::raw_ostream &os) {
  std::set<std::tuple<StringRef, unsigned, unsigned, StringRef>> places;
  source.walk([&](Operation *op) {
    op->getLoc()->walk([&](Location part) {
      if (auto name = dyn_cast<NameLoc>(part))
        if (auto place = dyn_cast<FileLineColLoc>(name.getChildLoc()))
          places.emplace(place.getFilename(), place.getLine(),
                         place.getColumn(), name.getName());
      return WalkResult::advance();
    });
  });
  for (auto [file, line, column, name] : places)
    os << "// op \"" << file << "\":" << line << ":" << column << " " << name
       << "\n";
}

FailureOr<std::string> ptx::emitLLVMIR(gpu::GPUModuleOp source) {
  Emission emission;
  if (failed(emission.run(source)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  emission.module->print(os, nullptr);
  return text;
}

FailureOr<std::string> ptx::emitPTX(gpu::GPUModuleOp source) {
  Emission emission;
  if (failed(emission.run(source)))
    return failure();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (emission.machine->addPassesToEmitFile(passes, os, nullptr,
                                            llvm::CodeGenFileType::AssemblyFile,
                                            /*DisableVerify=*/true))
    return source.emitOpError("could not be emitted as PTX");
  passes.run(*emission.module);
  // The emission ends the text with a zero byte.
  std::string ptx = StringRef(text).rtrim('\0').str();
  llvm::raw_string_ostream list(ptx);
  if (!emission.module->debug_compile_units().empty())
    listOperations(source, list);
  return ptx;
}
