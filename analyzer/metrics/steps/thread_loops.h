// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_THREAD_LOOPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_THREAD_LOOPS_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The passes of each thread of a process that runs a loop over products of its
// own while another one does: servers of several threads, and pools of them.
// Empty where fewer than two do, where the passes of one thread lie between
// those of the others (one loop that is handed from thread to thread), where
// one thread feeds the others (one loop in stages), or where a framework gives
// the operations of one loop to any thread.
std::vector<uint64_t> LoopsOfThreads(const TraceModel& model,
                                     const Process& process,
                                     std::vector<CallToken> tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_THREAD_LOOPS_H_
