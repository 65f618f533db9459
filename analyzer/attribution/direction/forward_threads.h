// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_FORWARD_THREADS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_FORWARD_THREADS_H_

#include <vector>

#include "analyzer/attribution/direction/submitted_work.h"

namespace dltap::analyzer {

// By thread: whether it only goes forward while another one trains, as actors
// do beside a learner: it submits work of layers and none of an optimizer, and
// another thread both; and once at least between a backward pass and its
// update, where a part of the same step (a replica, a stage) has nothing to do.
// A backward pass, and what replays graphs, is no such work.
std::vector<bool> ForwardThreads(const SubmittedWork& work);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_FORWARD_THREADS_H_
