// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_CALLS_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/trace_model.h"
#include "opmodel/operation.h"

namespace dltap::analyzer {

// One collective, send or receive that a rank asked NCCL for.
struct WantedCollective {
  size_t call;  // into Process::calls
  uint64_t handle = 0;
  opmodel::DType dtype = opmodel::DType::kUnknown;
  std::optional<int64_t> elements_in = std::nullopt;
  std::optional<int64_t> elements_out = std::nullopt;
  int peer = -1;
  int root = -1;
};

// What the call asked for: itself, or all between ncclGroupStart and this
// ncclGroupEnd. Empty: nothing, or the begin of the group is not in the trace.
std::vector<WantedCollective> WantedBy(const TraceModel& model,
                                       const Process& process, size_t call);

// By communicator, in the order of the calls: each has one kernel.
std::vector<std::vector<WantedCollective>> ByCommunicator(
    const std::vector<WantedCollective>& wanted);

// The calls that start what others or they themselves asked for: outermost
// ends of groups, and calls outside of any. Not those that were captured.
std::vector<size_t> StartingCalls(const TraceModel& model,
                                  const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_CALLS_H_
