//===- Decoder.h - From words to instructions --------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of instructions is one file: how its words are decoded, and what
// its instructions do. It takes the words that it understands; a word that is
// left over is an error.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_DECODER_H
#define HELIOS_RUNTIME_EMULATOR_DECODER_H

#include "emulator/Code.h"
#include <map>

namespace helios::emu {

/// A type of PTX.
struct Type {
  enum Kind : uint8_t {
    None,
    Bits,
    Unsigned,
    Signed,
    Float,
    Brain,
    E4m3,
    E5m2,
    Tf32,
    Pred
  } kind = None;
  uint32_t bits = 0;  ///< all of it
  uint32_t lanes = 1; ///< 2 for f16x2
  bool operator==(const Type &o) const {
    return kind == o.kind && bits == o.bits && lanes == o.lanes;
  }
  bool is(Kind k, uint32_t n) const {
    return kind == k && bits == n && lanes == 1;
  }
  bool isInteger() const {
    return kind == Bits || kind == Unsigned || kind == Signed;
  }
};
Type typeNamed(const std::string &name);

class Decoder {
public:
  explicit Decoder(Code &code) : code(code) {}
  Status run();

  // The words behind the first, in any order, each taken once.
  bool take(const char *word);
  bool has(const char *word) const;
  /// Takes the first word that is a type.
  Type takeType();
  bool nextIsType() const;
  /// Takes the first word that begins so and gives it; empty: none.
  std::string takePrefix(const char *prefix);
  /// Takes one of a list; -1: none of them stands there.
  int takeOneOf(std::initializer_list<const char *> words);

  // Operands. Wrong ones make `fail` be called, and the result is slot 0.
  size_t numOperands() const { return source->operands.size(); }
  const ptx::Operand &operand(size_t n) const;
  uint32_t read(size_t n, uint32_t bits) { return read(operand(n), bits); }
  uint32_t read(const ptx::Operand &o, uint32_t bits);
  /// The result, then `count` operands a, b, c, all of so many bits.
  void operands(int count, uint32_t bits);
  /// A register of at least so many bits.
  uint32_t readWide(const ptx::Operand &o, uint32_t bits, uint32_t &actual);
  uint32_t readPredicate(size_t n);
  uint32_t write(size_t n, uint32_t bits) { return write(operand(n), bits); }
  uint32_t write(const ptx::Operand &o, uint32_t bits);
  uint32_t writeWide(const ptx::Operand &o, uint32_t bits, uint32_t &actual);
  uint32_t writePredicate(const ptx::Operand &o);
  /// Like read, for a constant of float or integer type.
  uint32_t constant(uint64_t value, uint32_t bits);
  /// A slot that nobody reads.
  uint32_t sink(uint32_t bits);
  /// The elements of {a, b}, or the operand itself.
  const std::vector<ptx::Operand> &elements(size_t n);
  /// Base of an address, 64 bits in the slot's lanes iff `wide`; `imm` gets the
  /// offset.
  uint32_t address(const ptx::Operand &o, bool &wide, int64_t &imm);
  /// A number that must be known now.
  bool immediate(size_t n, int64_t &value);
  /// Adds slots to the pool; the first sets Inst::pool.
  void push(uint32_t slot);
  const ptx::Parameter *parameter(const std::string &name) const;
  /// Sets `generic` or a space taken from the words.
  std::string takeSpace();

  void fail(const std::string &message);
  void unsupported(const std::string &message);
  bool ok() const { return error.ok(); }
  bool needs(uint32_t arch, const char *what);

  Code &code;
  const ptx::Instruction *source = nullptr;
  Inst inst;

private:
  friend struct Layout;
  void instruction(size_t index);
  void layOut();
  uint32_t symbol(const ptx::Operand &o, uint32_t bits);
  uint32_t allocate(uint32_t bits);
  bool special(const std::string &name, Code::Special &what) const;

  Status error;
  std::vector<std::string> words;
  std::vector<uint32_t> uses, defs;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants;
  std::map<std::pair<int, uint32_t>, uint32_t> specialSlots;
  std::map<std::string, uint64_t> sharedAddress, globalOffset, localAddress;
  std::map<uint32_t, uint32_t> sinks;
  std::vector<ptx::Operand> single;
};

using DecodeFunction = void (*)(Decoder &);
using DecodeTable = std::map<std::string, DecodeFunction>;

// The families; each adds the first words that it decodes.
void addInteger(DecodeTable &table);
void addBits(DecodeTable &table);
void addMoves(DecodeTable &table);
void addFloat(DecodeTable &table);
void addConvert(DecodeTable &table);
void addCompare(DecodeTable &table);
void addControl(DecodeTable &table);
void addMemory(DecodeTable &table);
void addAtomics(DecodeTable &table);
void addWarp(DecodeTable &table);
void addMatrixMoves(DecodeTable &table);
void addMma(DecodeTable &table);
void addCopyAsync(DecodeTable &table);
void addBarriers(DecodeTable &table);
void addMbarrier(DecodeTable &table);
void addBulk(DecodeTable &table);
void addWgmma(DecodeTable &table);

/// Fills in where the lanes of each branch meet again.
void findReconvergence(Code &code);

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_DECODER_H
