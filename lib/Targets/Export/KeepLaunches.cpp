// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which programs some launches take: their plans are evaluated before there is
// code.

#include "helios/Targets/Export/KeepLaunches.h"
#include "helios/Targets/Export/Export.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helios;

namespace {
/// Programs by name, each a module without bindings whose number is its place.
struct Stubs {
  exporting::ProgramInterfaces interfaces;
  SmallVector<StringRef> names;
};
} // namespace

static Stubs stubsOf(tile::PlanOp plan) {
  Stubs stubs;
  plan.walk([&](tile::DispatchOp dispatch) {
    exporting::ProgramInterface interface;
    interface.module = stubs.names.size();
    if (stubs.interfaces.try_emplace(dispatch.getProgram(), interface).second)
      stubs.names.push_back(dispatch.getProgram());
  });
  return stubs;
}

/// A plan as a kernel of a bundle whose only implementation has no programs.
static FailureOr<bundle::Kernel> kernelOf(tile::PlanOp plan,
                                          const Stubs &stubs) {
  bundle::Kernel kernel;
  kernel.name = plan.getSymName().str();
  FailureOr<std::vector<bundle::Argument>> arguments =
      exporting::exportArguments(plan);
  if (failed(arguments))
    return failure();
  kernel.arguments = *std::move(arguments);
  FailureOr<bundle::Plan> exported =
      exporting::exportPlan(plan, stubs.interfaces);
  if (failed(exported))
    return failure();
  kernel.implementations.emplace_back().plan = *std::move(exported);
  return kernel;
}

/// Adds the programs that the launches take.
static LogicalResult collect(tile::PlanOp plan, const bundle::Bundle &packers,
                             ArrayRef<bundle::Launch> launches,
                             int64_t computeUnits, llvm::StringSet<> &taken) {
  Stubs stubs = stubsOf(plan);
  FailureOr<bundle::Kernel> kernel = kernelOf(plan, stubs);
  if (failed(kernel))
    return failure();
  const bundle::Plan &exported = kernel->implementations.front().plan;
  auto refuse = [&](const Twine &why) {
    return plan.emitError("--only-launches: ") << why;
  };
  for (const bundle::Launch &launch : launches) {
    for (const auto &[name, value] : launch.scalars)
      if (llvm::none_of(kernel->arguments, [&, n = name](const auto &argument) {
            return argument.kind == bundle::ArgumentKind::Scalar &&
                   argument.name == n;
          }))
        return refuse("expected scalars that kernel '" + kernel->name +
                      "' takes, got '" + name + "'");
    auto input =
        bundle::denseInput(packers, *kernel, exported, launch, computeUnits);
    if (!input.ok())
      return refuse(input.status().message());
    auto resolved = bundle::resolve(*kernel, exported, *input);
    if (!resolved.ok())
      return refuse(resolved.status().message());
    for (const bundle::ResolvedDispatch &dispatch : resolved->dispatches)
      taken.insert(stubs.names[dispatch.module]);
  }
  return success();
}

/// The plans that pack an argument of another.
static llvm::StringSet<> packersOf(ModuleOp module) {
  llvm::StringSet<> packers;
  for (tile::PlanOp plan : module.getOps<tile::PlanOp>())
    if (ArrayAttr names = plan.getPackedByAttr())
      for (StringRef name : names.getAsValueRange<StringAttr>())
        packers.insert(name);
  return packers;
}

LogicalResult exporting::keepLaunches(ModuleOp module,
                                      ArrayRef<bundle::Launch> launches,
                                      int64_t computeUnits) {
  llvm::StringSet<> taken, packerNames = packersOf(module);
  bundle::Bundle packers;
  for (tile::PlanOp plan : module.getOps<tile::PlanOp>()) {
    if (!packerNames.contains(plan.getSymName()))
      continue;
    Stubs stubs = stubsOf(plan);
    taken.insert_range(stubs.names);
    FailureOr<bundle::Kernel> kernel = kernelOf(plan, stubs);
    if (failed(kernel))
      return failure();
    packers.kernels.push_back(*std::move(kernel));
  }
  for (tile::PlanOp plan : module.getOps<tile::PlanOp>())
    if (!packerNames.contains(plan.getSymName()) &&
        failed(collect(plan, packers, launches, computeUnits, taken)))
      return failure();
  module.walk([&](tile::DispatchOp dispatch) {
    if (taken.contains(dispatch.getProgram()))
      return;
    OpBuilder builder(dispatch);
    Location loc = dispatch.getLoc();
    Value no = arith::ConstantIntOp::create(builder, loc, false, 1);
    tile::RequireOp::create(
        builder, loc, no,
        builder.getStringAttr(
            "expected a launch that the bundle was compiled for, got one that "
            "takes '" +
            dispatch.getVariant().value_or(dispatch.getProgram()) +
            "'; compile it without --only-launches, or with this launch too"));
    dispatch.erase();
  });
  for (tile::ProgramOp program :
       llvm::make_early_inc_range(module.getOps<tile::ProgramOp>()))
    if (!taken.contains(program.getSymName()))
      program.erase();
  return success();
}
