// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which of a library's candidates is measured.

#include "helios/Bench/Paired.h"
#include "helios/Bench/Peer.h"

#include <algorithm>
#include <tuple>

namespace helios::bench {

namespace {

/// Of the candidates of a class, those that a short trial leaves.
constexpr size_t kFinalists = 8;

/// Parts of names by which the libraries mark kernels of Hopper and later.
const char *const kLaterThanAmpere[] = {
    "sm90", "sm_90", "nvjet", "hopper", "gmma", "cutlass_90", "cutlass3x_",
    "sm10", "sm_10", "sm11",  "sm_11",  "sm12", "sm_12",      "blackwell"};

std::string lowercase(std::string text) {
  for (char &c : text)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

struct Timed {
  size_t candidate;
  double ns;
  std::string kernel;
  bool operator<(const Timed &other) const {
    return std::tie(ns, candidate) < std::tie(other.ns, other.candidate);
  }
};

} // namespace

const std::vector<std::string> &peerClasses() {
  static const std::vector<std::string> classes{"sm80"};
  return classes;
}

bool belongsToClass(const std::vector<std::string> &kernelNames,
                    const std::string &kernelClass) {
  if (kernelClass.empty())
    return true;
  return !kernelNames.empty() &&
         std::none_of(kernelNames.begin(), kernelNames.end(),
                      [](const std::string &name) {
                        const std::string text = lowercase(name);
                        return std::any_of(
                            std::begin(kLaterThanAmpere),
                            std::end(kLaterThanAmpere), [&](const char *part) {
                              return text.find(part) != std::string::npos;
                            });
                      });
}

Status chooseCandidate(Peer &peer, PeerTrial &trial,
                       const std::string &kernelClass, PeerComparison &out) {
  if (!kernelClass.empty())
    peer.addConfigurations();
  out.candidates = 0;
  out.peerClass = kernelClass;
  std::vector<Timed> timed;
  std::string others;
  for (size_t n = 0; n < peer.candidates(); ++n) {
    auto names = trial.kernels(n);
    if (!names.ok() && names.status().code() == StatusCode::Device)
      return names.status();
    if (!names.ok())
      continue; // an algorithm that the library offers and then refuses
    const std::string kernel = names->empty() ? "" : names->front();
    if (!belongsToClass(*names, kernelClass)) {
      if (others.find(kernel) == std::string::npos && others.size() < 200)
        others += (others.empty() ? "" : ", ") + kernel;
      continue;
    }
    auto ns = trial.time(n, kernelClass.empty());
    if (!ns.ok() && ns.status().code() == StatusCode::Unsupported)
      continue;
    if (!ns.ok())
      return ns.status();
    timed.push_back({n, *ns, kernel});
  }
  if (timed.empty() && !kernelClass.empty())
    return Status::unsupported(peer.name() + " has no candidate of the class " +
                               kernelClass + " for this product" +
                               (others.empty()
                                    ? "; its kernels' names are not known"
                                    : "; its kernels are " + others));
  if (timed.empty())
    return Status::unsupported(peer.name() + " runs none of its candidates");
  out.candidates = timed.size();
  std::sort(timed.begin(), timed.end());
  if (!kernelClass.empty()) {
    timed.resize(std::min(timed.size(), kFinalists));
    for (Timed &t : timed) {
      auto ns = trial.time(t.candidate, true);
      if (!ns.ok())
        return ns.status();
      t.ns = *ns;
    }
    std::sort(timed.begin(), timed.end(),
              [](const Timed &x, const Timed &y) { return x.ns < y.ns; });
  }
  out.best = timed.front().candidate;
  out.kernel = timed.front().kernel;
  return Status::success();
}

} // namespace helios::bench
