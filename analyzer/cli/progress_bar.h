// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_PROGRESS_BAR_H_
#define DLTAP_ANALYZER_CLI_PROGRESS_BAR_H_

#include <chrono>
#include <cstddef>
#include <functional>

namespace dltap::analyzer {

// How far the reading of some files is, on stderr: only on a terminal that can
// redraw a line, and only once it takes longer than a second. Erases itself.
class ProgressBar {
 public:
  explicit ProgressBar(size_t files);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // For the reader of the file at position `file`; empty: nothing to draw on.
  std::function<void(double part)> OfFile(size_t file);

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double part);

  size_t files_;
  bool is_wanted_;
  bool is_drawn_ = false;
  Clock::time_point next_draw_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_PROGRESS_BAR_H_
