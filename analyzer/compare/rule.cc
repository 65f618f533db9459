// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/rule.h"

#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

constexpr double kPercent = 0.01;
// What sums of floating-point numbers are off.
constexpr double kRounding = 1e-9;

absl::Status Bad(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--fail-on \"", text, "\": ", why));
}

absl::Status UnknownName(const std::string& text, const std::string& name) {
  const std::string near = DidYouMean(name, QuantityNames());
  return Bad(text,
             absl::StrCat("no quantity \"", name, "\"",
                          near.empty() ? "; see dltap diff --help" : near));
}

double Relative(double change, double base) {
  if (base != 0) return change / std::abs(base);
  if (change == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), change);
}

}  // namespace

absl::StatusOr<Rule> ParseRule(const std::string& text) {
  const size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos) {
    return Bad(text, "it wants QUANTITY>NUMBER, in percent if you like");
  }
  Rule rule;
  rule.text = text;
  rule.quantity = text.substr(0, sign);
  absl::StripAsciiWhitespace(&rule.quantity);
  // An inline wrapper's name for it; figures have the documented one.
  if (rule.quantity.starts_with("api.__cuda")) rule.quantity.erase(4, 2);
  rule.above = text[sign] == '>';
  std::string number(absl::StripAsciiWhitespace(text.substr(sign + 1)));
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  absl::StripAsciiWhitespace(&number);
  rule.row = FindQuantity(rule.quantity);
  if (rule.row == nullptr) return UnknownName(text, rule.quantity);
  if (!absl::SimpleAtod(number, &rule.limit) || !std::isfinite(rule.limit)) {
    return Bad(text, absl::StrCat("\"", number, "\" is no number"));
  }
  if (percent) rule.limit *= kPercent;
  rule.relative = percent && !rule.row->is_level;
  const bool is_share = rule.row->unit == Unit::kShare;
  if (rule.row->is_level && percent != is_share) {
    return Bad(text, is_share ? "a share wants percent" : "it is no share");
  }
  return rule;
}

absl::StatusOr<Rule> ParseExactRule(const std::string& text) {
  absl::StatusOr<Rule> rule = ParseRule(text);
  if (!rule.ok() || rule->row->is_exact) return rule;
  return Bad(text, "it is not the same in every run on the virtual clock");
}

std::string_view Name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"ok", "fails", "unknown"};
  return kNames[static_cast<size_t>(verdict)];
}

Verdict Judge(const Rule& rule, const Change& change) {
  double value = 0;
  if (rule.row->is_level) {
    if (!change.now) return Verdict::kUnknown;
    value = *change.now;
  } else {
    if (!change.change) return Verdict::kUnknown;
    value = *change.change;
    if (change.interval) value = (*change.interval)[rule.above ? 0 : 1];
    if (rule.relative) value = Relative(value, *change.base);
  }
  const double beyond = rule.above ? value - rule.limit : rule.limit - value;
  return beyond > kRounding ? Verdict::kFires : Verdict::kHolds;
}

}  // namespace dltap::analyzer
