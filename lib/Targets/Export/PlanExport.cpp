// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A launch plan as data: every path through its conditionals that launches
// something is a variant, guarded by the conditions along it.

#include "Formulas.h"
#include "helios/Targets/Export/Export.h"
#include <set>

using namespace mlir;
using namespace helios;
using namespace helios::exporting;
using bundle::ExprId;

std::optional<bundle::ElementType> exporting::getElementType(Type type) {
  using E = bundle::ElementType;
  if (type.isIndex())
    return E::I64;
  if (type.isUnsignedInteger())
    return type.isInteger(8) ? std::optional(E::U8) : std::nullopt;
  if (isa<IntegerType>(type))
    switch (type.getIntOrFloatBitWidth()) {
    case 8:
      return E::I8;
    case 16:
      return E::I16;
    case 32:
      return E::I32;
    case 64:
      return E::I64;
    default:
      return std::nullopt;
    }
  if (type.isF16())
    return E::F16;
  if (type.isBF16())
    return E::BF16;
  if (type.isF32())
    return E::F32;
  if (type.isF64())
    return E::F64;
  if (isa<FloatTF32Type>(type))
    return E::TF32;
  if (isa<Float8E4M3FNType>(type))
    return E::E4M3;
  if (isa<Float8E5M2Type>(type))
    return E::E5M2;
  return std::nullopt;
}

/// How many of the arguments are results.
static FailureOr<unsigned> countOutputs(tile::PlanOp plan) {
  int64_t count = plan.getOutputCount().value_or(1),
          total = plan.getArgumentTypes().size();
  if (count < 1 || count > total)
    return plan.emitOpError("expected 'output_count' to be from 1 to the ")
           << total << " arguments, got " << count;
  return unsigned(count);
}

