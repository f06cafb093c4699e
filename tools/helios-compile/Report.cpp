// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "helios/Bundle/Serialize.h"
#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::compile;

/// 32-bit registers of one lane for a value; zero for what is no fragment.
static int64_t registersOf(Type type) {
  auto fragment = dyn_cast<frag::FragmentType>(type);
  if (!fragment)
    return 0;
  tile::LayoutAttrInterface layout = fragment.getLayout();
  int64_t elements = layout.getRegisterCount(fragment.getShape());
  for (int64_t extent : layout.getRegisterShape(fragment.getShape().size()))
    elements *= extent;
  if (!layout.hasCoordinates())
    elements =
        llvm::divideCeil(elements, std::max<int64_t>(1, layout.getLaneCount()));
  return llvm::divideCeil(
      elements * fragment.getElementType().getIntOrFloatBitWidth(), 32);
}

using ValueSet = llvm::SmallSetVector<Value, 32>;

static void addLive(ValueSet &live, Value value) {
  // A constant tile is made where it is used.
  if (registersOf(value.getType()) && !value.getDefiningOp<frag::SplatOp>())
    live.insert(value);
}

/// The most registers that are live at once in a block after which `live` still
/// is.
static int64_t mostRegisters(Block &block, ValueSet live) {
  int64_t most = 0;
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      live.remove(result);
    for (Region &region : op.getRegions()) {
      // What a region captures stays live to its end: it may be a loop's.
      ValueSet inside = live;
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!region.isAncestor(operand.getParentRegion()))
            addLive(inside, operand);
      });
      for (Block &inner : region)
        most = std::max(most, mostRegisters(inner, inside));
    }
    for (Value operand : op.getOperands())
      addLive(live, operand);
    int64_t here = 0;
    for (Value value : live)
      here += registersOf(value.getType());
    most = std::max(most, here);
  }
  return most;
}

static int64_t bytesOf(ArrayRef<int64_t> shape, Type element) {
  return llvm::product_of(shape) * element.getIntOrFloatBitWidth() / 8;
}

/// Adds what a loop body moves and computes in one trip, without loops inside.
static void addTraffic(Block &body, ProgramFacts &facts) {
  for (Operation &op : body) {
    Value memory;
    frag::FragmentType fragment;
    if (auto read = dyn_cast<frag::ReadOp>(op)) {
      memory = read.getSource();
      fragment = read.getResult().getType();
    } else if (auto write = dyn_cast<frag::WriteOp>(op)) {
      memory = write.getDest();
      fragment = cast<frag::FragmentType>(write.getFragment().getType());
    } else if (auto mma = dyn_cast<frag::MmaOp>(op)) {
      ArrayRef<int64_t> a =
          cast<frag::FragmentType>(mma.getA().getType()).getShape();
      ArrayRef<int64_t> d =
          cast<frag::FragmentType>(mma.getResult().getType()).getShape();
      facts.flops += 2 * llvm::product_of(d) * a.back();
    }
    if (memory) {
      // Every group reads its own copy of what it shares with others.
      int64_t bytes = bytesOf(fragment.getShape(), fragment.getElementType());
      if (isa<tile::ViewType>(memory.getType())) {
        facts.globalBytes += bytes;
      } else {
        tile::LayoutAttrInterface layout = fragment.getLayout();
        int64_t held = layout.getRegisterCount(fragment.getShape()) *
                       layout.getGroupCount();
        for (int64_t extent :
             layout.getRegisterShape(fragment.getShape().size()))
          held *= extent;
        if (layout.hasCoordinates())
          held *= layout.getLaneCount();
        facts.sharedTraffic +=
            held * fragment.getElementType().getIntOrFloatBitWidth() / 8;
      }
    }
    if (auto conditional = dyn_cast<scf::IfOp>(op);
        conditional && !conditional.getThenRegion().empty())
      addTraffic(conditional.getThenRegion().front(), facts);
  }
}

std::vector<ProgramFacts> compile::collectFacts(ModuleOp module) {
  std::vector<ProgramFacts> all;
  for (frag::KernelOp kernel : module.getOps<frag::KernelOp>()) {
    ProgramFacts facts;
    facts.name = kernel.getSymName().str();
    facts.threads = kernel.getThreads();
    facts.sharedBytes = kernel.getSharedBytes();
    for (Block &block : kernel.getBody())
      facts.registers = std::max(facts.registers, mostRegisters(block, {}));
    // A guarded pipeline keeps the plain loop beside it; the first one is the
    // steady state.
    kernel.walk([&](scf::ForOp loop) {
      bool multiplies = llvm::any_of(
          *loop.getBody(), [](Operation &op) { return isa<frag::MmaOp>(op); });
      if (multiplies && facts.flops == 0)
        addTraffic(*loop.getBody(), facts);
    });
    all.push_back(std::move(facts));
  }
  return all;
}

