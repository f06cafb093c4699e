// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that reads or writes text: JSON, formulas, the command line,
// level-1 descriptions.

#include "helios/Bench/Compile.h"
#include "helios/Bench/Directives.h"
#include "helios/Bench/Gemm.h"
#include "helios/Bench/Json.h"
#include "helios/Bench/Options.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace helios::bench;

namespace {

TEST(Json, WhatIsWrittenIsReadBack) {
  Json j = Json::object();
  j.set("text", "a \"quote\", a \\ and\na line\x01")
      .set("number", 0.1)
      .set("whole", int64_t(1) << 50)
      .set("none", NAN);
  j.set("list", Json::array().add(1).add(2.5).add(true))
      .set("empty", Json::array())
      .set("object", Json::object());
  j.set("nested", Json::array().add(Json::object().set("x", Json())));
  auto back = Json::parse(j.write());
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ((*back)["text"].asString(), "a \"quote\", a \\ and\na line\x01");
  EXPECT_EQ((*back)["number"].asNumber(), 0.1);
  EXPECT_EQ((*back)["whole"].asNumber(), 0x1p50);
  EXPECT_TRUE((*back)["none"].isNull());
  EXPECT_EQ((*back)["list"].elements().size(), 3u);
  EXPECT_EQ(back->write(), j.write());
}

TEST(Json, ErrorsSayWhere) {
  for (auto [text, where] : {std::pair{"{\n  \"a\": }", "line 2, column 8"},
                             std::pair{"[1, 2", "line 1, column 6"},
                             std::pair{"", "line 1, column 1"},
                             std::pair{"[1] 2", "line 1, column 5"}}) {
    auto parsed = Json::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.status().message().find(where), std::string::npos)
        << parsed.status().message();
  }
  EXPECT_FALSE(Json::parse(std::string(100000, '[')).ok());
  EXPECT_FALSE(Json::parse("\"\\u12g4\"").ok());
  EXPECT_FALSE(Json::parse("1e").ok());
}

TEST(Formula, Evaluates) {
  EXPECT_EQ(*evaluateFormula("2*16*(m + 3) - 4/2", {{"m", 5}}), 254);
  EXPECT_EQ(*evaluateFormula("a.0", {{"a.0", 7}}), 7);
  for (const char *bad : {"", "2*", "(1", "1)", "x", "1/0", "1 2"})
    EXPECT_FALSE(evaluateFormula(bad, {{"m", 5}}).ok()) << bad;
  EXPECT_FALSE(evaluateFormula(std::string(1000, '('), {}).ok());
  auto s = evaluateFormula("2*x", {{"m", 5}});
  EXPECT_NE(s.status().message().find("one of m"), std::string::npos);
}

TEST(Directives, AreReadFromComments) {
  auto d = parseDirectives("// helios-bench: shapes = 1x2,2x3\nx\n  // "
                           "helios-bench: flops = 2*a.0\r\n");
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->at("shapes"), "1x2,2x3");
  EXPECT_EQ(d->at("flops"), "2*a.0");
  EXPECT_FALSE(parseDirectives("// helios-bench: shape = 1").ok());
}

const Surroundings here{"/nowhere/helios-compile", "/tmp", ""};

helios::Result<Options> parse(std::vector<std::string> words) {
  return parseOptions(words, here);
}

TEST(Options, ACrossProductOfFamilies) {
  auto o =
      parse({"gemm", "--shapes", "1x2x3,0x5x6",
             "--types=f16:f16:f32:f16,bf16:bf16:f32:f32", "--layout", "nn,tt",
             "--epilogue=none,bias+gelu", "--batch", "4", "--seed=9"});
  ASSERT_TRUE(o.ok()) << o.status().message();
  EXPECT_EQ(o->shapes.size(), 2u);
  EXPECT_EQ(o->families.size(), 8u);
  EXPECT_TRUE(o->families[7].transposeA && o->families[7].transposeB &&
              o->families[7].batched);
  EXPECT_EQ(o->families[7].epilogueName(), "bias+gelu");
  EXPECT_EQ(o->seed, 9u);
}

