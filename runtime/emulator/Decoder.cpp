//===- Decoder.cpp - From words to instructions -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Decoder.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace helios::emu {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

Type typeNamed(const std::string &name) {
  static const std::map<std::string, Type> types = {
      {"pred", {Type::Pred, 1}},        {"b8", {Type::Bits, 8}},
      {"b16", {Type::Bits, 16}},        {"b32", {Type::Bits, 32}},
      {"b64", {Type::Bits, 64}},        {"u8", {Type::Unsigned, 8}},
      {"u16", {Type::Unsigned, 16}},    {"u32", {Type::Unsigned, 32}},
      {"u64", {Type::Unsigned, 64}},    {"s8", {Type::Signed, 8}},
      {"s16", {Type::Signed, 16}},      {"s32", {Type::Signed, 32}},
      {"s64", {Type::Signed, 64}},      {"f16", {Type::Float, 16}},
      {"f16x2", {Type::Float, 32, 2}},  {"f32", {Type::Float, 32}},
      {"f64", {Type::Float, 64}},       {"bf16", {Type::Brain, 16}},
      {"bf16x2", {Type::Brain, 32, 2}}, {"tf32", {Type::Tf32, 32}},
      {"e4m3", {Type::E4m3, 8}},        {"e5m2", {Type::E5m2, 8}},
      {"e4m3x2", {Type::E4m3, 16, 2}},  {"e5m2x2", {Type::E5m2, 16, 2}},
  };
  auto found = types.find(name);
  return found == types.end() ? Type() : found->second;
}

void Decoder::fail(const std::string &message) {
  if (error.ok())
    error = Status::invalidInput(message);
}

void Decoder::unsupported(const std::string &message) {
  if (error.ok())
    error = Status::unsupported(message);
}

