//===- Parser.cpp - Modules, declarations, instructions of PTX -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lexer.h"
#include "emulator/Ptx.h"
#include <cstdlib>
#include <cstring>
#include <map>

namespace helios::emu::ptx {

namespace {

/// Bytes of ".b8", ".u32", ...; 0: no such type.
uint32_t typeBytes(const std::string &directive) {
  if (directive.size() < 3 || directive[0] != '.')
    return 0;
  std::string t = directive.substr(1);
  if (t == "pred")
    return 1;
  if (t == "f16x2" || t == "bf16x2")
    return 4;
  if (!std::strchr("busf", t[0]))
    return 0;
  int bits = std::atoi(t.c_str() + (t.compare(0, 2, "bf") == 0 ? 2 : 1));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128
             ? uint32_t(bits) / 8
             : 0;
}

/// A block in braces: names of registers and labels of its own.
struct Scope {
  int parent = -1;
  std::map<std::string, uint32_t> registers;
  struct Family {
    uint32_t first, count;
  };
  std::map<std::string, Family> families; ///< %r<12>
  std::map<std::string, uint32_t> labels;
};

class Parser {
public:
  explicit Parser(const std::string &text) : tokens(tokenize(text)) {
    size_t begin = 0;
    while (begin <= text.size()) {
      size_t end = text.find('\n', begin);
      if (end == std::string::npos)
        end = text.size();
      module.lines.push_back(text.substr(begin, end - begin));
      noteOperation(module.lines.back());
      begin = end + 1;
    }
  }

  Result<Module> run() {
    while (ok() && peek().kind != Token::Kind::End)
      topLevel();
    if (!error.ok())
      return error;
    if (!module.version)
      return Status::invalidInput("PTX: line 1: expected .version before "
                                  "anything else, got none");
    return std::move(module);
  }

private:
  // Tokens.
  bool ok() const { return error.ok(); }
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  Token next() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool accept(const char *text) {
    if (!peek().is(text))
      return false;
    next();
    return true;
  }
  void fail(const std::string &expected) {
    if (ok())
      error = Status::invalidInput("PTX: line " + std::to_string(peek().line) +
                                   ": expected " + expected + ", got '" +
                                   peek().text.substr(0, 40) + "'");
  }
  void expect(const char *text) {
    if (!accept(text))
      fail(std::string("'") + text + "'");
  }
  std::string word(const char *what) {
    if (peek().kind != Token::Kind::Word) {
      fail(what);
      return "";
    }
    return next().text;
  }
  uint64_t integer(const char *what) {
    const char *begin = peek().text.c_str();
    char *end = nullptr;
    uint64_t v = std::strtoull(begin, &end, 0);
    if (*end == 'U')
      ++end;
    if (peek().kind != Token::Kind::Number || *end) {
      fail(what);
      return 0;
    }
    next();
    return v;
  }

  // Declarations.
  void topLevel();
  void entry();
  void parameters(Kernel &kernel);
  void variable(std::vector<Variable> &into, bool isExtern);
  void initializer(Variable &v, uint32_t elementBytes);
  void dims(uint32_t (&out)[3]);
  void skipLine();

  // Bodies.
  void body();
  void statement();
  void registers();
  void instruction();
  void location();
  void noteOperation(const std::string &line);
  Operand operand(bool isBranch);
  Operand plain();
  Operand address();
  bool lookUp(const std::string &name, uint32_t &reg) const;
  uint32_t label(const std::string &name);

