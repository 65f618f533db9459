// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_RECORDED_FRAMES_H_
#define DLTAP_ANALYZER_IMPORTERS_RECORDED_FRAMES_H_

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Of a trace that has when each function of Python was entered and left, looks
// at the threads' frames at even distances, as the tap takes them.
void LookAtRecordedFrames(TraceModel& model, Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_RECORDED_FRAMES_H_
