// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compile.h"
#include "Output.h"
#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Helios/Export/Semantics.h"
#include "helios/InitAll.h"
#include "helios/Pipelines.h"
#include "helios/Targets/Export/Export.h"
#include "helios/Targets/Export/KeepLaunches.h"
#include "helios/Targets/PTX/Emit.h"
#include "helios/Targets/PTX/Ptx.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "helios/Targets/SPIRV/Spv.h"
#include "helios/Transforms/Passes.h"
#include "helios/Transforms/Schedules.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include <array>
#include <chrono>
#include <optional>
#include <set>

using namespace mlir;
using namespace helios;
using namespace helios::compile;
using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

namespace {

/// A source in a context of its own, with its diagnostics. Programs are
/// compiled by so many threads.
class Source {
public:
  Source(llvm::MemoryBufferRef buffer, unsigned threads = 1)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED), os(text) {
    if (threads > 1) {
      pool.emplace(llvm::hardware_concurrency(threads));
      context.setThreadPool(*pool);
    }
    context.printOpOnDiagnostic(false);
    // Rows are asked before any pass runs.
    context.getOrLoadDialect<spv::SpvDialect>();
    context.getOrLoadDialect<ptx::PtxDialect>();
    sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(
                                     buffer, /*RequiresNullTerminator=*/false),
                                 llvm::SMLoc());
    printer.emplace(sourceMgr, &context, os);
    filter.emplace(&context, [this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure(); // for the printer
      if (hidden && hidden(diagnostic))
        return success();
      if (firstError.empty())
        firstError = diagnostic.str();
      // Programs that are compiled at the same time find the same.
      return success(
          !said.emplace(diagnostic.getLocation().getAsOpaquePointer(),
                        diagnostic.str())
               .second);
    });
  }

  OwningOpRef<ModuleOp> parse() {
    return parseSourceFile<ModuleOp>(sourceMgr, &context);
  }
  std::string takeDiagnostics() { return std::move(text); }

private:
  std::optional<llvm::DefaultThreadPool> pool; ///< outlives the context

public:
  MLIRContext context;
  std::string firstError;
  /// Says which errors are kept from the user.
  std::function<bool(Diagnostic &)> hidden;

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  /// Errors, and where they were found.
  std::set<std::pair<const void *, std::string>> said;
  llvm::SourceMgr sourceMgr;
  std::string text;
  llvm::raw_string_ostream os;
  std::optional<SourceMgrDiagnosticHandler> printer;
  std::optional<ScopedDiagnosticHandler> filter;
};

/// Times passes and remembers the first that fails. Programs have passes of
/// their own at the same time, whose times are added up; calls come one by one.
class PassObserver : public PassInstrumentation {
public:
  PassObserver(std::vector<StageTime> &times, std::string &failed)
      : times(times), failed(failed) {}

