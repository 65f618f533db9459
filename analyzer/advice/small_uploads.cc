// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/waits.h"

// Small tensors that every step makes on the host and copies: masks, scales,
// positions. Each copy from pageable memory waits for the stream, and the GPU
// for the copy.
namespace dltap::analyzer {
namespace {

constexpr double kLeastCopies = 4;    // of a step
constexpr double kLeastShare = 0.02;  // of the step, for them and after them
constexpr double kSureShare = 0.5;    // of copying: the host may bound the step

// They may be what only the host has: what an environment shows.
constexpr Wording kAct = {
    .any =
        "small batches and observations many at once, or from pinned memory; "
        "what the program makes (masks, scales) on the GPU, or once before the "
        "loop",
    .torch =
        "small batches and observations many at once, or from pinned memory; "
        "what the program makes by torch.ones(..., device=\"cuda\") and the "
        "like in place of torch.ones(...).cuda(), or once before the loop",
    .tensorflow = "constants inside tf.function, or once before the loop",
    .jax = "jnp arrays inside jax.jit, or jax.device_put before the loop"};

}  // namespace

void AdviseSmallUploads(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& copies = facts.Signs(Sign::kSmallUpload);
  const double count = facts.Step(copies.count);
  const double exposed_ns = facts.Step(copies.exposed_ns);
  const SignSums& idle = facts.Signs(Sign::kUploadIdle);
  const double ns = exposed_ns + facts.Step(idle.ns);
  if (count < kLeastCopies || facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f copies a step of %.0f bytes from pageable memory; for %.2f ms the "
      "GPU does nothing else, or waits for new work after them",
      count, facts.Step(copies.bytes) / count, ns * 1e-6);
  advice.layer_class = LayerClass::kCopyH2d;
  advice.evidence = {.count = count,
                     .ns = facts.Step(copies.ns),
                     .share = facts.ShareOfStep(ns),
                     .calls = {"cudaMemcpyAsync"},
                     .ops = {"memcpy HtoD"},
                     .steps_seen = copies.steps};
  advice.claims.With(LayerClass::kCopyH2d);
  SetGainOfWaits(facts, kSureShare * exposed_ns + LeastGainOfWaits(facts, idle),
                 exposed_ns, advice);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
