// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "Options.h"
#include "Ptxas.h"
#include "helios/Bundle/Serialize.h"
#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Targets/PTX/Rows.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::compile;

/// 32-bit registers of one lane for a value; zero for what is no fragment.
static int64_t registersOf(Type type) {
  // A product in flight holds its accumulators.
  if (auto inFlight = dyn_cast<frag::InFlightType>(type))
    type = inFlight.getFragment();
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
  Type element = fragment.getElementType();
  int64_t bits = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                   : tile::getStoredBits(element);
  return llvm::divideCeil(elements * bits, 32);
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
  return llvm::product_of(shape) * tile::getStoredBits(element) / 8;
}

/// Bytes that the lanes of a program hold of a tile, with copies.
static int64_t heldBytes(frag::FragmentType fragment) {
  tile::LayoutAttrInterface layout = fragment.getLayout();
  int64_t held =
      layout.getRegisterCount(fragment.getShape()) * layout.getGroupCount();
  for (int64_t extent : layout.getRegisterShape(fragment.getShape().size()))
    held *= extent;
  if (layout.hasCoordinates())
    held *= layout.getLaneCount();
  return held * tile::getStoredBits(fragment.getElementType()) / 8;
}

/// Adds what reads, writes, copies and products move and compute in one trip of
/// a loop body of which `replicas` run, without loops inside.
static void addTraffic(Block &body, int64_t replicas, ProgramFacts &facts) {
  auto addMemory = [&](Value memory, frag::FragmentType fragment) {
    // Every group reads its own copy of what it shares with others.
    if (isa<tile::ViewType>(memory.getType()))
      facts.globalBytes +=
          replicas * bytesOf(fragment.getShape(), fragment.getElementType());
    else
      facts.sharedTraffic += replicas * heldBytes(fragment);
  };
  auto addFlops = [&](Type a, frag::FragmentType d, bool transposed) {
    ArrayRef<int64_t> shape = isa<frag::MemType>(a)
                                  ? cast<frag::MemType>(a).getShape()
                                  : cast<frag::FragmentType>(a).getShape();
    int64_t depth = transposed ? shape.drop_back().back() : shape.back();
    facts.flops += replicas * 2 * llvm::product_of(d.getShape()) * depth;
  };
  for (Operation &op : body) {
    if (auto read = dyn_cast<frag::ReadOp>(op)) {
      addMemory(read.getSource(), read.getResult().getType());
    } else if (auto write = dyn_cast<frag::WriteOp>(op)) {
      addMemory(write.getDest(),
                cast<frag::FragmentType>(write.getFragment().getType()));
    } else if (auto copy = dyn_cast<frag::CopyInOp>(op)) {
      auto tile = cast<frag::MemType>(copy.getDest().getType());
      int64_t bytes = bytesOf(tile.getShape(), tile.getElementType());
      facts.globalBytes += replicas * bytes;
      facts.sharedTraffic += replicas * bytes;
    } else if (auto mma = dyn_cast<frag::MmaOp>(op)) {
      addFlops(mma.getA().getType(), mma.getResult().getType(), false);
    } else if (auto start = dyn_cast<frag::MmaStartOp>(op)) {
      addFlops(start.getA().getType(),
               start.getResult().getType().getFragment(), start.getTransA());
      for (Value operand : {start.getA(), start.getB()})
        if (auto tile = dyn_cast<frag::MemType>(operand.getType()))
          facts.sharedTraffic +=
              replicas * bytesOf(tile.getShape(), tile.getElementType());
    }
    if (auto conditional = dyn_cast<scf::IfOp>(op);
        conditional && !conditional.getThenRegion().empty())
      addTraffic(conditional.getThenRegion().front(), replicas, facts);
  }
}

static int64_t replicasOf(frag::RoleOp role) {
  int64_t lanes = role.getLast() - role.getFirst();
  return lanes / role.getLanesPerReplica().value_or(lanes);
}

std::vector<ProgramFacts> compile::collectFacts(ModuleOp module) {
  std::vector<ProgramFacts> all;
  for (frag::KernelOp kernel : module.getOps<frag::KernelOp>()) {
    ProgramFacts facts;
    facts.name = kernel.getSymName().str();
    facts.threads = kernel.getThreads();
    facts.sharedBytes = kernel.getSharedBytes();
    facts.declaredRegisters = kernel.getRegs().value_or(0);
    for (Block &block : kernel.getBody())
      facts.registers = std::max(facts.registers, mostRegisters(block, {}));
    // A guarded pipeline keeps the plain loop beside it; the first one is the
    // steady state. What another role copies belongs to the step.
    bool multiplied = false, copied = false;
    kernel.walk([&](scf::ForOp loop) {
      Block &body = *loop.getBody();
      if (!body.getOps<scf::ForOp>().empty())
        return;
      bool multiplies = llvm::any_of(body, [](Operation &op) {
        return isa<frag::MmaOp, frag::MmaStartOp>(op);
      });
      bool copies = !body.getOps<frag::CopyInOp>().empty();
      if (multiplies ? multiplied : (!copies || copied))
        return;
      multiplied |= multiplies;
      copied |= copies;
      auto role = loop->getParentOfType<frag::RoleOp>();
      addTraffic(body, role ? replicasOf(role) : 1, facts);
    });
    if (!multiplied)
      facts.flops = facts.globalBytes = facts.sharedTraffic = 0;
    all.push_back(std::move(facts));
  }
  return all;
}

