// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/TuneDatabase.h"
#include "helios/Bench/Compile.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unistd.h>

namespace helios::bench {

namespace {

const char *const kFormat = "helios-tune/1";
const char *const kStates[] = {"running", "measured", "refused", "quarantined"};

template <typename List, typename Convert>
Json arrayOf(const List &list, Convert convert) {
  Json array = Json::array();
  for (const auto &element : list)
    array.add(convert(element));
  return array;
}
Json arrayOf(const std::array<int64_t, 3> &extents) {
  return arrayOf(extents, [](int64_t e) { return Json(e); });
}

Json toJson(const TuneCandidate &c) {
  Json j = Json::object();
  j.set("schedule", c.schedule)
      .set("price", c.price)
      .set("state", tuneStateName(c.state));
  if (!c.reason.empty())
    j.set("reason", c.reason);
  if (c.state == TuneState::Measured)
    j.set("ns", c.ns);
  if (c.state == TuneState::Running)
    j.set("attempts", c.attempts);
  return j;
}

Json toJson(const TuneEntry &e, bool isTable) {
  const TuneKey &k = e.key;
  auto text = [](const std::string &t) { return Json(t); };
  Json j = Json::object();
  j.set("device", k.device)
      .set("driver", k.driver)
      .set("compiler", k.compiler)
      .set("commit", k.commit)
      .set("row", k.row)
      .set("op", k.op)
      .set("types", k.types)
      .set("layout", k.layout)
      .set("epilogue", k.epilogue)
      .set("matrices", arrayOf(k.matrices, text))
      .set("above", arrayOf(k.above))
      .set("upto", arrayOf(k.upTo))
      .set("aligned", k.aligned)
      .set("extents", arrayOf(e.extents))
      .set("date", e.date)
      .set("model", e.model)
      .set("done", e.isDone)
      .set("winner", e.winner)
      .set("ratio", e.ratio)
      .set("low", e.low)
      .set("high", e.high)
      .set("ns", e.ns);
  Json quarantined = Json::array();
  for (const TuneCandidate &c : e.candidates)
    if (c.state == TuneState::Quarantined)
      quarantined.add(c.schedule);
  j.set("quarantined", std::move(quarantined));
  if (!isTable)
    j.set("candidates", arrayOf(e.candidates, [](const TuneCandidate &c) {
            return toJson(c);
          }));
  return j;
}

/// Reads members, and says which one is wrong.
class Reader {
public:
  Reader(const Json &object, std::string where)
      : object(object), where(std::move(where)) {
    if (object.kind() != Json::Kind::Object)
      fail("an object");
  }

  void read(const char *name, std::string &to) {
    if (has(name, Json::Kind::String, "a text"))
      to = object[name].asString();
  }
  void read(const char *name, double &to) {
    if (has(name, Json::Kind::Number, "a number"))
      to = object[name].asNumber();
  }
  void read(const char *name, bool &to) {
    if (has(name, Json::Kind::Bool, "true or false"))
      to = object[name].asBool();
  }
  void read(const char *name, std::array<int64_t, 3> &to) {
    if (!has(name, Json::Kind::Array, "three extents"))
      return;
    const auto &elements = object[name].elements();
    bool good = elements.size() == 3;
    for (size_t i = 0; good && i < 3; ++i) {
      const double v = elements[i].asNumber(-1);
      good = v >= 0 && v <= 0x1p40 && v == std::trunc(v);
      to[i] = good ? int64_t(v) : 0;
    }
    if (!good)
      fail(std::string("'") + name + "' to be three extents");
  }
  void read(const char *name, std::vector<std::string> &to) {
    if (has(name, Json::Kind::Array, "a list of texts"))
      for (const Json &element : object[name].elements())
        to.push_back(element.asString());
  }

  Status status;
  void fail(const std::string &expected) {
    if (status.ok())
      status = Status::invalidInput(where + ": expected " + expected);
  }

private:
  bool has(const char *name, Json::Kind kind, const char *what) {
    if (status.ok() && object[name].kind() != kind)
      fail(std::string("'") + name + "' to be " + what);
    return status.ok();
  }

