// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case on a device: load, check, time.

#ifndef HELIOS_BENCH_RUNNER_H
#define HELIOS_BENCH_RUNNER_H

#include "helios/Bench/Check.h"
#include "helios/Bench/Inputs.h"
#include "helios/Bench/Options.h"
#include "helios/Bench/Paired.h"
#include "helios/Bench/Statistics.h"
#include "helios/runtime/Runtime.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace helios::bench {

/// What is to be run.
struct Case {
  std::string name;  ///< "gemm f16:f16:f32:f16 nt bias", or the kernel's name
  std::string shape; ///< "512x512x512"
  std::string types, layout, epilogue;
  int64_t batch = 0;
  bool grouped = false;   ///< whether rows belong to groups
  bool hasScales = false; ///< whether blocks of A and B have scales
  bool storedB = false; ///< whether B is stored in another type than multiplied
  bool computedA = false; ///< whether A is multiplied by factors before
  /// Of batch-invariant products: extents of every argument with fewer rows,
  /// which have to give the same bits.
  std::vector<std::vector<std::vector<int64_t>>> fewerRows;
  /// Of the command attention: what it is, for a peer.
  std::optional<AttentionFamily> attention;
  std::optional<AttentionShape> attentionShape;
  /// Why there is no bundle, if the target cannot do the kernel.
  Status unavailable;
  std::shared_ptr<const bundle::Bundle> bundle;
  std::string kernel;
  std::vector<std::vector<int64_t>>
      extents; ///< of every argument; results' may be missing, they are then
               ///< inferred
  std::map<std::string, double> scalars;
  std::string
      flopsFormula; ///< of a kernel whose meaning does not say (see Directives)
  /// Of a peak kernel of memory: bytes moved, and what its tensors shall take
  /// together.
  std::string bytesFormula;
  int64_t workingSetMiB = 0;
  double ceiling =
      0; ///< FLOP/s that its matrix instructions reach; 0: not measured
};

/// A check with one kind of inputs.
struct CheckOfKind {
  InputKind kind;
  CheckReport report;
};

/// What came of a case.
struct CaseResult {
  Verdict verdict = Verdict::NotVerified;
  std::string reason;
  Status error; ///< of the device or of the input; the verdict is then
                ///< NotVerified or Unsupported
  std::vector<CheckOfKind> checks;
  double maxError = 0, relativeError = 0; ///< with uniform inputs
  std::string coverage;
  std::string row, variant, schedule, whyChosen;
  std::string choice; ///< who chose the schedule of this launch, and why; lines
  uint64_t workspaceBytes = 0;
  double flops = 0, bytes = 0;
  bool timed = false;
  std::vector<std::vector<double>> gpuNs; ///< raw, one list for each repetition
  /// Launches and milliseconds of warm-up before each repetition.
  std::vector<double> warmupLaunches, warmupMs;
  int64_t restMs = 0; ///< before each timed launch
  std::vector<double>
      hostSubmitNs; ///< host time of handing one launch over, raw
  double hostTotalNs =
      0; ///< host time of the timed launches, submit to done, for each launch
  Summary gpu, host;
  size_t sets = 0;
  std::optional<PeerComparison> peer; ///< with --compare
  std::vector<rt::PipelineStatistic> statistics;
};

/// Looked at between steps: true once the user asked to stop.
using Interrupted = std::function<bool()>;

class Runner {
public:
  Runner(std::shared_ptr<rt::Device> device, std::shared_ptr<rt::Stream> stream,
         const Options &options, Interrupted interrupted)
      : device(std::move(device)), stream(std::move(stream)), options(options),
        interrupted(std::move(interrupted)) {}

  /// Never fails: what went wrong is in the result.
  CaseResult run(const Case &c);

  /// For a peak kernel: what it reaches, without check.
  struct Peak {
    double rate = 0;       ///< FLOP/s, or bytes a second
    double workingSet = 0; ///< bytes, of a peak of memory
  };
  Result<Peak> measureCeiling(const Case &c);