namespace {

/// What one processor of a row's devices has; zero: unknown.
struct Processor {
  std::string api, summary, code;
  int64_t sharedBytes = 0;
  int64_t sharedOverhead = 0; ///< Of each workgroup, beside what it asks for.
  int64_t registers = 0;
  int64_t threads = 0;
  int64_t mostRegisters = 0; ///< Of one lane.
};

} // namespace

static Processor processorOf(const std::string &name) {
  Processor p;
  if (const ptx::Row *row = ptx::findRow(name)) {
    p.api = "cuda";
    p.summary = row->summary;
    p.code = "PTX";
    p.sharedBytes = row->processorSharedBytes;
    p.sharedOverhead = 1024;
    // The same on every architecture since compute capability 5.0.
    p.registers = 65536;
    p.mostRegisters = 255;
    p.threads = row->processorInvocations;
    return p;
  }
  const spv::Row &row = *spv::findRow(name);
  p.api = "vulkan";
  p.summary = row.summary;
  p.code = "SPIR-V";
  p.sharedBytes = row.processorSharedBytes;
  p.registers = row.registerFile;
  return p;
}

/// How many workgroups one processor holds, and what keeps it from holding
/// more. `exact`: the registers of a thread, where they are known.
static std::string residency(const ProgramFacts &facts, const Processor &p,
                             int64_t exact) {
  // Addresses, counters and operands in flight beside the fragments.
  constexpr int64_t kScalarRegisters = 32;
  std::string limit = "nothing that the row knows of";
  std::optional<int64_t> least;
  auto bound = [&](int64_t candidate, const std::string &what) {
    if (!least || candidate < *least) {
      least = candidate;
      limit = what;
    }
  };
  if (facts.sharedBytes > 0) {
    int64_t bytes = facts.sharedBytes + p.sharedOverhead;
    bound(p.sharedBytes / bytes,
          llvm::formatv("shared memory ({0} of {1} bytes each)", bytes,
                        p.sharedBytes));
  }
  if (p.registers > 0) {
    int64_t lane = exact ? exact : facts.registers + kScalarRegisters;
    // They are given out in eights to the lanes of a warp.
    if (exact)
      lane = llvm::alignTo(lane, 8);
    else if (p.mostRegisters)
      lane = std::min(lane, p.mostRegisters);
    bound(p.registers / (lane * facts.threads),
          llvm::formatv("registers ({0}{1} of {2} each)", exact ? "" : "about ",
                        lane * facts.threads, p.registers));
  }
  if (p.threads > 0)
    bound(p.threads / facts.threads,
          llvm::formatv("threads ({0} of {1} each)", facts.threads, p.threads));
  if (!least)
    return "not bounded by " + limit;
  int64_t count = *least;
  if (count == 0)
    return "less than one workgroup a processor by the estimate: expect "
           "spills; bounded by " +
           limit;
  std::string share;
  if (p.threads > 0)
    share = llvm::formatv(" ({0} of {1} threads)", count * facts.threads,
                          p.threads);
  return llvm::formatv("{0} workgroup{1} a processor{2}, bounded by {3}", count,
                       count == 1 ? "" : "s", share, limit);
}

/// `machine`: what the assembler says of it, or null.
static void printProgram(llvm::raw_ostream &os, const ProgramFacts &facts,
                         const Processor &processor,
                         const MachineFacts *machine) {
  os << "    program " << facts.name << ": " << facts.threads << " threads, "
     << facts.sharedBytes << " bytes of shared memory, about "
     << facts.registers << " registers a lane for tiles\n";
  if (machine) {
    os << "      ptxas: " << machine->registers << " registers a thread, ";
    if (machine->spillBytes)
      os << machine->spillBytes << " bytes of them spilled\n";
    else
      os << "none spilled\n";
  }
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
  os << "      residency: "
     << residency(facts, processor,
                  machine ? machine->registers : facts.declaredRegisters)
     << "\n";
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

/// What a launch is given beside memory.
static std::string passed(const bundle::Dispatch &dispatch) {
  return dispatch.parameters.empty()
             ? llvm::formatv("{0} push constants",
                             dispatch.pushConstants.size())
             : llvm::formatv("{0} parameters", dispatch.parameters.size());
}

/// What the assembler says of a CUDA row's programs.
static llvm::StringMap<MachineFacts> machineFacts(const RowReport &report,
                                                  const bundle::Bundle &bundle,
                                                  std::string &problem) {
  llvm::StringMap<MachineFacts> all;
  if (!isCuda(report.row))
    return all;
  for (const bundle::Module &module : bundle.modules) {
    StringRef text(reinterpret_cast<const char *>(module.bytes.data()),
                   module.bytes.size());
    // An ELF file, or LLVM IR, is not for it.
    if (!text.contains(".version"))
      continue;
    for (auto &entry : assemble(text, report.row, problem))
      all[entry.first()] = entry.second;
  }
  return all;
}

std::string compile::printReport(const RowReport &report,
                                 const bundle::Bundle &bundle) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Processor processor = processorOf(report.row);
  os << "target " << targetName(report.row) << " (" << processor.summary
     << ")\n";
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
             << ", " << passed(dispatch) << ", "
             << bundle.modules[dispatch.module].bytes.size() << " bytes of "
             << processor.code << "\n";
      }
    }
  std::string problem;
  llvm::StringMap<MachineFacts> machine = machineFacts(report, bundle, problem);
  if (!problem.empty())
    os << "    ptxas: not asked for registers and spills: " << problem << "\n";
  for (const ProgramFacts &facts : report.programs) {
    auto it = machine.find(facts.name);
    printProgram(os, facts, processor,
                 it == machine.end() ? nullptr : &it->second);
  }
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
