// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ptxas.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace helios::compile;
using llvm::StringRef;

std::string helios::compile::findPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return "";
}

/// The number before `word` in a line such as "Used 90 registers, 48 bytes
/// spill stores"; zero if the line does not say it.
static int64_t numberBefore(StringRef line, StringRef word) {
  size_t at = line.find(word);
  int64_t number = 0;
  if (at == StringRef::npos ||
      line.take_front(at).rtrim().rsplit(' ').second.getAsInteger(10, number))
    return 0;
  return number;
}

/// Reads what ptxas -v prints.
static llvm::StringMap<MachineFacts> readFacts(StringRef text) {
  llvm::StringMap<MachineFacts> all;
  MachineFacts *facts = nullptr;
  for (StringRef line : llvm::split(text, '\n')) {
    // Compiling entry function 'gemm_full' for 'sm_89'
    if (line.contains("Compiling entry function"))
      facts = &all[line.split('\'').second.split('\'').first];
    if (!facts)
      continue;
    facts->spillBytes += numberBefore(line, "bytes spill stores") +
                         numberBefore(line, "bytes spill loads");
    if (int64_t registers = numberBefore(line, "registers"))
      facts->registers = registers;
  }
  return all;
}

llvm::StringMap<MachineFacts> helios::compile::assemble(StringRef ptx,
                                                        StringRef architecture,
                                                        std::string &problem) {
  std::string program = findPtxas();
  if (program.empty()) {
    problem = "there is no ptxas on PATH or in /usr/local/cuda/bin";
    return {};
  }
  llvm::SmallString<128> source, output;
  int fd;
  if (std::error_code e =
          llvm::sys::fs::createTemporaryFile("helios", "ptx", fd, source)) {
    problem = "no temporary file: " + e.message();
    return {};
  }
  llvm::scope_exit removeSource([&] { llvm::sys::fs::remove(source); });
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << ptx;
  if (std::error_code e =
          llvm::sys::fs::createTemporaryFile("helios", "txt", output)) {
    problem = "no temporary file: " + e.message();
    return {};
  }
  llvm::scope_exit removeOutput([&] { llvm::sys::fs::remove(output); });
  std::string arch = ("-arch=" + architecture).str();
  StringRef arguments[] = {program, "-v", arch, "-o", "/dev/null", source};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output),
                                          StringRef(output)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt,
                                         redirects, /*SecondsToWait=*/300,
                                         /*MemoryLimit=*/0, &error);
  auto text = llvm::MemoryBuffer::getFile(output);
  StringRef printed = text ? (*text)->getBuffer() : StringRef();
  if (status != 0) {
    problem = error.empty() ? printed.split('\n').first.str() : error;
    return {};
  }
  return readFacts(printed);
}
