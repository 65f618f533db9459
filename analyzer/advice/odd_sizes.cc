// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Products on tensor cores whose rows are no multiples of 16 bytes: loads of
// that size fit none of them, and the libraries take kernels that load less.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step
constexpr int64_t kEven = 64;         // elements; serves all types and tiles

constexpr Wording kAct = {
    .any = "sizes of layers that are multiples of 64",
    .torch =
        "sizes that are multiples of 64 in nn.Linear and nn.Embedding "
        "(vocabulary, hidden size, classes)"};

}  // namespace

void AdviseOddSizes(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& all = facts.totals.avoidable;
  const AvoidableSums& work = all.of(Avoidable::kOddSizes);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare || all.odd_row == 0) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  const int64_t padded = (all.odd_row + kEven - 1) / kEven * kEven;
  advice.act = absl::StrFormat("%s: %d in place of %d",
                               std::string(kAct.For(facts.framework)), padded,
                               all.odd_row);
  advice.why = absl::StrFormat(
      "%.0f products a step have rows that are no multiple of 16 bytes, %.2f "
      "ms; tensor cores are fed with 16 bytes at once",
      advice.evidence.count, ns * 1e-6);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
