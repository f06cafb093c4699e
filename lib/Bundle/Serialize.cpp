//===- Serialize.cpp - Bundles to bytes and back -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include "Archive.h"
#include "Limits.h"
#include <cstring>

namespace helios::bundle {

namespace {

//===----------------------------------------------------------------------===//
// Fields, in file order. One list for both directions.
//===----------------------------------------------------------------------===//

template <class Ar>
void fields(Ar &ar, Module &m) {
  ar.enumerator(m.kind, 2, "module kind");
  ar.text(m.name, limits::name, "module name");
  ar.blob(m.bytes, "module bytes");
}

template <class Ar>
void fields(Ar &ar, Argument &a) {
  ar.text(a.name, limits::name, "argument name");
  ar.enumerator(a.kind, 2, "argument kind");
  ar.enumerator(a.type, kNumElementTypes, "element type");
  ar.boolean(a.isResult, "result flag");
  ar.list(a.extents, limits::rank, "extents",
          [&](int64_t &e) { ar.number(e, "extent"); });
  ar.text(a.packedBy, limits::name, "packing kernel");
}

template <class Ar>
void fields(Ar &ar, MatrixShape &s) {
  ar.number(s.m, "M");
  ar.number(s.n, "N");
  ar.number(s.k, "K");
  ar.enumerator(s.a, kNumElementTypes, "A type");
  ar.enumerator(s.b, kNumElementTypes, "B type");
  ar.enumerator(s.c, kNumElementTypes, "C type");
  ar.enumerator(s.result, kNumElementTypes, "result type");
  ar.enumerator(s.scope, 2, "matrix scope");
  ar.boolean(s.saturating, "saturating flag");
}

template <class Ar>
void fields(Ar &ar, Requirements &r) {
  ar.number(r.subgroupSize, "subgroup size");
  ar.list(r.matrixShapes, limits::matrixShapes, "matrix shapes",
          [&](MatrixShape &s) { fields(ar, s); });
  ar.number(r.features, "features");
  ar.number(r.sharedMemoryBytes, "shared memory bytes");
  ar.number(r.workgroupInvocations, "workgroup invocations");
  ar.number(r.pushConstantBytes, "push-constant bytes");
  ar.number(r.minApiVersion, "API version");
  ar.number(r.computeCapability, "compute capability");
  ar.boolean(r.exactComputeCapability, "exact compute capability flag");
}

template <class Ar>
void fields(Ar &ar, Expr &e) {
  ar.enumerator(e.op, kNumExprOps, "formula operation");
  for (uint32_t &o : e.operands)
    ar.number(o, "formula operand");
  ar.number(e.imm, "formula constant");
}

template <class Ar>
void fields(Ar &ar, Binding &b) {
  ar.number(b.binding, "binding number");
  ar.enumerator(b.source, 2, "binding source");
  ar.number(b.argument, "binding argument");
  ar.number(b.workspaceOffset, "workspace offset");
  ar.number(b.workspaceBytes, "workspace bytes");
  ar.enumerator(b.access, 3, "binding access");
  ar.boolean(b.early, "early flag");
}

template <class Ar>
void fields(Ar &ar, TensorMap &m) {
  auto formula = [&](ExprId &e) { ar.number(e, "tensor map formula"); };
  ar.number(m.binding, "tensor map binding");
  ar.enumerator(m.type, kNumElementTypes, "tensor map type");
  ar.list(m.extents, limits::tensorMapRank, "tensor map extents", formula);
  ar.list(m.strides, limits::tensorMapRank, "tensor map strides", formula);
  ar.list(m.box, limits::tensorMapRank, "box extents",
          [&](uint32_t &e) { ar.number(e, "box extent"); });
  ar.number(m.swizzle, "swizzle");
}

template <class Ar>
void fields(Ar &ar, Dispatch &d) {
  ar.number(d.module, "module index");
  ar.text(d.entryPoint, limits::name, "entry point");
  ar.number(d.grid, "grid");
  for (uint32_t &s : d.workgroupSize)
    ar.number(s, "workgroup size");
  ar.list(d.bindings, limits::bindings, "bindings",
          [&](Binding &b) { fields(ar, b); });
  ar.list(d.pushConstants, limits::pushWords, "push-constant words",
          [&](PushWord &w) {
            ar.number(w.expr, "push-constant formula");
            ar.enumerator(w.kind, 3, "push-constant kind");
          });
  ar.list(d.parameters, limits::parameters, "parameters", [&](Parameter &p) {
    ar.enumerator(p.kind, kNumParameterKinds, "parameter kind");
    ar.number(p.index, "parameter index");
    ar.number(p.expr, "parameter formula");
  });
  ar.list(d.tensorMaps, limits::tensorMaps, "tensor maps",
          [&](TensorMap &m) { fields(ar, m); });
  ar.number(d.clusterSize, "cluster size");
  ar.number(d.sharedBytes, "dynamic shared memory bytes");
  ar.boolean(d.dependent, "dependent flag");
}

template <class Ar>
void fields(Ar &ar, Variant &v) {
  ar.text(v.name, limits::name, "variant name");
  ar.text(v.facts, limits::text, "variant facts");
  ar.number(v.guard, "guard");
  ar.number(v.workspaceBytes, "workspace bytes");
  ar.list(v.dispatches, limits::dispatches, "dispatches",
          [&](Dispatch &d) { fields(ar, d); });
}

template <class Ar>
void fields(Ar &ar, Plan &p) {
  ar.list(p.exprs, limits::exprs, "formulas", [&](Expr &e) { fields(ar, e); });
  ar.list(p.checks, limits::checks, "checks", [&](Check &c) {
    ar.number(c.expr, "check formula");
    ar.text(c.message, limits::text, "check message");
  });
  ar.list(p.resultExtents, limits::arguments, "result shapes",
          [&](std::vector<ExprId> &dims) {
            ar.list(dims, limits::rank, "result extents",
                    [&](ExprId &e) { ar.number(e, "result extent"); });
          });
  ar.list(p.variants, limits::variants, "variants",
          [&](Variant &v) { fields(ar, v); });
  ar.list(p.choices, limits::choices, "choices", [&](Choice &c) {
    ar.text(c.schedule, limits::text, "schedule of a choice");
    ar.enumerator(c.origin, kNumOrigins, "origin of a choice");
    ar.number(c.price, "price of a choice");
    ar.number(c.taken, "condition of a choice");
    ar.number(c.tuned, "condition of a table");
  });
}

template <class Ar>
void fields(Ar &ar, Region &r) {
  ar.list(r.ops, limits::regionOps, "region operations", [&](ScalarOp &o) {
    ar.enumerator(o.kind, kNumScalarOps, "scalar operation");
    ar.enumerator(o.type, kNumElementTypes, "scalar type");
    for (uint32_t &i : o.operands)
      ar.number(i, "scalar operand");
    ar.number(o.index, "scalar index");
    ar.real(o.imm, "scalar constant");
    ar.number(o.intImm, "integer constant");
  });
  ar.number(r.result, "region result");
}

template <class Ar>
void fields(Ar &ar, AttentionPart &a) {
  ar.number(a.value, "value operand");
  bool has = a.lse.has_value();
  ar.boolean(has, "lse flag");
  if (has)
    ar.number(a.lse ? *a.lse : a.lse.emplace(), "lse result");
  has = a.scale.has_value();
  ar.boolean(has, "scale flag");
  if (has)
    ar.real(a.scale ? *a.scale : a.scale.emplace(), "scale");
  fields(ar, a.mask);
}

template <class Ar>
void fields(Ar &ar, Semantics &s) {
  ar.list(s.slots, limits::slots, "slots", [&](Slot &slot) {
    ar.enumerator(slot.type, kNumElementTypes, "slot type");
    ar.number(slot.rank, "slot rank");
  });
  ar.list(s.steps, limits::steps, "steps", [&](Step &step) {
    ar.enumerator(step.kind, kNumStepKinds, "step kind");
    ar.number(step.a, "step operand A");
    ar.number(step.b, "step operand B");
    ar.number(step.dest, "step result");
    ar.boolean(step.transposeA, "transpose flag");
    ar.boolean(step.transposeB, "transpose flag");
    ar.enumerator(step.accumulator, kNumElementTypes, "accumulator type");
    ar.boolean(step.fastSums, "flag of fast sums");
    ar.boolean(step.hasScales, "flag of scales");
    ar.list(step.fused, limits::arguments, "fused operands",
            [&](uint32_t &f) { ar.number(f, "slot"); });
    fields(ar, step.region);
    if (step.kind == StepKind::Attention)
      fields(ar, step.attention);
    if (step.kind == StepKind::Matmul) {
      bool has = step.ends.has_value();
      ar.boolean(has, "flag of groups");
      if (has)
        ar.number(step.ends ? *step.ends : step.ends.emplace(), "ends");
    }
    if (step.kind == StepKind::Elementwise)
      ar.list(step.groups, limits::rank, "groups", [&](Step::Groups &groups) {
        ar.number(groups.dim, "dimension of groups");
        ar.number(groups.size, "size of groups");
        ar.number(groups.parts, "elements in one");
      });
    if (step.kind == StepKind::Reduce) {
      ar.number(step.reduction.dim, "dimension that is combined");
      ar.boolean(step.reduction.largest, "flag of the largest");
    }
    if (step.kind == StepKind::View)
      ar.list(step.dims, limits::rank, "dimensions of a view",
              [&](uint32_t &d) { ar.number(d, "dimension of a view"); });
  });
}

template <class Ar>
void fields(Ar &ar, Kernel &k) {
  ar.text(k.name, limits::name, "kernel name");
  ar.text(k.source, limits::source, "kernel source");
  ar.list(k.arguments, limits::arguments, "arguments",
          [&](Argument &a) { fields(ar, a); });
  ar.list(k.implementations, limits::implementations, "implementations",
          [&](Implementation &i) {
            ar.enumerator(i.target, 2, "target kind");
            ar.text(i.row, limits::name, "target row");
            ar.text(i.schedule, limits::text, "schedule");
            fields(ar, i.requirements);
            fields(ar, i.plan);
          });
  bool has = k.semantics.has_value();
  ar.boolean(has, "semantics flag");
  if (has) {
    if (!k.semantics)
      k.semantics.emplace();
    fields(ar, *k.semantics);
  }
}

//===----------------------------------------------------------------------===//
// The file around them.
//===----------------------------------------------------------------------===//

enum SectionKind : uint32_t {
  ProducerSection = 1,
  ModulesSection = 2,
  KernelsSection = 3
};
const char *const sectionNames[] = {"", "producer", "modules", "kernels"};
constexpr uint32_t numSections = 3;

constexpr char magic[8] = {'H', 'E', 'L', 'I', 'O', 'S', 'H', 'X'};
constexpr size_t hashOffset = 24;
constexpr size_t headerSize =
    56; // magic, version, section count, file size, hash
constexpr size_t sectionEntrySize = 24; // kind, reserved, offset, size
constexpr size_t sectionAlignment = 16;

size_t alignUp(size_t v) {
  return (v + sectionAlignment - 1) / sectionAlignment * sectionAlignment;
}

uint64_t load(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; ++i)
    v |= uint64_t(p[i]) << (8 * i);
  return v;
}

void store(uint8_t *p, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i)
    p[i] = static_cast<uint8_t>(v >> (8 * i));
}

