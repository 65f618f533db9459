// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_CALLS_MEANING_CACHE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_CALLS_MEANING_CACHE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/calls/call_meaning.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// MeaningOf the calls of one process, worked out once for all calls that are
// equal but for their times and pointers: memory grows with the distinct
// calls, four bytes for each other one. Holds references to its arguments.
class MeaningCache {
 public:
  MeaningCache(const TraceModel& model, const Process& process);

  // The number of its meaning, counted from 0.
  uint32_t IndexOf(CallId call);
  // Valid while the cache lives.
  const std::optional<CallMeaning>& Of(CallId call) {
    return meanings_[IndexOf(call)];
  }

 private:
  uint32_t Find(const Call& call);
  uint32_t Add(const Call& call);
  void MakeKey(const Call& call);

  const TraceModel& model_;
  const Process& process_;
  std::vector<uint32_t> meaning_of_;  // by call; kNotYet
  // By entry point: where its payload has pointers, and how wide they are.
  std::vector<std::vector<std::pair<uint8_t, uint8_t>>> pointers_;
  std::vector<bool> arguments_tell_;                 // by entry point
  std::deque<std::optional<CallMeaning>> meanings_;  // the first: none
  absl::flat_hash_map<std::pair<EntryPointId, OperationId>, uint32_t>
      by_operation_;
  // By entry point and arguments, of calls without an operation.
  absl::flat_hash_map<std::string, uint32_t> by_arguments_;
  std::string key_;  // of the call looked at
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_CALLS_MEANING_CACHE_H_
