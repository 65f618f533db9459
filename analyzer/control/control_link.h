// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_CONTROL_LINK_H_
#define DLTAP_ANALYZER_CONTROL_CONTROL_LINK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "shim/trace/control_page.h"

namespace dltap::analyzer {

// What a recorded process says of itself.
struct RecordingStatus {
  trace::ControlState state = trace::ControlState::kEnded;
  int level = 0;  // trace::Level
  bool is_ring = false;
  double age_s = 0;        // of the session
  double last_pass_s = 0;  // since the collector looked last
  uint64_t bytes = 0;      // of its data files, as they are on disk
  uint64_t limit_bytes = 0;
  uint64_t calls = 0;
  uint64_t lost = 0;
  uint64_t own_cpu_ns = 0;
  uint64_t total_cpu_ns = 0;
  std::string directory;
  std::string file;
};

// The page that a recorded process shares with its user: found through
// /proc/PID/fd, where only that user (and root) may look. Unmapped on
// destruction; the process never notices us.
class ControlLink {
 public:
  // NotFound: there is no such process, or it records nothing;
  // PermissionDenied: it is somebody else's.
  static absl::StatusOr<ControlLink> To(int pid);
  ~ControlLink();
  ControlLink(ControlLink&& other) noexcept;
  ControlLink& operator=(ControlLink&&) = delete;

  // Asks and waits for the answer: a pass of its collector, 100 ms. Deadline:
  // the process is stopped, or has ended.
  absl::Status Ask(trace::ControlRequest request);
  RecordingStatus Status() const;

  // The data files of the process that exist now, oldest first, absolute.
  std::vector<std::string> DataFiles() const;
  // Of the file with what is not in the data files yet, and its name beside
  // them. Empty: it is not to be found.
  std::string RingFile() const;
  std::string RingName() const;

 private:
  ControlLink(int pid, trace::ControlPage* page) : pid_(pid), page_(page) {}

  int pid_;
  trace::ControlPage* page_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_CONTROL_LINK_H_
