// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tuning parameters as plain C++17: no LLVM, so that the tuner and
// the benchmark use it too.

#ifndef HELIOS_DIALECT_HELIOS_IR_SCHEDULEPARAMETERS_H
#define HELIOS_DIALECT_HELIOS_IR_SCHEDULEPARAMETERS_H

#include <cstddef>
#include <cstdint>

namespace helios {

/// One tuning parameter: `count` integers, or one word out of `choices`.
struct ScheduleParameter {
  const char *key;        ///< name in the text, e.g. "tile"
  const char *components; ///< names of the integers, e.g. "m, n, k"; empty for
                          ///< one integer
  unsigned first;         ///< position of its first value among all values
  unsigned count;         ///< number of values, 1 to 3
  int64_t min,
      max; ///< inclusive range of each value (position of the word for choices)
  int64_t multiple;    ///< each value is a multiple of this
  int64_t defaults[3]; ///< default values
  const char *choices; ///< words separated by '|', or nullptr for integers
  const char *doc;     ///< one sentence
};

/// Number of words in a '|'-separated list.
constexpr int64_t countScheduleChoices(const char *choices) {
  int64_t n = 1;
  for (; *choices; ++choices)
    n += *choices == '|';
  return n;
}

/// Positions of the parameters' values in a schedule's flat list of values.
enum ScheduleValue : unsigned {
#define HELIOS_SCHEDULE_CHOICE(Name, Key, Choices, Default, Doc)               \
  kSchedule##Name,
#define HELIOS_SCHEDULE_INTEGERS(Name, Key, Components, Count, Min, Max,       \
                                 Multiple, D0, D1, D2, Doc)                    \
  kSchedule##Name, kSchedule##Name##Last = kSchedule##Name + (Count) - 1,
#include "helios/Dialect/Helios/IR/ScheduleParameters.def"
  kScheduleValueCount
};

/// Every parameter, in the order of the list.
inline constexpr ScheduleParameter kScheduleParameters[] = {
#define HELIOS_SCHEDULE_CHOICE(Name, Key, Choices, Default, Doc)               \
  {Key,                                                                        \
   "",                                                                         \
   kSchedule##Name,                                                            \
   1,                                                                          \
   0,                                                                          \
   countScheduleChoices(Choices) - 1,                                          \
   1,                                                                          \
   {Default, 0, 0},                                                            \
   Choices,                                                                    \
   Doc},
#define HELIOS_SCHEDULE_INTEGERS(Name, Key, Components, Count, Min, Max,       \
                                 Multiple, D0, D1, D2, Doc)                    \
  {Key, Components, kSchedule##Name, Count,   Min,                             \
   Max, Multiple,   {D0, D1, D2},    nullptr, Doc},
#include "helios/Dialect/Helios/IR/ScheduleParameters.def"
};

inline constexpr size_t kScheduleParameterCount =
    sizeof(kScheduleParameters) / sizeof(kScheduleParameters[0]);

} // namespace helios

#endif // HELIOS_DIALECT_HELIOS_IR_SCHEDULEPARAMETERS_H
