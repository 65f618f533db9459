// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Collectives after the backward pass that could run beside it.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;    // of the step, exposed
constexpr double kHiddenAlready = 0.5;  // of all communication
constexpr double kSureShare = 0.5;
// Of the step: gradients are copied into buckets, and kernels run slower beside
// collectives. Simulated DDP of two GPUs loses so much.
constexpr double kCostShare = 0.05;

constexpr Wording kAct = {
    .any = "start collectives while the backward pass still computes",
    .torch = "DistributedDataParallel or FSDP: they overlap with backward",
    .jax = "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true"};

double BackwardNs(const Facts& facts) {
  double ns = 0;
  for (const ClassRow& row : facts.classes) {
    if (row.layer_class == LayerClass::kComm) continue;
    ns += row.figures.step_mean.backward_ns;
  }
  return ns;
}

}  // namespace

void AdviseComm(const Facts& facts, std::vector<Advice>& out) {
  const ClassRow* row = facts.RowOf(LayerClass::kComm);
  if (row == nullptr) return;
  const ClassSummary& comm = row->figures.sums;
  const CommTimes& exposed = facts.totals.comm_exposed;
  const double waiting_ns = facts.Step(exposed.waiting_ns);
  const double ns = facts.Step(exposed.all_ns()) - waiting_ns;
  const bool overlaps = static_cast<double>(comm.hidden_ns()) >
                        kHiddenAlready * static_cast<double>(comm.busy_ns);
  const double backward_ns = BackwardNs(facts);
  if (facts.ShareOfStep(ns) < kLeastShare || overlaps) return;
  const double count = facts.Step(comm.kernels);
  if (count < 2 || backward_ns <= 0) return;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f collectives a step, exposed for %.2f ms, beside %.2f ms of "
      "backward",
      count, ns * 1e-6, backward_ns * 1e-6);
  advice.layer_class = LayerClass::kComm;
  advice.phase = Phase::kComm;
  advice.evidence = {
      .count = count,
      .ns = facts.Step(comm.gpu_ns),
      .share = facts.ShareOfStep(ns),
      .calls = {},
      .ops = {},
      .steps_seen = facts.totals.signs
                        .class_steps[static_cast<size_t>(LayerClass::kComm)]};
  // The first part of the gradients has nothing behind which to hide, the last
  // one has no backward pass left.
  advice.gain_high_ns = std::min(ns, backward_ns * (1 - 1 / count));
  advice.gain_low_ns = std::max(
      0.0, kSureShare * advice.gain_high_ns - kCostShare * facts.step_ns);
  advice.gain_ns = (advice.gain_low_ns + advice.gain_high_ns) / 2;
  advice.claims.With(LayerClass::kComm);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
