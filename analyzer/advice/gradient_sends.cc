// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Gradients that several passes add up, and each of the passes sends.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr Wording kAct = {
    .any = "send gradients once, after the last pass before the update",
    .torch =
        "no_sync() of DistributedDataParallel around all passes but the "
        "last before optimizer.step()"};

}  // namespace

// Surely saved is what nothing else hides, as much of it as of any other
// communication, but for waiting: ranks that are not equally quick wait for
// each other once in any case. Kernels beside collectives run slower, and
// gradients are copied for each of them.
void AdviseGradientSends(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work =
      facts.totals.avoidable.of(Avoidable::kGradientSends);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  const CommTimes& comm = facts.totals.comm_exposed;
  const auto exposed_ns = static_cast<double>(comm.all_ns() - comm.waiting_ns);
  const auto all_ns = static_cast<double>(
      facts.totals.classes[static_cast<size_t>(LayerClass::kComm)].gpu_ns);
  const double fewer_ns = ns - facts.Step(work.best_ns);
  Advice advice = SavingOf(facts, work, 0);
  advice.gain_low_ns = fewer_ns * exposed_ns / all_ns;
  advice.gain_high_ns = std::min(
      facts.step_ns,
      fewer_ns +
          facts.Step(facts.totals.avoidable.of(Avoidable::kBucketCopies).ns));
  advice.gain_high_ns = std::max(advice.gain_high_ns, advice.gain_low_ns);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f all-reduces a step send what passes add up before one update, "
      "%.2f ms; those of the last pass, %.2f ms, are enough",
      advice.evidence.count, ns * 1e-6, facts.Step(work.best_ns) * 1e-6);
  advice.layer_class = LayerClass::kComm;
  advice.phase = Phase::kComm;
  advice.claims.With(LayerClass::kComm).With(LayerClass::kCopyD2d);
  advice.claimed_ns = advice.gain_high_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
