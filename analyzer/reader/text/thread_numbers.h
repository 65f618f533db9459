// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_THREAD_NUMBERS_H_
#define DLTAP_ANALYZER_READER_TEXT_THREAD_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The numbers by which a text names the threads of a process.
class ThreadNumbers {
 public:
  // Canonical: by the first range, call or launch of each, then by name.
  // Otherwise as recorded, which is the order in which they came to be known,
  // in real time: a thread that only asks how far work is comes before or after
  // one that submits some.
  ThreadNumbers(const Process& process, bool canonical);

  int64_t Of(ThreadId thread) const {
    return thread.known() ? numbers_[thread.value()] : thread.value();
  }
  // The threads by their number.
  const std::vector<ThreadId>& order() const { return order_; }

 private:
  std::vector<ThreadId> order_;
  std::vector<uint32_t> numbers_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_THREAD_NUMBERS_H_
