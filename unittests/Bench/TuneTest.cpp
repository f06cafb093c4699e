// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Tune.h"
#include "helios/Bench/Compile.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace helios;
using namespace helios::bench;

namespace {

std::string temporary(const std::string &name) {
  const std::string path = testing::TempDir() + "helios-" + name;
  std::remove(path.c_str());
  return path;
}

TuneKey someKey() {
  TuneKey key;
  key.device = "D \"quoted\"";
  key.driver = "driver 1";
  key.compiler = "0.1.0";
  key.commit = "abc";
  key.row = "row";
  key.op = "gemm";
  key.types = "f16:f16:f32:f16";
  key.layout = "nt";
  key.epilogue = "none";
  key.matrices = {"8x8x8"};
  key.above = {0, 16, 32};
  key.upTo = {16, 32, 48};
  return key;
}

} // namespace

TEST(Tune, BucketsHoldWhatFillsUpToTheSame) {
  for (auto [extent, above, upTo] : {std::array<int64_t, 3>{1, 0, 16},
                                     {16, 0, 16},
                                     {17, 16, 32},
                                     {512, 496, 512},
                                     {513, 512, 544},
                                     {3072, 2944, 3072},
                                     {4095, 3968, 4096},
                                     {4096, 3968, 4096},
                                     {4097, 4096, 4352}}) {
    EXPECT_EQ(bucketOf(extent).above, above) << extent;
    EXPECT_EQ(bucketOf(extent).upTo, upTo) << extent;
  }
  // Every extent lies in its bucket, and all in a bucket have the same one.
  for (int64_t extent = 1; extent < 10000; ++extent) {
    const Bucket b = bucketOf(extent);
    ASSERT_TRUE(b.above < extent && extent <= b.upTo) << extent;
    ASSERT_EQ(bucketOf(b.upTo).above, b.above) << extent;
    ASSERT_EQ(bucketOf(b.above + 1).upTo, b.upTo) << extent;
  }
}

TEST(Tune, Neighbours) {
  EXPECT_EQ(neighboursOf("tile=8x8x8,depth=4,raster=16"),
            (std::vector<std::string>{"tile=8x8x8,depth=3,raster=16",
                                      "tile=8x8x8,depth=4,raster=8",
                                      "tile=8x8x8,depth=4,raster=32"}));
  EXPECT_EQ(neighboursOf("tile=8x8x8,depth=2,raster=1"),
            (std::vector<std::string>{"tile=8x8x8,depth=2,raster=2"}));
  EXPECT_EQ(neighboursOf("raster=64"), (std::vector<std::string>{"raster=32"}));
  EXPECT_TRUE(neighboursOf("tile=8x8x8").empty());
}

