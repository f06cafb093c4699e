//===- Report.h - What helios-doctor finds -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_TOOLS_HELIOS_DOCTOR_REPORT_H
#define HELIOS_TOOLS_HELIOS_DOCTOR_REPORT_H

#include "helios/runtime/Runtime.h"

namespace helios::doctor {

/// A target row of the compiler with one combination of types, and what it
/// needs of a device at most (a smaller schedule may need less shared memory).
struct Profile {
  std::string name;
  bundle::TargetKind target = bundle::TargetKind::Vulkan;
  bundle::Requirements requirements;
  /// The first driver that is known to offer it.
  std::string minimumDriver;
};
std::vector<Profile> profiles();
/// Whether code for the profile is of the kind that the device runs; PTX is run
/// by CUDA devices, and by those that emulate them.
bool isOfKind(const Profile &profile, const rt::DeviceInfo &info);
/// What the device lacks for the profile; empty: it runs.
std::vector<std::string> lacking(const Profile &profile,
                                 const rt::DeviceInfo &info);

/// A program or library that some part of the project uses.
struct Tool {
  std::string name;
  std::string path; ///< empty: not found
  std::string purpose;
  std::string install;
};

struct DeviceReport {
  rt::DeviceInfo info;
  /// Not ok: the device could not be opened.
  Status opened;
};

struct Report {
  std::vector<DeviceReport> devices;
  /// Drivers that could not start.
  std::vector<std::pair<std::string, Status>> problems;
  std::vector<Tool> tools;
  std::string cacheDir;
  /// What "auto" takes and why, or why nothing.
  std::string automatic;
  std::vector<std::string> advice;
};

std::string toText(const Report &report, bool verbose);
std::string toJson(const Report &report);

} // namespace helios::doctor

#endif // HELIOS_TOOLS_HELIOS_DOCTOR_REPORT_H
