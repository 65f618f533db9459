// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"

// Copies from pageable memory: the driver moves them through a buffer of its
// own, slower than the link, and the host waits for that.
namespace dltap::analyzer {
namespace {

constexpr double kLeastBytes = 1e6;  // of a step
constexpr double kOfLink = 0.92;     // what copies of pinned memory keep of it

constexpr double kLow = 0.85;  // of the gain: links differ, and drivers
constexpr double kHigh = 1.1;  // of it, the same
// At which a thread copies a batch into pinned memory, unless the driver's own
// copies to its buffer are quicker; assumed.
constexpr double kPinningBytesPerS = 12e9;

constexpr Wording kAct = {
    .any = "copy from pinned (page-locked) memory",
    .torch =
        "pin_memory=True in the DataLoader, and .to(..., non_blocking=True)",
    .mxnet = "pin_memory=True in the DataLoader"};

// What a layer is given that the host makes: nothing needs to be copied.
constexpr double kLeastPassUploads = 3;  // of a step
constexpr double kMostOfThem = 0.5;      // of the time of all copies
constexpr double kMadeAtWorst = 0.5;     // of it saves what makes them
constexpr double kMade = 0.9;            // the same, as a rule

constexpr Wording kActInPass = {
    .any = "make what layers take (masks, positions) on the GPU, or once",
    .torch =
        "make what layers take (masks, positions) on the GPU "
        "(torch.ones(..., device=x.device)), or once: register_buffer"};

bool IsMadeForLayers(const Facts& facts, double copies_ns) {
  const AvoidableSums& made =
      facts.totals.avoidable.of(Avoidable::kPassUploads);
  return facts.Step(made.count) >= kLeastPassUploads &&
         facts.Step(made.ns) >= kMostOfThem * copies_ns;
}

}  // namespace

// TensorFlow pins nothing that a program feeds: its prefetch_to_device hides
// copies from pageable memory, which is an advice of its own.
void AdvisePageable(const Facts& facts, std::vector<Advice>& out) {
  if (facts.framework == Framework::kTensorflow) return;
  const SignSums& copies = facts.Signs(Sign::kPageableUpload);
  const double bytes = facts.Step(copies.bytes);
  if (bytes < kLeastBytes || facts.gpu == nullptr) return;
  const double ns = facts.Step(copies.ns);
  const double exposed_ns = facts.Step(copies.exposed_ns);
  const double pinned_ns =
      1e9 * bytes / (kOfLink * facts.gpu->pcie_bytes_per_s);
  const double gain_ns = std::clamp(ns - pinned_ns, 0.0, exposed_ns);
  Advice advice;
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.1f copies, %.1f MB a step, from pageable "
      "memory at %.1f GB/s",
      facts.Step(copies.count), bytes / 1e6, bytes / ns);
  advice.layer_class = LayerClass::kCopyH2d;
  advice.phase = Phase::kH2d;
  advice.evidence = {.count = facts.Step(copies.count),
                     .ns = ns,
                     .share = facts.ShareOfStep(exposed_ns),
                     .calls = {"cudaMemcpyAsync"},
                     .ops = {"memcpy HtoD"},
                     .steps_seen = copies.steps};
  advice.gain_ns = gain_ns;
  // A step is no shorter than the copying into pinned memory that it takes, if
  // nothing else has been there before.
  const double pinning_ns = std::min(ns, 1e9 * bytes / kPinningBytesPerS);
  advice.gain_low_ns =
      std::clamp(facts.step_ns - pinning_ns, 0.0, kLow * gain_ns);
  advice.gain_high_ns = std::min(kHigh * gain_ns, exposed_ns);
  advice.basis = GainBasis::kModel;
  if (IsMadeForLayers(facts, ns)) {
    const double made_ns = std::min(
        exposed_ns,
        facts.Step(facts.totals.avoidable.of(Avoidable::kPassUploads).ns));
    advice.act = kActInPass.For(facts.framework);
    advice.gain_low_ns = kMadeAtWorst * made_ns;
    advice.gain_ns = kMade * made_ns;
    advice.gain_high_ns =
        std::min(exposed_ns + facts.Step(facts.totals.in(DeviceState::kIdle)),
                 facts.step_ns);
  }
  advice.claims.With(LayerClass::kCopyH2d);
  advice.claimed_ns = facts.Step(facts.Signs(Sign::kUpload).exposed_ns);
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
