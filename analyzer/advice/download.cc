// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/waits.h"

// Results that every step copies to the host while the device does nothing
// else. At worst they are all needed there: then the step's computing hides
// half of the copies at most, as long as it takes. Several small ones a step
// count for the time after them: each empties the queue in the middle of it.
namespace dltap::analyzer {
namespace {

constexpr double kLeastBytes = 1e6;   // of a step
constexpr double kSeveral = 1.8;      // a step; the last step may lack one
constexpr double kLeastShare = 0.05;  // of the step, for them and after them
constexpr double kSureShare = 0.5;    // kernels run slower beside a copy

constexpr Wording kAct = {
    .any = "reduce results on the GPU, or copy them to pinned memory later",
    .torch =
        "metrics on the GPU instead of .cpu(), state_dict() and torch.save "
        "every N steps; else into pinned memory: "
        ".to(\"cpu\", non_blocking=True)",
    .tensorflow = "tf.keras.metrics on the GPU instead of .numpy()",
    .jax = "reduce on the GPU before np.asarray(x), and read it a step later"};

// Host times that are fixed costs tell nothing of what follows a copy.
double IdleAfter(const Facts& facts) {
  if (facts.figures.program.has_fixed_costs) return 0;
  return facts.Step(facts.Signs(Sign::kDownloadIdle).ns);
}

// What goes back as it came was no input: with its copy, that goes too.
double CopiedBackNs(const Facts& facts) {
  const double ns = facts.IdleStepNs(IdleCause::kInput) -
                    facts.Step(facts.Signs(Sign::kInputIdle).ns);
  return ns > 0 ? ns + facts.Step(facts.Signs(Sign::kUpload).exposed_ns) : 0;
}

std::string BytesText(double bytes) {
  return bytes < 1e5 ? absl::StrFormat("%.1f kB", bytes / 1e3)
                     : absl::StrFormat("%.1f MB", bytes / 1e6);
}

}  // namespace

void AdviseDownload(const Facts& facts, std::vector<Advice>& out) {
  const SignSums& copies = facts.Signs(Sign::kDownload);
  const double bytes = facts.Step(copies.bytes);
  const double exposed_ns = facts.Step(copies.exposed_ns);
  const double idle_ns = IdleAfter(facts);
  const double ns = exposed_ns + idle_ns;
  const double count = facts.Step(copies.count);
  const bool stops_often =
      count >= kSeveral && facts.ShareOfStep(idle_ns) >= kLeastShare;
  if (bytes < kLeastBytes && !stops_often) return;
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  const bool pageable = facts.Signs(Sign::kPageableDownload).count > 0;
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.1f copies, %s a step, to %s memory of the host; for %.2f ms the GPU "
      "does nothing else, or waits for new work after them",
      count, BytesText(bytes), pageable ? "pageable" : "pinned", ns * 1e-6);
  advice.layer_class = LayerClass::kCopyD2h;
  advice.evidence = {.count = count,
                     .ns = facts.Step(copies.ns),
                     .share = facts.ShareOfStep(ns),
                     .calls = {"cudaMemcpyAsync"},
                     .ops = {"memcpy DtoH"},
                     .steps_seen = copies.steps};
  advice.claims.With(LayerClass::kCopyD2h);
  const double compute_ns = facts.Step(facts.totals.in(DeviceState::kCompute));
  double least_ns = kSureShare * std::min(exposed_ns, compute_ns);
  if (idle_ns > 0) {
    least_ns += LeastGainOfWaits(facts, facts.Signs(Sign::kDownloadIdle));
  }
  SetGainOfWaits(facts, least_ns,
                 exposed_ns + CopiedBackNs(facts) +
                     facts.IdleStepNs(IdleCause::kPreempted),
                 advice);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