TEST(Options, RandomShapesFollowTheSeedAndTheLimits) {
  const auto drawn = parse({"gemm", "--random-shapes", "200:40:5000"});
  ASSERT_TRUE(drawn.ok());
  ASSERT_EQ(drawn->shapes.size(), 200u);
  int multiples = 0;
  for (const Options::Shape &s : drawn->shapes)
    for (int64_t extent : {s.m, s.n, s.k}) {
      EXPECT_GE(extent, 40);
      EXPECT_LE(extent, 5000);
      multiples += extent % 8 == 0;
    }
  // Three quarters, and an eighth of the others.
  EXPECT_NEAR(multiples / 600.0, 0.78, 0.05);
  const auto again = parse({"gemm", "--random-shapes", "200:40:5000"}),
             other =
                 parse({"gemm", "--random-shapes=200:40:5000", "--seed", "2"}),
             more = parse({"gemm", "--shapes", "8x9x10", "--random-shapes",
                           "1:40:5000"});
  ASSERT_TRUE(again.ok() && other.ok() && more.ok());
  auto same = [](const Options::Shape &a, const Options::Shape &b) {
    return a.m == b.m && a.n == b.n && a.k == b.k;
  };
  EXPECT_TRUE(same(drawn->shapes[199], again->shapes[199]));
  EXPECT_FALSE(same(drawn->shapes[0], other->shapes[0]));
  ASSERT_EQ(more->shapes.size(), 2u);
  EXPECT_EQ(more->shapes[0].n, 9);
  EXPECT_TRUE(same(more->shapes[1], drawn->shapes[0]));
}

TEST(Options, BadInputNamesFlagExpectedAndGot) {
  const std::pair<std::vector<std::string>, const char *> bad[] = {
      {{}, "expected a command, gemm, attention or run, got nothing"},
      {{"gem"}, "expected the command gemm, attention or run, got 'gem'"},
      {{"gemm"}, "--shapes: expected MxNxK"},
      {{"gemm", "--shapes"}, "--shapes: expected MxNxK[,...], got nothing"},
      {{"gemm", "--shapes", "1x2"},
       "--shapes: expected three extents MxNxK, got '1x2'"},
      {{"gemm", "--shapes", "1x2x-3"},
       "--shapes: expected extents of 0 or more, got -3"},
      {{"gemm", "--shapes", "1x2xa"},
       "--shapes: expected extents with x between"},
      {{"gemm", "--shapes", "1x2x99999999999999999999"},
       "--shapes: expected extents of at most 2^40"},
      {{"gemm", "--shapes", "1099511627776x1x1099511627776"},
       "--shapes: expected tensors of at most 2^56 elements"},
      {{"gemm", "--shapes", "64x64x200", "--weights", "i8:128"},
       "--weights: expected K of whole groups of 128, got 200"},
      {{"gemm", "--shapes", "64x64x128", "--weights", "i4:33"},
       "i4:GROUP[:zero] of an even group, got 'i4:33'"},
      {{"gemm", "--random-shapes", "4:8"},
       "--random-shapes: expected N or N:LEAST:MOST, got '4:8'"},
      {{"gemm", "--random-shapes", "4:80:8"},
       "--random-shapes: expected LEAST of at most MOST, got 80 and 8"},
      {{"gemm", "--random-shapes", "0"},
       "--random-shapes: expected a whole number from 1"},
      {{"gemm", "--shapes", "1x1x1", "--types", "f16:f16:f32"},
       "--types: expected A:B:accumulate:D"},
      {{"gemm", "--shapes", "1x1x1", "--types", "f16:f17:f32:f16"},
       "--types: expected one of f16, bf16, tf32, f32, f64, e4m3, e5m2, i8, "
       "i32, got "
       "'f17'"},
      {{"gemm", "--shapes", "1x1x1", "--types", "f16:i8:f32:f16"},
       "--types: expected A, B and the accumulator"},
      {{"gemm", "--shapes", "1x1x1", "--layout", "nx"},
       "--layout: expected nn, nt, tn or tt"},
      {{"gemm", "--shapes", "1x1x1", "--epilogue", "bias+gelo"},
       "--epilogue: expected names of none, bias"},
      {{"gemm", "--shapes", "1x1x1", "--device", "metal"},
       "--device: expected auto, vulkan[:N]"},
      {{"gemm", "--shapes", "1x1x1", "--device", "vulkan:x"},
       "--device: expected auto"},
      {{"gemm", "--shapes", "1x1x1", "--device", "null:0"},
       "--device: expected auto"},
      {{"gemm", "--shapes", "1x1x1", "--iters", "0"},
       "--iters: expected a whole number from 1 to 1000000, got '0'"},
      {{"gemm", "--shapes", "1x1x1", "--warmup", "1.5"},
       "--warmup: expected a whole number"},
      {{"gemm", "--shapes", "1x1x1", "--batch", "0"},
       "--batch: expected a whole number from 1"},
      {{"gemm", "--shapes", "1x1x1", "--pad-rows", "-1"},
       "--pad-rows: expected a whole number from 0"},
      {{"gemm", "--shapes", "1x1x1", "--seed", "99999999999999999999"},
       "--seed: expected a whole number"},
      {{"gemm", "--shapes", "1x1x1", "--threshold", "x"},
       "--threshold: expected a number from 0 to 100"},
      {{"gemm", "--shapes", "1x1x1", "--target", "metal"},
       "--target: expected vulkan[:ROW]"},
      {{"gemm", "--shapes", "1x1x1", "--check-only=1"},
       "--check-only: expected no value, got '1'"},
      {{"gemm", "--shapes", "1x1x1", "--json="},
       "--json: expected a value, got nothing"},
      {{"gemm", "--shapes", "1x1x1", "--frobnicate"},
       "unknown flag '--frobnicate'"},
      {{"gemm", "more", "--shapes", "1x1x1"},
       "gemm: expected flags only, got 'more' too"},
      {{"run"}, "run: expected a file (.mlir or .hlx), got nothing"},
      {{"run", "a.mlir", "b.mlir", "--kernel", "k"},
       "--kernel: expected one file beside it, got 2"},
      {{"run", "a.mlir", "b.mlir", "--dims", "M=1"},
       "--dims: expected one file beside it, got 2"},
      {{"run", "a.mlir", "--bundle", "b.hlx"},
       "--bundle: expected either a file after run or --bundle, got both"},
      {{"run", "a.mlir", "--dims", "M"}, "--dims: expected NAME=EXTENT"},
      {{"run", "a.mlir", "--dims", "M=-1"}, "--dims: expected NAME=EXTENT"},
      {{"run", "a.mlir", "--dims", "M=1", "--shapes", "1x1"},
       "--dims: expected either --dims or --shapes, got both"},
      {{"run", "a.mlir", "--scalars", "x=y"},
       "--scalars: expected NAME=NUMBER"},
  };
  for (const auto &[words, message] : bad) {
    auto o = parse(words);
    ASSERT_FALSE(o.ok()) << message;
    EXPECT_EQ(o.status().exitCode(), 2);
    EXPECT_NE(o.status().message().find(message), std::string::npos)
        << o.status().message();
  }
}