  const Json &object;
  std::string where;
};

Status read(const Json &j, const std::string &where, TuneCandidate &c) {
  Reader r(j, where);
  std::string state;
  r.read("schedule", c.schedule);
  r.read("price", c.price);
  r.read("state", state);
  const auto *known = std::find(std::begin(kStates), std::end(kStates), state);
  if (known == std::end(kStates))
    r.fail("'state' to be running, measured, refused or quarantined");
  else
    c.state = TuneState(known - std::begin(kStates));
  c.reason = j["reason"].asString();
  c.attempts = int64_t(j["attempts"].asNumber());
  if (c.state == TuneState::Measured)
    r.read("ns", c.ns);
  if (c.state == TuneState::Measured && !(c.ns > 0))
    r.fail("'ns' to be a time");
  return r.status;
}

Status read(const Json &j, const std::string &where, TuneEntry &e) {
  Reader r(j, where);
  TuneKey &k = e.key;
  for (auto [name, to] :
       std::initializer_list<std::pair<const char *, std::string *>>{
           {"device", &k.device},
           {"driver", &k.driver},
           {"compiler", &k.compiler},
           {"commit", &k.commit},
           {"row", &k.row},
           {"op", &k.op},
           {"types", &k.types},
           {"layout", &k.layout},
           {"epilogue", &k.epilogue},
           {"date", &e.date},
           {"model", &e.model},
           {"winner", &e.winner}})
    r.read(name, *to);
  r.read("matrices", k.matrices);
  r.read("above", k.above);
  r.read("upto", k.upTo);
  r.read("extents", e.extents);
  r.read("aligned", k.aligned);
  r.read("done", e.isDone);
  for (auto [name, to] :
       std::initializer_list<std::pair<const char *, double *>>{
           {"ratio", &e.ratio},
           {"low", &e.low},
           {"high", &e.high},
           {"ns", &e.ns}})
    r.read(name, *to);
  for (size_t i = 0; i < 3; ++i)
    if (k.above[i] >= k.upTo[i])
      r.fail("'upto' to be larger than 'above'");
  if (j["candidates"].kind() != Json::Kind::Array)
    r.fail("'candidates' to be a list; a table that was written for the "
           "compiler is no database");
  if (!r.status.ok())
    return r.status;
  for (const Json &candidate : j["candidates"].elements()) {
    e.candidates.emplace_back();
    if (Status s = read(candidate,
                        where + ", candidate " +
                            std::to_string(e.candidates.size() - 1),
                        e.candidates.back());
        !s.ok())
      return s;
  }
  return Status::success();
}

Json document(const std::vector<TuneEntry> &entries, bool isTable) {
  Json list = Json::array();
  for (const TuneEntry &entry : entries)
    if (!isTable || entry.isDone)
      list.add(toJson(entry, isTable));
  Json j = Json::object();
  j.set("format", kFormat).set("entries", std::move(list));
  return j;
}

} // namespace

Bucket bucketOf(int64_t extent) {
  int64_t power = 16;
  while (power < extent)
    power *= 2;
  const int64_t unit = std::max<int64_t>(16, power / 32);
  const int64_t upTo = std::max<int64_t>(1, (extent + unit - 1) / unit) * unit;
  return {upTo - unit, upTo};
}

const char *tuneStateName(TuneState state) { return kStates[size_t(state)]; }

bool TuneKey::operator==(const TuneKey &o) const {
  auto all = [](const TuneKey &k) {
    return std::tie(k.device, k.driver, k.compiler, k.commit, k.row, k.op,
                    k.types, k.layout, k.epilogue, k.matrices, k.above, k.upTo,
                    k.aligned);
  };
  return all(*this) == all(o);
}

TuneCandidate &TuneEntry::candidate(const std::string &schedule) {
  for (TuneCandidate &c : candidates)
    if (c.schedule == schedule)
      return c;
  candidates.emplace_back();
  candidates.back().schedule = schedule;
  return candidates.back();
}

const TuneCandidate *TuneEntry::find(const std::string &schedule) const {
  for (const TuneCandidate &c : candidates)
    if (c.schedule == schedule)
      return &c;
  return nullptr;
}

Result<TuneDatabase> TuneDatabase::open(const std::string &path) {
  TuneDatabase database;
  database.path = path;
  if (access(path.c_str(), F_OK) != 0)
    return database;
  auto text = readText(path);
  if (!text.ok())
    return text.status();
  auto parsed = Json::parse(*text);
  if (!parsed.ok())
    return parsed.status().withPrefix(path + ": ");
  if ((*parsed)["format"].asString() != kFormat)
    return Status::invalidInput(path + ": expected the format '" + kFormat +
                                "', got '" + (*parsed)["format"].asString() +
                                "'");
  if ((*parsed)["entries"].kind() != Json::Kind::Array)
    return Status::invalidInput(path + ": expected 'entries' to be a list");
  for (const Json &entry : (*parsed)["entries"].elements()) {
    database.all.emplace_back();
    if (Status s = read(
            entry, path + ": entry " + std::to_string(database.all.size() - 1),
            database.all.back());
        !s.ok())
      return s;
  }
  return database;
}

TuneEntry &TuneDatabase::entry(const TuneKey &key) {
  for (TuneEntry &e : all)
    if (e.key == key)
      return e;
  all.emplace_back();
  all.back().key = key;
  return all.back();
}

Status TuneDatabase::save() const {
  return writeText(path, document(all, false).write());
}

Status TuneDatabase::writeTable(const std::string &to) const {
  return writeText(to, document(all, true).write());
}

} // namespace helios::bench