  void runBeforePass(Pass *pass, Operation *) override {
    starts[llvm::get_threadid()].push_back(Clock::now());
  }
  void runAfterPass(Pass *pass, Operation *) override { stop(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    stop(pass);
    if (failed.empty())
      failed = pass->getArgument().str();
  }

private:
  void stop(Pass *pass) {
    double time =
        millisecondsSince(starts[llvm::get_threadid()].pop_back_val());
    if (pass->getArgument().empty())
      return; // the adaptor around nested passes
    auto it = llvm::find_if(times, [&](const StageTime &t) {
      return t.name == pass->getArgument();
    });
    if (it == times.end())
      it = times.insert(times.end(), {pass->getArgument().str(), 0});
    it->milliseconds += time;
  }

  std::vector<StageTime> &times;
  std::string &failed;
  llvm::DenseMap<uint64_t, llvm::SmallVector<Clock::time_point>> starts;
};

/// Passes that may find that a row cannot do what is asked; a failure of any
/// other is a defect.
bool mayRefuse(StringRef pass) {
  return llvm::is_contained({"helios-set-target", "helios-select-schedule",
                             "helios-pack-constants", "tile-assign-layouts",
                             "tile-allocate-shared"},
                            pass);
}

/// Passes of level 1, which meet what the user wrote, and the check that all of
/// it is of one level: their failure is bad input.
bool meetsInput(StringRef pass, StringRef error) {
  return pass == "helios-fuse" || pass == "helios-to-tile" ||
         (pass == "helios-verify-level" &&
          error.contains("should be wholly of level"));
}

/// A reproducer that is written when it is complete, unless the failure turned
/// out to be the input's fault.
class Reproducer : public ReproducerStream {
public:
  Reproducer(std::string path, std::function<bool()> wanted)
      : path(std::move(path)), wanted(std::move(wanted)), stream(text) {}
  ~Reproducer() override {
    if (!wanted())
      return;
    if (Status s = writeOutput(path, text); !s.ok())
      llvm::errs() << "helios-compile: no reproducer: " << s.message() << "\n";
  }
  StringRef description() override { return path; }
  llvm::raw_ostream &os() override { return stream; }

private:
  std::string path, text;
  std::function<bool()> wanted;
  llvm::raw_string_ostream stream;
};

/// The compilation of one row.
class RowCompiler {
public:
  RowCompiler(llvm::MemoryBufferRef buffer, const Options &options,
              const std::string &row, unsigned threads)
      : source(buffer, threads), options(options), row(row) {
    result.report.row = row;
    passes.device = row;
    passes.schedule = options.schedule;
    passes.tuned = options.tuned;
    for (const std::string &pass : options.without)
      passes.without.push_back(pass);
    passes.debugInfo = options.debugInfo;
    passes.canonicalizeBetween = options.canonicalizeBetween;
    passes.roundTripBetween = options.roundTripBetween;
  }

  RowResult run() {
    compile();
    result.diagnostics = source.takeDiagnostics();
    result.reason = source.firstError;
    return std::move(result);
  }

private:
  void compile();
  bool isSuperfluous(ModuleOp module);
  /// Runs a pipeline. False, with the verdict set, if it fails.
  bool stage(ModuleOp module, const char *name,
             void (*populate)(OpPassManager &, const PipelineOptions &));
  Operation *findUnmultiplied(ModuleOp module);
  bool checkInstructions(ModuleOp module);
  /// Leaves the programs of the launches that are asked for.
  bool keepLaunches(ModuleOp module, unsigned level);
  bool emit(ModuleOp module);
  /// Writes the schedules of the only kernel.
  void list(ModuleOp module, unsigned level);
  void print(ModuleOp module) {
    llvm::raw_string_ostream os(result.text);
    module.print(os);
    os << "\n";
  }

