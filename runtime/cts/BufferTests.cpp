//===- BufferTests.cpp - Memory -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include <algorithm>

using namespace helios;
using namespace helios::cts;
using rt::MemoryKind;

CTS_TEST(buffer_round_trip) {
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host})
    for (size_t size : {0, 1, 3, 255, 256, 257, 65536, (20 << 20) + 13}) {
      Result<std::shared_ptr<rt::Buffer>> b =
          context.device->createBuffer(size, kind);
      REQUIRE_OK(b);
      CHECK((*b)->size() == size);
      CHECK(kind == MemoryKind::Device || (*b)->hostPointer() != nullptr);
      std::vector<uint8_t> in(size), out(size, 0xaa);
      for (size_t i = 0; i < size; ++i)
        in[i] = static_cast<uint8_t>(i * 131 + (i >> 9));
      REQUIRE_OK((*b)->write(0, in.data(), size));
      REQUIRE_OK((*b)->read(0, out.data(), size));
      CHECK(in == out);
    }
}

CTS_TEST(buffer_parts) {
  Result<std::shared_ptr<rt::Buffer>> b = context.device->createBuffer(1000);
  REQUIRE_OK(b);
  std::vector<uint8_t> zero(1000, 0), part(7, 0x5a), out(1000);
  REQUIRE_OK((*b)->write(0, zero.data(), 1000));
  REQUIRE_OK((*b)->write(993, part.data(), 7));
  REQUIRE_OK((*b)->write(11, part.data(), 3));
  REQUIRE_OK((*b)->read(0, out.data(), 1000));
  for (size_t i = 0; i < 1000; ++i)
    REQUIRE(out[i] == ((i >= 993 || (i >= 11 && i < 14)) ? 0x5a : 0));
}

CTS_TEST(buffer_bounds) {
  Result<std::shared_ptr<rt::Buffer>> b = context.device->createBuffer(100);
  REQUIRE_OK(b);
  uint8_t bytes[200] = {};
  CHECK_FAILS((*b)->write(0, bytes, 101), InvalidInput,
              "leaves the buffer of 100 bytes");
  CHECK_FAILS((*b)->read(100, bytes, 1), InvalidInput, "leaves the buffer");
  CHECK_FAILS((*b)->read(UINT64_MAX, bytes, 2), InvalidInput,
              "leaves the buffer");
  CHECK_FAILS((*b)->write(1, bytes, UINT64_MAX), InvalidInput,
              "leaves the buffer");
  CHECK((*b)->read(100, bytes, 0).ok());
}

CTS_TEST(buffer_too_large) {
  for (uint64_t bytes : {uint64_t(1) << 50, UINT64_MAX - 1000, UINT64_MAX}) {
    Result<std::shared_ptr<rt::Buffer>> b = context.device->createBuffer(bytes);
    CHECK(!b.ok());
    CHECK(!b && (b.status().code() == StatusCode::OutOfMemory ||
                 b.status().code() == StatusCode::Unsupported));
    CHECK(!b && b.status().message().find("buffer of") != std::string::npos);
  }
  // The device works on.
  CHECK(context.device->createBuffer(4096).ok());
}

CTS_TEST(buffer_beyond_one_allocation) {
  const rt::DeviceInfo &info = context.device->info();
  if (info.maxAllocationBytes >= info.memoryBytes)
    return;
  CHECK_FAILS(context.device->createBuffer(info.maxAllocationBytes + 1),
              Unsupported, "maxMemoryAllocationSize");
}

CTS_TEST(out_of_memory_is_said) {
  // Buffers of an eighth of the memory each until there is none; on a CPU
  // device memory is only promised, so the number is limited.
  if (context.device->info().deviceClass != rt::DeviceClass::Gpu)
    return;
  const rt::DeviceInfo &info = context.device->info();
  uint64_t piece = std::min(info.maxAllocationBytes, info.memoryBytes / 8);
  std::vector<std::shared_ptr<rt::Buffer>> held;
  for (int i = 0; i < 4096; ++i) {
    Result<std::shared_ptr<rt::Buffer>> b = context.device->createBuffer(piece);
    if (b) {
      held.push_back(*b);
      continue;
    }
    CHECK(b.status().code() == StatusCode::OutOfMemory);
    CHECK_FAILS(b, OutOfMemory,
                info.driver == "cuda" ? "cuMemAlloc" : "vkAllocateMemory");
    held.clear();
    CHECK(context.device->createBuffer(4096).ok());
    return;
  }
  reportFailure(__FILE__, __LINE__, "the device's memory has no end");
}

CTS_TEST(stream_fill_and_copy) {
  Result<std::shared_ptr<rt::Stream>> stream = context.device->createStream();
  REQUIRE_OK(stream);
  Result<std::shared_ptr<rt::Buffer>> a = context.device->createBuffer(1024),
                                      b = context.device->createBuffer(1024);
  REQUIRE_OK(a);
  REQUIRE_OK(b);
  REQUIRE_OK((*stream)->fill(*a, 0, 1024, 0x11111111));
  REQUIRE_OK((*stream)->fill(*a, 256, 512, 0x22222222));
  REQUIRE_OK((*stream)->fill(*b, 0, 1024, 0));
  REQUIRE_OK((*stream)->copy(*a, 128, *b, 4, 256));
  REQUIRE_OK((*stream)->fill(*a, 0, 0, 7)); // nothing
  REQUIRE_OK((*stream)->synchronize());
  std::vector<uint32_t> out(256);
  REQUIRE_OK((*b)->read(0, out.data(), 1024));
  for (size_t i = 0; i < 256; ++i)
    REQUIRE(out[i] == (i < 1 || i >= 65 ? 0u
                       : i < 33         ? 0x11111111u
                                        : 0x22222222u));
  CHECK_FAILS((*stream)->fill(*a, 2, 4, 0), InvalidInput, "multiples of 4");
  CHECK_FAILS((*stream)->fill(*a, 1024, 4, 0), InvalidInput,
              "leaves the buffer");
  CHECK_FAILS((*stream)->copy(*a, 0, *b, 1020, 8), InvalidInput,
              "leaves the buffer");
  CHECK_FAILS((*stream)->copy(*a, 0, *a, 4, 8), InvalidInput, "overlap");
  CHECK_FAILS((*stream)->copy(*a, 0, nullptr, 4, 8), InvalidInput, "no buffer");
}
