// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// One input multiplied with many small matrices, one after the other: heads of
// attention that are modules of their own.
namespace dltap::analyzer {
namespace {

constexpr Wording kAct = {
    .any =
        "one product of an input with all matrices that it is multiplied "
        "with",
    .torch =
        "one nn.Linear for all heads, then .view(..., heads, channels), "
        "in place of one for each"};

// What lies between the products is as much in parts.
double BesideNs(const Facts& facts) {
  const double update_ns = facts.Step(facts.totals.all.of(Direction::kUpdate));
  return WorkAndIdleNs(facts) - update_ns;
}

}  // namespace

void AdviseSplitProducts(const Facts& facts, std::vector<Advice>& out) {
  std::optional<Advice> advice =
      SavingOfProducts(facts, Avoidable::kSplitProducts, BesideNs(facts));
  if (!advice) return;
  advice->act = kAct.For(facts.framework);
  advice->why = absl::StrFormat(
      "%.0f products a step are of one input with matrices of one size, eight "
      "or more in a row, or their gradients, %.2f ms",
      advice->evidence.count, advice->evidence.ns * 1e-6);
  out.push_back(*std::move(advice));
}

}  // namespace dltap::analyzer
