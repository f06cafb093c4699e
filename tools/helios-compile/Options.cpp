// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"
#include "helios/Pipelines.h"
#include "helios/Targets/PTX/Rows.h"
#include "helios/Targets/SPIRV/Rows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace helios;
using namespace helios::compile;
using llvm::SmallVector;
using llvm::StringRef;

const char *const compile::kUsage =
    "usage: helios-compile FILE [--target=vulkan[:ROW]|cuda[:ROW]]... "
    "[options] -o OUT\n"
    "\n"
    "Compiles a description of kernels (helios dialect), or level-2 or level-3 "
    "programs with a launch plan, to a bundle.\n"
    "FILE - is standard input, OUT - standard output.\n"
    "\n"
    "  --target=vulkan        every row of the table that can do the kernels "
    "(the default)\n"
    "  --target=cuda          the same for CUDA architectures\n"
    "  --target=vulkan:ROW    one row, which must do them; may be given "
    "several "
    "times, also with cuda:ROW,\n"
    "                         the preferred one first; one bundle holds all\n"
    "  --list-targets         print the table of rows\n"
    "  --emit=KIND            bundle (default), bundle-text, tile, frag, "
    "spirv-text, spirv,\n"
    "                         llvm or ptx; schedules: those of a product "
    "and what a launch with --shapes costs\n"
    "                         under each by the model, as JSON\n"
    "                         (several programs: OUT becomes "
    "STEM.ROW.PROGRAM.spv)\n"
    "  --schedule=TEXT        tuning parameters of every kernel, e.g. "
    "tile=128x128x32,groups=2x2\n"
    "  --tuned=FILE           a table of measured schedules, as helios-tune "
    "writes it; 'shipped' stands for the one that\n"
    "                         comes with the compiler\n"
    "  --shapes=EXTENTS,...   extents of a kernel's tensors in order "
    "(4096x64,64x4096; its results' may follow, and must\n"
    "                         where operands are packed before): --report "
    "then also says who chose the schedule of such\n"
    "                         a launch, why, and what others would have cost\n"
    "  --scalars=NAME=N,...   with --shapes, integers that the launch passes "
    "(default 0), as the width of a window of keys\n"
    "  --only-launches=LAUNCH[;LAUNCH]...\n"
    "                         compile only the programs that launches of such "
    "dense tensors take: extents as in --shapes\n"
    "                         and integers by name "
    "(4096x64,64x4096,window=1024);"
    " the bundle refuses others\n"
    "  --processors=N         with --only-launches, how many the device has "
    "(default: as the row says)\n"
    "  --meaning=FILE         a description whose kernels say what programs of "
    "level 2 or 3 with plans of the same names\n"
    "                         compute; the bundle carries it, so that results "
    "can be checked\n"
    "  --without=PASS,...     leave out passes that only make code faster\n"
    "  --between=WHAT,...     between any two passes: canonicalize, round-trip "
    "(print and parse); for tests\n"
    "  --debug-info           PTX tells which op and line of FILE each "
    "instruction comes from; code stays the same\n"
    "  --report               print schedules, resources, limits and compile "
    "times\n"
    "  --threads=N            rows, and programs of a row, compiled at the "
    "same time (default: the\n"
    "                         machine's processors)\n"
    "  --version, -h, --help\n"
    "\n"
    "Exit codes: 0 ok, 2 usage or bad input, 3 a target cannot do a kernel or "
    "is not built in this version.\n";

bool compile::isCuda(const std::string &row) { return ptx::findRow(row); }

std::string compile::targetName(const std::string &row) {
  return (isCuda(row) ? "cuda:" : "vulkan:") + row;
}

/// The rows of one --target, given those of its API.
template <typename Rows>
static Status addRows(StringRef api, StringRef row, const Rows &rows,
                      Options &options) {
  SmallVector<std::string> names;
  for (const auto &r : rows)
    names.push_back(r.name);
  if (row.empty()) {
    for (const std::string &name : names)
      if (!llvm::is_contained(options.rows, name)) {
        options.rows.push_back(name);
        options.optionalRows.push_back(name);
      }
    return Status::success();
  }
  if (!llvm::is_contained(names, row))
    return Status::invalidInput("unknown row '" + row.str() + "' of target " +
                                api.str() + "; expected one of " +
                                llvm::join(names, ", "));
  llvm::erase(options.optionalRows, row);
  if (!llvm::is_contained(options.rows, row))
    options.rows.push_back(row.str());
  return Status::success();
}

static Status addTarget(StringRef target, Options &options) {
  auto [api, row] = target.split(':');
  bool complete = !row.empty() || !target.contains(':');
  if (complete && api == "cuda")
    return addRows(api, row, ptx::getRows(), options);
  if (complete && api == "vulkan")
    return addRows(api, row, spv::getRows(), options);
  return Status::invalidInput("unknown target '" + target.str() +
                              "'; expected vulkan, vulkan:ROW, cuda or "
                              "cuda:ROW (--list-targets)");
}

