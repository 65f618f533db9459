// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Gradients of 32 bits that the link does not carry while the backward pass
// computes: in 16 bits they take half as long.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;      // of the step, exposed after backward
constexpr int64_t kLeastBytes = 1 << 20;  // of one: less does not fill a link
// Of what comes after the backward pass, surely; and of all at best.
constexpr double kSaved = 0.5;
// Each is read in 32 bits and written in 16, then the other way round: three
// times its bytes, at this share of the memory's peak.
constexpr double kCastAccesses = 3;
constexpr double kCastShare = 0.6;

constexpr Wording kAct = {
    .any = "send gradients as bfloat16, or those of several batches at once",
    .torch =
        "register_comm_hook(None, default_hooks.bf16_compress_hook) of "
        "DistributedDataParallel (FSDP: reduce_dtype=torch.bfloat16), or "
        "gradients of several batches at once, under no_sync()"};

struct Wide {
  double count = 0;
  double bytes = 0;
  double ns = 0;
};

// Of a step; waiting for other ranks is no matter of bytes.
Wide WideOf(const Facts& facts) {
  Wide out;
  for (const CollectiveRow& row : facts.figures.collectives.rows) {
    const bool adds =
        row.key.kind == "all_reduce" || row.key.kind == "reduce_scatter";
    if (!adds || row.key.dtype != "f32") continue;
    if (row.key.bytes.value_or(0) < kLeastBytes) continue;
    out.count += facts.Step(row.sums.count);
    out.bytes += facts.Step(row.sums.bytes);
    out.ns += facts.Step(row.sums.gpu.transfer_ns + row.sums.gpu.unknown_ns);
  }
  return out;
}

}  // namespace

void AdviseWideGradients(const Facts& facts, std::vector<Advice>& out) {
  const ClassRow* row = facts.RowOf(LayerClass::kComm);
  const Wide wide = WideOf(facts);
  if (row == nullptr || wide.ns <= 0 || facts.gpu == nullptr) return;
  const SignSums& late = facts.Signs(Sign::kLateComm);
  const CommTimes& exposed = facts.totals.comm_exposed;
  const double ns =
      std::min({facts.Step(late.ns), wide.ns,
                facts.Step(exposed.all_ns() - exposed.waiting_ns)});
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  const double casts_ns = 1e9 * kCastAccesses * wide.bytes /
                          (kCastShare * facts.gpu->bandwidth_bytes_per_s);
  Advice advice;
  // To hide them costs no accuracy.
  advice.after = "comm";
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f collectives a step send %.1f MB of 32-bit gradients at %.1f GB/s; "
      "%.2f ms of that come after the backward pass",
      wide.count, wide.bytes / 1e6, wide.bytes / wide.ns, ns * 1e-6);
  advice.layer_class = LayerClass::kComm;
  advice.phase = Phase::kComm;
  advice.evidence = {.count = wide.count,
                     .ns = wide.ns,
                     .share = facts.ShareOfStep(ns),
                     .calls = {},
                     .ops = {},
                     .steps_seen = late.steps};
  advice.gain_low_ns = std::max(0.0, kSaved * ns - casts_ns);
  advice.gain_high_ns =
      std::max(advice.gain_low_ns, std::min(ns, kSaved * wide.ns));
  advice.claims.With(LayerClass::kComm);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