FailureOr<std::vector<bundle::Argument>>
exporting::exportArguments(tile::PlanOp plan) {
  FailureOr<unsigned> outputs = countOutputs(plan);
  if (failed(outputs))
    return failure();
  unsigned total = plan.getArgumentTypes().size();
  ArrayAttr names = plan.getArgNamesAttr();
  if (names && names.size() != total)
    return plan.emitOpError("expected ")
           << total << " names in 'arg_names', got " << names.size();
  ArrayAttr packedBy = plan.getPackedByAttr();
  if (packedBy && packedBy.size() != total)
    return plan.emitOpError("expected ")
           << total << " names in 'packed_by', got " << packedBy.size();
  std::vector<bundle::Argument> arguments;
  for (auto [i, type] : llvm::enumerate(plan.getArgumentTypes())) {
    bundle::Argument argument;
    argument.name =
        names ? cast<StringAttr>(names[i]).str() : "arg" + std::to_string(i);
    argument.isResult = i >= total - *outputs;
    if (packedBy)
      argument.packedBy = cast<StringAttr>(packedBy[i]).str();
    auto tensor = dyn_cast<RankedTensorType>(type);
    argument.kind =
        tensor ? bundle::ArgumentKind::Tensor : bundle::ArgumentKind::Scalar;
    std::optional<bundle::ElementType> element =
        getElementType(tensor ? tensor.getElementType() : type);
    if (!element)
      return plan.emitOpError("argument #")
             << i << " of type " << type
             << " cannot be passed to a kernel; expected f16, bf16, tf32, f32, "
                "f64, i8, i16, i32 or i64";
    argument.type = *element;
    if (!tensor && argument.isResult)
      return plan.emitOpError("expected result #")
             << i << " to be a tensor, got " << type;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        argument.extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

namespace {

/// A way through a plan.
struct Path {
  PathValues values;
  ExprId condition;
  std::string name;
  std::vector<bundle::Dispatch> dispatches;
};

class PlanExporter {
public:
  PlanExporter(tile::PlanOp op, const ProgramInterfaces &programs)
      : op(op), programs(programs), formulas(plan) {}

  FailureOr<bundle::Plan> run();

private:
  LogicalResult walk(Block &block, SmallVector<Path> &paths);
  LogicalResult walkIf(scf::IfOp op, SmallVector<Path> &paths);
  /// A conditional that launches nothing: its results are selected.
  LogicalResult select(scf::IfOp op, Path &path);
  LogicalResult launch(tile::DispatchOp op, Path &path);
  FailureOr<bundle::Binding> bind(tile::DispatchOp op,
                                  const ProgramInterface::Binding &binding,
                                  Path &path);
  FailureOr<bundle::PushWord> push(tile::DispatchOp op, unsigned argument,
                                   Path &path);
  FailureOr<bundle::Parameter>
  passParameter(tile::DispatchOp op,
                const ProgramInterface::Parameter &parameter, Path &path);
  FailureOr<bundle::TensorMap>
  makeTensorMap(tile::DispatchOp op, const ProgramInterface::TensorMap &map,
                Path &path);
  void overlap(bundle::Dispatch &dispatch) const;
  void check(ExprId condition, ExprId holds, std::string message);
  void report(tile::ChoiceOp choice, Path &path);
  void checkStaticExtents();
  void findResultExtents();
  bool readsOnlyInputs(ExprId id) const;
  bool isResult(unsigned argument) const { return argument >= firstResult; }

  tile::PlanOp op;
  const ProgramInterfaces &programs;
  bundle::Plan plan;
  Formulas formulas;
  std::vector<bundle::Argument> arguments;
  unsigned firstResult = 0;
  std::set<std::pair<ExprId, std::string>> checks;
  static constexpr size_t kMaxPaths =
      1024; ///< Variants of a plan in the bundle's format.
};

void PlanExporter::check(ExprId condition, ExprId holds, std::string message) {
  bundle::ExprBuilder &b = formulas.builder();
  ExprId never = formulas.negation(condition);
  const bundle::Expr &e = plan.exprs[never];
  ExprId expr = e.op == bundle::ExprOp::Const && e.imm == 0
                    ? holds
                    : b.logicalOr(never, holds);
  if (checks.emplace(expr, message).second)
    plan.checks.push_back({expr, std::move(message)});
}

/// A schedule that is preferred on this way only.
void PlanExporter::report(tile::ChoiceOp choice, Path &path) {
  auto origin = [&] {
    switch (choice.getOrigin()) {
    case tile::Origin::User:
      return bundle::Origin::User;
    case tile::Origin::Model:
      return bundle::Origin::Model;
    case tile::Origin::Table:
      return bundle::Origin::Table;
    }
    llvm_unreachable("unknown origin");
  };
  plan.choices.push_back(
      {choice.getSchedule().str(), origin(),
       path.values.lookup(choice.getPrice()),
       formulas.conjunction(path.condition,
                            path.values.lookup(choice.getTaken())),
       path.values.lookup(choice.getTuned())});
}

/// A static extent is a promise that the caller must keep.
void PlanExporter::checkStaticExtents() {
  bundle::ExprBuilder &b = formulas.builder();
  for (auto [i, argument] : llvm::enumerate(arguments))
    for (auto [dim, extent] : llvm::enumerate(argument.extents))
      if (extent >= 0)
        check(b.constant(1), b.eq(b.extent(i, dim), b.constant(extent)),
              "extent " + std::to_string(dim) + " of " + argument.name +
                  " must equal " + std::to_string(extent));
}

bool PlanExporter::readsOnlyInputs(ExprId id) const {
  llvm::SmallVector<ExprId> work{id};
  llvm::DenseSet<ExprId> seen;
  while (!work.empty()) {
    ExprId current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    const bundle::Expr &e = plan.exprs[current];
    using bundle::ExprOp;
    switch (e.op) {
    case ExprOp::Extent:
      if (isResult(e.operands[0]))
        return false;
      break;
    case ExprOp::Stride:
    case ExprOp::Alignment:
    case ExprOp::Offset:
    case ExprOp::Device:
      return false;
    default:
      for (unsigned i = 0; i < exprOperandCount(e.op); ++i)
        work.push_back(e.operands[i]);
    }
  }
  return true;
}

/// Checks that say `extent of a result == formula of the inputs` give the
/// result's shape.
void PlanExporter::findResultExtents() {
  bundle::ExprBuilder &b = formulas.builder();
  using bundle::ExprOp;
  std::map<std::pair<unsigned, unsigned>, ExprId> found;
  SmallVector<ExprId> work;
  for (const bundle::Check &check : plan.checks)
    work.push_back(check.expr);
  // Equal extents of two results make one known through the other, so this runs
  // until nothing new is found.
  bool changed = true;
  auto known = [&](ExprId id) -> std::optional<ExprId> {
    const bundle::Expr &e = plan.exprs[id];
    if (e.op == ExprOp::Extent && isResult(e.operands[0])) {
      auto it = found.find({e.operands[0], e.operands[1]});
      return it == found.end() ? std::nullopt : std::optional(it->second);
    }
    return readsOnlyInputs(id) ? std::optional(id) : std::nullopt;
  };
  while (changed) {
    changed = false;
    for (size_t i = 0; i < work.size(); ++i) {
      bundle::Expr e = plan.exprs[work[i]];
      if (e.op == ExprOp::And && llvm::count(work, e.operands[0]) == 0) {
        work.push_back(e.operands[0]);
        work.push_back(e.operands[1]);
        changed = true;
      }
      if (e.op != ExprOp::Eq)
        continue;
      for (unsigned side : {0u, 1u}) {
        const bundle::Expr &extent = plan.exprs[e.operands[side]];
        if (extent.op != ExprOp::Extent || !isResult(extent.operands[0]))
          continue;
        std::pair<unsigned, unsigned> key{extent.operands[0],
                                          extent.operands[1]};
        if (std::optional<ExprId> value = known(e.operands[1 - side]);
            value && !found.count(key)) {
          found[key] = *value;
          changed = true;
        }
      }
    }
  }
  std::vector<std::vector<ExprId>> shapes;
  for (unsigned i = firstResult; i < arguments.size(); ++i) {
    shapes.emplace_back();
    for (auto [dim, extent] : llvm::enumerate(arguments[i].extents)) {
      auto it = found.find({i, unsigned(dim)});
      if (extent < 0 && it == found.end())
        return; // unknown before the launch
      shapes.back().push_back(extent < 0 ? it->second : b.constant(extent));
    }
  }
  plan.resultExtents = std::move(shapes);
}

FailureOr<bundle::Binding>
PlanExporter::bind(tile::DispatchOp dispatch,
                   const ProgramInterface::Binding &binding, Path &path) {
  if (binding.argument >= dispatch.getArgs().size())
    return dispatch.emitOpError("binding ")
           << binding.number << " of the program stands for argument #"
           << binding.argument << ", but only " << dispatch.getArgs().size()
           << " are given";
  Value source = dispatch.getArgs()[binding.argument];
  bundle::Binding result;
  result.binding = binding.number;
  result.access = binding.access;
  result.early = binding.early;
  if (auto argument = dyn_cast<BlockArgument>(source);
      argument && isa<RankedTensorType>(source.getType())) {
    result.argument = argument.getArgNumber();
    if (binding.access != bundle::Access::Read && !isResult(result.argument))
      return dispatch.emitOpError("argument #")
             << binding.argument << " is written by the program, but '"
             << arguments[result.argument].name
             << "' is an input of the kernel";
    return result;
  }
  auto workspace = source.getDefiningOp<tile::WorkspaceOp>();
  if (!workspace)
    return dispatch.emitOpError("expected argument #")
           << binding.argument
           << " to be a tensor of the plan or its workspace";
  result.source = bundle::BindingSource::Workspace;
  result.workspaceOffset = path.values.lookup(workspace.getOffset());
  return result;
}

FailureOr<bundle::PushWord> PlanExporter::push(tile::DispatchOp dispatch,
                                               unsigned argument, Path &path) {
  if (argument >= dispatch.getArgs().size())
    return dispatch.emitOpError("the program takes argument #")
           << argument << " as a push constant, but only "
           << dispatch.getArgs().size() << " are given";
  Value value = dispatch.getArgs()[argument];
  Type type = value.getType();
  const ExprId *id = path.values.find(value);
  if (!id || !(type.isIndex() ||
               (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 32)))
    return dispatch.emitOpError("expected argument #")
           << argument
           << " to be an index, or a scalar of at most 32 bits, got " << type;
  return bundle::PushWord{*id, isa<FloatType>(type) ? bundle::PushKind::Low32
                                                    : bundle::PushKind::I32};
}

FailureOr<bundle::Parameter>
PlanExporter::passParameter(tile::DispatchOp dispatch,
                            const ProgramInterface::Parameter &parameter,
                            Path &path) {
  using Kind = ProgramInterface::Parameter::Kind;
  bundle::Parameter result;
  result.index = parameter.index;
  if (parameter.kind == Kind::Pointer) {
    result.kind = bundle::ParameterKind::Pointer;
    return result;
  }
  if (parameter.kind == Kind::TensorMap) {
    result.kind = bundle::ParameterKind::TensorMap;
    return result;
  }
  result.index = 0;
  if (parameter.index >= dispatch.getArgs().size())
    return dispatch.emitOpError("the program takes argument #")
           << parameter.index << " as a scalar, but only "
           << dispatch.getArgs().size() << " are given";
  Value value = dispatch.getArgs()[parameter.index];
  Type type = value.getType();
  const ExprId *id = path.values.find(value);
  unsigned bits = type.isIndex()        ? 64
                  : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                        : 0;
  if (!id || bits == 0 || bits > 64)
    return dispatch.emitOpError("expected argument #")
           << parameter.index
           << " to be an index, or a scalar of at most 64 bits, got " << type;
  result.kind = bits <= 8    ? bundle::ParameterKind::Scalar8
                : bits <= 16 ? bundle::ParameterKind::Scalar16
                : bits <= 32 ? bundle::ParameterKind::Scalar32
                             : bundle::ParameterKind::Scalar64;
  result.expr = *id;
  return result;
}

FailureOr<bundle::TensorMap>
PlanExporter::makeTensorMap(tile::DispatchOp dispatch,
                            const ProgramInterface::TensorMap &map,
                            Path &path) {
  bundle::ExprBuilder &b = formulas.builder();
  bundle::TensorMap result;
  result.binding = map.argument;
  result.type = map.type;
  result.box.assign(map.box.begin(), map.box.end());
  result.swizzle = map.swizzle;
  auto add = [&](ArrayRef<ProgramInterface::Quantity> from,
                 std::vector<ExprId> &to) -> LogicalResult {
    for (const ProgramInterface::Quantity &quantity : from) {
      if (!quantity.argument) {
        to.push_back(b.constant(quantity.constant));
        continue;
      }
      if (*quantity.argument >= dispatch.getArgs().size())
        return dispatch.emitOpError("a tensor map of the program reads "
                                    "argument #")
               << *quantity.argument << ", but only "
               << dispatch.getArgs().size() << " are given";
      Value value = dispatch.getArgs()[*quantity.argument];
      const ExprId *id = path.values.find(value);
      if (!id || !value.getType().isIndex())
        return dispatch.emitOpError("expected argument #")
               << *quantity.argument
               << ", which a tensor map of the program reads, to be an index, "
                  "got "
               << value.getType();
      to.push_back(quantity.constant == 1
                       ? *id
                       : b.mul(*id, b.constant(quantity.constant)));
    }
    return success();
  };
  if (failed(add(map.extents, result.extents)) ||
      failed(add(map.strides, result.strides)))
    return failure();
  return result;
}

/// What the launch itself writes, such as the copy of an operand, is there when
/// the dispatch in front has ended: one that reads it early begins then.
void PlanExporter::overlap(bundle::Dispatch &dispatch) const {
  dispatch.dependent &=
      llvm::none_of(dispatch.bindings, [&](const bundle::Binding &binding) {
        return binding.early &&
               (binding.source == bundle::BindingSource::Workspace ||
                isResult(binding.argument));
      });
  for (bundle::Binding &binding : dispatch.bindings)
    binding.early &= dispatch.dependent;
}

LogicalResult PlanExporter::launch(tile::DispatchOp dispatch, Path &path) {
  auto it = programs.find(dispatch.getProgram());
  if (it == programs.end())
    return dispatch.emitOpError("launches ")
           << dispatch.getProgramAttr()
           << ", which has not been compiled to a module";
  const ProgramInterface &program = it->second;
  bundle::Dispatch result;
  result.module = program.module;
  result.entryPoint = program.entryPoint;
  result.grid = path.values.lookup(dispatch.getGrid());
  result.workgroupSize[0] = program.threads;
  for (const ProgramInterface::Binding &binding : program.bindings) {
    FailureOr<bundle::Binding> bound = bind(dispatch, binding, path);
    if (failed(bound))
      return failure();
    result.bindings.push_back(*bound);
  }
  for (unsigned argument : program.pushConstants) {
    FailureOr<bundle::PushWord> word = push(dispatch, argument, path);
    if (failed(word))
      return failure();
    result.pushConstants.push_back(*word);
  }
  for (const ProgramInterface::Parameter &parameter : program.parameters) {
    FailureOr<bundle::Parameter> passed =
        passParameter(dispatch, parameter, path);
    if (failed(passed))
      return failure();
    result.parameters.push_back(*passed);
  }
  for (const ProgramInterface::TensorMap &map : program.tensorMaps) {
    FailureOr<bundle::TensorMap> made = makeTensorMap(dispatch, map, path);
    if (failed(made))
      return failure();
    result.tensorMaps.push_back(std::move(*made));
  }
  if (!program.sm.empty()) {
    result.clusterSize = program.cluster;
    result.dependent = program.dependent;
    overlap(result);
    result.sharedBytes = program.sharedBytes;
  }
  path.dispatches.push_back(std::move(result));
  StringRef name = dispatch.getVariant().value_or(dispatch.getProgram());
  if (path.name.empty())
    path.name = name;
  else if (!dispatch.getVariant())
    path.name += ("+" + name).str();
  return success();
}

static bool launches(Operation *op) {
  return op->walk([](tile::DispatchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult PlanExporter::select(scf::IfOp conditional, Path &path) {
  ExprId outer = path.condition,
         condition = path.values.lookup(conditional.getCondition());
  SmallVector<SmallVector<ExprId>> yielded;
  for (Region &region : conditional->getRegions()) {
    path.condition = formulas.conjunction(
        outer,
        region.getRegionNumber() ? formulas.negation(condition) : condition);
    SmallVector<ExprId> &results = yielded.emplace_back();
    if (region.empty())
      continue;
    SmallVector<Path> one;
    one.push_back(std::move(path));
    if (failed(walk(region.front(), one)))
      return failure();
    path = std::move(one.front());
    for (Value value : region.front().getTerminator()->getOperands())
      results.push_back(path.values.lookup(value));
  }
  path.condition = outer;
  for (auto [i, result] : llvm::enumerate(conditional.getResults()))
    path.values.set(result, formulas.builder().select(condition, yielded[0][i],
                                                      yielded[1][i]));
  return success();
}

LogicalResult PlanExporter::walkIf(scf::IfOp conditional,
                                   SmallVector<Path> &paths) {
  if (!launches(conditional)) {
    for (Path &path : paths)
      if (failed(select(conditional, path)))
        return failure();
    return success();
  }
  SmallVector<Path> after;
  for (Region &region : conditional->getRegions()) {
    SmallVector<Path> taken =
        region.getRegionNumber() ? std::move(paths) : SmallVector<Path>(paths);
    for (Path &path : taken) {
      ExprId condition = path.values.lookup(conditional.getCondition());
      path.condition = formulas.conjunction(
          path.condition,
          region.getRegionNumber() ? formulas.negation(condition) : condition);
    }
    if (!region.empty()) {
      if (failed(walk(region.front(), taken)))
        return failure();
      for (Path &path : taken)
        for (auto [result, value] :
             llvm::zip(conditional.getResults(),
                       region.front().getTerminator()->getOperands()))
          path.values.setOwn(result, path.values.lookup(value));
    }
    std::move(taken.begin(), taken.end(), std::back_inserter(after));
  }
  paths = std::move(after);
  if (paths.size() > kMaxPaths)
    return conditional.emitOpError("makes more than ")
           << kMaxPaths
           << " ways through the plan; a bundle holds no more variants";
  return success();
}

LogicalResult PlanExporter::walk(Block &block, SmallVector<Path> &paths) {
  for (Operation &inner : block) {
    if (inner.hasTrait<OpTrait::IsTerminator>() ||
        isa<tile::WorkspaceOp>(inner))
      continue;
    if (auto conditional = dyn_cast<scf::IfOp>(inner)) {
      if (failed(walkIf(conditional, paths)))
        return failure();
      continue;
    }
    for (Path &path : paths) {
      if (auto require = dyn_cast<tile::RequireOp>(inner))
        check(path.condition, path.values.lookup(require.getCondition()),
              require.getMessage().str());
      else if (auto choice = dyn_cast<tile::ChoiceOp>(inner))
        report(choice, path);
      else if (auto dispatch = dyn_cast<tile::DispatchOp>(inner)) {
        if (failed(launch(dispatch, path)))
          return failure();
      } else if (failed(formulas.define(&inner, path.values))) {
        return failure();
      }
    }
  }
  return success();
}

FailureOr<bundle::Plan> PlanExporter::run() {
  FailureOr<std::vector<bundle::Argument>> exported = exportArguments(op);
  if (failed(exported))
    return failure();
  arguments = std::move(*exported);
  firstResult =
      llvm::find_if(arguments,
                    [](const bundle::Argument &a) { return a.isResult; }) -
      arguments.begin();
  bundle::ExprBuilder &b = formulas.builder();
  checkStaticExtents();

  SmallVector<Path> paths(1);
  paths.front().condition = b.constant(1);
  Block &body = op.getBody().front();
  for (auto [i, value] : llvm::enumerate(body.getArguments()))
    if (!isa<RankedTensorType>(value.getType()))
      paths.front().values.set(value, b.scalar(i));
  if (failed(walk(body, paths)))
    return failure();

  for (Path &path : paths) {
    if (path.dispatches.empty())
      continue; // computes nothing, so the kernel is not supported on this way
    bundle::Variant variant;
    variant.name = path.name;
    variant.guard = path.condition;
    variant.workspaceBytes =
        path.values.lookup(body.getTerminator()->getOperand(0));
    for (bundle::Dispatch &dispatch : path.dispatches)
      for (bundle::Binding &binding : dispatch.bindings)
        if (binding.source == bundle::BindingSource::Workspace)
          binding.workspaceBytes = formulas.difference(variant.workspaceBytes,
                                                       binding.workspaceOffset);
    variant.dispatches = std::move(path.dispatches);
    plan.variants.push_back(std::move(variant));
  }
  if (plan.variants.empty())
    return op.emitOpError(
        "launches nothing on any path; expected a tile.dispatch");
  findResultExtents();
  return std::move(plan);
}

} // namespace

FailureOr<bundle::Plan>
exporting::exportPlan(tile::PlanOp plan, const ProgramInterfaces &programs) {
  return PlanExporter(plan, programs).run();
}
