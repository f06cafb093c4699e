// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: schedules that a table of measurements names for
// ranges of extents (docs/tuning.md has its format). What it says is checked as
// if a user had said it, and what does not apply is left out with a remark.

#include "SelectSchedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

static constexpr StringLiteral kFormat = "helios-tune/1";

namespace helios::schedule {

static bool fromJSON(const llvm::json::Value &value, TunedEntry &entry,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  if (!map || !map.map("compiler", entry.compiler) ||
      !map.map("row", entry.row) || !map.map("op", entry.op) ||
      !map.map("types", entry.types) || !map.map("layout", entry.layout) ||
      !map.map("epilogue", entry.epilogue) || !map.map("above", entry.above) ||
      !map.map("upto", entry.upTo) || !map.map("aligned", entry.aligned) ||
      !map.mapOptional("winner", entry.winner) ||
      !map.mapOptional("quarantined", entry.quarantined))
    return false;
  if (entry.above.size() != 3 || entry.upTo.size() != 3) {
    path.field("above").report("expected three extents, as in 'upto'");
    return false;
  }
  for (auto [above, upTo] : llvm::zip(entry.above, entry.upTo))
    if (above < 0 || above >= upTo) {
      path.field("upto").report("expected extents larger than in 'above'");
      return false;
    }
  return true;
}

} // namespace helios::schedule

