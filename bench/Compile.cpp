// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Compile.h"
#include "helios/Bundle/Serialize.h"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace helios::bench {

namespace {

/// The exit code of a program that a signal ended is beyond this by its number.
constexpr int kSignalBase = 128;

/// What a signal handler needs to end programs and to leave nothing of them:
/// for each thread that runs one, the program and the file stem under which it
/// works. `entering` counts the threads whose program is not in its place yet,
/// or is no more and not waited for.
std::atomic<bool> stopRequested{false};
std::atomic<int> entering{0};
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);
constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxThreads = 64;
const char *const kTemporaryEnds[] = {".mlir", ".hlx"};

struct Place {
  std::atomic<bool> isTaken{false}, hasStem{false};
  std::atomic<pid_t> program{0};
  char names[2][kMaxPath];

  void removeFiles() {
    if (hasStem.exchange(false))
      for (const char *name : names)
        unlink(name);
  }
};
Place places[kMaxThreads];

/// The place of a thread while this lives.
class TakenPlace {
public:
  TakenPlace() {
    for (;;)
      for (Place &candidate : places)
        if (bool expected = false;
            candidate.isTaken.compare_exchange_strong(expected, true)) {
          place = &candidate;
          return;
        }
  }
  ~TakenPlace() { place->isTaken = false; }
  Place *operator->() const { return place; }

private:
  Place *place = nullptr;
};

/// Files of one compilation, gone at its end unless they are to stay.
class TemporaryFiles {
public:
  explicit TemporaryFiles(const std::string &stem) {
    for (int n = 0; n < 2; ++n)
      std::snprintf(place->names[n], kMaxPath, "%s%s", stem.c_str(),
                    kTemporaryEnds[n]);
    place->hasStem = stem.size() + 6 < kMaxPath;
  }
  ~TemporaryFiles() { place->removeFiles(); }
  void keepText() {
    if (place->hasStem.exchange(false))
      unlink(place->names[1]);
  }

private:
  TakenPlace place;
};

/// Signals wait while this lives.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  sigset_t before;
};

} // namespace

void requestStop() {
  stopRequested = true;
  for (Place &place : places)
    if (const pid_t program = place.program)
      kill(program, SIGTERM);
}

void abandonPrograms() {
  stopRequested = true;
  // These threads take no signals, so none of them waits for this handler.
  while (entering != 0)
    poll(nullptr, 0, 1);
  for (Place &place : places) {
    if (const pid_t program = place.program) {
      kill(program, SIGKILL);
      waitpid(program, nullptr, 0);
    }
    place.removeFiles();
  }
}

Result<ProgramResult> runProgram(const std::vector<std::string> &arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::device(std::string("cannot make a pipe: ") +
                          std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> argv;
  for (const std::string &a : arguments)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  TakenPlace place;
  pid_t child = 0;
  int error = 0;
  bool isStopped = false;
  {
    // A signal finds either no program or the one that it has to end.
    BlockedSignals blocked;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &blocked.before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    ++entering;
    isStopped = stopRequested;
    if (!isStopped)
      error = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(),
                          environ);
    if (!isStopped && error == 0)
      place->program = child;
    --entering;
    posix_spawnattr_destroy(&attributes);
    // The signal may have come to another thread meanwhile.
    if (!isStopped && error == 0 && stopRequested)
      kill(child, SIGTERM);
  }
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (isStopped) {
    close(ends[0]);
    return Status::device("interrupted");
  }
  if (error != 0) {
    close(ends[0]);
    return Status::unsupported("cannot start " + arguments.front() + ": " +
                               std::strerror(error));
  }
  ProgramResult result;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(ends[0], buffer, sizeof(buffer));
    if (count > 0)
      result.output.append(buffer, size_t(count));
    else if (count == 0 || errno != EINTR)
      break;
  }
  close(ends[0]);
  int status = 0;
  // The number stays the program's own until it is waited for.
  siginfo_t ended;
  while (waitid(P_PID, id_t(child), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  {
    BlockedSignals blocked;
    ++entering;
    place->program = 0;
    waitpid(child, &status, 0);
    --entering;
  }
  if (stopRequested)
    return Status::device("interrupted");
  result.exitCode =
      WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return result;
}

Status makeFolders(const std::string &path) {
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end != path.size() && path[end] != '/')
      continue;
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST)
      return Status::invalidInput("cannot make the folder " + part + ": " +
                                  std::strerror(errno));
  }
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return Status::invalidInput(
        path + ": expected a folder, got something else of that name");
  return Status::success();
}