TEST(Tune, WhoIsSlowerBeyondDoubtLeaves) {
  const std::vector<double> fast{10, 10.1, 9.9, 10, 10.05, 9.95},
      same{10.1, 10, 10, 9.9, 10.1, 9.9}, slow{12, 12.1, 11.9, 12, 12, 12},
      unsure{8, 14, 9, 15, 8, 13};
  EXPECT_EQ(survivors({fast, same, slow, unsure}, 0),
            (std::vector<size_t>{0, 1, 3}));
  EXPECT_EQ(survivors({slow, fast, same}, 0), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(survivors({slow, fast}, 1), (std::vector<size_t>{1}));
}

TEST(TuneDatabase, KeepsEverything) {
  const std::string path = temporary("database");
  {
    auto made = TuneDatabase::open(path); // of no file
    ASSERT_TRUE(made.ok());
    TuneEntry &entry = made->entry(someKey());
    entry.extents = {1, 17, 33};
    entry.model = "tile=1x1x1";
    entry.winner = "tile=2x2x2";
    entry.ratio = 1.25, entry.low = 1.2, entry.high = 1.3, entry.ns = 0.1;
    entry.candidate("tile=1x1x1").state = TuneState::Measured;
    entry.candidate("tile=1x1x1").ns = 1.0 / 3;
    entry.candidate("tile=2x2x2").attempts = 1;
    entry.candidate("tile=3x3x3").state = TuneState::Quarantined;
    entry.candidate("tile=3x3x3").reason = "wrong";
    ASSERT_TRUE(made->save().ok());
  }
  auto read = TuneDatabase::open(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->entries().size(), 1u);
  TuneEntry &entry = read->entry(someKey());
  EXPECT_EQ(read->entries().size(), 1u);
  EXPECT_EQ(entry.winner, "tile=2x2x2");
  EXPECT_EQ(entry.extents, (std::array<int64_t, 3>{1, 17, 33}));
  EXPECT_EQ(entry.ratio, 1.25);
  ASSERT_EQ(entry.candidates.size(), 3u);
  EXPECT_EQ(entry.find("tile=1x1x1")->ns, 1.0 / 3);
  EXPECT_EQ(entry.find("tile=2x2x2")->state, TuneState::Running);
  EXPECT_EQ(entry.find("tile=2x2x2")->attempts, 1);
  EXPECT_EQ(entry.find("tile=3x3x3")->reason, "wrong");
  EXPECT_EQ(entry.find("tile=4x4x4"), nullptr);
  // Whatever differs in a key is another measurement.
  TuneKey other = someKey();
  other.driver = "driver 2";
  read->entry(other);
  EXPECT_EQ(read->entries().size(), 2u);

  // A table has what is done, without the candidates; it is no database.
  const std::string table = temporary("table");
  ASSERT_TRUE(read->writeTable(table).ok());
  EXPECT_EQ(readText(table)->find("tile=2x2x2"), std::string::npos);
  read->entry(someKey()).isDone = true;
  ASSERT_TRUE(read->writeTable(table).ok());
  EXPECT_NE(readText(table)->find("\"winner\": \"tile=2x2x2\""),
            std::string::npos);
  EXPECT_EQ(readText(table)->find("candidates"), std::string::npos);
  auto none = TuneDatabase::open(table);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.status().message().find("is no database"), std::string::npos);
}

// A table of several rows comes of runs that share a database.
TEST(TuneDatabase, ALaterRunKeepsTheRowsOfAnEarlierOne) {
  const std::string path = temporary("rows"), table = temporary("rows-table");
  for (const std::string row : {"first", "second"}) {
    auto database = TuneDatabase::open(path);
    ASSERT_TRUE(database.ok()) << database.status().message();
    TuneKey key = someKey();
    key.row = row;
    TuneEntry &entry = database->entry(key);
    entry.winner = "tile=" + row;
    entry.isDone = true;
    ASSERT_TRUE(database->save().ok());
    ASSERT_TRUE(database->writeTable(table).ok());
  }
  auto read = TuneDatabase::open(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->entries().size(), 2u);
  auto text = readText(table);
  ASSERT_TRUE(text.ok());
  for (const std::string row : {"first", "second"})
    EXPECT_NE(text->find("\"winner\": \"tile=" + row + "\""), std::string::npos)
        << *text;
}

TEST(TuneDatabase, RefusesWhatIsAltered) {
  const std::string path = temporary("altered");
  auto made = TuneDatabase::open(path);
  TuneEntry &entry = made->entry(someKey());
  entry.candidate("tile=1x1x1").state = TuneState::Measured;
  entry.candidate("tile=1x1x1").ns = 7;
  ASSERT_TRUE(made->save().ok());
  const std::string good = *readText(path);
  for (auto [from, to, said] : std::vector<std::array<std::string, 3>>{
           {"helios-tune/1", "helios-tune/2", "expected the format"},
           {"\"ns\": 7", "\"ns\": -7", "candidate 0: expected 'ns' to be"},
           {"measured", "fine", "expected 'state' to be running"},
           {"\"aligned\": true", "\"aligned\": 1", "expected 'aligned'"},
           {"\"row\"", "\"rows\"", "expected 'row' to be a text"},
           {"[16, 32, 48]", "[16, 32]", "expected 'upto' to be three"},
           {"[16, 32, 48]", "[0, 32, 48]", "'upto' to be larger"},
           {"\"entries\"", "\"entry\"", "expected 'entries' to be a list"},
           {"{", "", "line"}}) {
    std::string bad = good;
    const size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    ASSERT_TRUE(writeText(path, bad).ok());
    auto read = TuneDatabase::open(path);
    ASSERT_FALSE(read.ok()) << to;
    EXPECT_EQ(read.status().code(), StatusCode::InvalidInput);
    EXPECT_NE(read.status().message().find(said), std::string::npos)
        << read.status().message();
  }
}
