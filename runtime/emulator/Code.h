//===- Code.h - A kernel decoded for execution -------------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction is decoded once: a function that executes it for a warp, and
// slots, which are places in the warp's array of registers. A slot of a 16, 32
// or 64-bit register holds 32 lanes of it, one of a predicate a mask of lanes.
// Constants and special registers have slots too, so no instruction asks what
// kind of operand it has.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_CODE_H
#define HELIOS_RUNTIME_EMULATOR_CODE_H

#include "emulator/Ptx.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helios::emu {

/// One bit a lane.
using Mask = uint32_t;
inline constexpr unsigned kLanes = 32;
inline constexpr Mask kAllLanes = ~Mask(0);

struct Warp;
struct Inst;

/// What a warp does after an instruction.
enum class Step : uint8_t {
  Next,  ///< goes on
  Yield, ///< goes on when it is its turn again
  Wait,  ///< goes on when it is woken
  Again, ///< tries the same instruction when it is its turn again
  Jump,  ///< the instruction has set the place to go on
  Stop,  ///< the kernel cannot go on; there is a finding that says why
};

using Handler = Step (*)(Warp &, const Inst &, Mask);

struct Inst {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0; ///< slots
  int64_t imm = 0;
  uint32_t pool = 0; ///< the first of `count` more slots in Code::pool
  uint16_t count = 0;
  uint16_t aux = 0; ///< the handler's own
  uint32_t guard = 0, guardRegister = 0;
  bool guarded = false, guardNegated = false;
  /// All lanes of the warp must execute it together (.aligned).
  bool aligned = false;
  /// Moves what may be undefined without using it.
  bool moves = false;
  int32_t target = -1, reconverge = -1; ///< of branches
  uint32_t uses = 0, defs = 0;          ///< in Code::registerLists
  uint16_t numUses = 0, numDefs = 0;
  uint32_t line = 0;
  uint32_t place = 0; ///< in ptx::Module::places
};

struct Code {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Kernel *kernel = nullptr;
  uint32_t arch = 80; ///< 90 for sm_90a
  std::vector<Inst> insts;
  std::vector<uint32_t> pool;
  std::vector<uint32_t> registerLists; ///< numbers of registers
  std::vector<uint32_t> slotOf;        ///< of a register
  uint32_t slotBytes = 0;

  struct Constant {
    uint32_t slot;
    uint32_t bits; ///< 1, 16, 32, 64
    uint64_t value;
  };
  std::vector<Constant> constants;
  enum class Special : uint8_t {
    Lane,
    WarpIndex,
    NumWarps,
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    ClusterCtaidX,
    ClusterNctaidX,
    ClusterCtarank,
    ClusterNctarank,
    ClusteridX,
    NclusteridX,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    SmId,
    NsmId,
    GridId,
    DynamicShared,
    TotalShared
  };
  struct SpecialSlot {
    uint32_t slot;
    uint32_t bits;
    Special what;
  };
  std::vector<SpecialSlot> specials;

  /// Static shared memory, from its base; dynamic begins behind it.
  uint32_t staticShared = 0, dynamicShared = 0;
  /// Of .global and .const variables, by the image's address.
  std::vector<uint8_t> globals;
  std::vector<std::pair<uint32_t, uint64_t>> globalConstants; ///< slot, offset
  uint32_t localBytes = 0;
  bool usesWgmma = false;
};

// Windows of the address space. Shared memory begins at 1024, as on sm_90,
// where the system takes the first KiB. Generic addresses of it carry the
// window in their upper half; addresses of another block of the cluster carry
// its rank + 1 above 24 bits.
inline constexpr uint32_t kSharedBase = 1024;
inline constexpr uint64_t kSharedWindow = uint64_t(0x7f01) << 32;
inline constexpr uint64_t kLocalWindow = uint64_t(0x7f02) << 32;
inline constexpr uint64_t kParamWindow = uint64_t(0x7f03) << 32;
inline constexpr uint64_t kWindowMask = ~uint64_t(0xffffffff);

/// Decodes one entry. Unsupported names the line and the word of an
/// instruction or modifier that the emulator does not know; InvalidInput names
/// what is wrong with one it knows.
Result<std::shared_ptr<const Code>>
decode(std::shared_ptr<const ptx::Module> module, const std::string &entry);

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_CODE_H
