// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of a library that is opened at run time.

#ifndef HELIOS_BENCH_SYMBOLS_H
#define HELIOS_BENCH_SYMBOLS_H

#include <dlfcn.h>
#include <string>

namespace helios::bench {

/// Looks up functions of an open library and keeps the name of one that it
/// lacks.
class Symbols {
public:
  explicit Symbols(void *library) : library(library) {}

  template <typename Function>
  void get(Function &function, const char *name) {
    void *symbol = dlsym(library, name);
    if (!symbol)
      missing = name;
    function = reinterpret_cast<Function>(symbol);
  }

  std::string missing; ///< empty if every name was found

private:
  void *library;
};

} // namespace helios::bench

#endif // HELIOS_BENCH_SYMBOLS_H