  /// One set of buffers, in them inputs and poisoned results.
  struct Set {
    std::vector<std::shared_ptr<rt::Buffer>> buffers;
    std::vector<rt::LaunchArgument> arguments;
    std::shared_ptr<rt::Launch> launch;
  };
  /// A case whose result was right, or cannot be checked, to be timed as often
  /// as wanted.
  struct Prepared {
    std::shared_ptr<rt::Kernel> kernel;
    std::vector<ImageLayout> layouts;
    std::vector<ResultImage> verified;
    Set set;
  };
  /// Loads and checks a case. Nothing, with the reason in `result`, if it may
  /// not be timed.
  std::optional<Prepared> prepare(const Case &c, CaseResult &result);
  /// The same data in enough places, at most so many, that no cache holds the
  /// next launch's operands.
  Result<std::vector<Set>> rotate(const Prepared &prepared, size_t most);
  /// WrongResult if a set does not hold the verified result, bit for bit.
  Status checkUnchanged(const Prepared &prepared, const Set &set);

private:
  Status prepareExtents(const Case &c, const bundle::Kernel &described,
                        rt::Kernel &kernel,
                        std::vector<std::vector<int64_t>> &extents);
  /// Buffers and arguments, the tensors not yet filled.
  Result<Set> makeEmptySet(const bundle::Kernel &kernel, const Problem &problem,
                           const std::vector<ImageLayout> &layouts);
  Status pack(const Case &c, const bundle::Argument &argument,
              const std::string &row, const ImageLayout &layout,
              std::shared_ptr<rt::Buffer> &buffer, rt::LaunchArgument &passed);
  Result<Set> makeSet(const Case &c, const bundle::Kernel &described,
                      rt::Kernel &kernel, const Problem &problem,
                      const std::vector<ImageLayout> &layouts);
  Result<Set> makeLargeSet(rt::Kernel &kernel, const Problem &scalars,
                           const std::vector<ImageLayout> &layouts);
  Result<Set> cloneSet(rt::Kernel &kernel, const Set &set);
  Status readResults(const Set &set, const bundle::Kernel &kernel,
                     std::vector<ResultImage> &results);
  Status check(const Case &c, const bundle::Kernel &described,
               rt::Kernel &kernel,
               const std::vector<std::vector<int64_t>> &extents,
               const std::vector<ImageLayout> &layouts, CaseResult &result,
               Set &last, std::vector<ResultImage> &images);
  /// Invariance.cpp: WrongResult if a launch with fewer rows, as the case lists
  /// them, gives other bits than the one that was checked.
  Status checkInvariance(const Case &c, const bundle::Kernel &described,
                         rt::Kernel &kernel, const Set &set,
                         const std::vector<ResultImage> &images,
                         const std::vector<ImageLayout> &layouts);
  Status time(const Case &c, const Prepared &prepared, CaseResult &result);
  // Compare.cpp: beside a vendor's library.
  struct Rivals;
  class GraphTrial;
  Status compareWithPeer(const Case &c, const std::vector<Set> &sets,
                         const std::vector<ImageLayout> &layouts,
                         CaseResult &result);
  Status openPeer(const Case &c, const std::vector<ImageLayout> &layouts,
                  Rivals &rivals);
  Result<Rivals> makeRivals(const Case &c, const std::vector<Set> &sets,
                            const std::vector<ImageLayout> &layouts);
  Result<std::shared_ptr<rt::Graph>>
  recordPeer(Rivals &rivals, size_t candidate, size_t launches);
  Status compareResults(const Rivals &rivals, const Set &ours,
                        const ImageLayout &layout, PeerComparison &out);
  Status measurePairs(const std::shared_ptr<rt::Graph> &ours,
                      const std::shared_ptr<rt::Graph> &theirs,
                      PeerComparison &out);
  /// That many timed launches, after a rest each where one is asked for.
  Result<rt::Timing>
  timeGraph(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
            int64_t count);
  Result<rt::Timing>
  timeLaunches(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
               int64_t count);
  Status warmUp(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
                double launchNs, CaseResult &result);
  Status poison(const Set &set, const bundle::Kernel &kernel,
                const std::vector<ImageLayout> &layouts);

  std::shared_ptr<rt::Device> device;
  std::shared_ptr<rt::Stream> stream;
  const Options &options;
  Interrupted interrupted;
};

} // namespace helios::bench

#endif // HELIOS_BENCH_RUNNER_H