static Status setEmit(StringRef kind, Options &options) {
  std::optional<Emit> emit = llvm::StringSwitch<std::optional<Emit>>(kind)
                                 .Case("tile", Emit::Tile)
                                 .Case("frag", Emit::Frag)
                                 .Case("spirv-text", Emit::SpirvText)
                                 .Case("spirv", Emit::Spirv)
                                 .Case("llvm", Emit::Llvm)
                                 .Case("ptx", Emit::Ptx)
                                 .Case("bundle", Emit::Bundle)
                                 .Case("bundle-text", Emit::BundleText)
                                 .Case("schedules", Emit::Schedules)
                                 .Default(std::nullopt);
  if (!emit)
    return Status::invalidInput("unknown kind '" + kind.str() +
                                "' of --emit; expected bundle, bundle-text, "
                                "tile, frag, spirv-text, spirv, llvm, ptx or "
                                "schedules");
  options.emit = *emit;
  return Status::success();
}

static Status setBetween(StringRef text, Options &options) {
  for (StringRef what : llvm::split(text, ',')) {
    if (what == "canonicalize")
      options.canonicalizeBetween = true;
    else if (what == "round-trip")
      options.roundTripBetween = true;
    else
      return Status::invalidInput(
          "unknown word '" + what.str() +
          "' in --between; expected canonicalize or round-trip");
  }
  return Status::success();
}

/// The extents of a tensor, as in 4096x64; false where they are none.
static bool readExtents(StringRef text, std::vector<int64_t> &extents) {
  return llvm::all_of(llvm::split(text, 'x'), [&](StringRef extent) {
    return !extent.getAsInteger(10, extents.emplace_back()) &&
           extents.back() >= 0 && extents.back() <= int64_t(1) << 40;
  });
}

/// The value of a scalar, as in window=1024; false where it is none.
static bool readScalar(StringRef text,
                       std::map<std::string, int64_t> &scalars) {
  auto [name, value] = text.split('=');
  return !name.empty() && !value.getAsInteger(10, scalars[name.str()]);
}

static Status setShapes(StringRef text, Options &options) {
  for (StringRef tensor : llvm::split(text, ','))
    if (!readExtents(tensor, options.shapes.emplace_back()))
      return Status::invalidInput(
          "--shapes: expected extents of tensors from 0 to 2^40, as in "
          "4096x64,64x4096, got '" +
          text.str() + "'");
  return Status::success();
}

static Status setScalars(StringRef text, Options &options) {
  for (StringRef scalar : llvm::split(text, ','))
    if (!readScalar(scalar, options.scalars))
      return Status::invalidInput("--scalars: expected integers of 64 bits by "
                                  "name, as in window=1024, got '" +
                                  text.str() + "'");
  return Status::success();
}

static Status setLaunches(StringRef text, Options &options) {
  for (StringRef one : llvm::split(text, ';')) {
    bundle::Launch &launch = options.launches.emplace_back();
    for (StringRef part : llvm::split(one, ','))
      if (part.contains('=')
              ? !readScalar(part, launch.scalars)
              : !readExtents(part, launch.extents.emplace_back()))
        return Status::invalidInput(
            "--only-launches: expected launches with ';' between them, each "
            "extents of tensors from 0 to 2^40 and integers by name, as in "
            "4096x64,64x4096,window=1024, got '" +
            one.str() + "'");
  }
  return Status::success();
}

/// An option with a value, `--name=VALUE` or `--name VALUE`.
static Status setOption(StringRef name, StringRef value, Options &options) {
  if (name == "--target") {
    for (StringRef target : llvm::split(value, ','))
      if (Status s = addTarget(target, options); !s.ok())
        return s;
  } else if (name == "--emit") {
    return setEmit(value, options);
  } else if (name == "--schedule") {
    if (value.empty())
      return Status::invalidInput(
          "--schedule is empty; expected e.g. tile=128x128x32,groups=2x2");
    options.schedule = value.str();
  } else if (name == "--tuned") {
    if (value.empty())
      return Status::invalidInput("--tuned is empty; expected a table of "
                                  "measured schedules, or 'shipped'");
    options.tuned = value == "shipped" ? HELIOS_SHIPPED_TABLE : value.str();
  } else if (name == "--shapes") {
    return setShapes(value, options);
  } else if (name == "--scalars") {
    return setScalars(value, options);
  } else if (name == "--only-launches") {
    return setLaunches(value, options);
  } else if (name == "--processors") {
    if (value.getAsInteger(10, options.processors) || options.processors < 1 ||
        options.processors > 1 << 20)
      return Status::invalidInput(
          "--processors: expected a number from 1 to 2^20, got '" +
          value.str() + "'");
  } else if (name == "--meaning") {
    if (value.empty())
      return Status::invalidInput(
          "--meaning is empty; expected a file of level 1");
    options.meaning = value.str();
  } else if (name == "--without") {
    for (StringRef pass : llvm::split(value, ','))
      options.without.push_back(pass.str());
    PipelineOptions check;
    for (const std::string &pass : options.without)
      check.without.push_back(pass);
    if (std::string error = checkWithout(check); !error.empty())
      return Status::invalidInput("--without: " + error);
  } else if (name == "--between") {
    return setBetween(value, options);
  } else if (name == "--threads") {
    if (value.getAsInteger(10, options.threads) || options.threads == 0 ||
        options.threads > 1024)
      return Status::invalidInput(
          "--threads: expected a number from 1 to 1024, got '" + value.str() +
          "'");
  } else if (name == "-o") {
    if (value.empty())
      return Status::invalidInput(
          "-o is empty; expected a file name, or - for standard output");
    if (!options.output.empty())
      return Status::invalidInput("-o is given twice");
    options.output = value.str();
  }
  return Status::success();
}

