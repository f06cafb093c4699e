// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Directives.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace helios::bench {

namespace {

std::string trim(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r"),
               last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Recursive descent over sum, product, factor.
class FormulaParser {
public:
  FormulaParser(const std::string &text,
                const std::map<std::string, double> &names)
      : text(text), names(names) {}

  Result<double> run() {
    const double v = sum(0);
    skip();
    if (error.empty() && at != text.size())
      fail("an operator");
    if (!error.empty())
      return Status::invalidInput(error);
    if (!std::isfinite(v))
      return Status::invalidInput("formula '" + text +
                                  "': expected a finite value, got " +
                                  std::to_string(v));
    return v;
  }

private:
  void skip() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  void fail(const std::string &expected) {
    if (error.empty())
      error = "formula '" + text + "': expected " + expected + " at '" +
              text.substr(at) + "'";
  }
  bool take(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  double sum(int depth) {
    double v = product(depth);
    while (error.empty())
      if (take('+'))
        v += product(depth);
      else if (take('-'))
        v -= product(depth);
      else
        break;
    return v;
  }
  double product(int depth) {
    double v = factor(depth);
    while (error.empty())
      if (take('*'))
        v *= factor(depth);
      else if (take('/'))
        v /= factor(depth);
      else
        break;
    return v;
  }
  double factor(int depth) {
    skip();
    if (depth > 100)
      fail("fewer parentheses");
    if (!error.empty())
      return 0;
    if (take('(')) {
      const double v = sum(depth + 1);
      if (!take(')'))
        fail("')'");
      return v;
    }
    if (at < text.size() &&
        (std::isdigit(static_cast<unsigned char>(text[at])) ||
         text[at] == '.')) {
      char *end = nullptr;
      const double v = std::strtod(text.c_str() + at, &end);
      at = size_t(end - text.c_str());
      return v;
    }
    std::string name;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) ||
            text[at] == '_' || text[at] == '.'))
      name += text[at++];
    auto found = names.find(name);
    if (found != names.end())
      return found->second;
    std::string known;
    for (const auto &[n, v] : names)
      known += (known.empty() ? "" : ", ") + n;
    at -= name.size();
    fail("a number or one of " + known);
    return 0;
  }

  const std::string &text;
  const std::map<std::string, double> &names;
  size_t at = 0;
  std::string error;
};

} // namespace

Result<double> evaluateFormula(const std::string &formula,
                               const std::map<std::string, double> &names) {
  return FormulaParser(formula, names).run();
}

Result<double> evaluateFlops(const std::string &formula,
                             const bundle::Kernel &kernel,
                             const std::vector<std::vector<int64_t>> &extents,
                             const std::map<std::string, double> &scalars,
                             const bundle::ResolvedPlan &plan) {
  std::map<std::string, double> names{{"grid", 0}, {"invocations", 0}};
  for (const bundle::ResolvedDispatch &d : plan.dispatches) {
    names["grid"] += double(d.groups);
    names["invocations"] += double(d.groups) * d.workgroupSize[0] *
                            d.workgroupSize[1] * d.workgroupSize[2];
  }
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    const bundle::Argument &argument = kernel.arguments[n];
    if (argument.kind == bundle::ArgumentKind::Scalar) {
      auto given = scalars.find(argument.name);
      names[argument.name] = given == scalars.end() ? 1 : given->second;
    }
    for (size_t d = 0; d < extents[n].size(); ++d)
      names[argument.name + "." + std::to_string(d)] = double(extents[n][d]);
  }
  return evaluateFormula(formula, names);
}

Result<std::map<std::string, std::string>>
parseDirectives(const std::string &text) {
  std::map<std::string, std::string> found;
  const std::string mark = "// helios-bench:";
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    const std::string line = text.substr(at, text.find('\n', at) - at);
    const size_t equals = line.find('=');
    const std::string key = trim(line.substr(0, equals));
    const char *const known[] = {"shapes", "scalars", "flops",
                                 "bytes",  "types",   "working_set_mib"};
    if (equals == std::string::npos ||
        std::find(std::begin(known), std::end(known), key) == std::end(known))
      return Status::invalidInput("'" + mark + line +
                                  "': expected shapes, scalars, flops, bytes, "
                                  "types or working_set_mib, then = and a "
                                  "value");
    found[key] = trim(line.substr(equals + 1));
  }
  return found;
}

} // namespace helios::bench
