// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/join/call_index.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

std::vector<CallId> FindOutermost(const std::vector<Call>& calls) {
  std::vector<CallId> outermost(calls.size());
  CallId parent;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    const bool inside = parent.known() && call.depth > 0 &&
                        calls[parent.value()].thread == call.thread &&
                        call.begin_ns <= calls[parent.value()].end_ns;
    // A parent whose own record was lost leaves its children outermost.
    if (!inside) parent = CallId(i);
    outermost[i] = parent;
  }
  return outermost;
}

}  // namespace

CallIndex::CallIndex(const Process& process)
    : process_(process), outermost_(FindOutermost(process.calls)) {
  const std::vector<Call>& calls = process.calls;
  const size_t n_threads = process.threads.size();
  first_of_thread_.assign(n_threads + 1, calls.size());
  for (size_t i = calls.size(); i-- > 0;) {
    first_of_thread_[calls[i].thread.value()] = i;
  }
  for (size_t t = n_threads; t-- > 0;) {
    first_of_thread_[t] =
        std::min(first_of_thread_[t], first_of_thread_[t + 1]);
  }
}

std::pair<size_t, size_t> CallIndex::OfThread(ThreadId thread) const {
  if (!thread.known() || thread.value() + 1 >= first_of_thread_.size()) {
    return {0, 0};
  }
  return {first_of_thread_[thread.value()],
          first_of_thread_[thread.value() + 1]};
}

CallId CallIndex::OutermostAt(ThreadId thread, uint64_t ticks) const {
  size_t near = 0;
  return OutermostAt(thread, ticks, &near);
}

CallId CallIndex::OutermostAt(ThreadId thread, uint64_t ticks,
                              size_t* near) const {
  auto [first, last] = OfThread(thread);
  const std::vector<Call>& calls = process_.calls;
  if (*near > first && *near < last && calls[*near].begin_ticks < ticks) {
    // Strides that double: the next place is mostly a few calls away.
    size_t stride = 4;
    first = *near;
    for (; last - first > stride && calls[first + stride].begin_ticks < ticks;
         stride *= 2) {
      first += stride;
    }
    last = std::min(last, first + stride + 1);
  }
  const auto begin = calls.begin();
  const auto at = std::lower_bound(
      begin + first, begin + last, ticks,
      [](const Call& call, uint64_t t) { return call.begin_ticks < t; });
  *near = at - begin;
  if (at == begin + last || at->begin_ticks != ticks) return CallId();
  return outermost_[at - begin];
}

}  // namespace dltap::analyzer
