// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_STEP_CHOICE_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_STEP_CHOICE_H_

#include <cstdint>
#include <string_view>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

inline constexpr size_t kStepUses =
    static_cast<size_t>(StepUse::kInterrupted) + 1;

// As in the JSON report: "warm_up".
std::string_view Name(StepUse use);

// Takes further steps out of those that were found, as what they lack or the
// selection says:
// - the last one, when nothing shows its end: its window is clearly shorter
//   than the usual one and no marker closes it;
// - those whose window has much that was not observed;
// - those that the user did not ask for.
// Never the only ones: what would leave none stays.
void ChooseSteps(const Process& process, const ProcessAttribution& attribution,
                 const Selection& selection, Steps& steps);

// The last of these, of some steps of a run: the first is its `number`th.
void KeepSelected(const Selection& selection, int64_t number, Steps& steps);

// The first two of these, of steps in the middle of a run or, `to_the_end`, at
// its end.
void LeaveOutUnseen(const Process& process,
                    const ProcessAttribution& attribution, bool to_the_end,
                    Steps& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_STEP_CHOICE_H_