/// SHA-256 of the file with the hash's own bytes as zero.
std::array<uint8_t, 32> fileHash(const uint8_t *data, size_t size) {
  std::vector<uint8_t> copy(data, data + size);
  std::memset(copy.data() + hashOffset, 0, 32);
  return sha256(copy.data(), copy.size());
}

} // namespace

Result<std::vector<uint8_t>> write(const Bundle &constBundle) {
  if (Status s = validate(constBundle); !s.ok())
    return s;
  Bundle bundle = constBundle;
  std::vector<uint8_t> sections[numSections];
  {
    Writer w(sections[0]);
    w.text(bundle.producer, limits::name, "producer");
  }
  {
    Writer w(sections[1]);
    w.list(bundle.modules, limits::modules, "modules",
           [&](Module &m) { fields(w, m); });
  }
  {
    Writer w(sections[2]);
    w.list(bundle.kernels, limits::kernels, "kernels",
           [&](Kernel &k) { fields(w, k); });
  }

  size_t offset = alignUp(headerSize + numSections * sectionEntrySize);
  std::vector<uint8_t> file(offset, 0);
  for (uint32_t i = 0; i < numSections; ++i) {
    uint8_t *entry = file.data() + headerSize + i * sectionEntrySize;
    store(entry, i + 1, 4);
    store(entry + 8, file.size(), 8);
    store(entry + 16, sections[i].size(), 8);
    file.insert(file.end(), sections[i].begin(), sections[i].end());
    file.resize(alignUp(file.size()), 0);
  }
  std::memcpy(file.data(), magic, 8);
  store(file.data() + 8, kFormatVersion, 4);
  store(file.data() + 12, numSections, 4);
  store(file.data() + 16, file.size(), 8);
  std::array<uint8_t, 32> hash = sha256(file.data(), file.size());
  std::memcpy(file.data() + hashOffset, hash.data(), 32);
  return file;
}

