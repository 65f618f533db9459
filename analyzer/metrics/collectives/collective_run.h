// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RUN_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RUN_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/model/trace_model.h"
#include "opmodel/collective_time.h"

// The communication kernels of a trace, one run of each rank after the other:
// what ran, and in which communicator, as far as the rank itself knows.
namespace dltap::analyzer {

using opmodel::CollectiveKind;

// "all_reduce".
std::string_view Name(CollectiveKind kind);
// By a name of any spelling: "ncclAllReduce", "_all_gather_base", "allreduce",
// "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL". nullopt: none of them.
std::optional<CollectiveKind> CollectiveNamed(std::string_view name);

// A send or receive.
struct Message {
  int peer;  // rank in the communicator
  bool sends;

  friend auto operator<=>(const Message&, const Message&) = default;
};

// A communication kernel on one device.
struct CollectiveRun {
  Interval span;
  size_t local;  // into CollectiveRuns::locals
  std::optional<CollectiveKind> kind;
  opmodel::DType dtype = opmodel::DType::kUnknown;
  int root = -1;  // rank in the communicator; -1: there is none, or unknown
  // What the rank's own part has, in and out; for several calls in one kernel
  // their sum. nullopt: unknown.
  std::optional<int64_t> elements_in = std::nullopt;
  std::optional<int64_t> elements_out = std::nullopt;
  int64_t sequence = -1;  // of its communicator; -1: not recorded
  // Sends and receives, in the order of their calls. Empty: a collective.
  std::vector<Message> messages = {};
  std::vector<int> peers = {};  // of these: ranks in the communicator
  // The how manieth of its kind here: collective, or send or receive of one
  // peer. -1: not all that its communicator ran is in the trace.
  int64_t nth = -1;
  uint32_t activity = 0;  // of its process; 0 where it has not ended
  // When the host submitted it, where the trace has the call.
  int64_t called_ns = 0;
  bool ended = true;  // false: no kernel of it is in the trace

  bool only_sends() const { return !peers.empty() && !elements_out; }
  bool only_receives() const { return !peers.empty() && !elements_in; }
};

// A communicator as one rank holds it, on one device.
struct LocalCommunicator {
  size_t process;
  DeviceId device;
  std::string id = {};  // equal on all its ranks; empty: not recorded
  int ranks = 0;        // 0: unknown
  int rank = -1;        // in the communicator; -1: unknown
  std::optional<int64_t> made_ns = std::nullopt;  // nullopt: not recorded
  std::vector<size_t> runs = {};  // into CollectiveRuns::runs, in time
};

struct CollectiveRuns {
  std::vector<CollectiveRun> runs;
  // Called, and the trace has no kernel: it had not ended, or its record is
  // lost. `span` is the instant of the call.
  std::vector<CollectiveRun> unended;
  std::vector<LocalCommunicator> locals;
};

// All of a trace from what was found in each process: see CollectiveFinder.
// Needs no events.
CollectiveRuns JoinRuns(const TraceModel& model,
                        std::vector<CollectiveRuns> of_processes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_RUN_H_
