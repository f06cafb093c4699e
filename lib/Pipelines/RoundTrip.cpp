// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-round-trip: the module goes on as what its text says.

#include "helios/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSROUNDTRIP
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;

namespace {

class HeliosRoundTrip
    : public helios::impl::HeliosRoundTripBase<HeliosRoundTrip> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string text = print(module);
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
        text, ParserConfig(&getContext()), "round-trip");
    if (!parsed) {
      module.emitError("its text does not parse");
      return signalPassFailure();
    }
    std::string again = print(*parsed);
    if (again != text) {
      // The first line that differs says most.
      StringRef a = text, b = again;
      while (!a.empty() && a.split('\n').first == b.split('\n').first) {
        a = a.split('\n').second;
        b = b.split('\n').second;
      }
      module.emitError("prints other text after a round trip: '")
          << a.split('\n').first.trim() << "' became '"
          << b.split('\n').first.trim() << "'";
      return signalPassFailure();
    }
    module->setAttrs(parsed.get()->getAttrDictionary());
    module.getBodyRegion().takeBody(parsed->getBodyRegion());
  }

private:
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }
};

} // namespace
