// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_JOIN_CALL_INDEX_H_
#define DLTAP_ANALYZER_ATTRIBUTION_JOIN_CALL_INDEX_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Look-ups over the calls of one process. Holds a reference to it.
class CallIndex {
 public:
  explicit CallIndex(const Process& process);

  // [first, last) of a thread's calls in Process::calls.
  std::pair<size_t, size_t> OfThread(ThreadId thread) const;

  // The outermost call that began at `ticks` on `thread`; none if unknown.
  CallId OutermostAt(ThreadId thread, uint64_t ticks) const;
  // The same, quick where one look-up lies close behind the last: `*near`, at
  // first 0, keeps its place.
  CallId OutermostAt(ThreadId thread, uint64_t ticks, size_t* near) const;

  // The outermost call that `call` is part of: itself at depth 0.
  const std::vector<CallId>& outermost() const { return outermost_; }

 private:
  const Process& process_;
  std::vector<size_t> first_of_thread_;  // one more than threads
  std::vector<CallId> outermost_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_JOIN_CALL_INDEX_H_
