/* Part of the Helios project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A libvulkan.so.1 whose first call never returns, as a driver's that compiles
 * a large kernel for minutes. */

#include <unistd.h>

void *vkGetInstanceProcAddr(void *instance, const char *name) {
  static const char text[] = "stuck\n";
  (void)instance;
  (void)name;
  if (write(2, text, sizeof(text) - 1) < 0)
    return 0;
  for (;;)
    pause();
}