FailureOr<TunedTable> schedule::readTuned(StringRef path, Operation *op) {
  auto refuse = [&](const Twine &why) {
    return op->emitError("table of schedules '") << path << "': " << why;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return refuse("cannot be read: " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return refuse("expected JSON: " + llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  std::optional<StringRef> format =
      object ? object->getString("format") : std::nullopt;
  if (format != kFormat)
    return refuse("expected the format '" + kFormat + "', got '" +
                  format.value_or("none") + "'");
  llvm::json::Path::Root root("table");
  TunedTable table;
  table.path = path.str();
  llvm::json::ObjectMapper map(*value, root);
  if (!map || !map.map("entries", table.entries))
    return refuse(llvm::toString(root.getError()));
  return table;
}

/// "f16:f16:f32:f16", as a table names the types of a product.
static std::string typesOf(MatmulOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getLhs().getType().getElementType() << ":"
     << op.getRhs().getType().getElementType() << ":" << op.getAccType()
     << (op.getFastAccumulation() ? "fast" : "") << ":"
     << op.getResult().getType().getElementType();
  return text;
}

/// Whether nothing follows the sum but its rounding.
static bool isPlain(MatmulOp op) {
  return !op.getPair() && !op.hasPrologue() && !op.hasPrologueA() &&
         !op.hasScales() && op.getAuxiliary().empty() &&
         op.getFused().empty() &&
         op.getEpilogue()
                 .walk([](Operation *inner) {
                   return isa<CastOpInterface, YieldOp>(inner)
                              ? WalkResult::advance()
                              : WalkResult::interrupt();
                 })
                 .wasInterrupted() == false;
}

/// Whether a step of a table's epilogue has a name: "pair" reads the sum of a
/// second product, "aux" makes a second result, "row_sum" and others one of
/// what is combined.
static bool hasStep(StringRef epilogue, StringRef name) {
  SmallVector<StringRef> names;
  epilogue.split(names, '+');
  return llvm::is_contained(names, name);
}

/// Whether one combines along the lines that it names so.
static bool combines(StringRef epilogue, StringRef lines) {
  return llvm::any_of(ArrayRef<StringRef>{"sum", "max"}, [&](StringRef kind) {
    return hasStep(epilogue, (lines + kind).str());
  });
}

SmallVector<const TunedEntry *>
schedule::entriesFor(const TunedTable &table, MatmulOp op,
                     tile::TargetAttrInterface target) {
  SmallVector<const TunedEntry *> found;
  // Batches have not been measured.
  if (op.getResult().getType().getRank() != 2)
    return found;
  std::string types = typesOf(op), layout = {op.getTransposeA() ? 't' : 'n',
                                             op.getTransposeB() ? 't' : 'n'};
  llvm::SmallSetVector<StringRef, 4> others;
  bool hasRow = false, hasVersion = false;
  for (const TunedEntry &entry : table.entries) {
    if (entry.row != target.getRowName()) {
      others.insert(entry.row);
      continue;
    }
    hasRow = true;
    if (entry.compiler != HELIOS_VERSION)
      continue;
    hasVersion = true;
    if (entry.op == "gemm" && entry.types == types && entry.layout == layout &&
        (entry.epilogue == "none") == isPlain(op) &&
        hasStep(entry.epilogue, "pair") == bool(op.getPair()) &&
        hasStep(entry.epilogue, "aux") ==
            (op.getAuxiliary().size() > op.getNumReductions()) &&
        combines(entry.epilogue, "row_") == op.reducesAlong(ReducedAxis::N) &&
        combines(entry.epilogue, "column_") == op.reducesAlong(ReducedAxis::M))
      found.push_back(&entry);
  }
  if (!hasRow)
    op.emitRemark("table of schedules '")
        << table.path << "' is ignored: expected measurements for row '"
        << target.getRowName() << "', got some for "
        << (others.empty() ? "none" : llvm::join(others, ", "));
  else if (!hasVersion)
    op.emitRemark("table of schedules '")
        << table.path << "' is ignored: expected one of version "
        << HELIOS_VERSION << ", got others";
  return found;
}

/// A schedule of a table with all that follows from it; null, with a remark, if
/// the product cannot have it.
static std::optional<Candidate> candidateFor(const TunedTable &table,
                                             StringRef text, MatmulOp op,
                                             tile::TargetAttrInterface target) {
  std::string why;
  std::optional<Candidate> candidate;
  {
    ScopedDiagnosticHandler handler(
        op.getContext(), [&](Diagnostic &diagnostic) {
          why += why.empty() ? diagnostic.str() : "";
        });
    SmallVector<ScheduleValue> named;
    ScheduleAttr parsed = ScheduleAttr::parseString(
        text, op.getContext(), [&] { return op.emitOpError(); }, &named);
    if (parsed) {
      ScheduleAttr full = complete(op, parsed, named, target);
      FailureOr<tile::MmaAttrInterface> mma = check(op, full, target);
      if (succeeded(mma)) {
        full = full.with(kScheduleMma, mma->getMmaShape());
        candidate = {full, costOf(op, full, *mma, target),
                     costOf(op, full, *mma, target, /*aligned=*/false),
                     costOf(op, full, *mma, target, /*aligned=*/true,
                            /*alone=*/!hasRoles(full)),
                     costOfItem(op, full, target.getCosts())};
      }
    }
  }
  if (!candidate)
    op.emitRemark("a schedule of the table '")
        << table.path << "' is left out: " << why;
  return candidate;
}

SmallVector<Attribute> schedule::addTuned(const TunedTable &table, MatmulOp op,
                                          ArrayRef<const TunedEntry *> entries,
                                          tile::TargetAttrInterface target,
                                          SmallVectorImpl<Candidate> &chosen) {
  SmallVector<Attribute> ranges;
  for (const TunedEntry *entry : entries) {
    if (entry->winner.empty())
      continue;
    std::optional<Candidate> candidate =
        candidateFor(table, entry->winner, op, target);
    if (!candidate)
      continue;
    auto *known = llvm::find_if(chosen, [&](const Candidate &other) {
      return other.schedule == candidate->schedule;
    });
    int64_t number = known - chosen.begin();
    if (known == chosen.end())
      chosen.push_back(*candidate);
    ranges.push_back(TunedAttr::get(op.getContext(), number, entry->above,
                                    entry->upTo, entry->aligned));
  }
  return ranges;
}
