// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_DIFFERENCE_H_
#define DLTAP_ANALYZER_COMPARE_DIFFERENCE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/change.h"
#include "analyzer/compare/comparable.h"
#include "analyzer/compare/quantities.h"
#include "analyzer/compare/row_change.h"
#include "analyzer/compare/step_samples.h"

// How two runs differ: every number that a face of `dltap diff` shows. Times
// are ns per used step; without steps, over the run.
namespace dltap::analyzer {

// One part of the step's time. All parts together are the step, but for what
// `Difference::unexplained_ns` says.
struct PartChange {
  SeriesKey key;
  Change ns;
  // Of a class: the precision of most of its time, where it is another one.
  std::string base_precision = {};
  std::string now_precision = {};
};

struct QuantityChange {
  std::string name;
  const QuantityRow* row;
  Change change;
};

struct Difference {
  bool by_steps = false;
  bool named_alike = false;  // their layers: see NameAlike
  std::vector<Unlike> unlike;
  Change step;                    // ns
  std::vector<PartChange> parts;  // the largest change first
  // The first ones of `parts` that the sentence names, and what all others
  // add up to.
  size_t leading = 0;
  double rest_ns = 0;
  double unexplained_ns = 0;               // of the change: what no part has
  std::vector<QuantityChange> quantities;  // in the order of their names
  std::array<std::vector<RowChange>, static_cast<size_t>(DifferenceBy::kCount)>
      rows;  // the largest change first
  std::vector<RowChange> new_kernels;
  std::vector<RowChange> gone_kernels;

  const std::vector<RowChange>& by(DifferenceBy what) const {
    return rows[static_cast<size_t>(what)];
  }
  bool Has(Unlikeness what) const;
  // What bars as much or more. kRules: what runs that a rule judges must not
  // differ in.
  std::vector<Unlike> BarredBy(Bars bars) const;
  // nullptr: neither run has it.
  const QuantityChange* Find(std::string_view name) const;
};

Difference Compare(const Side& base, const Side& now, size_t least_steps = 0);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_DIFFERENCE_H_
