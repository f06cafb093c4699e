//===- Explain.cpp - Why a launch has its schedule -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/Evaluate.h"
#include <algorithm>
#include <cstdio>
#include <numeric>

namespace helios::bundle {

namespace {

/// The price of a schedule that is not for the extents of a launch.
constexpr int64_t kNotForThese = INT64_MAX;

/// A price as a multiple of another: "1.034".
std::string ratioText(int64_t price, int64_t unit) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3f",
                double(price) / double(std::max<int64_t>(unit, 1)));
  return text;
}

} // namespace

std::string explainChoice(const ResolvedPlan &plan, size_t most) {
  // By price; of equal ones the plan takes the first.
  std::vector<size_t> order(plan.choices.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_pair(plan.choices[a].price, a) <
           std::make_pair(plan.choices[b].price, b);
  });
  std::vector<ResolvedChoice> byPrice;
  for (size_t i : order)
    byPrice.push_back(plan.choices[i]);
  auto first = [&](auto holds) {
    return std::find_if(byPrice.begin(), byPrice.end(), holds);
  };
  auto taken = first([](const ResolvedChoice &c) { return c.taken; });
  if (taken == byPrice.end())
    return "no schedule is named by the plan; variant '" + plan.variantName +
           "' runs\n";
  // Another one would be no choice of the model's.
  auto modelled =
      first([](const ResolvedChoice &c) { return c.origin == Origin::Model; });
  std::string text = std::string("chosen by ") +
                     originName(taken->tuned ? Origin::Table : taken->origin) +
                     ": " + taken->schedule + "\n";
  text += "  variant '" + plan.variantName + "' runs" +
          (plan.variantName.rfind("narrow", 0) == 0
               ? " in its place, by copies as narrow as rows of these tensors; "
                 "it would be "
               : ", ");
  if (taken->tuned) {
    text += "as measurements of such extents say";
    if (modelled != byPrice.end())
      text += modelled->schedule == taken->schedule
                  ? "; the model would have taken it too"
                  : "; the model would have taken " + modelled->schedule +
                        ", by its prices " +
                        ratioText(modelled->price, taken->price) +
                        " times as dear";
  } else if (byPrice.size() == 1) {
    text += "the only schedule";
  } else {
    const auto compared = std::count_if(
        byPrice.begin(), byPrice.end(), [](const ResolvedChoice &c) {
          return c.origin != Origin::Table && c.price != kNotForThese;
        });
    text += "the cheapest of " + std::to_string(compared) +
            " schedules by the least work of the busiest processor, " +
            std::to_string(taken->price) + " units";
  }
  text += "\n";
  for (const ResolvedChoice &c : byPrice) {
    if (&c == &*taken || c.price == kNotForThese)
      continue;
    if (most-- == 0)
      break;
    text +=
        "  " + ratioText(c.price, taken->price) +
        " times its price: " + c.schedule +
        (c.origin == Origin::Table ? " (the table's, for other extents)" : "") +
        "\n";
  }
  return text;
}

} // namespace helios::bundle