  Source source;
  const Options &options;
  std::string row;
  PipelineOptions passes;
  RowResult result;
};

bool RowCompiler::stage(ModuleOp module, const char *name,
                        void (*populate)(OpPassManager &,
                                         const PipelineOptions &)) {
  PassManager pm(&source.context, ModuleOp::getOperationName());
  populate(pm, passes);
  // A level's last pass verifies what became of it; behind every pass, as
  // helios-opt does, it takes an eighth of a product's compilation.
  pm.enableVerifier(false);
  std::string failedPass;
  // Any pass may find that a limit of the row is exceeded; then its message
  // says what the row has.
  auto refuses = [&] {
    return mayRefuse(failedPass) ||
           (!failedPass.empty() &&
            StringRef(source.firstError)
                .contains("but target '" + row + "' has"));
  };
  auto meets = [&] { return meetsInput(failedPass, source.firstError); };
  // Of what is right but beyond this version passes say "is not lowered": those
  // that meet the input, and those that meet its regions' operations.
  auto isBeyond = [&] {
    StringRef error = source.firstError;
    return error.contains("is not lowered") &&
           (meets() || (StringRef(failedPass).starts_with("convert-frag-to-") &&
                        error.contains("write it with")));
  };
  auto isInputsFault = [&] { return refuses() || isBeyond() || meets(); };
  std::string path =
      (options.output == "-" ? "helios-compile" : options.output) + "." + row +
      ".reproducer.mlir";
  pm.enableCrashReproducerGeneration([&](std::string &) {
    return std::make_unique<Reproducer>(path, [&] { return !isInputsFault(); });
  });
  // After the reproducer's own instrumentation, so that it is told of a failure
  // before that one.
  pm.addInstrumentation(
      std::make_unique<PassObserver>(result.report.passes, failedPass));
  source.hidden = [&](Diagnostic &diagnostic) {
    return isInputsFault() && StringRef(diagnostic.str())
                                  .starts_with("Failures have been detected");
  };
  Clock::time_point start = Clock::now();
  LogicalResult ran = pm.run(module);
  result.report.stages.push_back({name, millisecondsSince(start)});
  source.hidden = nullptr;
  if (succeeded(ran))
    return true;
  if (meets() && !isBeyond()) {
    result.verdict = RowResult::Verdict::BadInput;
  } else if (refuses() || isBeyond()) {
    result.verdict = RowResult::Verdict::Unsupported;
  } else {
    result.verdict = RowResult::Verdict::Internal;
    result.reproducerPath = path;
  }
  return false;
}

/// The element types of a product and of its sums; none of another operation.
static std::optional<std::array<Type, 3>> typesOf(Operation *op) {
  auto elements = [](Type a, Type b, Type acc) -> std::array<Type, 3> {
    return {getElementTypeOrSelf(a), getElementTypeOrSelf(b),
            getElementTypeOrSelf(acc)};
  };
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return elements(matmul.getLhsElement(), matmul.getRhsElement(),
                    matmul.getAccType());
  if (auto attention = dyn_cast<AttentionOp>(op))
    return elements(attention.getQuery().getType(),
                    attention.getKey().getType(), attention.getAccType());
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return elements(dot.getA().getType(), dot.getB().getType(),
                    dot.getAcc().getType());
  return std::nullopt;
}

/// The first product whose types the row does not multiply; null if it
/// multiplies all.
Operation *RowCompiler::findUnmultiplied(ModuleOp module) {
  auto target =
      cast<tile::TargetAttrInterface>(findTarget(&source.context, row));
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    auto types = typesOf(op);
    if (!types ||
        !target.getMmas((*types)[0], (*types)[1], (*types)[2]).empty())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether the row multiplies the types of every product.
bool RowCompiler::checkInstructions(ModuleOp module) {
  Operation *op = findUnmultiplied(module);
  if (!op)
    return true;
  auto [a, b, acc] = *typesOf(op);
  op->emitOpError() << "is unsupported on target '" << targetName(row)
                    << "': it multiplies no " << a << " by " << b
                    << " accumulated in " << acc;
  result.verdict = RowResult::Verdict::Unsupported;
  return false;
}

bool RowCompiler::keepLaunches(ModuleOp module, unsigned level) {
  Clock::time_point start = Clock::now();
  if (level > 2)
    module.emitError("is of level ")
        << level << ", which --only-launches does not reach";
  bool kept = level <= 2 &&
              succeeded(exporting::keepLaunches(
                  module, options.launches,
                  options.processors ? options.processors
                                     : int64_t(result.report.processors)));
  result.report.stages.push_back({"launches", millisecondsSince(start)});
  if (!kept)
    result.verdict = RowResult::Verdict::BadInput;
  return kept;
}

bool RowCompiler::emit(ModuleOp module) {
  Clock::time_point start = Clock::now();
  LogicalResult exported = failure();
  if (options.emit == Emit::Spirv) {
    exported = success();
    for (spirv::ModuleOp binary : module.getOps<spirv::ModuleOp>()) {
      FailureOr<bundle::Module> bytes = exporting::serializeModule(binary);
      if (failed(bytes)) {
        exported = failure();
        break;
      }
      result.bundle.modules.push_back(std::move(*bytes));
    }
  } else if (options.emit == Emit::Llvm || options.emit == Emit::Ptx) {
    exported = success();
    for (gpu::GPUModuleOp program : module.getOps<gpu::GPUModuleOp>()) {
      FailureOr<std::string> text = options.emit == Emit::Ptx
                                        ? ptx::emitPTX(program)
                                        : ptx::emitLLVMIR(program);
      if (failed(text)) {
        exported = failure();
        break;
      }
      bundle::Module &module = result.bundle.modules.emplace_back();
      module.name = program.getName().str();
      module.bytes.assign(text->begin(), text->end());
    }
  } else {
    exported = exporting::exportModule(module, row, result.bundle);
  }
  result.report.stages.push_back({"export", millisecondsSince(start)});
  if (failed(exported))
    result.verdict = RowResult::Verdict::BadInput;
  return succeeded(exported);
}

void RowCompiler::list(ModuleOp module, unsigned level) {
  auto kernels = module.getOps<KernelOp>();
  if (level != 1 || !llvm::hasSingleElement(kernels)) {
    module.emitError("holds no list of schedules; expected one kernel of "
                     "level 1");
    result.verdict = RowResult::Verdict::BadInput;
    return;
  }
  if (!stage(module, "fusion", populateBeforeSchedules))
    return;
  SmallVector<SmallVector<int64_t>> shapes;
  for (const std::vector<int64_t> &extents : options.shapes)
    shapes.emplace_back(extents.begin(), extents.end());
  auto listed = listSchedules(*module.getOps<KernelOp>().begin(), shapes);
  if (failed(listed)) {
    result.verdict = RowResult::Verdict::BadInput;
    return;
  }
  llvm::json::Array schedules;
  for (const PricedSchedule &priced : listed->schedules)
    schedules.push_back(
        llvm::json::Object{{"schedule", priced.schedule.toString()},
                           {"price", std::round(priced.price)}});
  llvm::raw_string_ostream os(result.text);
  os << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                     {"row", row},
                                     {"compiler", HELIOS_VERSION},
                                     {"processors", result.report.processors},
                                     {"aligned", listed->aligned},
                                     {"schedules", std::move(schedules)}}));
}

