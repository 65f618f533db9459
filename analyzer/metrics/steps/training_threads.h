// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_TRAINING_THREADS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_TRAINING_THREADS_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The updates of each thread of a process that trains while another one does:
// each computes forward and updates by turns, three times at least. Empty: one
// thread alone does, or none; or the threads are an engine's, which says
// nothing of the program's.
std::vector<uint64_t> ThreadsThatTrain(const Process& process,
                                       const std::vector<CallToken>& tokens);

// The work that tells the steps where one thread alone trains: all but that of
// threads which only compute forward meanwhile, and not as often in each of its
// steps, as actors do beside a learner.
std::vector<CallToken> WithoutActors(const Process& process,
                                     std::vector<CallToken> tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_TRAINING_THREADS_H_
