// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Uploads while the device has nothing else to do: the next batch could have
// come while this one was computed.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.05;  // of the step

constexpr double kSureShare = 0.5;  // kernels run slower beside a copy

constexpr Wording kAct = {
    .any = "copy the next batch on another stream while this one computes",
    .tensorflow = "tf.data.experimental.prefetch_to_device('/gpu:0')",
    // XLA lets a copy wait for the computations that were called before it.
    .jax = "jax.device_put(next batch) before this step is called, not after"};
// Nothing computes beside a copy from pageable memory.
constexpr Wording kActFromPageable = {
    .any =
        "copy the next batch, from pinned memory, on another stream while "
        "this one computes",
    .tensorflow = kAct.tensorflow,
    .jax = kAct.jax};

bool IsMostlyPageable(const Facts& facts) {
  return 2 * facts.Signs(Sign::kPageableUpload).bytes >
         facts.Signs(Sign::kUpload).bytes;
}

}  // namespace

void AdviseCopyOverlap(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& copies = facts.Signs(Sign::kUpload);
  const SignSums& small = facts.Signs(Sign::kSmallUpload);
  // Batches, and not what a step makes on its way.
  const double on_its_way_ns =
      facts.Step(facts.totals.avoidable.of(Avoidable::kPassUploads).ns);
  const double exposed_ns =
      facts.Step(copies.exposed_ns - small.exposed_ns) - on_its_way_ns;
  if (facts.ShareOfStep(exposed_ns) < kLeastShare) return;
  const double compute_ns = facts.Step(facts.totals.in(DeviceState::kCompute));
  // What runs beside copies already hides no more of them.
  const double hidden_ns = facts.Step(copies.ns - copies.exposed_ns);
  const double free_ns = std::max(0.0, compute_ns - hidden_ns);
  Advice advice;
  advice.act =
      (IsMostlyPageable(facts) ? kActFromPageable : kAct).For(facts.framework);
  advice.why = absl::StrFormat(
      "%.2f ms of copies a step beside %.2f ms of "
      "computing; neither hides the other",
      exposed_ns * 1e-6, free_ns * 1e-6);
  advice.layer_class = LayerClass::kCopyH2d;
  advice.phase = Phase::kH2d;
  advice.evidence = {.count = facts.Step(copies.count - small.count),
                     .ns = facts.Step(copies.ns - small.ns),
                     .share = facts.ShareOfStep(exposed_ns),
                     .calls = {"cudaMemcpyAsync"},
                     .ops = {"memcpy HtoD"},
                     .steps_seen = copies.steps};
  advice.gain_high_ns = std::min(exposed_ns, free_ns);
  advice.gain_low_ns = kSureShare * advice.gain_high_ns;
  advice.after = "pageable";  // only pinned memory is copied meanwhile
  advice.claims.With(LayerClass::kCopyH2d);
  advice.claimed_ns = exposed_ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
