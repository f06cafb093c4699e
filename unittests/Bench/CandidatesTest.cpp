// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Paired.h"
#include "helios/Bench/Peer.h"
#include <gtest/gtest.h>

using namespace helios;
using namespace helios::bench;

namespace {

struct Candidate {
  std::string kernel;
  double shortNs, longNs;
};

/// Recommends the first `recommended` of its candidates.
class FakePeer final : public Peer {
public:
  FakePeer(size_t recommended, size_t all)
      : count(recommended), everything(all) {}
  const std::string &name() const override { return title; }
  size_t candidates() const override { return count; }
  void addConfigurations() override { count = everything; }
  Status enqueue(size_t, const PeerArguments &, void *) override {
    return Status::success();
  }

private:
  std::string title = "fake 1.0";
  size_t count, everything;
};

class FakeTrial final : public PeerTrial {
public:
  explicit FakeTrial(std::vector<Candidate> all) : all(std::move(all)) {}
  Result<std::vector<std::string>> kernels(size_t n) override {
    if (all[n].kernel == "refused")
      return Status::unsupported("refused");
    if (all[n].kernel.empty())
      return std::vector<std::string>{};
    return std::vector<std::string>{all[n].kernel, "splitKreduce_kernel"};
  }
  Result<double> time(size_t n, bool isLong) override {
    longTrials += isLong;
    return isLong ? all[n].longNs : all[n].shortNs;
  }
  std::vector<Candidate> all;
  int longTrials = 0;
};

} // namespace

TEST(Candidates, ClassesByName) {
  for (const char *name :
       {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_stage4",
        "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8",
        "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", "gemmSN_TN_kernel"})
    EXPECT_TRUE(belongsToClass({name}, "sm80")) << name;
  for (const char *name :
       {"nvjet_tst_128x256_64x4_1x2_h_bz_coopB_TNT",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x256x64",
        "cutlass3x_sm100_tensorop_s64x128x16gemm_bf16",
        "cutlass_90_tensorop_gmma", "SM90_kernel"})
    EXPECT_FALSE(belongsToClass({name}, "sm80")) << name;
  // One kernel of a product is enough.
  EXPECT_FALSE(belongsToClass({"splitKreduce_kernel", "nvjet_x"}, "sm80"));
  // Where the driver names none, nothing can be said.
  EXPECT_FALSE(belongsToClass({}, "sm80"));
  EXPECT_TRUE(belongsToClass({}, ""));
}

TEST(Candidates, WithoutClassTheRecommendedOnes) {
  FakePeer peer(2, 3);
  FakeTrial trial({{"nvjet_a", 9, 9}, {"nvjet_b", 8, 8}, {"sm80_c", 1, 1}});
  PeerComparison out;
  ASSERT_TRUE(chooseCandidate(peer, trial, "", out).ok());
  EXPECT_EQ(out.best, 1u);
  EXPECT_EQ(out.kernel, "nvjet_b");
  EXPECT_EQ(out.candidates, 2u);
  EXPECT_EQ(trial.longTrials, 2);
}

TEST(Candidates, OfAClassAllConfigurations) {
  FakePeer peer(1, 5);
  // The short trial deceives, the long one decides.
  FakeTrial trial({{"nvjet_a", 1, 1},
                   {"sm80_b", 5, 7},
                   {"refused", 0, 0},
                   {"ampere_c", 6, 6},
                   {"", 0, 0}});
  PeerComparison out;
  ASSERT_TRUE(chooseCandidate(peer, trial, "sm80", out).ok());
  EXPECT_EQ(out.best, 3u);
  EXPECT_EQ(out.kernel, "ampere_c");
  EXPECT_EQ(out.candidates, 2u);
  EXPECT_EQ(out.peerClass, "sm80");
}

TEST(Candidates, NoneOfTheClass) {
  FakePeer peer(1, 2);
  FakeTrial trial({{"nvjet_a", 1, 1}, {"sm90_b", 2, 2}});
  PeerComparison out;
  Status s = chooseCandidate(peer, trial, "sm80", out);
  EXPECT_EQ(s.code(), StatusCode::Unsupported);
  EXPECT_EQ(s.exitCode(), 3);
  EXPECT_EQ(s.message(), "fake 1.0 has no candidate of the class sm80 for this "
                         "product; its kernels are nvjet_a, sm90_b");
}

TEST(Candidates, ConfigurationsOfTheLibrary) {
  PeerProblem problem;
  problem.m = problem.n = problem.k = 1024;
  problem.lda = problem.ldb = problem.ldd = 1024;
  auto peer = openCublas(problem, HELIOS_FAKE_CUBLAS, 0);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  EXPECT_EQ((*peer)->name(), "cuBLASLt 13.1.0");
  EXPECT_EQ((*peer)->candidates(), 2u);
  (*peer)->addConfigurations();
  // Of algorithm 7 tile 3 with both options and tile 4 with the one that needs
  // no more memory than there is, and algorithm 8; from both in turn.
  ASSERT_EQ((*peer)->candidates(), 6u);
  std::vector<std::string> handedOver;
  for (size_t n = 2; n < 6; ++n)
    handedOver.push_back((*peer)->enqueue(n, {}, nullptr).message());
  EXPECT_EQ(handedOver, (std::vector<std::string>{
                            "cuBLASLt: cublasLtMatmul failed with status 703",
                            "cuBLASLt: cublasLtMatmul failed with status 800",
                            "cuBLASLt: cublasLtMatmul failed with status 703",
                            "cuBLASLt: cublasLtMatmul failed with status 704",
                        }));
}
