// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Collectives after the backward pass that could run beside it.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step, exposed after backward
// Of what could be hidden: kernels run slower beside collectives.
constexpr double kSureShare = 0.35;
// Overlapping copies gradients into buckets and out of them, each once read
// and once written, at this share of the memory's peak.
constexpr double kBucketAccesses = 4;
constexpr double kCopyShare = 0.6;
// What overlaps sends gradients in buckets of this size.
constexpr double kBucketBytes = 25 << 20;

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

double BytesOf(const Facts& facts) {
  double bytes = 0;
  for (const CollectiveRow& row : facts.figures.collectives.rows) {
    bytes += facts.Step(row.sums.bytes);
  }
  return bytes;
}

double BucketsNs(const Facts& facts) {
  if (facts.gpu == nullptr) return 0;
  return 1e9 * kBucketAccesses * BytesOf(facts) /
         (kCopyShare * facts.gpu->bandwidth_bytes_per_s);
}

// Behind the backward pass, and not waiting for other ranks.
double LateNs(const Facts& facts) {
  const CommTimes& exposed = facts.totals.comm_exposed;
  return std::min(facts.Step(facts.Signs(Sign::kLateComm).ns),
                  facts.Step(exposed.all_ns() - exposed.waiting_ns));
}

}  // namespace

void AdviseComm(const Facts& facts, std::vector<Advice>& out) {
  const ClassRow* row = facts.RowOf(LayerClass::kComm);
  if (row == nullptr) return;
  const ClassSummary& comm = row->figures.sums;
  const double ns = LateNs(facts);
  const double backward_ns = BackwardNs(facts);
  // Parts in which the gradients are sent, or would be.
  const double parts =
      std::max(facts.Step(comm.kernels), BytesOf(facts) / kBucketBytes);
  if (facts.ShareOfStep(ns) < kLeastShare || parts < 2) return;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f collectives a step, exposed for %.2f ms after %.2f ms of backward",
      facts.Step(comm.kernels), ns * 1e-6, backward_ns * 1e-6);
  advice.layer_class = LayerClass::kComm;
  advice.phase = Phase::kComm;
  advice.evidence = {.count = facts.Step(comm.kernels),
                     .ns = facts.Step(comm.gpu_ns),
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = facts.Signs(Sign::kLateComm).steps};
  // The last part of the gradients has no backward pass left behind which to
  // hide; what communication is hidden has taken its share of it.
  const double free_ns =
      std::max(0.0, backward_ns - facts.Step(comm.hidden_ns()));
  advice.gain_high_ns = std::min(ns, free_ns) * (1 - 1 / parts);
  advice.gain_low_ns =
      std::max(0.0, kSureShare * advice.gain_high_ns - BucketsNs(facts));
  advice.claims.With(LayerClass::kComm);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
