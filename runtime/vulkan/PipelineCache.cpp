//===- PipelineCache.cpp - Compiled pipelines kept on disk -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Serialize.h"
#include "vulkan/Device.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace helios::rt::vulkan {

namespace {

// File: magic, SHA-256 of the rest, the driver's bytes. Drivers check little of
// what they are given, so a damaged file must not reach them.
constexpr char magic[8] = {'H', 'L', 'P', 'C', 'A', 'C', 'H', '1'};
constexpr size_t headerBytes = 8 + 32;
constexpr size_t maxBytes = size_t(256) << 20;

std::string hex(const std::array<uint8_t, 16> &uuid) {
  std::string s;
  for (uint8_t b : uuid) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  return s;
}

std::vector<uint8_t> readAll(const std::string &path) {
  std::vector<uint8_t> data;
  FILE *f = std::fopen(path.c_str(), "rb");
  if (!f)
    return data;
  uint8_t piece[65536];
  size_t n;
  while ((n = std::fread(piece, 1, sizeof(piece), f)) > 0 &&
         data.size() <= maxBytes)
    data.insert(data.end(), piece, piece + n);
  bool good = !std::ferror(f) && data.size() <= maxBytes;
  std::fclose(f);
  return good ? data : std::vector<uint8_t>();
}

/// Whether the bytes begin with this driver's header (Vulkan, "Pipeline Cache
/// Header").
bool fits(const std::vector<uint8_t> &data, const Capabilities &caps) {
  VkPipelineCacheHeaderVersionOne header;
  if (data.size() < sizeof(header))
    return false;
  std::memcpy(&header, data.data(), sizeof(header));
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == caps.info.vendorId &&
         header.deviceID == caps.info.deviceId &&
         std::memcmp(header.pipelineCacheUUID, caps.pipelineCacheUuid,
                     VK_UUID_SIZE) == 0;
}

} // namespace

Status makeDirectories(const std::string &path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/')
      continue;
    std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST)
      return Status::invalidInput("cannot create the folder '" + part +
                                  "': " + std::strerror(errno));
  }
  return Status::success();
}

Status writeAtomically(const std::string &path, const void *data,
                       size_t bytes) {
  std::string temporary = path + ".tmp." + std::to_string(::getpid());
  int fd =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return Status::invalidInput("cannot write '" + temporary +
                                "': " + std::strerror(errno));
  size_t done = 0;
  bool good = true;
  while (good && done < bytes) {
    ssize_t n =
        ::write(fd, static_cast<const uint8_t *>(data) + done, bytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    good = n > 0;
    done += good ? static_cast<size_t>(n) : 0;
  }
  int error = errno;
  good = ::close(fd) == 0 && good;
  if (good && ::rename(temporary.c_str(), path.c_str()) == 0)
    return Status::success();
  if (good)
    error = errno;
  ::unlink(temporary.c_str());
  return Status::invalidInput("cannot write '" + path +
                              "': " + std::strerror(error));
}

std::string pipelineCachePath(const std::string &cacheDir,
                              const Capabilities &caps) {
  return cacheDir + "/pipelines-" + hex(caps.info.deviceUuid) + "-" +
         hex(caps.info.driverUuid) + "-" +
         std::to_string(caps.info.driverVersion) + ".bin";
}

std::vector<uint8_t> loadPipelineCache(const std::string &cacheDir,
                                       const Capabilities &caps) {
  if (cacheDir.empty())
    return {};
  std::vector<uint8_t> file = readAll(pipelineCachePath(cacheDir, caps));
  if (file.size() < headerBytes || std::memcmp(file.data(), magic, 8) != 0)
    return {};
  std::array<uint8_t, 32> hash =
      bundle::sha256(file.data() + headerBytes, file.size() - headerBytes);
  if (std::memcmp(hash.data(), file.data() + 8, 32) != 0)
    return {};
  file.erase(file.begin(), file.begin() + headerBytes);
  return fits(file, caps) ? file : std::vector<uint8_t>();
}

Status savePipelineCache(const std::string &cacheDir, const Capabilities &caps,
                         const std::vector<uint8_t> &data) {
  if (Status s = makeDirectories(cacheDir); !s.ok())
    return s;
  std::vector<uint8_t> file(headerBytes);
  std::memcpy(file.data(), magic, 8);
  std::array<uint8_t, 32> hash = bundle::sha256(data.data(), data.size());
  std::memcpy(file.data() + 8, hash.data(), 32);
  file.insert(file.end(), data.begin(), data.end());
  return writeAtomically(pipelineCachePath(cacheDir, caps), file.data(),
                         file.size());
}

} // namespace helios::rt::vulkan
