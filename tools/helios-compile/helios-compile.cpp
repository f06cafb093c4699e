// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-compile: descriptions of kernels to bundles.

#include "Compile.h"
#include "Explain.h"
#include "Options.h"
#include "Output.h"
#include "helios/Bundle/Serialize.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <thread>

using namespace helios;
using namespace helios::compile;

static int fail(const Status &status) {
  llvm::errs() << "helios-compile: error: " << status.message() << "\n";
  return status.exitCode();
}

/// Compiles every row, several at a time, and the programs of a row by threads
/// that are left; results stand in the rows' order.
static std::vector<RowResult> compileRows(llvm::MemoryBufferRef source,
                                          const Options &options) {
  std::vector<RowResult> results(options.rows.size());
  size_t count = options.threads
                     ? options.threads
                     : std::max(1u, std::thread::hardware_concurrency());
  size_t atOnce = std::clamp<size_t>(results.size(), 1, count);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < results.size(); i = next++)
      results[i] = compileRow(source, options, options.rows[i], count / atOnce);
  };
  std::vector<std::thread> others;
  for (size_t t = 1; t < atOnce; ++t)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  return results;
}

/// Whether a row cannot do what was asked. A schedule that somebody asked for
/// and that does not fit is their mistake, not the machine's limit; what no
/// schedule mends is one.
static bool isLimit(const Options &options, const RowResult &result) {
  llvm::StringRef reason = result.reason;
  return result.verdict == RowResult::Verdict::Unsupported &&
         (options.schedule.empty() || reason.contains("is not lowered") ||
          reason.contains("is unsupported on target"));
}

/// Says what became of the rows and keeps the good ones. Returns the exit code.
static int judge(const Options &options, std::vector<RowResult> &results) {
  using Verdict = RowResult::Verdict;
  auto hasAlternative = [&](const std::string &row) {
    return llvm::any_of(results, [&](const RowResult &r) {
      return r.verdict == Verdict::Done && isCuda(r.report.row) == isCuda(row);
    });
  };
  std::vector<RowResult> good;
  int exitCode = 0;
  llvm::StringSet<> printed;
  std::vector<bool> leaveOut;
  for (const RowResult &r : results)
    leaveOut.push_back(r.verdict == Verdict::Unsupported &&
                       llvm::is_contained(options.optionalRows, r.report.row) &&
                       hasAlternative(r.report.row));
  for (auto [result, leftOut] : llvm::zip(results, leaveOut)) {
    if (result.verdict == Verdict::Superfluous)
      continue;
    if (leftOut)
      llvm::errs() << "helios-compile: remark: target '"
                   << targetName(result.report.row)
                   << "' is left out: " << result.reason << "\n";
    else if (printed
                 .insert(result.reason.empty() ? result.diagnostics
                                               : result.reason)
                 .second) // what is wrong for every row shows once
      llvm::errs() << result.diagnostics;
    if (!result.reproducerPath.empty())
      llvm::errs() << "helios-compile: error: if this ought to compile, please "
                      "report it with '"
                   << result.reproducerPath
                   << "', which helios-opt --run-reproducer runs\n";
    if (result.verdict == Verdict::Done)
      good.push_back(std::move(result));
    else if (!leftOut)
      exitCode = std::max(exitCode, isLimit(options, result) ? 3 : 2);
  }
  // 2 says more than 3: it is never the target's fault.
  if (exitCode == 3 && llvm::any_of(results, [](const RowResult &r) {
        return r.verdict == Verdict::BadInput || r.verdict == Verdict::Internal;
      }))
    exitCode = 2;
  results = std::move(good);
  return exitCode;
}

