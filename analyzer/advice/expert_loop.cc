// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A loop over the experts of a layer.
namespace dltap::analyzer {
namespace {

constexpr Wording kAct = {
    .any =
        "one grouped or batched product for all experts, of rows that are "
        "sorted by expert, if none reads what the one before it added",
    .torch =
        "sort the rows by expert once, then F.grouped_mm (or torch.bmm) "
        "for all experts in place of a loop, if none reads what the one before "
        "it added"};

}  // namespace

void AdviseExpertLoop(const Facts& facts, std::vector<Advice>& out) {
  std::optional<Advice> advice =
      SavingOfProducts(facts, Avoidable::kExpertLoop, WorkAndIdleNs(facts));
  if (!advice) return;
  advice->act = kAct.For(facts.framework);
  advice->why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, gather rows, multiply them with the "
      "matrices of one expert and add them to the others', expert after expert",
      advice->evidence.count, advice->evidence.ns * 1e-6);
  out.push_back(*std::move(advice));
}

}  // namespace dltap::analyzer
