// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Transposes inside or right beside convolutions: one order of dimensions from
// end to end needs none. Casts stay, and are not counted.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.03;  // of the step

constexpr std::array kBetween = {LayerClass::kPool, LayerClass::kNorm};

constexpr Wording kAct = {
    .any = "one layout for all convolutions (NHWC)",
    .torch =
        "model and inputs .to(memory_format=torch.channels_last; "
        "channels_last_3d for volumes), no permute().contiguous() between",
    .tensorflow = "data_format=\"channels_last\" throughout",
    .jax = "dimension_numbers=(\"NHWC\", \"HWIO\", \"NHWC\") throughout",
    .mxnet = "layout=\"NHWC\" throughout"};
// No channels_last has three dimensions.
constexpr Wording kActOnLines = {
    .any = kAct.any,
    .torch =
        "nn.Conv2d over (1, length) in torch.channels_last in place of "
        "nn.Conv1d, which has no other layout",
    .tensorflow = kAct.tensorflow,
    .jax = kAct.jax,
    .mxnet = kAct.mxnet};
// Convolutions take what they are given; what lies between them does not.
constexpr Wording kActBetween = {
    .any = kAct.any,
    .torch =
        "one layout for all layers: no permute().contiguous() between "
        "convolutions, and beside torch.channels_last no layer that has only "
        "the default one (nn.GroupNorm)",
    .tensorflow = kAct.tensorflow,
    .jax = kAct.jax,
    .mxnet = kAct.mxnet};

}  // namespace

void AdviseLayout(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kTransposes);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  Advice advice = SavingOf(facts, work,
                           std::max(WaitedFor(facts, LayerClass::kLayout),
                                    WaitedFor(facts, LayerClass::kConv)));
  // At best all copies that change a layout go, also those beside other layers'
  // work between two convolutions, besides what convolutions do themselves.
  const auto layout = static_cast<size_t>(LayerClass::kLayout);
  advice.gain_high_ns += facts.Step(facts.totals.classes[layout].gpu_ns);
  const bool inside =
      facts.totals.avoidable.of(Avoidable::kInnerTransposes).count > 0;
  // The kernels between the convolutions may read channels last quicker.
  if (inside) advice.gain_high_ns += PassesNs(facts, kBetween) / 2;
  const bool of_lines = 2 * facts.totals.avoidable.line_transposes_ns > work.ns;
  const Wording& act = of_lines ? kActOnLines : inside ? kAct : kActBetween;
  advice.act = act.For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step transpose what convolutions take and give, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  advice.layer_class = LayerClass::kLayout;
  advice.claims.With(LayerClass::kLayout);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
