// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/pass_signs.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/xla/xla_passes.h"

namespace dltap::analyzer {
namespace {

// A convolution's data gradient may be a transposed convolution's forward pass.
bool IsToldBackward(const Attributed& activity) {
  if (activity.direction == Direction::kBackwardWeight) return true;
  if (activity.direction != Direction::kBackward) return false;
  if (activity.class_from == ClassFrom::kAnnotation) return true;
  switch (activity.layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kNorm:
    case LayerClass::kPool:
    case LayerClass::kSoftmax:
    case LayerClass::kEmbedding: return true;
    default: return false;
  }
}

// What computes a gradient and nothing else, of a bias or an activation. (Of a
// loss it may be computed to evaluate.) Directions of such classes may also be
// inferred, so the names are asked.
bool AnyKernelNamesAGradient(const TraceModel& model, const Process& process,
                             const ProcessAttribution& attribution) {
  absl::flat_hash_set<size_t> seen;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& activity = attribution.activities[i];
    const bool may_tell = activity.class_from == ClassFrom::kKernelName &&
                          activity.direction == Direction::kBackward &&
                          (activity.layer_class == LayerClass::kReduction ||
                           activity.layer_class == LayerClass::kActivation);
    const TextId name = process.activities[i].name;
    if (!may_tell || !seen.insert(name.value()).second) continue;
    const std::string kernel = Demangle(model.texts[name]);
    // PyTorch's runs in both passes.
    if (kernel.find("threshold_kernel") != std::string::npos) continue;
    const NameRule* rule = MatchKernelName(kernel);
    if (rule != nullptr && rule->direction == Direction::kBackward) return true;
  }
  return false;
}

}  // namespace

bool ShowsABackwardPass(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution) {
  if (std::ranges::any_of(attribution.activities, IsToldBackward)) return true;
  if (AnyKernelNamesAGradient(model, process, attribution)) return true;
  const RangeIndex ranges(process);
  const XlaPasses passes(model, process, ranges);
  return passes.differentiates() || (passes.any() && !passes.all_forward());
}

}  // namespace dltap::analyzer