TEST(Options, RunTakesShapesByCase) {
  auto o = parse({"run", "a.mlir", "--shapes", "128x64,64x32;0,5"});
  ASSERT_TRUE(o.ok());
  ASSERT_EQ(o->inputShapes.size(), 2u);
  EXPECT_EQ(o->inputShapes[0][1], (std::vector<int64_t>{64, 32}));
}

TEST(Options, HelpNamesEveryFlagOfTheParser) {
  for (const char *flag : {"--shapes", "--types", "--epilogue", "--check-only",
                           "--json", "--csv", "--baseline", "--ceilings"})
    EXPECT_NE(helpText().find(flag), std::string::npos);
  for (const Epilogue &e : epilogues())
    EXPECT_NE(epilogueList().find(e.name), std::string::npos);
}

TEST(Gemm, TextOfAPlainProduct) {
  EXPECT_EQ(gemmText(GemmFamily()),
            "helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> "
            "tensor<?x?xf16> {\n"
            "  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) "
            "-> tensor<?x?xf16> acc f32\n"
            "  helios.return %d : tensor<?x?xf16>\n"
            "}\n");
}

TEST(Gemm, TextOfFactors) {
  GemmFamily g;
  ASSERT_TRUE(parseLayout("tn", g).ok());
  ASSERT_TRUE(parseFactors("rows+k", g).ok());
  EXPECT_EQ(
      gemmText(g),
      "helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %factor0: "
      "tensor<?xf32>, %factor1: tensor<?x1xf32>) -> tensor<?x?xf16> {\n"
      "  %d = helios.matmul %a, %b prologue_a(%factor0, %factor1 : "
      "tensor<?xf32>, tensor<?x1xf32>) {transpose_a} : (tensor<?x?xf16>, "
      "tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {\n"
      "  ^bb0(%of_a: f16, %by0: f32, %by1: f32):\n"
      "    %a32 = arith.extf %of_a : f16 to f32\n"
      "    %scaled0 = arith.mulf %a32, %by0 : f32\n"
      "    %scaled1 = arith.mulf %scaled0, %by1 : f32\n"
      "    %left = arith.truncf %scaled1 : f32 to f16\n"
      "    helios.yield %left : f16\n"
      "  }\n"
      "  helios.return %d : tensor<?x?xf16>\n"
      "}\n");
  EXPECT_EQ(gemmExtents(g, 3, 5, 128, 0),
            (std::vector<std::vector<int64_t>>{
                {128, 3}, {128, 5}, {3}, {128, 1}, {3, 5}}));
}

