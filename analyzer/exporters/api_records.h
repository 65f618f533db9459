// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_API_RECORDS_H_
#define DLTAP_ANALYZER_EXPORTERS_API_RECORDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A record of the activity source that is none of the recorded calls: work that
// a library submitted inside one of its own.
struct HiddenSubmission {
  int64_t begin_ns;
  int64_t end_ns;
  uint64_t correlation;
  ThreadId thread;
  size_t activity;  // the first that it submitted
};

// Which CUDA call has the correlation id of which work: what tools that know
// only CUDA join by.
struct ApiRecords {
  std::vector<uint64_t> of_call;  // one per Process::calls; 0: none
  std::vector<HiddenSubmission> hidden;
};

// The function that submits such work, by what it is: no record tells.
std::string_view SubmitterOf(const Activity& activity);

// `process` is one of `model`. Imported calls have their id already; of own
// traces the source's records give it.
ApiRecords JoinApiRecords(const TraceModel& model, const Process& process);

// ApiRecords::of_call alone.
std::vector<uint64_t> CorrelationsOfCalls(const TraceModel& model,
                                          const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_API_RECORDS_H_
