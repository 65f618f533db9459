// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/change_text.h"

#include <cmath>

#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kManyMs = 100;  // one digit after the point, as in reports

int DecimalsOf(Unit unit, double value) {
  switch (unit) {
    case Unit::kMs: return std::abs(value) < kManyMs ? 2 : 1;
    case Unit::kBytes: return 0;
    case Unit::kShare: return 1;
    case Unit::kCount: return value == std::round(value) ? 0 : 1;
  }
  return 0;
}

bool IsZero(const std::string& text) {
  return text.find_first_of("123456789") == std::string::npos;
}

std::string WithoutZeroSign(const std::string& text) {
  return IsZero(text) && text.starts_with('-') ? text.substr(1) : text;
}

std::string WithSign(double value, const std::string& text) {
  const bool is_more = value > 0 && !IsZero(text);
  return (is_more ? "+" : "") + WithoutZeroSign(text);
}

}  // namespace

std::string ValueText(Unit unit, double value) {
  const double shown = unit == Unit::kShare ? value * kPercent : value;
  return WithoutZeroSign(Fixed(shown, DecimalsOf(unit, shown)));
}

std::string SignedText(Unit unit, double value) {
  return WithSign(value, ValueText(unit, value));
}

std::string SignedMs(double ns) { return WithSign(ns, Ms(ns)); }

std::string SignedMib(double bytes) { return WithSign(bytes, MibText(bytes)); }

std::string RelativeText(const Change& change) {
  if (!change.relative) return "from 0";
  return SignedText(Unit::kShare, *change.relative) + " %";
}

}  // namespace dltap::analyzer
