// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_STREAM_HANDLES_H_
#define DLTAP_ANALYZER_METRICS_BASE_STREAM_HANDLES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The streams and events that calls name by handle. Which stream a handle is
// shows the work that a call with this handle submitted. A handle may be
// several streams: the default stream is each device's own, and handles are
// used again. Then the same thread's work counts, or where it has none all
// threads': of a stream that is told to wait what it submitted next, else what
// it submitted last. Holds references.
class StreamHandles {
 public:
  StreamHandles(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution);

  // nullopt: the call has no such argument, or its stream never had work.
  std::optional<StreamId> StreamOf(const Call& call) const;
  std::optional<int64_t> EventOf(const Call& call) const;

 private:
  std::optional<int64_t> ArgOf(const Call& call,
                               const std::vector<size_t>& places) const;

  const TraceModel& model_;
  const Process& process_;
  std::vector<size_t> stream_arg_;  // by entry point; args.size(): none
  std::vector<size_t> event_arg_;
  // When a call submitted work, and in which stream; in time.
  using Uses = std::vector<std::pair<int64_t, StreamId>>;

  void FindStreams(const ProcessAttribution& attribution);
  void FindUses(const ProcessAttribution& attribution);
  template <typename Visit>
  void VisitUses(const ProcessAttribution& attribution, Visit visit) const;

  absl::flat_hash_map<int64_t, StreamId> streams_;  // by handle; none: several
  absl::flat_hash_map<int64_t, Uses> uses_;         // of those
  absl::flat_hash_map<std::pair<int64_t, ThreadId>, Uses> thread_uses_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_STREAM_HANDLES_H_
