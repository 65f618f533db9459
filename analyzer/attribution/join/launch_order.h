// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_JOIN_LAUNCH_ORDER_H_
#define DLTAP_ANALYZER_ATTRIBUTION_JOIN_LAUNCH_ORDER_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/text_pool.h"

namespace dltap::analyzer {

// One launch as either side saw it: the API record or our own call.
struct LaunchSighting {
  int64_t begin_ns;
  TextId kernel;       // unknown: fits any
  size_t index;        // of the record or call
  int64_t end_ns = 0;  // 0: not known; a call's record begins within it
};

struct LaunchMatch {
  size_t record_index;
  size_t call_index;
};

// Pairs the launches of one thread, which both sides saw in one order: the
// n-th record is the n-th call. Times and kernel names only check it (names
// only where the record does not lie within the call: the handle of an unloaded
// kernel is used again for another). Where they contradict, something was lost,
// and the sequences are aligned anew at the nearest place where several
// launches in a row agree. `tolerance_ns` bounds how far the two clocks may be
// apart.
std::vector<LaunchMatch> MatchInOrder(
    const std::vector<LaunchSighting>& records,
    const std::vector<LaunchSighting>& calls, int64_t tolerance_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_JOIN_LAUNCH_ORDER_H_
