// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pass_signs.h"

#include <algorithm>

#include "analyzer/attribution/range_index.h"
#include "analyzer/attribution/xla_passes.h"

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

}  // namespace

bool ShowsABackwardPass(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution) {
  if (std::ranges::any_of(attribution.activities, IsToldBackward)) return true;
  const RangeIndex ranges(process);
  const XlaPasses passes(model, process, ranges);
  return passes.any() && !passes.all_forward();
}

}  // namespace dltap::analyzer