/// Adds what the kernels of another file compute, for plans that do not say it
/// themselves.
static Status addMeaning(const std::string &path,
                         llvm::ArrayRef<RowResult> results,
                         Description &description) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Status::invalidInput("--meaning: cannot read '" + path +
                                "': " + buffer.getError().message());
  Description meaning = describe((*buffer)->getMemBufferRef());
  llvm::errs() << meaning.diagnostics;
  if (!meaning.ok)
    return Status::invalidInput("--meaning: '" + path +
                                "' is not a description");
  for (const RowResult &result : results)
    for (const bundle::Kernel &kernel : result.bundle.kernels) {
      auto named = [&](const Description::Kernel &k) {
        return k.name == kernel.name;
      };
      if (llvm::any_of(description.kernels, named))
        continue; // of the row before
      auto found = llvm::find_if(meaning.kernels, named);
      if (found == meaning.kernels.end())
        return Status::invalidInput("--meaning: expected a kernel '" +
                                    kernel.name + "' in '" + path +
                                    "', got none");
      if (!found->semantics)
        return Status::invalidInput("--meaning: kernel '" + kernel.name +
                                    "' in '" + path +
                                    "' cannot be checked against");
      description.kernels.push_back(*found);
      description.kernels.back().source.clear(); // not what was compiled
    }
  return Status::success();
}

/// Rows whose kernels take an argument packed, and such that take it as it is
/// stored, have no kernel in common.
static Status checkPacked(const bundle::Kernel &present,
                          const bundle::Kernel &kernel) {
  for (auto [a, b] : llvm::zip(present.arguments, kernel.arguments))
    if (a.packedBy.empty() != b.packedBy.empty()) {
      std::string of = present.implementations.front().row,
                  other = kernel.implementations.front().row;
      if (a.packedBy.empty())
        std::swap(of, other);
      return Status::unsupported(
          "kernel '" + kernel.name + "' takes the constant '" + a.name +
          "' packed on row '" + of + "' and as it is stored on row '" + other +
          "': compile a bundle for each");
    }
  return Status::success();
}

/// One bundle of all rows' implementations.
static Result<bundle::Bundle> merge(std::vector<RowResult> &results,
                                    const Description &description) {
  bundle::Bundle all;
  all.producer = "helios-compile " HELIOS_VERSION;
  for (RowResult &result : results) {
    uint32_t first = all.modules.size();
    std::move(result.bundle.modules.begin(), result.bundle.modules.end(),
              std::back_inserter(all.modules));
    for (bundle::Kernel &kernel : result.bundle.kernels) {
      for (bundle::Implementation &implementation : kernel.implementations)
        for (bundle::Variant &variant : implementation.plan.variants)
          for (bundle::Dispatch &dispatch : variant.dispatches)
            dispatch.module += first;
      auto present = llvm::find_if(all.kernels, [&](const bundle::Kernel &k) {
        return k.name == kernel.name;
      });
      if (present == all.kernels.end()) {
        all.kernels.push_back(std::move(kernel));
        continue;
      }
      if (Status s = checkPacked(*present, kernel); !s.ok())
        return s;
      std::move(kernel.implementations.begin(), kernel.implementations.end(),
                std::back_inserter(present->implementations));
    }
  }
  constexpr size_t kMaxSource = 1 << 20;
  for (bundle::Kernel &kernel : all.kernels)
    for (const Description::Kernel &entry : description.kernels)
      if (entry.name == kernel.name) {
        kernel.semantics = entry.semantics;
        if (entry.source.size() <= kMaxSource)
          kernel.source = entry.source;
      }
  return all;
}

/// Each row's text, under a line that names it where there are several.
static std::string joinTexts(const std::vector<RowResult> &results) {
  std::string all;
  for (const RowResult &result : results) {
    if (results.size() > 1)
      all += (all.empty() ? "// target " : "// -----\n// target ") +
             targetName(result.report.row) + "\n";
    all += result.text;
  }
  return all;
}

