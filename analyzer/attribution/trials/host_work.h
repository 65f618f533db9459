// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_TRIALS_HOST_WORK_H_
#define DLTAP_ANALYZER_ATTRIBUTION_TRIALS_HOST_WORK_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// An outermost call that put work on a device, or recorded an event there.
struct HostWork {
  size_t call;
  bool records_event = false;
  bool replays_graph = false;
  bool is_copy = false;
  bool is_fill = false;       // a large memset, or a kernel that fills
  bool clears_cache = false;  // a fill of 1 MB or more
  bool draws = false;         // random numbers
  bool checks_trial = false;  // a kernel that only XLA's trials run
  uint64_t exact = 0;         // equal: the same kernels in the same sizes
  uint64_t plan = 0;          // of cuDNN, its address; 0: none, or unknown
  WorkId work = {};           // the library call's, where it is one
  RangeId ruling = {};        // see Attributed
};

// Those of every thread, in time.
std::vector<std::vector<HostWork>> HostWorkByThread(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_TRIALS_HOST_WORK_H_
