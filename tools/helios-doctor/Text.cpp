//===- Text.cpp - The report for people -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

namespace helios::doctor {

using namespace bundle;

namespace {

std::string bytes(uint64_t n) {
  static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  int u = 0;
  for (; n >= 10240 && u < 4; ++u)
    n /= 1024;
  return std::to_string(n) + units[u];
}

std::string uuid(const std::array<uint8_t, 16> &u) {
  std::string s;
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      s += '-';
    s += "0123456789abcdef"[u[i] >> 4];
    s += "0123456789abcdef"[u[i] & 15];
  }
  return s;
}

constexpr const char *kNoFigures =
    "  note             runs on the CPU: its times are no performance "
    "figures\n";

/// What a CUDA device has, or one that is emulated.
void cudaText(const rt::DeviceInfo &i, std::string &out) {
  bool isReal = i.driver == "cuda";
  out += "  CUDA             " + i.apiVersionString + ", compute capability " +
         std::to_string(i.computeCapability / 10) + "." +
         std::to_string(i.computeCapability % 10) + "\n";
  if (isReal)
    out += "  device UUID      " + uuid(i.deviceUuid) + "\n";
  out += "  memory           " + bytes(i.memoryBytes) +
         (isReal ? ", L2 cache " + bytes(i.l2CacheBytes) : "") + "\n";
  out += "  workgroup        " + std::to_string(i.maxWorkgroupInvocations) +
         " threads, " + bytes(i.sharedMemoryBytes) +
         " shared (opt-in), warps of " + std::to_string(i.subgroupSize) + "\n";
  out += "  multiprocessors  " + std::to_string(i.computeUnits) +
         (isReal ? " at " + std::to_string(i.clockKHz / 1000) + " MHz at most"
                 : "") +
         "\n";
  if (!isReal)
    out += kNoFigures;
}

void targetsText(const DeviceReport &d, std::string &out) {
  const rt::DeviceInfo &i = d.info;
  out += "  targets\n";
  for (const Profile &p : profiles()) {
    if (!isOfKind(p, i))
      continue;
    std::vector<std::string> missing = lacking(p, i);
    out += "    " + p.name +
           std::string(p.name.size() < 26 ? 26 - p.name.size() : 1, ' ');
    if (missing.empty()) {
      out += "yes\n";
      continue;
    }
    out += "no: needs " + missing[0];
    for (size_t m = 1; m < missing.size(); ++m)
      out += "; " + missing[m];
    out += "\n";
  }
}

void deviceText(const DeviceReport &d, bool verbose, std::string &out) {
  const rt::DeviceInfo &i = d.info;
  out += "\n" + i.id + "  " + deviceClassName(i.deviceClass) + "  " + i.name +
         " (" + i.typeName + ")" + (i.unusable.empty() ? "" : " unusable") +
         "\n";
  if (!i.unusable.empty()) {
    out += "  NOT USABLE: " + i.unusable + "\n";
    return;
  }
  if (i.deviceClass == rt::DeviceClass::Null)
    return;
  if (!d.opened.ok())
    out += "  CANNOT BE OPENED: " + d.opened.message() + "\n";
  out += "  driver           " + i.driverDescription + "\n";
  if (i.computeCapability) {
    cudaText(i, out);
    targetsText(d, out);
    return;
  }
  out += "  Vulkan           " + i.apiVersionString +
         (i.conformanceVersion.empty()
              ? ""
              : " (conformance " + i.conformanceVersion + ")") +
         "\n";
  out += "  device UUID      " + uuid(i.deviceUuid) + "\n";
  out += "  driver UUID      " + uuid(i.driverUuid) + "\n";
  out += "  memory           " + bytes(i.memoryBytes) +
         ", one tensor at most " + bytes(i.maxStorageBufferRange) +
         " (maxStorageBufferRange), one allocation " +
         bytes(i.maxAllocationBytes) + "\n";
  out += "  workgroup        " + std::to_string(i.maxWorkgroupInvocations) +
         " invocations, " + bytes(i.sharedMemoryBytes) + " shared, " +
         std::to_string(i.maxPushConstantBytes) + " B push constants, " +
         std::to_string(i.maxStorageBuffers) + " storage buffers\n";
  out += "  subgroup         " + std::to_string(i.subgroupSize);
  if (i.has(Feature::SubgroupSizeControl))
    out += " (selectable " + std::to_string(i.minSubgroupSize) + " to " +
           std::to_string(i.maxSubgroupSize) + ")";
  out += "\n  compute units    " +
         (i.computeUnits ? std::to_string(i.computeUnits)
                         : "unknown, taken for " +
                               std::to_string(rt::kAssumedComputeUnits)) +
         "\n";
  out += "  timestamps       " +
         (i.timestampPeriodNs > 0
              ? "every " + std::to_string(i.timestampPeriodNs) + " ns"
              : std::string("none")) +
         "\n";
  if (i.deviceClass == rt::DeviceClass::Cpu)
    out += kNoFigures;
  out += "  features        ";
  std::string absent;
  for (uint32_t f = 0; f < kNumFeatures; ++f) {
    if (i.features >> f & 1)
      out += std::string(" ") + featureName(static_cast<Feature>(f));
    else
      absent += std::string(" ") + featureName(static_cast<Feature>(f));
  }
  out += "\n";
  if (!absent.empty())
    out += "  lacks           " + absent + "\n";

  size_t verified = 0, wrong = 0;
  for (const rt::ListedShape &s : i.matrixShapes) {
    verified += s.verdict == rt::ListedShape::Verdict::Verified;
    wrong += s.verdict == rt::ListedShape::Verdict::Wrong ||
             s.verdict == rt::ListedShape::Verdict::Failed;
  }
  out += "  matrix shapes    " + std::to_string(i.matrixShapes.size()) +
         " listed, " + std::to_string(verified) + " verified on this device, " +
         std::to_string(wrong) + " wrong or failed";
  if (i.otherMatrixShapes)
    out += "; " + std::to_string(i.otherMatrixShapes) +
           " more of types that are not used";
  out += "\n";
  for (const rt::ListedShape &s : i.matrixShapes)
    if (verbose || s.verdict != rt::ListedShape::Verdict::Verified ||
        i.matrixShapes.size() <= 40)
      out += "    " + toString(s.shape) + ": " + verdictName(s.verdict) +
             (s.detail.empty() ? "" : " (" + s.detail + ")") + "\n";
  targetsText(d, out);
}

} // namespace