/// One file for a single program, or one for each.
static Status writePrograms(const Options &options,
                            const std::vector<RowResult> &results) {
  std::string kind = options.emit == Emit::Spirv  ? "spirv"
                     : options.emit == Emit::Llvm ? "llvm"
                                                  : "ptx";
  std::string extension = kind == "spirv"  ? "spv"
                          : kind == "llvm" ? "ll"
                                           : kind;
  size_t count = 0;
  for (const RowResult &result : results)
    count += result.bundle.modules.size();
  if (count != 1 && options.output == "-")
    return Status::invalidInput("--emit=" + kind + " makes " +
                                std::to_string(count) +
                                " programs, which cannot all go to standard "
                                "output; name a file with -o");
  llvm::StringRef stem = options.output;
  stem.consume_back("." + extension);
  for (const RowResult &result : results)
    for (const bundle::Module &module : result.bundle.modules) {
      std::string path = count == 1 ? options.output
                                    : (stem + "." + result.report.row + "." +
                                       module.name + "." + extension)
                                          .str();
      if (Status s =
              writeOutput(path, llvm::StringRef(reinterpret_cast<const char *>(
                                                    module.bytes.data()),
                                                module.bytes.size()));
          !s.ok())
        return s;
      if (count != 1)
        llvm::errs() << "helios-compile: wrote '" << path << "'\n";
    }
  return Status::success();
}

static Status write(const Options &options, std::vector<RowResult> &results,
                    const Description &description) {
  switch (options.emit) {
  case Emit::Tile:
  case Emit::Frag:
  case Emit::SpirvText:
  case Emit::Schedules:
    return writeOutput(options.output, joinTexts(results));
  case Emit::Spirv:
  case Emit::Llvm:
  case Emit::Ptx:
    return writePrograms(options, results);
  case Emit::Bundle:
  case Emit::BundleText: {
    Result<bundle::Bundle> all = merge(results, description);
    if (!all)
      return all.status();
    Result<std::vector<uint8_t>> bytes = bundle::write(*all);
    if (!bytes)
      return bytes.status().withPrefix("the bundle is not valid: ");
    if (options.emit == Emit::BundleText)
      return writeOutput(options.output, bundle::dump(*all));
    return writeOutput(
        options.output,
        llvm::StringRef(reinterpret_cast<const char *>(bytes->data()),
                        bytes->size()));
  }
  }
  llvm_unreachable("unknown kind");
}

int main(int argc, char **argv) {
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  llvm::setBugReportMsg("This is a defect of helios-compile; please report it "
                        "with the command and its input.\n");
  Result<Options> options = parseOptions(argc, argv);
  if (!options)
    return fail(options.status());
  switch (options->action) {
  case Options::Action::Help:
    return writeOutput("-", kUsage).exitCode();
  case Options::Action::Version:
    return writeOutput("-", "helios-compile " HELIOS_VERSION
                            ", bundle format " +
                                std::to_string(bundle::kFormatVersion) + "\n")
        .exitCode();
  case Options::Action::ListTargets:
    return writeOutput("-", listTargets()).exitCode();
  case Options::Action::Compile:
    break;
  }

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options->input);
  if (!buffer)
    return fail(Status::invalidInput("cannot read '" + options->input +
                                     "': " + buffer.getError().message()));
  llvm::MemoryBufferRef source = (*buffer)->getMemBufferRef();

  Description description = describe(source);
  llvm::errs() << description.diagnostics;
  if (!description.ok)
    return 2;
  if (!options->meaning.empty() && !description.kernels.empty())
    return fail(Status::invalidInput(
        "--meaning: expected programs of level 2 or 3, got '" + options->input +
        "' of level 1, which says itself what it computes"));
  std::vector<RowResult> results = compileRows(source, *options);
  if (int exitCode = judge(*options, results))
    return exitCode;
  if (!options->meaning.empty())
    if (Status s = addMeaning(options->meaning, results, description); !s.ok())
      return fail(s);
  // Reports read what merging moves away.
  std::string report;
  if (options->report)
    for (const RowResult &result : results)
      report += printReport(result.report, result.bundle);
  if (options->report && !options->shapes.empty())
    for (const RowResult &result : results) {
      auto text = explainLaunches(result.report, result.bundle,
                                  {options->shapes, options->scalars});
      if (!text)
        return fail(text.status());
      report += *text;
    }
  if (Status s = write(*options, results, description); !s.ok())
    return fail(s);
  llvm::raw_ostream &os = options->output == "-" ? llvm::errs() : llvm::outs();
  os << report;
  os.flush();
  return 0;
}
