// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_JOINT_REPLAY_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_JOINT_REPLAY_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/collectives/collective_part.h"
#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "analyzer/model/trace_model.h"

// The steps of ranks that wait for each other, replayed together. METRICS.md
// "What if".
namespace dltap::analyzer {

// A device of one rank, its windows, and what was summed up of them.
struct RankDevice {
  DeviceMember member;
  std::vector<StepWindow> windows;
  DeviceSummary* summary;
};

// Replaces DeviceSummary::what_if of the ranks that meet in collectives.
// `steps` and `parts` are by process. Where a process has several devices,
// where no collective has all its ranks here, or where the ranks have too much
// work to be held at once, only what faster communication saves is left out:
// it is not known.
void ReplayTogether(const TraceModel& model, const Attribution& attribution,
                    const std::vector<Steps>& steps, const Selection& selection,
                    const std::vector<std::vector<CollectivePart>>& parts,
                    const std::vector<RankDevice>& devices);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_JOINT_REPLAY_H_