  std::vector<Token> tokens;
  size_t at = 0;
  Status error;
  Module module;
  Kernel *kernel = nullptr;
  std::vector<Scope> scopes;
  int scope = -1;
  uint32_t place = 0;
  struct Use {
    size_t instruction, operand;
    int scope;
    std::string name;
    uint32_t line;
  };
  std::vector<Use> labelUses;
};

void Parser::skipLine() {
  uint32_t line = peek().line;
  while (peek().kind != Token::Kind::End && peek().line == line)
    next();
}

void Parser::topLevel() {
  Token t = peek();
  if (t.is(".version")) {
    next();
    std::string v = next().text;
    module.version = uint32_t(std::atof(v.c_str()) * 10 + 0.5);
  } else if (t.is(".target")) {
    next();
    module.target = word("an architecture such as sm_90a");
    while (accept(","))
      word("a target option");
  } else if (t.is(".address_size")) {
    next();
    if (integer("64") != 64) {
      --at;
      fail("64");
    }
  } else if (t.is(".file")) {
    next();
    size_t number = integer("a number of a file");
    if (number >= 4096)
      return fail("a number of a file below 4096");
    if (module.files.size() <= number)
      module.files.resize(number + 1);
    module.files[number] = next().text;
    while (accept(","))
      next();
  } else if (t.is(".section")) {
    next();
    next();
    expect("{");
    for (int depth = 1; ok() && depth;) {
      Token s = next();
      depth += s.is("{") ? 1 : s.is("}") ? -1 : 0;
      if (s.kind == Token::Kind::End)
        fail("'}' of the section");
    }
  } else if (t.is(".visible") || t.is(".weak") || t.is(".common")) {
    next();
  } else if (t.is(".extern")) {
    next();
    variable(module.variables, true);
  } else if (t.is(".entry")) {
    next();
    entry();
  } else if (t.is(".shared") || t.is(".global") || t.is(".const")) {
    variable(module.variables, false);
  } else {
    fail("a directive that the emulator knows (.version, .target, .file, "
         ".visible, .extern, .entry, .shared, .global, .const)");
  }
}

void Parser::dims(uint32_t (&out)[3]) {
  for (uint32_t &d : out)
    d = 1;
  for (int i = 0; ok() && i < 3; ++i) {
    out[i] = uint32_t(integer("an extent"));
    if (!accept(","))
      break;
  }
}

void Parser::entry() {
  module.kernels.emplace_back();
  kernel = &module.kernels.back();
  kernel->name = word("the name of an entry");
  if (accept("("))
    parameters(*kernel);
  while (ok() && !peek().is("{")) {
    Token t = next();
    if (t.is(".reqntid"))
      dims(kernel->requiredThreads);
    else if (t.is(".maxntid"))
      dims(kernel->maxThreads);
    else if (t.is(".reqnctapercluster"))
      dims(kernel->clusterDims);
    else if (t.is(".maxnreg"))
      kernel->maxRegisters = uint32_t(integer("a number of registers"));
    else if (t.is(".minnctapersm") || t.is(".maxclusterrank"))
      integer("a number");
    else if (!t.is(".explicitcluster")) {
      --at;
      fail("a directive of an entry that the emulator knows, or '{'");
    }
  }
  scopes.clear();
  labelUses.clear();
  scope = -1;
  place = 0;
  body();
  for (const Use &use : labelUses) {
    int s = use.scope;
    while (s >= 0 && !scopes[s].labels.count(use.name))
      s = scopes[s].parent;
    if (s < 0) {
      if (ok())
        error = Status::invalidInput("PTX: line " + std::to_string(use.line) +
                                     ": no label '" + use.name + "'");
      return;
    }
    kernel->instructions[use.instruction].operands[use.operand].reg =
        scopes[s].labels[use.name];
  }
}

void Parser::parameters(Kernel &k) {
  uint32_t offset = 0;
  if (accept(")"))
    return;
  do {
    if (!accept(".param"))
      return fail("'.param'");
    Parameter p;
    uint32_t element = 0;
    while (ok() && peek().kind == Token::Kind::Word && peek().text[0] == '.') {
      Token t = next();
      if (t.is(".align"))
        p.align = uint32_t(integer("an alignment"));
      else if (uint32_t bytes = typeBytes(t.text))
        element = bytes;
      else if (t.is(".ptr")) {
        while (peek().is(".global") || peek().is(".shared") ||
               peek().is(".const") || peek().is(".local"))
          next();
        if (accept(".align"))
          integer("an alignment");
      } else {
        --at;
        return fail("a type of a parameter");
      }
    }
    p.name = word("a name of a parameter");
    p.bytes = element;
    if (accept("[")) {
      p.bytes = element * uint32_t(integer("a size"));
      expect("]");
    }
    if (!p.bytes)
      return fail("a type of parameter '" + p.name + "'");
    p.align = std::max(p.align, element);
    offset = (offset + p.align - 1) / p.align * p.align;
    p.offset = offset;
    offset += p.bytes;
    k.parameters.push_back(p);
  } while (ok() && accept(","));
  expect(")");
  k.parameterBytes = offset;
}

void Parser::initializer(Variable &v, uint32_t elementBytes) {
  bool list = accept("{");
  do {
    bool minus = accept("-");
    const Token &t = peek();
    uint64_t bits = 0;
    if (t.text.size() > 2 && t.text[0] == '0' && std::strchr("fFdD", t.text[1]))
      bits = std::strtoull(next().text.c_str() + 2, nullptr, 16);
    else
      bits = integer("a number (the emulator takes no addresses here)");
    if (minus)
      bits = 0 - bits;
    for (uint32_t i = 0; i < elementBytes; ++i)
      v.init.push_back(uint8_t(bits >> 8 * i));
  } while (ok() && list && accept(","));
  if (list)
    expect("}");
}

/// .space [.align n] .type name[n]... [= values] ;
void Parser::variable(std::vector<Variable> &into, bool isExtern) {
  Token space = next();
  Variable v;
  v.isExtern = isExtern;
  if (space.is(".shared"))
    v.space = Space::Shared;
  else if (space.is(".global"))
    v.space = Space::Global;
  else if (space.is(".const"))
    v.space = Space::Const;
  else if (space.is(".local"))
    v.space = Space::Local;
  else {
    --at;
    return fail("a state space (.shared, .global, .const or .local)");
  }
  uint32_t element = 0;
  while (ok() && peek().kind == Token::Kind::Word && peek().text[0] == '.') {
    Token t = next();
    if (t.is(".align"))
      v.align = uint32_t(integer("an alignment"));
    else if (uint32_t bytes = typeBytes(t.text))
      element = bytes;
    else {
      --at;
      return fail("a type of a variable");
    }
  }
  if (!element)
    return fail("a type of a variable");
  do {
    Variable one = v;
    one.name = word("a name of a variable");
    one.align = std::max(one.align, element);
    uint64_t count = 1;
    bool open = false;
    while (ok() && accept("[")) {
      if (accept("]")) {
        open = true;
        continue;
      }
      count *= integer("a size");
      expect("]");
    }
    one.bytes = open ? 0 : count * element;
    if (accept("="))
      initializer(one, element);
    if (open)
      one.bytes = one.init.size();
    into.push_back(one);
  } while (ok() && accept(","));
  expect(";");
}

void Parser::body() {
  expect("{");
  scopes.emplace_back();
  scopes.back().parent = scope;
  int mine = int(scopes.size()) - 1;
  scope = mine;
  while (ok() && !peek().is("}")) {
    if (peek().kind == Token::Kind::End)
      return fail("'}'");
    if (peek().is("{"))
      body();
    else
      statement();
    scope = mine;
  }
  expect("}");
}

/// `.loc FILE LINE COLUMN`; line 0 says that what follows comes from nowhere in
/// particular.
void Parser::location() {
  uint32_t line = peek().line;
  next();
  Place p;
  p.file = uint32_t(integer("a number of a file"));
  p.line = uint32_t(integer("a line"));
  p.column = uint32_t(integer("a column"));
  place = p.line ? uint32_t(module.places.size()) : 0;
  if (place)
    module.places.push_back(p);
  while (peek().kind != Token::Kind::End && peek().line == line)
    next();
}

/// `// op "FILE":LINE:COLUMN NAME`.
void Parser::noteOperation(const std::string &line) {
  const std::string begin = "// op \"";
  if (line.compare(0, begin.size(), begin) != 0)
    return;
  size_t quote = line.find('"', begin.size());
  size_t space = line.find(' ', std::min(quote, line.size()));
  if (space == std::string::npos)
    return;
  module.operations[line.substr(begin.size(), quote - begin.size()) +
                    line.substr(quote + 1, space - quote - 1)] =
      line.substr(space + 1);
}

void Parser::statement() {
  const Token &t = peek();
  if (t.is(";")) {
    next();
  } else if (t.is(".reg")) {
    registers();
  } else if (t.is(".shared") || t.is(".local") || t.is(".const") ||
             t.is(".global")) {
    variable(kernel->variables, false);
  } else if (t.is(".loc")) {
    location();
  } else if (t.is(".pragma")) {
    skipLine();
  } else if (t.kind == Token::Kind::Word && peek(1).is(":")) {
    std::string name = next().text;
    next();
    Scope &s = scopes[scope];
    if (s.labels.count(name))
      return fail("one label '" + name + "' in a block, got a second before");
    s.labels[name] = uint32_t(kernel->labels.size());
    kernel->labels.push_back(int64_t(kernel->instructions.size()));
    kernel->labelNames.push_back(name);
  } else {
    instruction();
  }
}

void Parser::registers() {
  next();
  Token type = next();
  uint32_t bits = type.is(".pred") ? 1 : typeBytes(type.text) * 8;
  if (!bits) {
    --at;
    return fail("a type of registers");
  }
  bits = bits == 8 ? 16 : bits;
  do {
    std::string name = word("a name of a register");
    Scope &s = scopes[scope];
    if (accept("<")) {
      uint64_t count = integer("a number of registers");
      if (count > 1u << 20)
        return fail("at most 2^20 registers");
      expect(">");
      s.families[name] = {uint32_t(kernel->registers.size()), uint32_t(count)};
      for (uint64_t i = 0; i < count; ++i)
        kernel->registers.push_back({name + std::to_string(i), bits});
    } else {
      s.registers[name] = uint32_t(kernel->registers.size());
      kernel->registers.push_back({name, bits});
    }
  } while (ok() && accept(","));
  expect(";");
}

bool Parser::lookUp(const std::string &name, uint32_t &reg) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (int s = scope; s >= 0; s = scopes[s].parent) {
    auto one = scopes[s].registers.find(name);
    if (one != scopes[s].registers.end()) {
      reg = one->second;
      return true;
    }
    if (digits == name.size() || name.size() - digits > 9)
      continue;
    auto family = scopes[s].families.find(name.substr(0, digits));
    if (family == scopes[s].families.end())
      continue;
    uint32_t n = uint32_t(std::atoi(name.c_str() + digits));
    if (n >= family->second.count)
      continue;
    reg = family->second.first + n;
    return true;
  }
  return false;
}

void Parser::instruction() {
  Instruction i;
  i.line = peek().line;
  i.place = place;
  if (accept("@")) {
    i.guardNegated = accept("!");
    uint32_t reg = 0;
    if (!lookUp(peek().text, reg) || kernel->registers[reg].bits != 1)
      return fail("a predicate register");
    i.guard = int32_t(reg);
    next();
  }
  i.line = peek().line;
  std::string op = word("an instruction");
  size_t begin = 0;
  while (begin <= op.size()) {
    size_t end = op.find('.', begin);
    if (end == std::string::npos)
      end = op.size();
    i.words.push_back(op.substr(begin, end - begin));
    begin = end + 1;
  }
  bool isBranch = i.words[0] == "bra";
  if (!peek().is(";"))
    do {
      if (isBranch && i.operands.empty())
        labelUses.push_back(
            {kernel->instructions.size(), 0, scope, peek().text, i.line});
      i.operands.push_back(operand(isBranch));
      // mma.sync of old inline assembly may leave commas out: {..}{..}
    } while (ok() && accept(","));
  expect(";");
  kernel->instructions.push_back(std::move(i));
}

Operand Parser::operand(bool isBranch) {
  Operand o;
  if (isBranch) {
    o.kind = Operand::Kind::Label;
    o.name = word("a label");
    return o;
  }
  if (peek().is("["))
    return address();
  if (accept("{")) {
    o.kind = Operand::Kind::Vector;
    do
      o.parts.push_back(plain());
    while (ok() && accept(","));
    expect("}");
    return o;
  }
  o = plain();
  if (accept("|")) {
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.parts.push_back(o);
    pair.parts.push_back(plain());
    return pair;
  }
  return o;
}

Operand Parser::plain() {
  Operand o;
  o.negated = accept("!");
  bool minus = accept("-");
  const Token t = peek();
  if (t.kind == Token::Kind::Number) {
    const std::string &s = t.text;
    if (s.size() > 2 && s[0] == '0' && std::strchr("fFdD", s[1])) {
      bool isDouble = s[1] == 'd' || s[1] == 'D';
      o.kind = isDouble ? Operand::Kind::Float64 : Operand::Kind::Float32;
      char *end = nullptr;
      o.bits = std::strtoull(s.c_str() + 2, &end, 16);
      if (*end || s.size() != (isDouble ? 18u : 10u))
        fail("a number");
      if (minus)
        o.bits ^= isDouble ? uint64_t(1) << 63 : uint64_t(1) << 31;
      next();
    } else if (s.find('.') != std::string::npos ||
               (s.find_first_of("eE") != std::string::npos && s[1] != 'x' &&
                s[1] != 'X')) {
      o.kind = Operand::Kind::Float64;
      double v = std::strtod(next().text.c_str(), nullptr);
      v = minus ? -v : v;
      std::memcpy(&o.bits, &v, 8);
    } else {
      o.kind = Operand::Kind::Integer;
      o.bits = integer("a number");
      if (minus)
        o.bits = 0 - o.bits;
    }
    return o;
  }
  if (minus || t.kind != Token::Kind::Word) {
    fail("an operand");
    return o;
  }
  next();
  if (t.is("_")) {
    o.kind = Operand::Kind::Sink;
    return o;
  }
  o.name = t.text;
  o.kind =
      lookUp(t.text, o.reg) ? Operand::Kind::Register : Operand::Kind::Symbol;
  if (peek().is("+") || peek().is("-")) {
    bool down = next().is("-");
    bool inner = accept("-");
    int64_t v = int64_t(integer("an offset"));
    o.offset = down != inner ? -v : v;
  }
  return o;
}

Operand Parser::address() {
  expect("[");
  Operand o;
  o.kind = Operand::Kind::Address;
  Operand base = plain();
  o.offset = base.offset;
  base.offset = 0;
  o.parts.push_back(base);
  if (accept(",")) {
    expect("{");
    do
      o.parts.push_back(plain());
    while (ok() && accept(","));
    expect("}");
  }
  expect("]");
  return o;
}

} // namespace

std::string Module::describePlace(uint32_t place) const {
  const Place &p = places.at(place);
  if (!p.line || p.file >= files.size())
    return "";
  std::string where = files[p.file] + ":" + std::to_string(p.line) + ":" +
                      std::to_string(p.column);
  auto op = operations.find(where);
  return op == operations.end() ? where : op->second + " at " + where;
}

Result<Module> parse(const std::string &text) { return Parser(text).run(); }

} // namespace helios::emu::ptx
