//===- Ptx.h - PTX as text says it -------------------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of PTX, parsed: declarations, and instructions as words. What the
// words mean is decided in Decoder.h. Names of registers and labels are
// resolved here, because blocks in braces may declare their own.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_PTX_H
#define HELIOS_RUNTIME_EMULATOR_PTX_H

#include "helios/Bundle/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace helios::emu::ptx {

struct Operand {
  enum class Kind : uint8_t {
    Register, ///< `reg`
    Symbol,   ///< `name` plus `offset`: a variable, parameter, special register
    Label,    ///< `reg` is the label's number
    Integer,  ///< `bits`, two's complement
    Float32,  ///< `bits` of an f32 (0f...)
    Float64,  ///< `bits` of an f64 (0d... or 1.5)
    Address,  ///< [parts[0] + offset], then the coordinates of a tensor
    Vector,   ///< {parts}
    Pair,     ///< parts[0]|parts[1]
    Sink,     ///< _
  } kind = Kind::Sink;
  bool negated = false; ///< !p
  uint32_t reg = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name;
  std::vector<Operand> parts;
};

/// A place in what the module was compiled from, as .loc says it.
struct Place {
  uint32_t file = 0, line = 0, column = 0;
};

struct Instruction {
  uint32_t line = 0;
  uint32_t place = 0; ///< in Module::places; 0: unknown
  int32_t guard = -1; ///< a register
  bool guardNegated = false;
  /// "ld", "global", "nc", "v2", "b32".
  std::vector<std::string> words;
  std::vector<Operand> operands;
};

struct Register {
  std::string name;
  uint32_t bits = 32; ///< 1 for predicates
};

enum class Space : uint8_t { Shared, Global, Const, Local };

struct Variable {
  std::string name;
  Space space = Space::Shared;
  uint32_t align = 1;
  uint64_t bytes = 0;
  bool isExtern = false; ///< dynamic shared memory
  std::vector<uint8_t> init;
};

struct Parameter {
  std::string name;
  uint32_t align = 1;
  uint32_t bytes = 0;
  uint32_t offset = 0;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t requiredThreads[3] = {0, 0, 0}; ///< .reqntid; 0: not said
  uint32_t maxThreads[3] = {0, 0, 0};      ///< .maxntid
  uint32_t clusterDims[3] = {0, 0, 0};     ///< .reqnctapercluster
  uint32_t maxRegisters = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables; ///< of its own, renamed if need be
  std::vector<Instruction> instructions;
  std::vector<int64_t> labels; ///< number -> instruction, -1: undefined
  std::vector<std::string> labelNames;
};

struct Module {
  uint32_t version = 0; ///< 10 * major + minor
  std::string target;   ///< "sm_90a"
  std::vector<std::string> files;
  std::vector<Place> places{{}}; ///< the first is nowhere
  /// Ops by where they stand in the source, "FILE:LINE:COLUMN": what the
  /// compiler's list in comments says.
  std::map<std::string, std::string> operations;
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
  std::vector<std::string> lines; ///< the text, for messages

  /// "helios.matmul at gemm.mlir:5:8", or empty.
  std::string describePlace(uint32_t place) const;
  const Kernel *find(const std::string &name) const {
    for (const Kernel &k : kernels)
      if (k.name == name)
        return &k;
    return nullptr;
  }
};

/// InvalidInput names the line, what was expected and what stands there.
Result<Module> parse(const std::string &text);

} // namespace helios::emu::ptx

#endif // HELIOS_RUNTIME_EMULATOR_PTX_H