std::string toText(const Report &r, bool verbose) {
  std::string out = std::string("Helios ") + rt::runtimeVersion() +
                    ", bundle format " + std::to_string(kFormatVersion) + "\n";
  out += "cache in " +
         (r.cacheDir.empty() ? std::string("no folder (nothing is kept)")
                             : r.cacheDir) +
         "\n";
  for (const DeviceReport &d : r.devices)
    deviceText(d, verbose, out);
  for (const auto &[driver, status] : r.problems)
    out += "\n" + driver + ": " + status.message() + "\n";
  out += "\nwhat --device auto takes: " + r.automatic + "\n";
  out += "\nminimum driver of each target\n";
  for (const Profile &p : profiles())
    out += "  " + p.name +
           std::string(p.name.size() < 26 ? 26 - p.name.size() : 1, ' ') +
           p.minimumDriver + "\n";
  out += "\ntools\n";
  for (const Tool &t : r.tools)
    out +=
        "  " + t.name +
        std::string(t.name.size() < 16 ? 16 - t.name.size() : 1, ' ') +
        (t.path.empty() ? "not found (" + t.purpose + "); install: " + t.install
                        : t.path) +
        "\n";
  if (!r.advice.empty()) {
    out += "\nwhat to do\n";
    for (const std::string &a : r.advice)
      out += "  - " + a + "\n";
  }
  return out;
}

} // namespace helios::doctor