Result<std::string> readText(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return Status::invalidInput("cannot read " + path + ": " +
                                std::strerror(errno));
  std::string text;
  char buffer[65536];
  size_t count;
  while ((count = std::fread(buffer, 1, sizeof(buffer), file)) > 0)
    text.append(buffer, count);
  const bool failed = std::ferror(file);
  const int error = errno;
  std::fclose(file);
  if (failed)
    return Status::invalidInput("cannot read " + path + ": " +
                                std::strerror(error));
  return text;
}

Status writeText(const std::string &path, const std::string &text) {
  return bundle::writeFile(path,
                           std::vector<uint8_t>(text.begin(), text.end()));
}

namespace {

std::string hashOf(const std::string &text) {
  return bundle::toHex(
             bundle::sha256(reinterpret_cast<const uint8_t *>(text.data()),
                            text.size()))
      .substr(0, 32);
}

/// At most `count` lines of `text`, and how many are left out.
std::string firstLines(const std::string &text, size_t count) {
  size_t at = 0;
  for (size_t line = 0; line < count && at != std::string::npos; ++line) {
    const size_t end = text.find('\n', at);
    at = end == std::string::npos ? end : end + 1;
  }
  if (at == std::string::npos || at >= text.size())
    return text.empty() || text.back() == '\n' ? text : text + "\n";
  size_t more = 0;
  for (size_t i = at; i < text.size(); ++i)
    more += text[i] == '\n';
  return text.substr(0, at) + "(" + std::to_string(more) + " more lines)\n";
}

/// The newest file in `folder` whose name begins with `prefix` and ends in
/// .hlx.
std::string newestMatch(const std::string &folder, const std::string &prefix) {
  std::string newest;
  time_t when = 0;
  DIR *dir = opendir(folder.c_str());
  if (!dir)
    return newest;
  while (dirent *entry = readdir(dir)) {
    const std::string name = entry->d_name;
    struct stat info;
    if (name.compare(0, prefix.size(), prefix) != 0 || name.size() < 4 ||
        name.compare(name.size() - 4, 4, ".hlx") != 0 ||
        stat((folder + "/" + name).c_str(), &info) != 0)
      continue;
    if (newest.empty() || info.st_mtime > when) {
      newest = folder + "/" + name;
      when = info.st_mtime;
    }
  }
  closedir(dir);
  return newest;
}

Status keep(const BundleSource &source, const std::string &text,
            const std::string &label, const std::string &bundlePath) {
  if (source.keepDir.empty())
    return Status::success();
  if (Status s = makeFolders(source.keepDir); !s.ok())
    return s.withPrefix("--keep: ");
  std::string name;
  for (char c : label)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  auto bytes = readText(bundlePath);
  if (!bytes.ok())
    return bytes.status();
  if (Status s = writeText(source.keepDir + "/" + name + ".mlir", text);
      !s.ok())
    return s;
  return writeText(source.keepDir + "/" + name + ".hlx", *bytes);
}

} // namespace

