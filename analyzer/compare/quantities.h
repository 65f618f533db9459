// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_QUANTITIES_H_
#define DLTAP_ANALYZER_COMPARE_QUANTITIES_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/compare/change.h"
#include "analyzer/compare/step_samples.h"

namespace dltap::analyzer {

enum class Unit : uint8_t { kMs, kCount, kBytes, kShare };
std::string_view Name(Unit unit);  // "ms", "count", "bytes", "share"

// A name that rules, baselines and the JSON of a difference use. `name` may
// hold a placeholder: "class.CLASS.gpu_ms".
struct QuantityRow {
  std::string_view name;
  Unit unit;
  // The rules judge NEW's own value, not its change.
  bool is_level;
  // Two runs of a program on the virtual clock have the same.
  bool is_exact;
  std::string_view meaning;
};

// The table of the documentation, too.
std::span<const QuantityRow> QuantityTable();

struct Quantity {
  const QuantityRow* row;
  Measured value;
};
using Quantities = std::map<std::string, Quantity>;

// Per used step; without steps, over the run. All names that QuantityTable
// stands for, functions as far as the trace has any.
Quantities QuantitiesOf(const Side& side);

// nullptr: no such name. One of a function that was not called is known.
const QuantityRow* FindQuantity(std::string_view name);

// All names but those of functions.
std::vector<std::string> QuantityNames();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_QUANTITIES_H_
