/*===- launch.c - A bundle's kernel from C ------------------------*- C -*-===*\
|*
|* Part of the Helios project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* launch BUNDLE KERNEL EXTENT [DEVICE]
|*
|* Fills every input with ones, gives every dynamic dimension the extent EXTENT,
|* runs the kernel and prints the first element of each result: a product of two
|* matrices gives EXTENT.
|*
\*===----------------------------------------------------------------------===*/

#include <helios/helios.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 64

/* Everything here ends the program on failure, with the status as exit code. */
static void check(hl_status status, const char *what) {
  if (status == HL_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, hl_status_name(status),
          hl_last_error());
  exit(status > HL_DEVICE_ERROR ? HL_DEVICE_ERROR : (int)status);
}

/* The bits of 1 in an element type. */
static uint64_t one_bits(const char *type) {
  if (!strcmp(type, "f16"))
    return 0x3c00;
  if (!strcmp(type, "bf16"))
    return 0x3f80;
  if (!strcmp(type, "f32"))
    return 0x3f800000;
  if (!strcmp(type, "f64"))
    return 0x3ff0000000000000;
  return 1;
}

static double to_double(const char *type, const void *element) {
  uint64_t bits = 0;
  if (!strcmp(type, "f64")) {
    double d;
    memcpy(&d, element, 8);
    return d;
  }
  if (!strcmp(type, "f32") || !strcmp(type, "bf16")) {
    float f;
    uint32_t word = 0;
    if (type[0] == 'f')
      memcpy(&word, element, 4);
    else
      memcpy((char *)&word + 2, element, 2);
    memcpy(&f, &word, 4);
    return f;
  }
  if (!strcmp(type, "f16")) {
    memcpy(&bits, element, 2);
    int exponent = (int)(bits >> 10 & 31);
    double v =
        exponent ? 1024.0 + (double)(bits & 1023) : (double)(bits & 1023);
    int shift = (exponent ? exponent : 1) - 25;
    while (shift < 0) {
      v /= 2;
      ++shift;
    }
    while (shift > 0) {
      v *= 2;
      --shift;
    }
    return bits & 0x8000 ? -v : v;
  }
  memcpy(&bits, element, 4);
  return (double)(int32_t)bits;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: launch BUNDLE KERNEL EXTENT [DEVICE]\n");
    return HL_INVALID_INPUT;
  }
  int64_t extent = atoll(argv[3]);

  hl_device device;
  check(hl_device_open(argc > 4 ? argv[4] : "auto", NULL, &device),
        "open device");
  hl_device_info info;
  info.struct_size = sizeof(info);
  check(hl_device_get_info(device, &info), "device info");
  printf("device %s: %s (%s)\n", info.id, info.name, hl_device_why(device));

  hl_bundle bundle;
  check(hl_bundle_load_file(argv[1], &bundle), "load bundle");
  hl_kernel kernel;
  check(hl_kernel_load(device, bundle, argv[2], NULL, &kernel), "load kernel");
  hl_bundle_destroy(bundle); /* the kernel keeps what it needs */

  size_t count = hl_kernel_argument_count(kernel);
  hl_argument arguments[MAX_ARGUMENTS];
  hl_argument_info infos[MAX_ARGUMENTS];
  int64_t extents[MAX_ARGUMENTS][HL_MAX_RANK];
  memset(arguments, 0, sizeof(arguments));
  for (size_t i = 0; i < count && i < MAX_ARGUMENTS; ++i) {
    infos[i].struct_size = sizeof(infos[i]);
    check(hl_kernel_get_argument(kernel, i, &infos[i]), "argument");
    arguments[i].struct_size = sizeof(arguments[i]);
    arguments[i].kind = infos[i].kind;
    uint64_t one = one_bits(infos[i].element_type);
    if (infos[i].kind == HL_ARGUMENT_SCALAR) {
      arguments[i].scalar_bits = (int64_t)one;
      continue;
    }
    uint64_t elements = 1;
    for (uint32_t d = 0; d < infos[i].rank; ++d) {
      extents[i][d] = infos[i].extents[d] < 0 ? extent : infos[i].extents[d];
      elements *= (uint64_t)extents[i][d];
    }
    uint64_t bytes = elements * infos[i].element_bytes;
    arguments[i].rank = infos[i].rank;
    arguments[i].extents = extents[i];
    check(
        hl_buffer_create(device, bytes, HL_MEMORY_DEVICE, &arguments[i].buffer),
        "buffer");
    char *host = calloc(bytes ? bytes : 1, 1);
    if (!host) {
      fprintf(stderr, "no memory\n");
      return HL_DEVICE_ERROR;
    }
    for (uint64_t e = 0; e < elements && !infos[i].is_result; ++e)
      memcpy(host + e * infos[i].element_bytes, &one, infos[i].element_bytes);
    check(hl_buffer_write(arguments[i].buffer, 0, host, bytes), "upload");
    free(host);
  }

  hl_launch launch;
  check(hl_launch_prepare(kernel, arguments, count, &launch), "prepare");
  printf("variant %s, workspace %llu bytes\n", hl_launch_variant(launch),
         (unsigned long long)hl_launch_workspace_bytes(launch));
  hl_stream stream;
  check(hl_stream_create(device, &stream), "stream");
  uint64_t event;
  check(hl_stream_enqueue(stream, launch, &event), "enqueue");
  check(hl_stream_synchronize(stream), "synchronize");
  double ns;
  if (hl_stream_elapsed_ns(stream, event, &ns) == HL_OK)
    printf("%.1f us on the device\n", ns / 1000);

  for (size_t i = 0; i < count && i < MAX_ARGUMENTS; ++i) {
    char element[8];
    if (infos[i].is_result &&
        hl_buffer_size(arguments[i].buffer) >= infos[i].element_bytes) {
      check(hl_buffer_read(arguments[i].buffer, 0, element,
                           infos[i].element_bytes),
            "download");
      printf("%s[0] = %g\n", infos[i].name,
             to_double(infos[i].element_type, element));
    }
  }
  for (size_t i = 0; i < count && i < MAX_ARGUMENTS; ++i)
    hl_buffer_destroy(arguments[i].buffer);
  hl_stream_destroy(stream);
  hl_launch_destroy(launch);
  hl_kernel_destroy(kernel);
  hl_device_destroy(device);
  return 0;
}