bool Decoder::needs(uint32_t arch, const char *what) {
  if (code.arch >= arch)
    return true;
  fail(std::string(what) + " needs sm_" + std::to_string(arch) +
       ", the module is for " + code.module->target);
  return false;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

bool Decoder::has(const char *word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool Decoder::take(const char *word) {
  auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    return false;
  words.erase(found);
  return true;
}

bool Decoder::nextIsType() const {
  for (const std::string &w : words)
    if (typeNamed(w).kind != Type::None)
      return true;
  return false;
}

Type Decoder::takeType() {
  for (auto w = words.begin(); w != words.end(); ++w)
    if (Type t = typeNamed(*w); t.kind != Type::None) {
      words.erase(w);
      return t;
    }
  fail("expected a type among its words, got none");
  return {Type::Bits, 32};
}

std::string Decoder::takePrefix(const char *prefix) {
  for (auto w = words.begin(); w != words.end(); ++w)
    if (w->compare(0, std::strlen(prefix), prefix) == 0) {
      std::string taken = *w;
      words.erase(w);
      return taken;
    }
  return "";
}

int Decoder::takeOneOf(std::initializer_list<const char *> list) {
  int n = 0;
  for (const char *word : list) {
    if (take(word))
      return n;
    ++n;
  }
  return -1;
}

std::string Decoder::takeSpace() {
  for (auto w = words.begin(); w != words.end(); ++w)
    for (const char *s : {"global", "shared::cta", "shared::cluster", "shared",
                          "local", "param", "const"})
      if (*w == s) {
        words.erase(w);
        return s;
      }
  return "generic";
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

uint32_t Decoder::allocate(uint32_t bits) {
  uint32_t slot = code.slotBytes;
  code.slotBytes += bits == 1 ? 64 : bits / 8 * kLanes;
  return slot;
}

uint32_t Decoder::constant(uint64_t value, uint32_t bits) {
  if (bits < 64)
    value &= (uint64_t(1) << bits) - 1;
  auto [at, fresh] = constants.insert({{value, bits}, 0});
  if (fresh) {
    at->second = allocate(bits);
    code.constants.push_back({at->second, bits, value});
  }
  return at->second;
}

uint32_t Decoder::sink(uint32_t bits) {
  auto [at, fresh] = sinks.insert({bits, 0});
  if (fresh)
    at->second = allocate(bits);
  return at->second;
}

bool Decoder::special(const std::string &name, Code::Special &what) const {
  using S = Code::Special;
  static const std::map<std::string, S> names = {
      {"%laneid", S::Lane},
      {"%warpid", S::WarpIndex},
      {"%nwarpid", S::NumWarps},
      {"%tid.x", S::TidX},
      {"%tid.y", S::TidY},
      {"%tid.z", S::TidZ},
      {"%ntid.x", S::NtidX},
      {"%ntid.y", S::NtidY},
      {"%ntid.z", S::NtidZ},
      {"%ctaid.x", S::CtaidX},
      {"%ctaid.y", S::CtaidY},
      {"%ctaid.z", S::CtaidZ},
      {"%nctaid.x", S::NctaidX},
      {"%nctaid.y", S::NctaidY},
      {"%nctaid.z", S::NctaidZ},
      {"%cluster_ctaid.x", S::ClusterCtaidX},
      {"%cluster_nctaid.x", S::ClusterNctaidX},
      {"%cluster_ctarank", S::ClusterCtarank},
      {"%cluster_nctarank", S::ClusterNctarank},
      {"%clusterid.x", S::ClusteridX},
      {"%nclusterid.x", S::NclusteridX},
      {"%lanemask_eq", S::LanemaskEq},
      {"%lanemask_lt", S::LanemaskLt},
      {"%lanemask_le", S::LanemaskLe},
      {"%lanemask_gt", S::LanemaskGt},
      {"%lanemask_ge", S::LanemaskGe},
      {"%smid", S::SmId},
      {"%nsmid", S::NsmId},
      {"%gridid", S::GridId},
      {"%dynamic_smem_size", S::DynamicShared},
      {"%total_smem_size", S::TotalShared},
  };
  auto found = names.find(name);
  if (found == names.end())
    return false;
  what = found->second;
  return true;
}

/// The address of a variable or parameter, or a special register.
uint32_t Decoder::symbol(const Operand &o, uint32_t bits) {
  Code::Special what;
  if (special(o.name, what)) {
    if (bits != 32 && bits != 64) {
      fail("'" + o.name + "' has 32 bits, the instruction reads " +
           std::to_string(bits));
      return 0;
    }
    auto [at, fresh] = specialSlots.insert({{int(what), bits}, 0});
    if (fresh) {
      at->second = allocate(bits);
      code.specials.push_back({at->second, bits, what});
    }
    return at->second;
  }
  if (o.name == "WARP_SZ")
    return constant(kLanes, bits);
  auto shared = sharedAddress.find(o.name);
  if (shared != sharedAddress.end())
    return constant(shared->second + uint64_t(o.offset), bits);
  auto local = localAddress.find(o.name);
  if (local != localAddress.end())
    return constant(local->second + uint64_t(o.offset), bits);
  auto global = globalOffset.find(o.name);
  if (global != globalOffset.end()) {
    if (bits != 64) {
      fail("the address of '" + o.name + "' has 64 bits");
      return 0;
    }
    uint32_t slot = allocate(64);
    code.globalConstants.push_back({slot, global->second + uint64_t(o.offset)});
    return slot;
  }
  if (const ptx::Parameter *p = parameter(o.name))
    return constant(p->offset + uint64_t(o.offset), bits);
  if (o.name[0] == '%')
    unsupported("unknown register '" + o.name +
                "': it is not declared, and no special register that the "
                "emulator knows");
  else
    fail("'" + o.name + "' is not declared");
  return 0;
}

const ptx::Parameter *Decoder::parameter(const std::string &name) const {
  for (const ptx::Parameter &p : code.kernel->parameters)
    if (p.name == name)
      return &p;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const Operand &Decoder::operand(size_t n) const {
  static const Operand none;
  if (n < source->operands.size())
    return source->operands[n];
  const_cast<Decoder *>(this)->fail(
      "expected an operand number " + std::to_string(n + 1) + ", got " +
      std::to_string(source->operands.size()) + " operands");
  return none;
}

uint32_t Decoder::readWide(const Operand &o, uint32_t bits, uint32_t &actual) {
  actual = bits;
  switch (o.kind) {
  case Kind::Register: {
    const ptx::Register &r = code.kernel->registers[o.reg];
    actual = r.bits;
    if (r.bits < bits || (r.bits == 1) != (bits == 1) || o.offset)
      fail("register " + r.name + " has " + std::to_string(r.bits) +
           " bits, the instruction reads " + std::to_string(bits));
    uses.push_back(o.reg);
    return code.slotOf[o.reg];
  }
  case Kind::Integer:
    return constant(o.bits, bits);
  case Kind::Float32:
    if (bits == 64) {
      float f;
      uint32_t u = uint32_t(o.bits);
      std::memcpy(&f, &u, 4);
      double d = f;
      uint64_t v;
      std::memcpy(&v, &d, 8);
      return constant(v, 64);
    }
    return constant(o.bits, bits);
  case Kind::Float64:
    if (bits == 32) {
      double d;
      std::memcpy(&d, &o.bits, 8);
      float f = float(d);
      uint32_t v;
      std::memcpy(&v, &f, 4);
      return constant(v, 32);
    }
    return constant(o.bits, bits);
  case Kind::Symbol:
    return symbol(o, bits);
  default:
    fail("expected a register or a number as an operand that is read");
    return 0;
  }
}

uint32_t Decoder::read(const Operand &o, uint32_t bits) {
  uint32_t actual = 0;
  uint32_t slot = readWide(o, bits, actual);
  if (ok() && actual != bits)
    fail("register " + code.kernel->registers[o.reg].name + " has " +
         std::to_string(actual) + " bits, the instruction reads " +
         std::to_string(bits));
  return slot;
}

uint32_t Decoder::readPredicate(size_t n) {
  const Operand &o = operand(n);
  if (o.kind == Kind::Integer)
    return constant(o.bits != 0, 1);
  return read(o, 1);
}

uint32_t Decoder::writeWide(const Operand &o, uint32_t bits, uint32_t &actual) {
  actual = bits;
  if (o.kind == Kind::Sink)
    return sink(bits);
  if (o.kind != Kind::Register || o.offset) {
    fail("expected a register as the operand that is written");
    return 0;
  }
  const ptx::Register &r = code.kernel->registers[o.reg];
  actual = r.bits;
  if (r.bits < bits || (r.bits == 1) != (bits == 1))
    fail("register " + r.name + " has " + std::to_string(r.bits) +
         " bits, the instruction writes " + std::to_string(bits));
  defs.push_back(o.reg);
  return code.slotOf[o.reg];
}

uint32_t Decoder::write(const Operand &o, uint32_t bits) {
  uint32_t actual = 0;
  uint32_t slot = writeWide(o, bits, actual);
  if (ok() && actual != bits)
    fail("register " + code.kernel->registers[o.reg].name + " has " +
         std::to_string(actual) + " bits, the instruction writes " +
         std::to_string(bits));
  return slot;
}

uint32_t Decoder::writePredicate(const Operand &o) { return write(o, 1); }

const std::vector<Operand> &Decoder::elements(size_t n) {
  const Operand &o = operand(n);
  if (o.kind == Kind::Vector)
    return o.parts;
  single.assign(1, o);
  return single;
}

uint32_t Decoder::address(const Operand &o, bool &wide, int64_t &imm) {
  if (o.kind != Kind::Address || o.parts.empty()) {
    fail("expected an address in brackets");
    return 0;
  }
  const Operand &base = o.parts[0];
  imm = o.offset;
  if (base.kind == Kind::Register) {
    uint32_t bits = code.kernel->registers[base.reg].bits;
    if (bits != 32 && bits != 64)
      fail("an address has 32 or 64 bits, register " +
           code.kernel->registers[base.reg].name + " has " +
           std::to_string(bits));
    wide = bits == 64;
    uses.push_back(base.reg);
    return code.slotOf[base.reg];
  }
  wide = true;
  return read(base, 64);
}

bool Decoder::immediate(size_t n, int64_t &value) {
  const Operand &o = operand(n);
  if (o.kind != Kind::Integer) {
    fail("expected a number as operand " + std::to_string(n + 1));
    return false;
  }
  value = int64_t(o.bits);
  return true;
}

void Decoder::operands(int count, uint32_t bits) {
  inst.d = write(0, bits);
  inst.a = read(1, bits);
  inst.b = count > 1 ? read(2, bits) : inst.a;
  inst.c = count > 2 ? read(3, bits) : inst.a;
}

void Decoder::push(uint32_t slot) {
  if (inst.count == 0)
    inst.pool = uint32_t(code.pool.size());
  code.pool.push_back(slot);
  ++inst.count;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Gives variables their addresses and registers their slots.
void Decoder::layOut() {
  auto align = [](uint64_t v, uint64_t a) { return (v + a - 1) / a * a; };
  uint64_t shared = kSharedBase, local = kLocalWindow;
  std::vector<const ptx::Variable *> dynamic;
  for (const auto *list : {&code.module->variables, &code.kernel->variables})
    for (const ptx::Variable &v : *list) {
      if (v.space == ptx::Space::Shared && v.isExtern) {
        dynamic.push_back(&v);
      } else if (v.space == ptx::Space::Shared) {
        shared = align(shared, v.align);
        sharedAddress[v.name] = shared;
        shared += v.bytes;
      } else if (v.space == ptx::Space::Local) {
        local = align(local, v.align);
        localAddress[v.name] = local;
        local += v.bytes;
      } else if (v.isExtern) {
        fail("variable '" + v.name + "' is defined in another module");
      } else {
        uint64_t at = align(code.globals.size(), std::max(v.align, 16u));
        globalOffset[v.name] = at;
        code.globals.resize(at + v.bytes);
        std::copy_n(v.init.begin(), std::min<size_t>(v.init.size(), v.bytes),
                    code.globals.begin() + int64_t(at));
      }
    }
  code.staticShared = uint32_t(shared - kSharedBase);
  uint64_t end = shared;
  for (const ptx::Variable *v : dynamic)
    end = std::max(end, align(shared, v->align));
  for (const ptx::Variable *v : dynamic)
    sharedAddress[v->name] = end;
  code.dynamicShared = uint32_t(end);
  code.localBytes = uint32_t(local - kLocalWindow);
  code.slotOf.reserve(code.kernel->registers.size());
  for (const ptx::Register &r : code.kernel->registers)
    code.slotOf.push_back(allocate(r.bits));
}

namespace {

const DecodeTable &table() {
  static const DecodeTable all = [] {
    DecodeTable t;
    addInteger(t);
    addBits(t);
    addMoves(t);
    addFloat(t);
    addConvert(t);
    addCompare(t);
    addControl(t);
    addMemory(t);
    addAtomics(t);
    addWarp(t);
    addMatrixMoves(t);
    addMma(t);
    addCopyAsync(t);
    addBarriers(t);
    addMbarrier(t);
    addBulk(t);
    addWgmma(t);
    return t;
  }();
  return all;
}

std::string joined(const ptx::Instruction &i) {
  std::string text;
  for (const std::string &w : i.words)
    text += (text.empty() ? "" : ".") + w;
  return text;
}

} // namespace

void Decoder::instruction(size_t index) {
  source = &code.kernel->instructions[index];
  inst = Inst();
  inst.line = source->line;
  inst.place = source->place;
  words.assign(source->words.begin() + 1, source->words.end());
  uses.clear();
  defs.clear();
  if (source->guard >= 0) {
    inst.guarded = true;
    inst.guardNegated = source->guardNegated;
    inst.guardRegister = uint32_t(source->guard);
    inst.guard = code.slotOf[inst.guardRegister];
  }
  auto family = table().find(source->words[0]);
  if (family == table().end()) {
    unsupported("unknown instruction");
    return;
  }
  family->second(*this);
  if (ok() && !words.empty())
    unsupported("unknown modifier '." + words[0] + "'");
  inst.uses = uint32_t(code.registerLists.size());
  inst.numUses = uint16_t(uses.size());
  code.registerLists.insert(code.registerLists.end(), uses.begin(), uses.end());
  inst.defs = uint32_t(code.registerLists.size());
  inst.numDefs = uint16_t(defs.size());
  code.registerLists.insert(code.registerLists.end(), defs.begin(), defs.end());
  code.insts.push_back(inst);
}

Status Decoder::run() {
  layOut();
  code.insts.reserve(code.kernel->instructions.size() + 1);
  for (size_t i = 0; ok() && i < code.kernel->instructions.size(); ++i) {
    instruction(i);
    if (!ok())
      return error.withPrefix("PTX: line " + std::to_string(source->line) +
                              ": '" + joined(*source) + "': ");
  }
  if (!ok())
    return error.withPrefix("PTX: kernel '" + code.kernel->name + "': ");
  findReconvergence(code);
  return Status::success();
}

Result<std::shared_ptr<const Code>>
decode(std::shared_ptr<const ptx::Module> module, const std::string &entry) {
  auto code = std::make_shared<Code>();
  code->kernel = module->find(entry);
  if (!code->kernel) {
    std::string names;
    for (const ptx::Kernel &k : module->kernels)
      names += (names.empty() ? "" : ", ") + k.name;
    return Status::invalidInput("PTX: no entry '" + entry +
                                "'; the module has: " + names);
  }
  code->module = std::move(module);
  const std::string &target = code->module->target;
  if (target.compare(0, 3, "sm_") != 0)
    return Status::invalidInput("PTX: .target: expected sm_NN, got '" + target +
                                "'");
  code->arch = uint32_t(std::atoi(target.c_str() + 3));
  if (code->arch < 50 || code->arch > 90)
    return Status::unsupported("PTX: .target " + target +
                               ": the emulator knows sm_50 to sm_90a");
  Decoder decoder(*code);
  if (Status s = decoder.run(); !s.ok())
    return s;
  return std::shared_ptr<const Code>(std::move(code));
}

} // namespace helios::emu