TEST(Gemm, TextOfWeights) {
  GemmFamily g;
  ASSERT_TRUE(parseLayout("nt", g).ok());
  ASSERT_TRUE(parseWeights("i8:64:zero", g).ok());
  EXPECT_EQ(g.weights->name(), "i8:64:zero");
  EXPECT_EQ(
      gemmText(g),
      "helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xi8>, %scale: "
      "tensor<?x?xf16>, %zero: tensor<?x?xi8>) -> tensor<?x?xf16> {\n"
      "  %d = helios.matmul %a, %b prologue(%scale, %zero : tensor<?x?xf16>, "
      "tensor<?x?xi8>) {transpose_b, group = 64 : i64} : (tensor<?x?xf16>, "
      "tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {\n"
      "  ^bb0(%stored: i8, %factor: f16, %point: i8):\n"
      "    %zeropoint = arith.sitofp %point : i8 to f16\n"
      "    %weight0 = arith.sitofp %stored : i8 to f16\n"
      "    %shifted0 = arith.subf %weight0, %zeropoint : f16\n"
      "    %scaled0 = arith.mulf %shifted0, %factor : f16\n"
      "    helios.yield %scaled0 : f16\n"
      "  }\n"
      "  helios.return %d : tensor<?x?xf16>\n"
      "}\n");
  EXPECT_EQ(gemmExtents(g, 3, 5, 128, 0),
            (std::vector<std::vector<int64_t>>{
                {3, 128}, {5, 128}, {5, 2}, {5, 2}, {3, 5}}));
  GemmFamily column;
  ASSERT_TRUE(parseWeights("i8", column).ok());
  EXPECT_EQ(
      gemmExtents(column, 3, 5, 128, 0),
      (std::vector<std::vector<int64_t>>{{3, 128}, {128, 5}, {1, 5}, {3, 5}}));
  // Two weights in a byte, of one group: half of K is stored.
  GemmFamily halves;
  ASSERT_TRUE(parseWeights("i4:32", halves).ok());
  EXPECT_EQ(
      gemmExtents(halves, 3, 5, 128, 0),
      (std::vector<std::vector<int64_t>>{{3, 128}, {64, 5}, {4, 5}, {3, 5}}));
  for (const char *text :
       {"i2:64", "i4", "i4:33", "i8:", "i8:0", "i8:zero:64", "i8:64:zeros"}) {
    GemmFamily other;
    EXPECT_NE(parseWeights(text, other)
                  .message()
                  .find("--weights: expected none, i8[:GROUP][:zero] (as "
                        "i8:128) or i4:GROUP[:zero] of an even group, got '"),
              std::string::npos)
        << text;
  }
}

TEST(Gemm, TextOfAGroupedProduct) {
  GemmFamily g;
  ASSERT_TRUE(parseEpilogue("bias+relu", g).ok());
  g.grouped = true;
  EXPECT_EQ(
      gemmText(g),
      "helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: "
      "tensor<?xi32>, %f0: tensor<?x1x?xf16>) -> tensor<?x?xf16> {\n"
      "  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) fused(%f0 : "
      "tensor<?x1x?xf16>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> "
      "tensor<?x?xf16> acc f32 {\n"
      "  ^bb0(%x: f32, %c0: f16):\n"
      "    %w0 = arith.extf %c0 : f16 to f32\n"
      "    %y0 = arith.addf %x, %w0 : f32\n"
      "    %e1_zero = arith.constant 0.0 : f32\n"
      "    %y1 = arith.maximumf %y0, %e1_zero : f32\n"
      "    %stored = arith.truncf %y1 : f32 to f16\n"
      "    helios.yield %stored : f16\n"
      "  }\n"
      "  helios.return %d : tensor<?x?xf16>\n"
      "}\n");
  EXPECT_EQ(gemmExtents(g, 30, 5, 7, 4),
            (std::vector<std::vector<int64_t>>{
                {30, 7}, {4, 7, 5}, {4}, {4, 1, 5}, {30, 5}}));
}

