// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor's library that computes the same product, for comparison in the
// same run.

#ifndef HELIOS_BENCH_PEER_H
#define HELIOS_BENCH_PEER_H

#include "helios/Bench/Attention.h"
#include "helios/Bundle/Bundle.h"
#include "helios/Bundle/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helios::bench {

/// D = epilogue(op(A) * op(B) [+ bias]), row-major; what a peer must compute.
struct PeerProblem {
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 0; ///< 0: not batched
  bool transposeA = false, transposeB = false;
  bool fastSums = false; ///< of 8-bit floats: sums may stay in the engine
  bundle::ElementType a = bundle::ElementType::F16,
                      b = bundle::ElementType::F16,
                      accumulator = bundle::ElementType::F32,
                      result = bundle::ElementType::F16;
  /// Leading dimensions of the stored matrices and strides between batches, in
  /// elements.
  int64_t lda = 0, ldb = 0, ldd = 0;
  int64_t strideA = 0, strideB = 0, strideD = 0;
  std::string epilogue = "none"; ///< none, bias, bias+relu, bias+gelu_tanh, ...
};

/// Attention: what a peer must compute.
struct AttentionProblem {
  AttentionShape shape;
  bundle::ElementType element = bundle::ElementType::F16; ///< of all tensors
  bool causal = false; ///< aligned at the last query and key
  bool hasLse = false;
  double scale = 1;
  /// In elements, of [batch, heads, rows, depth].
  std::vector<int64_t> queryStrides, keyStrides, valueStrides, resultStrides;
};

/// Device addresses of one set of operands. An attention's query and key are a
/// and b.
struct PeerArguments {
  uint64_t a = 0, b = 0, bias = 0, d = 0;
  uint64_t value = 0, lse = 0;
};

/// A library opened for one problem. Its calls can be captured into a graph.
class Peer {
public:
  virtual ~Peer() = default;
  /// "cuBLASLt 13.0.0.19".
  virtual const std::string &name() const = 0;
  /// Algorithms that the library offers for the problem, its first choice
  /// first; at least one.
  virtual size_t candidates() const = 0;
  /// Adds every configuration that the library can run, beyond those that it
  /// recommends.
  virtual void addConfigurations() = 0;
  /// Hands one product by a candidate over to a CUDA stream (a CUstream).
  virtual Status enqueue(size_t candidate, const PeerArguments &arguments,
                         void *stream) = 0;
};

/// Bytes of workspace that either side may use.
inline constexpr uint64_t kPeerWorkspaceBytes = uint64_t(32) << 20;
/// Most candidates asked for.
inline constexpr int kPeerCandidates = 128;
/// Most configurations added to them.
inline constexpr int kPeerConfigurations = 1024;

/// Classes of kernels to which a peer's candidates can be held: the name after
/// the colon of --compare cublas:sm80.
const std::vector<std::string> &peerClasses();
/// Whether kernels of these names, all those of one product, belong to a class.
/// sm80: none needs a later architecture than Ampere and Ada, as its name says
/// (sm90, nvjet, ...). Without names nothing belongs to a class.
bool belongsToClass(const std::vector<std::string> &kernelNames,
                    const std::string &kernelClass);

/// Tries a peer's candidates: what one launches, and how long it takes.
class PeerTrial {
public:
  virtual ~PeerTrial() = default;
  /// Names of the kernels that a candidate launches; a failure leaves it out.
  virtual Result<std::vector<std::string>> kernels(size_t candidate) = 0;
  /// Nanoseconds of one product by it, the median of some replays: of a few
  /// launches, or of as many as are measured later.
  virtual Result<double> time(size_t candidate, bool isLong) = 0;
};

struct PeerComparison;

/// Sets the fastest candidate and its kernel. Without a class, of those that
/// the library recommends; with one, of all its configurations whose kernels
/// belong to it: all by a short trial, the best of these by a long one.
/// Unsupported: there is none; the message names kernels that there are.
Status chooseCandidate(Peer &peer, PeerTrial &trial,
                       const std::string &kernelClass, PeerComparison &out);

/// Opens cuBLASLt for a problem on the current CUDA context. `library` is its
/// path; empty: it is looked for (see findLibrary). `workspace` is device
/// memory of kPeerWorkspaceBytes. Unsupported: the library is missing, or
/// computes no such product or epilogue; the message says which.
Result<std::unique_ptr<Peer>> openCublas(const PeerProblem &problem,
                                         const std::string &library,
                                         uint64_t workspace);

/// Opens cuDNN for an attention, likewise. Unsupported: the library is missing,
/// or has no kernel for it.
Result<std::unique_ptr<Peer>> openCudnn(const AttentionProblem &problem,
                                        const std::string &library,
                                        uint64_t workspace);

/// Path or name by which a shared library can be opened: `names` in order
/// through the system's search path, CUDA's folders, and the packages that pip
/// puts beside the python3 of PATH. Empty if there is none.
std::string findLibrary(const std::vector<std::string> &names);

} // namespace helios::bench

#endif // HELIOS_BENCH_PEER_H
