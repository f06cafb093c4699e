//===- helios-emulate.cpp - Runs a kernel of PTX on the CPU -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "helios/Bundle/Serialize.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace helios;

namespace {

const char *const usage =
    "usage: helios-emulate FILE.ptx [--check] [options] [--arg SPEC]...\n"
    "\n"
    "Executes a kernel of PTX without a GPU and says what is wrong with it.\n"
    "\n"
    "  --check             parse and decode every kernel, run none\n"
    "  --kernel NAME       which kernel; needed if the file has several\n"
    "  --grid X[,Y,Z]      blocks (default 1)\n"
    "  --block X[,Y,Z]     threads of a block (default: what .reqntid says, "
    "else 32)\n"
    "  --cluster N         blocks of a cluster, along x (default: what the "
    "kernel\n"
    "                      requires, else 1)\n"
    "  --dependent         the grid before may still run at the launch\n"
    "  --shared BYTES      dynamic shared memory (default 0)\n"
    "  --arg SPEC          the next parameter:\n"
    "      TYPE:VALUE                           a number\n"
    "      buffer:TYPE:COUNT[:INIT][:in]        memory that begins as INIT: "
    "none, zero,\n"
    "                                           iota, random, VALUE or @FILE; "
    "'in': only\n"
    "                                           read\n"
    "      map:ARG:EXTENTS:STRIDES:BOX:SWIZZLE  a tensor map of the buffer "
    "that is\n"
    "                                           argument ARG\n"
    "  --memory SPEC       TYPE:COUNT[:INIT][:in]: memory that is no "
    "parameter, "
    "called m0,\n"
    "                      m1, ... where a buffer is named\n"
    "  --seed N            what the adversary draws from; 0 (default): "
    "everything\n"
    "                      happens at once and in order\n"
    "  --seeds FROM-TO     one run for each seed, until one finds something\n"
    "  --plain             look for errors of memory and deadlocks alone\n"
    "  --threads N         of the host (default: its processors)\n"
    "  --report            count instructions, bank conflicts, sectors, idle "
    "waits\n"
    "  --print ARG[:COUNT] print a buffer's first elements afterwards (default "
    "16)\n"
    "  --dump ARG=FILE     write a buffer to a file afterwards\n"
    "  --version, -h, --help\n"
    "\n"
    "TYPE is one of u8 u16 u32 u64, s8 s32 s64, b8 to b64, f16 bf16 f32 f64.\n"
    "\n"
    "Exit codes: 0 ran to its end and nothing was found, 1 there are findings, "
    "2 usage or\n"
    "bad input, 3 an instruction that the emulator does not know.\n";

int fail(const Status &s) {
  std::fprintf(stderr, "helios-emulate: %s\n", s.message().c_str());
  return s.exitCode();
}
int bad(const std::string &message) {
  return fail(Status::invalidInput(message + " (see --help)"));
}

bool extents(const char *text, uint64_t *out) {
  for (int d = 0; d < 3; ++d) {
    char *end = nullptr;
    out[d] = std::strtoull(text, &end, 10);
    if (end == text || out[d] == 0 || out[d] > 1u << 31)
      return false;
    if (*end == 0)
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
  return false;
}

struct Wanted {
  std::string file, kernel;
  bool check = false, report = false, hasBlock = false, dependent = false;
  uint64_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t cluster = 0, shared = 0;
  uint64_t firstSeed = 0, lastSeed = 0;
  std::vector<std::string> arguments, memories;
  std::vector<std::pair<std::string, uint64_t>> prints;
  std::vector<std::pair<std::string, std::string>> dumps;
  emu::Options options;
};

void printReport(const emu::Report &report) {
  std::printf("instructions of warps %llu\n"
              "bank conflicts %llu of %llu accesses to shared memory\n"
              "sectors %llu of %llu accesses to global memory, at best "
              "%llu\n",
              static_cast<unsigned long long>(report.instructions),
              static_cast<unsigned long long>(report.bankConflicts),
              static_cast<unsigned long long>(report.sharedAccesses),
              static_cast<unsigned long long>(report.globalSectors),
              static_cast<unsigned long long>(report.globalAccesses),
              static_cast<unsigned long long>(report.idealSectors));
  std::printf("clusters of the host's threads");
  for (uint64_t n : report.clustersOfThread)
    std::printf(" %llu", static_cast<unsigned long long>(n));
  std::printf("\n");
  auto idle = [](const emu::Uses::Lines &lines, const char *text) {
    for (auto [line, used] : lines)
      if (!used)
        std::printf(text, line);
  };
  idle(report.uses.copies,
       "the wait on line %u finds no copy that is pending\n");
  idle(report.uses.phases,
       "the wait on line %u tells nothing new of other warps\n");
  idle(report.uses.arrivals, "nobody waits for the arrival on line %u\n");
}

/// One run with fresh arguments. `last`: print and dump buffers.
int run(const Wanted &w, const std::shared_ptr<const emu::Code> &code,
        uint64_t seed, bool last) {
  Arguments arguments;
  for (const std::string &m : w.memories)
    if (Status s = arguments.addMemory(m); !s.ok())
      return fail(s);
  for (const std::string &a : w.arguments)
    if (Status s = arguments.add(a); !s.ok())
      return fail(s);
  const emu::ptx::Kernel &k = *code->kernel;
  emu::LaunchConfig config;
  if (Status s = arguments.pack(k, config); !s.ok())
    return fail(s);
  for (int d = 0; d < 3; ++d) {
    config.grid[d] = w.grid[d];
    config.block[d] = w.hasBlock             ? uint32_t(w.block[d])
                      : k.requiredThreads[0] ? k.requiredThreads[d]
                      : d == 0               ? 32
                                             : 1;
  }
  config.cluster = w.cluster          ? w.cluster
                   : k.clusterDims[0] ? k.clusterDims[0]
                                      : 1;
  config.sharedBytes = w.shared;
  config.dependent = w.dependent;
  emu::Options options = w.options;
  options.seed = seed;
  emu::Report report;
  if (Status s = emu::launch(code, config, options, report); !s.ok())
    return fail(s);
  for (const emu::Finding &f : report.findings)
    std::fprintf(stderr, "%s\n", emu::describe(f).c_str());
  if (!report.findings.empty())
    std::fprintf(stderr, "%zu finding%s with seed %llu\n",
                 report.findings.size(), report.findings.size() == 1 ? "" : "s",
                 static_cast<unsigned long long>(seed));
  if (!last && report.findings.empty())
    return 0;
  if (w.report)
    printReport(report);
  for (const auto &[argument, count] : w.prints) {
    const HostBuffer *b = arguments.buffer(argument);
    if (!b)
      return bad("--print: '" + argument + "' is no buffer");
    for (uint64_t n = 0; n < count && n < b->count; ++n)
      std::printf("%s%s", n ? " " : "", b->element(n).c_str());
    std::printf("\n");
  }
  for (const auto &[argument, file] : w.dumps) {
    const HostBuffer *b = arguments.buffer(argument);
    if (!b)
      return bad("--dump: '" + argument + "' is no buffer");
    std::vector<uint8_t> bytes(b->data, b->data + b->count * b->elementBytes);
    if (Status s = bundle::writeFile(file, bytes); !s.ok())
      return fail(s);
  }
  return report.findings.empty() ? 0 : 1;
}

int parse(int argc, char **argv, Wanted &w) {
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--check") {
      w.check = true;
      continue;
    }
    if (a == "--plain") {
      w.options.sanitize = false;
      continue;
    }
    if (a == "--dependent") {
      w.dependent = true;
      continue;
    }
    if (a == "--report") {
      w.report = true;
      continue;
    }
    if (a[0] != '-' || a == "-") {
      if (!w.file.empty())
        return bad("unexpected argument '" + a + "'");
      w.file = a;
      continue;
    }
    static const char *const valued[] = {"--kernel",  "--grid",   "--block",
                                         "--cluster", "--shared", "--arg",
                                         "--seed",    "--seeds",  "--threads",
                                         "--print",   "--dump",   "--memory"};
    bool known = false;
    for (const char *v : valued)
      known |= a == v;
    if (!known)
      return bad("unexpected argument '" + a + "'");
    if (i + 1 == argc)
      return bad(a + ": expected a value");
    std::string v = argv[++i];
    char *end = nullptr;
    uint64_t number = std::strtoull(v.c_str(), &end, 10);
    bool isNumber = !v.empty() && *end == 0;
    bool good = true;
    if (a == "--kernel")
      w.kernel = v;
    else if (a == "--arg")
      w.arguments.push_back(v);
    else if (a == "--memory")
      w.memories.push_back(v);
    else if (a == "--grid")
      good = extents(v.c_str(), w.grid);
    else if (a == "--block")
      good = w.hasBlock = extents(v.c_str(), w.block);
    else if (a == "--cluster")
      good = isNumber && (w.cluster = uint32_t(number)) > 0;
    else if (a == "--shared")
      good = isNumber && number < 1u << 20, w.shared = uint32_t(number);
    else if (a == "--seed")
      good = isNumber, w.firstSeed = w.lastSeed = number;
    else if (a == "--threads")
      good = isNumber && number >= 1 && number <= 256,
      w.options.threads = unsigned(number);
    else if (a == "--seeds") {
      char *second = nullptr;
      w.firstSeed = number;
      good = *end == '-';
      if (good)
        w.lastSeed = std::strtoull(end + 1, &second, 10);
      good = good && second != end + 1 && *second == 0 &&
             w.lastSeed >= w.firstSeed;
    } else if (a == "--print") {
      size_t colon = v.find(':');
      uint64_t count = 16;
      if (colon != std::string::npos)
        count = std::strtoull(v.c_str() + colon + 1, &end, 10),
        good = *end == 0 && end != v.c_str() + colon + 1;
      w.prints.push_back({v.substr(0, colon), count});
    } else {
      size_t equals = v.find('=');
      good = equals != std::string::npos;
      if (good)
        w.dumps.push_back({v.substr(0, equals), v.substr(equals + 1)});
    }
    if (!good)
      return bad(a + ": cannot use '" + v + "'");
  }
  if (w.file.empty())
    return bad("no FILE.ptx given");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "-h") || !std::strcmp(argv[i], "--help"))
      return std::fputs(usage, stdout), 0;
    if (!std::strcmp(argv[i], "--version"))
      return std::printf("helios-emulate %s\n", HELIOS_VERSION), 0;
  }
  Wanted w;
  if (int code = parse(argc, argv, w))
    return code;
  FILE *file = w.file == "-" ? stdin : std::fopen(w.file.c_str(), "rb");
  if (!file)
    return bad("cannot read " + w.file + ": " + std::strerror(errno));
  std::string text;
  char buffer[65536];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;)
    text.append(buffer, n);
  if (file != stdin)
    std::fclose(file);
  Result<emu::ptx::Module> parsed = emu::ptx::parse(text);
  if (!parsed)
    return fail(parsed.status().withPrefix(w.file + ": "));
  auto module = std::make_shared<const emu::ptx::Module>(std::move(*parsed));
  if (w.check) {
    for (const emu::ptx::Kernel &k : module->kernels) {
      auto code = emu::decode(module, k.name);
      if (!code)
        return fail(code.status().withPrefix(w.file + ": "));
      std::printf("%s: %zu instructions for %s\n", k.name.c_str(),
                  (*code)->insts.size(), module->target.c_str());
    }
    return 0;
  }
  if (w.kernel.empty() && module->kernels.size() == 1)
    w.kernel = module->kernels[0].name;
  auto code = emu::decode(module, w.kernel);
  if (!code)
    return fail(code.status().withPrefix(w.file + ": "));
  for (uint64_t seed = w.firstSeed; seed <= w.lastSeed; ++seed)
    if (int status = run(w, *code, seed, seed == w.lastSeed))
      return status;
  return 0;
}