TEST(Gemm, TextOfAFusedBatchedProduct) {
  GemmFamily g;
  ASSERT_TRUE(parseTypes("bf16:bf16:f32:bf16", g).ok());
  ASSERT_TRUE(parseLayout("tt", g).ok());
  ASSERT_TRUE(parseEpilogue("bias+relu+residual", g).ok());
  g.batched = true;
  EXPECT_EQ(
      gemmText(g),
      "helios.kernel @gemm(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, "
      "%f0: tensor<?xbf16>, %f2: tensor<?x?x?xbf16>) -> "
      "tensor<?x?x?xbf16> {\n"
      "  %d = helios.matmul %a, %b fused(%f0, %f2 : tensor<?xbf16>, "
      "tensor<?x?x?xbf16>) {transpose_a, transpose_b} : "
      "(tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> acc f32 "
      "{\n"
      "  ^bb0(%x: f32, %c0: bf16, %c2: bf16):\n"
      "    %w0 = arith.extf %c0 : bf16 to f32\n"
      "    %y0 = arith.addf %x, %w0 : f32\n"
      "    %e1_zero = arith.constant 0.0 : f32\n"
      "    %y1 = arith.maximumf %y0, %e1_zero : f32\n"
      "    %w2 = arith.extf %c2 : bf16 to f32\n"
      "    %y2 = arith.addf %y1, %w2 : f32\n"
      "    %stored = arith.truncf %y2 : f32 to bf16\n"
      "    helios.yield %stored : bf16\n"
      "  }\n"
      "  helios.return %d : tensor<?x?x?xbf16>\n"
      "}\n");
  EXPECT_EQ(gemmExtents(g, 5, 6, 7, 2),
            (std::vector<std::vector<int64_t>>{
                {2, 7, 5}, {2, 6, 7}, {6}, {2, 5, 6}, {2, 5, 6}}));
}

/// A folder that is removed at the end.
struct Folder {
  std::string path = "/tmp/helios-bench-test-XXXXXX";
  Folder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~Folder() { EXPECT_EQ(std::system(("rm -rf " + path).c_str()), 0); }
};

TEST(Compile, BundlesAreCachedByContentAndUsedWithoutTheCompiler) {
  Folder folder;
  // A compiler that copies its input and counts its runs.
  BundleSource source;
  source.compiler = folder.path + "/compiler";
  source.cacheDir = folder.path + "/cache/deep";
  ASSERT_TRUE(writeText(source.compiler,
                        "#!/bin/sh\necho run >> " + folder.path +
                            "/log\n[ \"$3\" = --schedule=bad ] && "
                            "{ echo no such schedule; exit 2; }\nwhile [ "
                            "\"$1\" != -o ]; do shift; done\n"
                            "echo bundle > \"$2\"\n")
                  .ok());
  ASSERT_EQ(chmod(source.compiler.c_str(), 0755), 0);
  bool compiled = false;
  auto first = bundleFor(source, "text one", "one", compiled);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_TRUE(compiled);
  EXPECT_EQ(*bundleFor(source, "text one", "one", compiled), *first);
  EXPECT_FALSE(compiled);
  EXPECT_NE(*bundleFor(source, "text two", "two", compiled), *first);
  source.schedule = "bad";
  auto bad = bundleFor(source, "text one", "one", compiled);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.status().exitCode(), 2);
  EXPECT_NE(bad.status().message().find("no such schedule"), std::string::npos);
  source.schedule.clear();
  source.compiler = folder.path + "/missing";
  EXPECT_EQ(*bundleFor(source, "text one", "one", compiled), *first);
  auto none = bundleFor(source, "text three", "three", compiled);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().exitCode(), 3);
  EXPECT_NE(none.status().message().find("--compiler PATH"), std::string::npos);
}

TEST(Compile, KeptFilesAndUnwritablePlaces) {
  Folder folder;
  BundleSource source;
  source.compiler = folder.path + "/compiler";
  source.cacheDir = folder.path + "/cache";
  source.keepDir = folder.path + "/keep";
  ASSERT_TRUE(writeText(source.compiler,
                        "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; "
                        "done\necho bundle > \"$2\"\n")
                  .ok());
  ASSERT_EQ(chmod(source.compiler.c_str(), 0755), 0);
  bool compiled = false;
  ASSERT_TRUE(bundleFor(source, "text", "gemm f16:f16", compiled).ok());
  EXPECT_EQ(*readText(source.keepDir + "/gemm_f16_f16.mlir"), "text");
  source.cacheDir = source.compiler; // a file
  auto s = bundleFor(source, "text", "x", compiled);
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.status().message().find("expected a folder"), std::string::npos);
}

