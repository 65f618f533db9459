// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/gap_list.h"

#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {

void GapList::Reserve(size_t gaps) { gaps_.reserve(gaps_.size() + gaps); }

void GapList::Add(const ProcessAttribution& attribution, DeviceId device,
                  size_t step, const Gap& gap) {
  for (size_t cause = 0; cause < gap.ns.size(); ++cause) {
    if (gap.ns[cause] == 0) continue;
    causes_.push_back(static_cast<uint8_t>(cause));
    cause_ns_.push_back(gap.ns[cause]);
  }
  KeptGap kept{.begin_ns = gap.span.begin_ns,
               .end_ns = gap.span.end_ns,
               .device = static_cast<uint32_t>(device.value()),
               .step = static_cast<uint32_t>(step),
               .ended_by = {},
               .drained_in = gap.drained_in,
               .causes_end = static_cast<uint32_t>(causes_.size()),
               .drained_by = gap.drained_by};
  if (gap.ended_by != kNoActivity) kept.ended_by = ActivityId(gap.ended_by);
  const size_t charged = ChargedTo(attribution, gap);
  kept.is_charged = !gap.between_steps && charged != kNoActivity;
  if (kept.is_charged) {
    kept.layer_class = attribution.activities[charged].layer_class;
  }
  gaps_.push_back(kept);
}

}  // namespace dltap::analyzer
