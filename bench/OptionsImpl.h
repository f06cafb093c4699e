// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the parts of the command line's parser share: flags and what they take,
// and what each command makes of them together.

#ifndef HELIOS_BENCH_OPTIONSIMPL_H
#define HELIOS_BENCH_OPTIONSIMPL_H

#include "helios/Bench/Options.h"

#include <functional>

namespace helios::bench {

/// Text given for flags whose meaning depends on others.
struct Pending {
  std::vector<std::string> types, layouts, epilogues, constant, weights, scales,
      factors;
  std::string shapes;
  AttentionForm form;
  std::vector<std::string> given; ///< names of flags
};

struct Flag {
  const char *name;
  const char *value; ///< null: a switch
  const char *group;
  const char *help;
  std::function<Status(const std::string &flag, const std::string &text,
                       Options &, Pending &)>
      take;
};

/// All flags, in the order of the help; one of several commands once for each.
const std::vector<Flag> &flags();

/// Checks what the flags of a command say together, and expands it.
Status finishGemm(Options &o, Pending p);
Status finishAttention(Options &o, const Pending &p);
Status finishRun(Options &o, const Pending &p);

} // namespace helios::bench

#endif // HELIOS_BENCH_OPTIONSIMPL_H
