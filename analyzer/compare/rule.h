// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_RULE_H_
#define DLTAP_ANALYZER_COMPARE_RULE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/compare/quantities.h"

namespace dltap::analyzer {

// What must not be: "step_ms>3%", "launches>0", "trust.classified<98%".
struct Rule {
  std::string text;      // as it was given
  std::string quantity;  // a name of QuantitiesOf
  const QuantityRow* row = nullptr;
  bool above = true;      // '>'; else '<'
  bool relative = false;  // of a change: part of the base's value
  double limit = 0;       // a ratio where `relative` or of a share
};

// Of a change: QUANTITY > NUMBER, in the quantity's unit, or NUMBER%. Of a
// level (row->is_level): what NEW itself must not be above or below.
absl::StatusOr<Rule> ParseRule(const std::string& text);

// The same for runs that have only what is exact (QuantityRow::is_exact).
absl::StatusOr<Rule> ParseExactRule(const std::string& text);

enum class Verdict : uint8_t { kHolds, kFires, kUnknown };
std::string_view Name(Verdict verdict);  // "ok", "fails", "unknown"

// Of a measured change, the end of its interval that is nearer to no change
// must lie beyond the limit. A part of 0 is infinite.
Verdict Judge(const Rule& rule, const Change& change);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_RULE_H_