Result<Options> compile::parseOptions(int argc, char **argv) {
  static const StringRef withValue[] = {
      "--target",  "--emit",    "--schedule",      "--tuned",
      "--shapes",  "--scalars", "--only-launches", "--processors",
      "--meaning", "--without", "--between",       "--threads",
      "-o"};
  Options options;
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    if (word == "-h" || word == "--help") {
      options.action = Options::Action::Help;
      return options;
    }
    if (word == "--version") {
      options.action = Options::Action::Version;
      return options;
    }
    if (word == "--list-targets") {
      options.action = Options::Action::ListTargets;
      return options;
    }
    if (word == "--debug-info") {
      options.debugInfo = true;
      continue;
    }
    if (word == "--report") {
      options.report = true;
      continue;
    }
    if (word == "-" || !word.starts_with("-")) {
      if (!options.input.empty())
        return Status::invalidInput("two inputs, '" + options.input +
                                    "' and '" + word.str() + "'; expected one");
      if (word.empty())
        return Status::invalidInput("the name of the input is empty");
      options.input = word.str();
      continue;
    }
    auto [name, value] = word.split('=');
    if (!llvm::is_contained(withValue, name))
      return Status::invalidInput("unknown option '" + word.str() +
                                  "' (try --help)");
    if (!word.contains('=')) {
      if (i + 1 == argc)
        return Status::invalidInput("option '" + word.str() +
                                    "' needs a value");
      value = argv[++i];
    }
    if (Status s = setOption(name, value, options); !s.ok())
      return s;
  }
  if (options.input.empty())
    return Status::invalidInput("no input (try --help)");
  if (options.rows.empty())
    if (Status s = addTarget("vulkan", options); !s.ok())
      return s;
  for (const std::string &row : options.rows) {
    bool cuda = isCuda(row);
    bool spirv = options.emit == Emit::Spirv || options.emit == Emit::SpirvText;
    if (cuda ? spirv : options.emit == Emit::Ptx || options.emit == Emit::Llvm)
      return Status::invalidInput("--emit: row '" + row + "' is one of " +
                                  (cuda ? "cuda, which makes llvm and ptx"
                                        : "vulkan, which makes spirv"));
  }
  const bool lists = options.emit == Emit::Schedules;
  if (lists && options.shapes.empty())
    return Status::invalidInput("--emit=schedules: expected the extents of "
                                "the kernel's tensors with --shapes");
  if (!options.shapes.empty() && !lists && !options.report)
    return Status::invalidInput("--shapes: expected --report or "
                                "--emit=schedules with it");
  if (!options.scalars.empty() && (options.shapes.empty() || lists))
    return Status::invalidInput("--scalars: expected --report and --shapes "
                                "with it");
  if (!options.launches.empty() && lists)
    return Status::invalidInput(
        "--only-launches: expected programs to compile, "
        "got --emit=schedules");
  if (options.processors && options.launches.empty())
    return Status::invalidInput(
        "--processors: expected --only-launches with it");
  if (!options.tuned.empty() && !options.schedule.empty())
    return Status::invalidInput(
        "--tuned: expected either a table or --schedule, got both");
  bool binary = options.emit == Emit::Bundle || options.emit == Emit::Spirv;
  if (options.output.empty() && binary)
    return Status::invalidInput(
        "no output; say where to write with -o FILE (- for standard output)");
  if (options.output.empty())
    options.output = "-";
  return options;
}

std::string compile::listTargets() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const spv::Row &row : spv::getRows()) {
    os << llvm::formatv("vulkan:{0,-12} {1}\n", row.name, row.summary);
    os << llvm::formatv("{0,19} subgroup {1}, {2} bytes of shared memory, {3} "
                        "invocations a workgroup\n",
                        "",
                        row.subgroupSize ? std::to_string(row.subgroupSize)
                                         : std::string("any"),
                        row.sharedBytes, row.maxInvocations);
    for (const spv::CoopShape &shape : row.shapes)
      os << llvm::formatv("{0,19} matrices {1}x{2}x{3} {4} * {5} + {6}\n", "",
                          shape.m, shape.n, shape.k, shape.a, shape.b,
                          shape.acc);
  }
  for (const ptx::Row &row : ptx::getRows()) {
    os << llvm::formatv("cuda:{0,-14} {1}\n", row.name, row.summary);
    os << llvm::formatv("{0,19} PTX {1}.{2}, {3} bytes of shared memory, "
                        "driver {4}.{5} or later\n",
                        "", row.ptxVersion / 10, row.ptxVersion % 10,
                        row.sharedBytes, row.driverVersion / 1000,
                        row.driverVersion % 1000 / 10);
  }
  return text;
}
