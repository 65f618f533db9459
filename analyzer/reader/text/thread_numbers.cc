// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/thread_numbers.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace dltap::analyzer {
namespace {

std::vector<int64_t> FirstEvents(const Process& process) {
  std::vector<int64_t> first(process.threads.size(),
                             std::numeric_limits<int64_t>::max());
  const auto note = [&first](const auto& events) {
    for (const auto& event : events) {
      if (!event.thread.known()) continue;
      int64_t& at_ns = first[event.thread.value()];
      at_ns = std::min(at_ns, event.begin_ns);
    }
  };
  note(process.ranges);
  note(process.calls);
  note(process.launches);
  return first;
}

}  // namespace

ThreadNumbers::ThreadNumbers(const Process& process, bool canonical)
    : numbers_(process.threads.size()) {
  for (uint32_t i = 0; i < process.threads.size(); ++i) order_.emplace_back(i);
  if (canonical) {
    const std::vector<int64_t> first = FirstEvents(process);
    const auto key = [&](ThreadId id) {
      const Thread& thread = process.threads[id.value()];
      return std::tie(first[id.value()], thread.name);
    };
    std::ranges::stable_sort(order_, {}, key);
  }
  for (uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i].value()] = i;
}

}  // namespace dltap::analyzer
