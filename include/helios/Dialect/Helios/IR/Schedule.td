// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#helios.schedule`: the tuning parameters of a kernel. The list itself is ScheduleParameters.def.

#ifndef HELIOS_DIALECT_HELIOS_IR_SCHEDULE_TD
#define HELIOS_DIALECT_HELIOS_IR_SCHEDULE_TD

include "helios/Dialect/Helios/IR/HeliosDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Helios_ScheduleAttr : AttrDef<Helios_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "Tuning parameters of a kernel";
  let description = [{
    Typed tuning parameters, each with a range, a default and a sentence of documentation in
    `ScheduleParameters.def`; what is not given has its default and is not printed.

    ```mlir
    #helios.schedule<strategy = staged, tile = [128, 256, 32], groups = [2, 4], depth = 2>
    ```

    The same parameters are accepted as one command-line string, `tile=128x256x32,groups=2x4,depth=2`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "all values, in the order of the list">:$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
#define HELIOS_SCHEDULE_CHOICE(Name, Key, Choices, Default, Doc)                                                       \
    int64_t get##Name() const { return getValues()[kSchedule##Name]; }
#define HELIOS_SCHEDULE_INTEGERS(Name, Key, Components, Count, Min, Max, Multiple, D0, D1, D2, Doc)                    \
    ::llvm::ArrayRef<int64_t> get##Name() const { return getValues().slice(kSchedule##Name, Count); }
#include "helios/Dialect/Helios/IR/ScheduleParameters.def"

    /// Subgroups of a workgroup that multiply, those of every slice of K.
    int64_t getNumGroups() const { return getGroups()[0] * getGroups()[1] * getSlicedK()[0]; }

    /// Workgroups of a cluster.
    int64_t getClusterSize() const { return ::llvm::product_of(getCluster()) * getClusterK()[0]; }

    /// The schedule in which every parameter has its default.
    static ScheduleAttr getDefault(::mlir::MLIRContext *context);

    /// Parses "tile=128x128x32,depth=2". Reports through `emitError` and returns null when a key is unknown, a value is
    /// outside of its range or the text is malformed. `given` receives the parameters that the text names.
    static ScheduleAttr parseString(::llvm::StringRef text, ::mlir::MLIRContext *context,
                                    ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                                    ::llvm::SmallVectorImpl<ScheduleValue> *given = nullptr);

    /// The inverse of parseString: what differs from the defaults, "default" when nothing does.
    std::string toString() const;

    /// A copy in which the values that start at `first` are replaced.
    ScheduleAttr with(ScheduleValue first, ::llvm::ArrayRef<int64_t> values) const;

    /// The word of the strategy parameter, e.g. "staged".
    ::llvm::StringRef getStrategyName() const;
    ::llvm::StringRef getPackName() const;
  }];
}

def Helios_TunedAttr : AttrDef<Helios_Dialect, "Tuned"> {
  let mnemonic = "tuned";
  let summary = "extents of a product for which a table of measurements names a schedule";
  let description = [{
    Where M, N and K are `above` the first extents and `upto` the others, and rows of the operands begin at lines of the cache or do
    not (`aligned`), the launch plan takes the schedule of number `choice`: 0 is the kernel's schedule, its alternatives follow.

    ```mlir
    #helios.tuned<2, above = [3968, 3968, 3968], upto = [4096, 4096, 4096], aligned = true>
    ```
  }];
  let parameters = (ins "int64_t":$choice, ArrayRefParameter<"int64_t">:$above, ArrayRefParameter<"int64_t">:$upTo, "bool":$aligned);
  let assemblyFormat = "`<` $choice `,` `above` `=` `[` $above `]` `,` `upto` `=` `[` $upTo `]` `,` `aligned` `=` $aligned `>`";
  let genVerifyDecl = 1;
}

#endif // HELIOS_DIALECT_HELIOS_IR_SCHEDULE_TD