Result<std::string> bundleFor(const BundleSource &source,
                              const std::string &text, const std::string &label,
                              bool &compiled) {
  compiled = false;
  if (Status s = makeFolders(source.cacheDir); !s.ok())
    return s.withPrefix("--bundle-cache: ");
  std::string meaning;
  if (!source.meaning.empty()) {
    auto read = readText(source.meaning);
    if (!read.ok())
      return read.status().withPrefix("--reference: ");
    meaning = "\nmeaning\n" + *read;
  }
  std::string table;
  if (!source.tuned.empty()) {
    auto read = readText(source.tuned);
    if (!read.ok())
      return read.status().withPrefix("--tuned: ");
    table = *read;
  }
  const std::string what = hashOf(
      "text\n" + text + "\ntarget " + source.target + "\nschedule " +
      source.schedule + meaning +
      (source.tuned.empty() ? "" : "\ntuned " + source.tuned + "\n" + table) +
      (source.shapes.empty() ? "" : "\nlist " + source.shapes) +
      (source.launches.empty() ? ""
                               : "\nonly " + source.launches + " on " +
                                     std::to_string(source.processors)) +
      (source.debugInfo ? "\ndebug-info " + source.textFile : ""));
  struct stat info;
  const bool hasCompiler = access(source.compiler.c_str(), X_OK) == 0 &&
                           stat(source.compiler.c_str(), &info) == 0;
  if (!hasCompiler) {
    const std::string found = newestMatch(source.cacheDir, what + "-");
    if (found.empty())
      return Status::unsupported(
          "no compiler and no bundle for " + label + ": " +
          (source.compiler.empty() ? "helios-compile" : source.compiler) +
          " cannot be run and " + source.cacheDir +
          " holds no bundle of this kernel. Build helios-compile, name one "
          "with "
          "--compiler PATH, or bring bundles made elsewhere with --bundle FILE "
          "or --bundle-cache DIR");
    if (Status s = keep(source, text, label, found); !s.ok())
      return s;
    return found;
  }
  const std::string compilerId =
      hashOf(source.compiler + " " + std::to_string(info.st_size) + " " +
             std::to_string(info.st_mtim.tv_sec) + "." +
             std::to_string(info.st_mtim.tv_nsec));
  const std::string path =
      source.cacheDir + "/" + what + "-" + compilerId.substr(0, 8) + ".hlx";
  if (access(path.c_str(), R_OK) != 0) {
    const std::string stem =
        source.cacheDir + "/tmp-" + what + "-" + std::to_string(getpid());
    TemporaryFiles files(stem);
    // Places in the text are read after the compilation.
    std::string textFile = stem + ".mlir";
    if (source.debugInfo)
      textFile = source.textFile.empty()
                     ? path.substr(0, path.size() - 4) + ".mlir"
                     : source.textFile;
    if (!source.debugInfo || source.textFile.empty())
      if (Status s = writeText(textFile, text); !s.ok())
        return s;
    std::vector<std::string> arguments{source.compiler, textFile,
                                       "--target=" + source.target};
    if (source.debugInfo)
      arguments.push_back("--debug-info");
    if (!source.schedule.empty())
      arguments.push_back("--schedule=" + source.schedule);
    if (!source.launches.empty())
      arguments.push_back("--only-launches=" + source.launches);
    if (!source.launches.empty() && source.processors)
      arguments.push_back("--processors=" + std::to_string(source.processors));
    if (!source.meaning.empty())
      arguments.push_back("--meaning=" + source.meaning);
    if (!source.tuned.empty())
      arguments.push_back("--tuned=" + source.tuned);
    if (!source.shapes.empty())
      arguments.insert(arguments.end(),
                       {"--emit=schedules", "--shapes=" + source.shapes});
    arguments.insert(arguments.end(), {"-o", stem + ".hlx"});
    auto run = runProgram(arguments);
    if (!run.ok())
      return run.status();
    if (run->exitCode != 0) {
      files.keepText();
      // The text stays, for the compiler's message points into it.
      const std::string rest =
          firstLines(run->output, 30) + "its input is kept in " + textFile;
      // No input is to blame where the compiler was ended by a signal.
      if (const int signal = run->exitCode - kSignalBase; signal > 0)
        return Status::unsupported(
            label + ": helios-compile crashed (signal " +
            std::to_string(signal) + ", " + strsignal(signal) +
            "), a defect of its own or want of memory:\n" + rest);
      const std::string message = label + ": helios-compile ended with " +
                                  std::to_string(run->exitCode) + ":\n" + rest;
      return run->exitCode == 3 ? Status::unsupported(message)
                                : Status::invalidInput(message);
    }
    if (std::rename((stem + ".hlx").c_str(), path.c_str()) != 0)
      return Status::invalidInput("cannot write " + path + ": " +
                                  std::strerror(errno));
    compiled = true;
  }
  if (Status s = keep(source, text, label, path); !s.ok())
    return s;
  return path;
}

} // namespace helios::bench
