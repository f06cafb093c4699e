//===- CacheDir.h - Where the tools keep what may be lost -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_TOOLS_SUPPORT_CACHEDIR_H
#define HELIOS_TOOLS_SUPPORT_CACHEDIR_H

#include <cstdlib>
#include <string>

namespace helios::tools {

/// $XDG_CACHE_HOME/helios, else $HOME/.cache/helios, else empty (keep nothing).
inline std::string defaultCacheDir() {
  const char *xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && xdg[0] == '/')
    return std::string(xdg) + "/helios";
  const char *home = std::getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/helios"
                                : std::string();
}

} // namespace helios::tools

#endif // HELIOS_TOOLS_SUPPORT_CACHEDIR_H