TEST(AttentionText, ShapesAreReadAndNamed) {
  for (const char *text :
       {"4x16x4096x128", "2x8x17x80x64", "4x32x1x128:8192:8", "1x2x3x8:9"}) {
    auto shape = parseAttentionShape(text);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    EXPECT_EQ(shape->name(), text);
  }
  auto shape = parseAttentionShape("4x32x1x128:8192:8");
  EXPECT_EQ(shape->keys, 8192);
  EXPECT_EQ(shape->keyHeads, 8);
  EXPECT_EQ(shape->valueDepth, 128);
}

TEST(AttentionText, HoldsWhatTheFlagsSay) {
  auto options = parse({"attention", "--shapes", "2x4x100x64,2x4x1x64:300:2",
                        "--causal", "--window", "100", "--score",
                        "softcap:30+alibi", "--lse", "--types", "bf16:f32"});
  ASSERT_TRUE(options.ok()) << options.status().message();
  ASSERT_EQ(options->attentions.size(), 1u);
  const AttentionShape square = options->attentionShapes[0],
                       decode = options->attentionShapes[1];
  const AttentionFamily a = familyOf(options->attentions[0], square),
                        b = familyOf(options->attentions[0], decode);
  EXPECT_EQ(a.form.name(), "causal+window100+softcap30+alibi+lse");
  EXPECT_EQ(a.types(), "bf16:bf16:f32:f32");
  EXPECT_FALSE(a.isShifted);
  EXPECT_TRUE(b.isShifted);
  const std::string text = attentionText(a), shifted = attentionText(b);
  for (const char *part :
       {"-> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)",
        "%q: tensor<?x?x?x64xbf16> {helios.name = \"q\"}",
        "%slope: f32 {helios.name = \"slope\"}", "arith.cmpi ule, %j, %i",
        "%width = arith.constant 100", "math.tanh"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("%shift"), std::string::npos);
  EXPECT_NE(shifted.find("%shift: i32 {helios.name = \"shift\"}"),
            std::string::npos);
  EXPECT_NE(shifted.find("arith.cmpi sle, %j, %p"), std::string::npos);
  EXPECT_EQ(attentionScalars(b, decode).at("shift"), 299);
  EXPECT_EQ(attentionScalars(b, decode).at("slope"), 2);
  const auto extents = attentionExtents(b, decode);
  ASSERT_EQ(extents.size(), 7u);
  EXPECT_EQ(extents[1], (std::vector<int64_t>{2, 2, 300, 64}));
  EXPECT_TRUE(extents[3].empty());
  EXPECT_EQ(extents[6], (std::vector<int64_t>{2, 4, 1}));
}

TEST(AttentionText, BiasIsATensorAndPrefixADisjunction) {
  auto options = parse({"attention", "--shapes", "2x4x100x64:300:2", "--causal",
                        "--prefix", "7", "--score", "bias", "--types", "bf16"});
  ASSERT_TRUE(options.ok()) << options.status().message();
  const AttentionShape shape = options->attentionShapes[0];
  const AttentionFamily family = familyOf(options->attentions[0], shape);
  EXPECT_EQ(family.form.name(), "causal+prefix7+bias");
  const std::string text = attentionText(family);
  for (const char *part :
       {"%bias: tensor<?x?x?xbf16> {helios.name = \"bias\"}",
        "fused(%bias : tensor<?x?x?xbf16>)",
        "mask {\n  ^bb0(%bias_element: bf16, %b: index",
        "arith.extf %bias_element", "%prefix = arith.constant 7",
        "arith.ori %c0, %in_prefix"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const auto extents = attentionExtents(family, shape);
  ASSERT_EQ(extents.size(), 6u);
  EXPECT_EQ(extents[3], (std::vector<int64_t>{4, 100, 300}));
  EXPECT_TRUE(extents[4].empty());
}

TEST(AttentionText, WithoutFlagsThereIsNoRegion) {
  auto options = parse({"attention", "--shapes", "2x4x100x64"});
  ASSERT_TRUE(options.ok());
  const std::string text = attentionText(
      familyOf(options->attentions[0], options->attentionShapes[0]));
  EXPECT_EQ(text.find("mask"), std::string::npos);
  EXPECT_EQ(text.find("score"), std::string::npos);
}

} // namespace
