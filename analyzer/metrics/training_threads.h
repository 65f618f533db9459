// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_TRAINING_THREADS_H_
#define DLTAP_ANALYZER_METRICS_TRAINING_THREADS_H_

#include <cstddef>
#include <vector>

#include "analyzer/metrics/call_signature.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// How many threads of a process train at once: each computes forward and
// updates by turns, three times at least, while another does. 0: one alone, or
// none; or the threads are an engine's, which says nothing of the program's.
size_t ThreadsThatTrain(const Process& process,
                        const std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_TRAINING_THREADS_H_