/// How many workgroups one processor holds, and what keeps it from holding
/// more.
static std::string residency(const ProgramFacts &facts, const spv::Row &row) {
  // Addresses, counters and operands in flight beside the fragments.
  constexpr int64_t kScalarRegisters = 32;
  std::string limit = "nothing that the row knows of";
  int64_t count = 0;
  auto bound = [&](int64_t candidate, const std::string &what) {
    if (count == 0 || candidate < count) {
      count = candidate;
      limit = what;
    }
  };
  if (facts.sharedBytes > 0)
    bound(row.processorSharedBytes / facts.sharedBytes,
          llvm::formatv("shared memory ({0} of {1} bytes each)",
                        facts.sharedBytes, row.processorSharedBytes));
  if (row.registerFile > 0)
    bound(row.registerFile /
              ((facts.registers + kScalarRegisters) * facts.threads),
          llvm::formatv("registers (about {0} of {1} each)",
                        (facts.registers + kScalarRegisters) * facts.threads,
                        row.registerFile));
  if (count == 0 && limit != "nothing that the row knows of")
    return "less than one workgroup a processor by the estimate: expect "
           "spills; bounded by " +
           limit;
  return count ? llvm::formatv("{0} workgroup{1} a processor, bounded by {2}",
                               count, count == 1 ? "" : "s", limit)
                     .str()
               : "not bounded by " + limit;
}

static void printProgram(llvm::raw_ostream &os, const ProgramFacts &facts,
                         const spv::Row &row) {
  os << "    program " << facts.name << ": " << facts.threads << " threads, "
     << facts.sharedBytes << " bytes of shared memory, about "
     << facts.registers << " registers a lane for tiles\n";
  if (facts.flops) {
    os << "      a step: " << facts.flops << " flop";
    if (facts.globalBytes)
      os << llvm::formatv(", {0} bytes from global memory ({1:f1} flop/B)",
                          facts.globalBytes,
                          double(facts.flops) / facts.globalBytes);
    if (facts.sharedTraffic)
      os << llvm::formatv(", {0} bytes through shared memory ({1:f1} flop/B)",
                          facts.sharedTraffic,
                          double(facts.flops) / facts.sharedTraffic);
    os << "\n";
  }
  os << "      residency: " << residency(facts, row) << "\n";
}

/// Whether a formula is a conjunction of negations.
static bool refusesOnly(const bundle::Plan &plan, bundle::ExprId id) {
  const bundle::Expr &e = plan.exprs[id];
  return e.op == bundle::ExprOp::Not ||
         (e.op == bundle::ExprOp::And && refusesOnly(plan, e.operands[0]) &&
          refusesOnly(plan, e.operands[1]));
}

/// A guard as its conjuncts; what an earlier variant asked for is named by that
/// variant.
static std::string printGuard(const bundle::Kernel &kernel,
                              const bundle::Plan &plan,
                              const bundle::Variant &variant) {
  using bundle::ExprOp;
  llvm::DenseMap<bundle::ExprId, std::string> names;
  for (const bundle::Variant &earlier : plan.variants) {
    if (&earlier == &variant)
      break;
    // The part of its guard that is not about the variants before it.
    bundle::ExprId id = earlier.guard;
    if (plan.exprs[id].op == ExprOp::And &&
        refusesOnly(plan, plan.exprs[id].operands[0]))
      id = plan.exprs[id].operands[1];
    names[id] = earlier.name;
  }
  std::vector<std::string> parts;
  SmallVector<bundle::ExprId> work{variant.guard};
  while (!work.empty()) {
    bundle::ExprId id = work.pop_back_val();
    const bundle::Expr &e = plan.exprs[id];
    if (e.op == ExprOp::And) {
      work.push_back(e.operands[1]);
      work.push_back(e.operands[0]);
    } else if (e.op == ExprOp::Not && names.count(e.operands[0])) {
      parts.push_back("not '" + names[e.operands[0]] + "'");
    } else {
      parts.push_back(bundle::formatExpr(kernel, plan, id));
    }
  }
  return llvm::join(parts, " and ");
}

std::string compile::printReport(const RowReport &report,
                                 const bundle::Bundle &bundle) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const spv::Row &row = *spv::findRow(report.row);
  os << "target vulkan:" << report.row << " (" << row.summary << ")\n";
  for (const bundle::Kernel &kernel : bundle.kernels)
    for (const bundle::Implementation &implementation :
         kernel.implementations) {
      os << "  kernel '" << kernel.name << "': schedule "
         << (implementation.schedule.empty() ? "none" : implementation.schedule)
         << ", " << report.scheduleOrigin << "\n";
      for (const bundle::Variant &variant : implementation.plan.variants) {
        os << "    variant '" << variant.name << "' if "
           << printGuard(kernel, implementation.plan, variant) << "\n";
        for (const bundle::Dispatch &dispatch : variant.dispatches)
          os << "      launches " << dispatch.entryPoint << ": grid "
             << bundle::formatExpr(kernel, implementation.plan, dispatch.grid)
             << ", " << dispatch.pushConstants.size() << " push constants, "
             << bundle.modules[dispatch.module].bytes.size()
             << " bytes of SPIR-V\n";
      }
    }
  for (const ProgramFacts &facts : report.programs)
    printProgram(os, facts, row);
  double total = 0;
  os << "  compile time:";
  for (const StageTime &stage : report.stages) {
    os << llvm::formatv(" {0} {1:f1} ms,", stage.name, stage.milliseconds);
    total += stage.milliseconds;
  }
  os << llvm::formatv(" together {0:f1} ms\n", total);
  std::vector<StageTime> slowest = report.passes;
  llvm::stable_sort(slowest, [](const StageTime &a, const StageTime &b) {
    return a.milliseconds > b.milliseconds;
  });
  slowest.resize(std::min<size_t>(slowest.size(), 5));
  for (const StageTime &pass : slowest)
    os << llvm::formatv("    {0,-24} {1:f1} ms\n", pass.name,
                        pass.milliseconds);
  return text;
}
