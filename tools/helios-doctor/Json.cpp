//===- Json.cpp - The report for programs -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include <cstdio>

namespace helios::doctor {

using namespace bundle;

namespace {

/// Writes JSON with commas where they belong.
class Json {
public:
  std::string text;

  Json &open(char bracket) {
    comma();
    text += bracket;
    first = true;
    return *this;
  }
  Json &close(char bracket) {
    text += bracket;
    first = false;
    return *this;
  }
  Json &key(const char *name) {
    comma();
    quote(name);
    text += ": ";
    first = true; // the value needs no comma
    return *this;
  }
  void value(const std::string &v) {
    comma();
    quote(v);
  }
  void value(uint64_t v) {
    comma();
    text += std::to_string(v);
  }
  void value(double v) {
    comma();
    char number[40];
    std::snprintf(number, sizeof(number), "%.17g", v);
    text += number;
  }
  void flag(bool v) {
    comma();
    text += v ? "true" : "false";
  }

private:
  bool first = true;
  void comma() {
    if (!first)
      text += ", ";
    first = false;
  }
  void quote(const std::string &s) {
    text += '"';
    for (char c : s) {
      if (c == '"' || c == '\\')
        text += std::string("\\") + c;
      else if (static_cast<unsigned char>(c) < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), "\\u%04x", c);
        text += escape;
      } else
        text += c;
    }
    text += '"';
  }
};

std::string hex(const std::array<uint8_t, 16> &u) {
  std::string s;
  for (uint8_t b : u) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  return s;
}

void device(Json &j, const DeviceReport &d) {
  const rt::DeviceInfo &i = d.info;
  j.open('{');
  j.key("id").value(i.id);
  j.key("driver").value(i.driver);
  j.key("name").value(i.name);
  j.key("class").value(std::string(deviceClassName(i.deviceClass)));
  j.key("type").value(i.typeName);
  j.key("usable").flag(i.unusable.empty() && d.opened.ok());
  j.key("problem").value(i.unusable.empty() ? d.opened.message() : i.unusable);
  j.key("driverDescription").value(i.driverDescription);
  j.key("driverVersion").value(uint64_t(i.driverVersion));
  j.key("vendorId").value(uint64_t(i.vendorId));
  j.key("deviceId").value(uint64_t(i.deviceId));
  j.key("deviceUuid").value(hex(i.deviceUuid));
  j.key("driverUuid").value(hex(i.driverUuid));
  j.key("apiVersion").value(i.apiVersionString);
  j.key("conformanceVersion").value(i.conformanceVersion);
  j.key("memoryBytes").value(i.memoryBytes);
  j.key("maxStorageBufferRange").value(i.maxStorageBufferRange);
  j.key("maxAllocationBytes").value(i.maxAllocationBytes);
  j.key("maxStorageBuffers").value(uint64_t(i.maxStorageBuffers));
  j.key("sharedMemoryBytes").value(uint64_t(i.sharedMemoryBytes));
  j.key("maxWorkgroupInvocations").value(uint64_t(i.maxWorkgroupInvocations));
  j.key("maxPushConstantBytes").value(uint64_t(i.maxPushConstantBytes));
  j.key("subgroupSize").value(uint64_t(i.subgroupSize));
  j.key("minSubgroupSize").value(uint64_t(i.minSubgroupSize));
  j.key("maxSubgroupSize").value(uint64_t(i.maxSubgroupSize));
  j.key("computeCapability").value(uint64_t(i.computeCapability));
  j.key("l2CacheBytes").value(i.l2CacheBytes);
  j.key("clockKHz").value(uint64_t(i.clockKHz));
  j.key("computeUnits").value(uint64_t(i.computeUnits));
  j.key("timestampPeriodNs").value(i.timestampPeriodNs);
  j.key("features").open('[');
  for (uint32_t f = 0; f < kNumFeatures; ++f)
    if (i.features >> f & 1)
      j.value(std::string(featureName(static_cast<Feature>(f))));
  j.close(']');
  j.key("matrixShapes").open('[');
  for (const rt::ListedShape &s : i.matrixShapes) {
    j.open('{');
    j.key("shape").value(toString(s.shape));
    j.key("m").value(uint64_t(s.shape.m));
    j.key("n").value(uint64_t(s.shape.n));
    j.key("k").value(uint64_t(s.shape.k));
    j.key("a").value(std::string(elementTypeName(s.shape.a)));
    j.key("b").value(std::string(elementTypeName(s.shape.b)));
    j.key("c").value(std::string(elementTypeName(s.shape.c)));
    j.key("result").value(std::string(elementTypeName(s.shape.result)));
    j.key("verdict").value(std::string(verdictName(s.verdict)));
    j.key("detail").value(s.detail);
    j.close('}');
  }
  j.close(']');
  j.key("otherMatrixShapes").value(uint64_t(i.otherMatrixShapes));
  j.key("targets").open('[');
  for (const Profile &p : profiles()) {
    if (!isOfKind(p, i))
      continue;
    std::vector<std::string> missing = lacking(p, i);
    j.open('{');
    j.key("name").value(p.name);
    j.key("runs").flag(missing.empty() && i.unusable.empty() && d.opened.ok());
    j.key("missing").open('[');
    for (const std::string &m : missing)
      j.value(m);
    j.close(']');
    j.close('}');
  }
  j.close(']');
  j.close('}');
}

} // namespace

std::string toJson(const Report &r) {
  Json j;
  j.open('{');
  j.key("version").value(std::string(rt::runtimeVersion()));
  j.key("bundleFormat").value(uint64_t(kFormatVersion));
  j.key("cacheDir").value(r.cacheDir);
  j.key("automatic").value(r.automatic);
  j.key("devices").open('[');
  for (const DeviceReport &d : r.devices)
    device(j, d);
  j.close(']');
  j.key("problems").open('[');
  for (const auto &[driver, status] : r.problems) {
    j.open('{');
    j.key("driver").value(driver);
    j.key("message").value(status.message());
    j.close('}');
  }
  j.close(']');
  j.key("minimumDrivers").open('[');
  for (const Profile &p : profiles()) {
    j.open('{');
    j.key("name").value(p.name);
    j.key("driver").value(p.minimumDriver);
    j.close('}');
  }
  j.close(']');
  j.key("tools").open('[');
  for (const Tool &t : r.tools) {
    j.open('{');
    j.key("name").value(t.name);
    j.key("path").value(t.path);
    j.key("purpose").value(t.purpose);
    j.key("install").value(t.install);
    j.close('}');
  }
  j.close(']');
  j.key("advice").open('[');
  for (const std::string &a : r.advice)
    j.value(a);
  j.close(']');
  j.close('}');
  return j.text + "\n";
}

} // namespace helios::doctor