/// The level at which a module stands: the first of which it has an op; 0 for
/// none.
static unsigned levelOf(ModuleOp module) {
  unsigned level = 5;
  for (Operation &op : *module.getBody())
    level = std::min(level, isa<KernelOp>(op)                            ? 1u
                            : isa<tile::ProgramOp>(op)                   ? 2u
                            : isa<frag::KernelOp>(op)                    ? 3u
                            : isa<spirv::ModuleOp, gpu::GPUModuleOp>(op) ? 4u
                                                                         : 5u);
  return level == 5 ? 0 : level;
}

/// Whether the row differs from others by what nothing in the module would use:
/// an extension, or matrices of types that it does not multiply.
bool RowCompiler::isSuperfluous(ModuleOp module) {
  const spv::Row *known = spv::findRow(row);
  if (!known || !llvm::is_contained(options.optionalRows, row))
    return false;
  if (known->matricesAlone)
    return findUnmultiplied(module) != nullptr;
  return !known->with.empty() &&
         !module->walk([](AttentionOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

void RowCompiler::compile() {
  Clock::time_point start = Clock::now();
  OwningOpRef<ModuleOp> owner = source.parse();
  result.report.stages.push_back({"parse", millisecondsSince(start)});
  result.verdict = RowResult::Verdict::BadInput;
  if (!owner)
    return;
  ModuleOp module = *owner;
  unsigned level = levelOf(module);
  unsigned last = options.emit == Emit::Tile   ? 2
                  : options.emit == Emit::Frag ? 3
                                               : 4;
  if (level == 0) {
    module.emitError("holds nothing to compile; expected helios.kernel, or "
                     "tile.program, frag.kernel or spirv.module with a "
                     "tile.plan");
    return;
  }
  if (level > last) {
    module.emitError("is of level ")
        << level << " already, so level " << last << " cannot be made of it";
    return;
  }
  if (level > 1 && (!options.schedule.empty() || !options.tuned.empty())) {
    module.emitError("is of level ")
        << level << ", which "
        << (options.tuned.empty() ? "--schedule" : "--tuned")
        << " does not reach; change the programs' 'config'";
    return;
  }
  if (isSuperfluous(module)) {
    result.verdict = RowResult::Verdict::Superfluous;
    return;
  }
  result.verdict = RowResult::Verdict::Done;
  bool given = llvm::any_of(module.getOps<KernelOp>(), [](KernelOp kernel) {
    return bool(kernel.getScheduleAttr());
  });
  result.report.scheduleOrigin = level > 1 ? "written in the program"
                                 : !options.schedule.empty()
                                     ? "given by --schedule"
                                 : given ? "given in the description"
                                         : "chosen by helios-select-schedule";
  auto target =
      cast<tile::TargetAttrInterface>(findTarget(&source.context, row));
  result.report.processors = target.getCosts().processors;
  if (level <= 2 && !checkInstructions(module))
    return;
  if (options.emit == Emit::Schedules)
    return list(module, level);
  if (level <= 1 && !stage(module, "level 1 to 2", populateHeliosToTile))
    return;
  if (!options.launches.empty() && !keepLaunches(module, level))
    return;
  if (last == 2)
    return print(module);
  if (level <= 2 && !stage(module, "2 to 3", populateTileToFrag))
    return;
  if (options.report)
    result.report.programs = collectFacts(module);
  if (last == 3)
    return print(module);
  if (level <= 3 &&
      !stage(module, "3 to 4",
             isCuda(row) ? populateFragToPtx : populateFragToSpirv))
    return;
  if (options.emit == Emit::SpirvText)
    return print(module);
  emit(module);
}

} // namespace

RowResult compile::compileRow(llvm::MemoryBufferRef buffer,
                              const Options &options, const std::string &row,
                              unsigned threads) {
  return RowCompiler(buffer, options, row, threads).run();
}

Description compile::describe(llvm::MemoryBufferRef buffer) {
  Description result;
  Source source(buffer);
  OwningOpRef<ModuleOp> module = source.parse();
  auto end = [&](bool ok) {
    result.ok = ok;
    result.diagnostics = source.takeDiagnostics();
    return std::move(result);
  };
  if (!module)
    return end(false);
  if (module->getOps<KernelOp>().empty())
    return end(true);
  for (KernelOp kernel : module->getOps<KernelOp>()) {
    Description::Kernel entry;
    entry.name = kernel.getSymName().str();
    llvm::raw_string_ostream os(entry.source);
    kernel.print(os);
    result.kernels.push_back(std::move(entry));
  }
  PassManager pm(&source.context, ModuleOp::getOperationName());
  pm.addPass(createHeliosFuse());
  if (failed(pm.run(*module)))
    return end(false);
  // A kernel without a meaning can still run; nobody can check it, which the
  // user should know.
  for (auto [kernel, entry] :
       llvm::zip(module->getOps<KernelOp>(), result.kernels)) {
    std::string reason;
    source.hidden = [&](Diagnostic &diagnostic) {
      reason = reason.empty() ? diagnostic.str() : reason;
      return true;
    };
    FailureOr<bundle::Semantics> semantics = exportSemantics(kernel);
    source.hidden = nullptr;
    if (succeeded(semantics))
      entry.semantics = std::move(*semantics);
    else
      mlir::emitWarning(kernel.getLoc())
          << "results of @" << entry.name << " cannot be checked: " << reason;
  }
  return end(true);
}
