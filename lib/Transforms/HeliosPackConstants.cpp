// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-pack-constants: constant operands become packed tensors, which kernels
// of their own make.

#include "SelectSchedule.h"
#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "helios/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

namespace helios {
#define GEN_PASS_DEF_HELIOSPACKCONSTANTS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

class HeliosPackConstants
    : public helios::impl::HeliosPackConstantsBase<HeliosPackConstants> {
public:
  void runOnOperation() override {
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      auto target =
          dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
      if (target && !target.packsConstants())
        continue;
      for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
        if (kernel.getArgAttr(i, HeliosDialect::kConstantAttr) &&
            failed(pack(kernel, i)))
          return signalPassFailure();
    }
  }

private:
  /// Whole tiles of every schedule of the kernel.
  static SmallVector<int64_t> multipleOf(KernelOp kernel, bool rhs) {
    SmallVector<int64_t> multiple{1, 1};
    auto add = [&](ScheduleAttr schedule) {
      multiple[0] = std::lcm(multiple[0], schedule.getTile()[2]);
      multiple[1] = std::lcm(multiple[1], schedule.getTile()[rhs ? 1 : 0]);
    };
    add(kernel.getScheduleAttr());
    if (ArrayAttr alternatives = kernel.getAlternativesAttr())
      llvm::for_each(alternatives.getAsRange<ScheduleAttr>(), add);
    return multiple;
  }

  LogicalResult pack(KernelOp kernel, unsigned number) {
    BlockArgument arg = kernel.getArgument(number);
    std::string name = "arg" + std::to_string(number);
    if (auto given = kernel.getArgAttrOfType<StringAttr>(
            number, HeliosDialect::kNameAttr))
      name = given.str();
    auto target =
        dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
    ScheduleAttr schedule = kernel.getScheduleAttr();
    if (!target || !schedule)
      return kernel.emitOpError("has the constant argument '")
             << name << "' but no "
             << (target ? "schedule; run helios-select-schedule first"
                        : "target row; give it one as 'target = ...'");
    auto product =
        arg.hasOneUse() ? dyn_cast<MatmulOp>(*arg.user_begin()) : MatmulOp();
    auto type = cast<RankedTensorType>(arg.getType());
    bool rhs = product && product.isRight(*arg.use_begin());
    if (!product || !(rhs || &*arg.use_begin() == &product.getLhsMutable()) ||
        type.getRank() != 2)
      return kernel.emitOpError("is not lowered with the constant argument '")
             << name
             << "': expected it to be a matrix that one product takes as an "
                "operand";
    if (rhs ? product.hasPrologue() : product.hasPrologueA())
      return kernel.emitOpError("is not lowered with the constant argument '")
             << name
             << "': expected an operand that is multiplied as it is stored, "
                "got one that a prologue computes";
    Value other = !rhs || !product.getPair() ? Value()
                  : arg == product.getRhs()  ? product.getPair()
                                             : product.getRhs();
    if (other && !isPackedOperand(other))
      return kernel.emitOpError("is not lowered with the constant argument '")
             << name << "': expected both right operands of a pair to be "
             << "constant, got one";
    tile::MmaAttrInterface mma = schedule::instructionOf(
        schedule,
        target.getMmas(product.getLhsElement(), product.getRhsElement(),
                       product.getAccType()));
    PackingAttr packing =
        mma ? schedule::packingOf(product, rhs, mma, multipleOf(kernel, rhs),
                                  target)
            : PackingAttr();
    if (!packing) {
      InFlightDiagnostic diag =
          product.emitOpError("wants its constant operand '")
          << name << "' in the order of lanes, but target '"
          << target.getRowName() << "' has no such order";
      if (mma)
        diag << " of the operands of " << mma;
      return diag;
    }
    std::string symbol = (kernel.getSymName() + "_pack_").str();
    for (char c : name)
      symbol += llvm::isAlnum(c) ? c : '_';
    if (SymbolTable::lookupSymbolIn(getOperation(), symbol))
      return kernel.emitOpError()
             << "needs the name '@" << symbol
             << "' for the kernel that packs, but another symbol has it";
    auto packed = RankedTensorType::get(
        SmallVector<int64_t>(4, ShapedType::kDynamic), type.getElementType());
    bool transpose = rhs ? product.getTransposeB() : product.getTransposeA();

    OpBuilder b(kernel);
    Location loc = arg.getLoc();
    OperationState state(loc, KernelOp::getOperationName());
    state.addAttribute("sym_name", b.getStringAttr(symbol));
    state.addAttribute("function_type",
                       TypeAttr::get(b.getFunctionType({type}, {packed})));
    state.addAttribute("target", kernel.getTargetAttr());
    state.addAttribute("schedule",
                       schedule::packingSchedule(schedule, packing, target));
    state.addRegion();
    auto packer = cast<KernelOp>(b.create(state));
    packer.setArgAttr(0, HeliosDialect::kNameAttr, b.getStringAttr(name));
    {
      OpBuilder::InsertionGuard guard(b);
      Block *body = b.createBlock(&packer.getBody(), {}, {type}, {loc});
      Value result = PackOp::create(b, loc, packed, body->getArgument(0),
                                    packing, transpose);
      ReturnOp::create(b, loc, result);
    }

    SmallVector<Type> types(kernel.getArgumentTypes());
    types[number] = packed;
    kernel.setFunctionType(b.getFunctionType(types, kernel.getResultTypes()));
    arg.setType(packed);
    SmallVector<int64_t> shape(type.getShape());
    if (transpose)
      std::swap(shape[0], shape[1]);
    b.setInsertionPoint(product);
    auto plain = UnpackOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), arg,
        packing);
    arg.replaceAllUsesExcept(plain, plain);
    // The flag is of both right operands of a pair: it goes with the last one.
    if (rhs && (!other || other.getDefiningOp<UnpackOp>()))
      product.setTransposeB(false);
    else if (!rhs)
      product.setTransposeA(false);
    kernel.removeArgAttr(number, HeliosDialect::kConstantAttr);
    kernel.setArgAttr(number, HeliosDialect::kPackedByAttr,
                      b.getStringAttr(symbol));
    return success();
  }
};

} // namespace
