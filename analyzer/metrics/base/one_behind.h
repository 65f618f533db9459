// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_ONE_BEHIND_H_
#define DLTAP_ANALYZER_METRICS_BASE_ONE_BEHIND_H_

#include <future>
#include <utility>

namespace dltap::analyzer {

// Runs pieces of work in turn, one at a time, on another thread: whoever hands
// them over may be one ahead. Where no thread can be had, they run in Wait.
class OneBehind {
 public:
  ~OneBehind() { Wait(); }

  // Waits for the piece before.
  template <typename Work>
  void Run(Work work) {
    Wait();
    running_ = std::async(std::move(work));
  }
  // Until all is done.
  void Wait() {
    if (running_.valid()) running_.get();
  }

 private:
  std::future<void> running_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_ONE_BEHIND_H_
