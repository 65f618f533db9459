// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_OWN_CLOCK_H_
#define DLTAP_ANALYZER_QUERY_OWN_CLOCK_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace dltap::analyzer {

// What ran on one device, by begin_ns.
struct DeviceActivity {
  int64_t stream = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  bool is_communication = false;
  std::optional<int64_t> asked_ns;  // when the call began that submitted it
};

// A clock of one device that stands while the device only communicates.
class OwnClock {
 public:
  explicit OwnClock(const std::vector<DeviceActivity>& activities);

  double At(int64_t time_ns) const;
  // Until this instant it stood.
  bool GoesOnAt(int64_t time_ns) const;

 private:
  struct Stand {
    int64_t begin_ns, end_ns;
    int64_t stood_ns;  // before it
  };
  std::vector<Stand> stands_;
};

// When each communication of `activities` could begin by what its rank itself
// does, in ns; by its place there, -1 for other activities. That is its begin
// where its stream was free. Else the submitted work before it was done and it
// was asked for: a stream that communicates waits for what was submitted to the
// others before (PyTorch, XLA).
std::vector<int64_t> ReadyTimes(const std::vector<DeviceActivity>& activities);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_OWN_CLOCK_H_