Result<Bundle> read(const uint8_t *data, size_t size) {
  if (size < 8 || std::memcmp(data, magic, 8) != 0)
    return Status::invalidInput(
        "not a bundle: it does not begin with 'HELIOSHX'");
  if (size < headerSize + numSections * sectionEntrySize)
    return Status::invalidInput(
        "truncated: " + std::to_string(size) + " bytes, the header alone has " +
        std::to_string(headerSize + numSections * sectionEntrySize));
  uint64_t version = load(data + 8, 4);
  if (version != kFormatVersion)
    return Status::invalidInput(
        "format version " + std::to_string(version) +
        ", this build reads version " + std::to_string(kFormatVersion) +
        "; compile the kernel again with the helios-compile of this version");
  uint64_t fileSize = load(data + 16, 8);
  if (fileSize != size)
    return Status::invalidInput("truncated or extended: the header says " +
                                std::to_string(fileSize) +
                                " bytes, the file has " + std::to_string(size));
  if (load(data + 12, 4) != numSections)
    return Status::invalidInput(std::to_string(load(data + 12, 4)) +
                                " sections, expected " +
                                std::to_string(numSections));
  std::array<uint8_t, 32> hash = fileHash(data, size);
  if (std::memcmp(hash.data(), data + hashOffset, 32) != 0) {
    std::array<uint8_t, 32> said;
    std::memcpy(said.data(), data + hashOffset, 32);
    return Status::invalidInput("altered or damaged: its SHA-256 is " +
                                toHex(hash) + ", the header says " +
                                toHex(said));
  }

  Bundle bundle;
  uint64_t expectedOffset =
      alignUp(headerSize + numSections * sectionEntrySize);
  for (uint64_t i = headerSize + numSections * sectionEntrySize;
       i < expectedOffset; ++i)
    if (data[i] != 0)
      return Status::invalidInput("padding byte " + std::to_string(i) +
                                  " is not zero");
  for (uint32_t i = 0; i < numSections; ++i) {
    const uint8_t *entry = data + headerSize + i * sectionEntrySize;
    std::string where = std::string("section '") + sectionNames[i + 1] + "': ";
    uint64_t offset = load(entry + 8, 8), bytes = load(entry + 16, 8);
    if (load(entry, 4) != i + 1 || load(entry + 4, 4) != 0)
      return Status::invalidInput(where + "its table entry has another kind");
    if (offset != expectedOffset || offset > size || bytes > size - offset)
      return Status::invalidInput(where + std::to_string(bytes) + " bytes at " +
                                  std::to_string(offset) +
                                  " do not fit a file of " +
                                  std::to_string(size) + " bytes");
    Reader r(data + offset, bytes);
    if (i == 0)
      r.text(bundle.producer, limits::name, "producer");
    else if (i == 1)
      r.list(bundle.modules, limits::modules, "modules",
             [&](Module &m) { fields(r, m); });
    else
      r.list(bundle.kernels, limits::kernels, "kernels",
             [&](Kernel &k) { fields(r, k); });
    if (!r.failed() && r.remaining() != 0)
      r.fail(std::to_string(r.remaining()) + " bytes after its end");
    if (r.failed())
      return Status::invalidInput(where + r.message());
    expectedOffset = offset + alignUp(bytes);
    for (uint64_t p = offset + bytes; p < expectedOffset && p < size; ++p)
      if (data[p] != 0)
        return Status::invalidInput(where + "padding byte " +
                                    std::to_string(p) + " is not zero");
  }
  if (expectedOffset != size)
    return Status::invalidInput("the sections end at " +
                                std::to_string(expectedOffset) +
                                ", the file at " + std::to_string(size));
  if (Status s = validate(bundle); !s.ok())
    return s;
  return bundle;
}

} // namespace helios::bundle
