// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// A loop over small networks of one input.
namespace dltap::analyzer {
namespace {

constexpr Wording kAct = {
    .any = "one batched product for all networks of one form and input",
    .torch =
        "one batch of matrices for all networks of one form and input: "
        "torch.func.vmap over stacked weights, or torch.bmm"};

}  // namespace

// What is computed once more keeps nothing, so that its layers' inputs take
// turns in memory.
void AdviseSharedExperts(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& avoidable = facts.totals.avoidable;
  if (avoidable.of(Avoidable::kRecompute).ns > 0) return;
  std::optional<Advice> advice =
      SavingOfProducts(facts, Avoidable::kSharedExperts, WorkAndIdleNs(facts));
  if (!advice) return;
  advice->act = kAct.For(facts.framework);
  advice->why = absl::StrFormat(
      "%.0f kernels a step, %.2f ms, are of networks that multiply one input "
      "with matrices of their own, one after the other",
      advice->evidence.count, advice->evidence.ns * 1e-6);
  out.push_back(*std::move(advice));
}

}  // namespace dltap::analyzer
