// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_GPU_SM_SHARING_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_GPU_SM_SHARING_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "shim/simgpu/device/gpu/occupancy.h"
#include "shim/simgpu/device/gpu/sm_profile.h"

namespace dltap::simgpu {

struct Stream;

// How the streams of a device share its SMs (rules in sm_profile.h).
//
// A stream claims the largest part that one of its kernels takes. As long as
// all claims together fit the device no kernel can lack room, and a launch only
// notes its time in its stream's own log. When they do not fit, launches go
// through the profile, under its mutex, after the logs were read into it.
// Claims of streams that ran dry are dropped then.
//
// Two threads that launch at the same instant may miss one kernel of each
// other.
struct SmSharing {
  explicit SmSharing(int max_kernels) : profile(max_kernels) {}

  std::atomic<int> claimed{0};  // of SmProfile::kWhole; may be more

  std::mutex mutex;  // after a stream's; takes no other
  SmProfile profile;
  std::vector<Stream*> claimants;
};

// The last kernels of one stream. Written under the stream's mutex, read under
// SmSharing's; what is older than the ring is forgotten.
class SmLog {
 public:
  struct Entry {
    SmProfile::Place place;
    int units;
  };

  void Add(const Entry& entry);
  // No longer to be read by TakeNew().
  void MarkTaken() { taken_ = written_.load(std::memory_order_relaxed); }

  // Calls visit(entry) for those added since the last time.
  template <typename Visit>
  void TakeNew(Visit visit) {
    const uint64_t written = written_.load(std::memory_order_acquire);
    uint64_t at = taken_;
    if (written > at + kReadable) at = written - kReadable;
    for (; at < written; ++at) visit(Read(at));
    taken_ = written;
  }

  int64_t LastEnd() const;
  // When the kernel that runs at this time will end; 0: none does.
  int64_t EndOfRunning(int64_t now_ns) const;

 private:
  static constexpr uint64_t kSlots = 1024;
  // The rest is what a writer may add while somebody reads.
  static constexpr uint64_t kReadable = kSlots - 128;

  struct Slot {
    std::atomic<int64_t> begin_ns;
    std::atomic<int64_t> end_ns;
    std::atomic<int> units;
  };

  Entry Read(uint64_t at) const;

  std::atomic<uint64_t> written_{0};
  uint64_t taken_ = 0;  // under SmSharing's mutex
  std::array<Slot, kSlots> slots_;
};

struct SmWork {
  int64_t begin_ns;  // at the earliest
  int64_t duration_ns;
  SmUnits units;
  int64_t now_ns;
  int priority;
  // Of a stream's launches each begins after the last one's end. That does not
  // hold for the branches of a graph.
  bool in_order = true;
};

// Places a kernel. REQUIRES: stream.mutex.
SmProfile::Place TakeSms(Stream& stream, const SmWork& work);

// For a stream that is about to be destroyed; its work goes on.
void LeaveSms(Stream& stream);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_GPU_SM_SHARING_H_
