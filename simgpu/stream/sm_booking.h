// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SM_BOOKING_H_
#define DLTAP_SIMGPU_STREAM_SM_BOOKING_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "simgpu/stream/sm_profile.h"
#include "simgpu/stream/sm_work.h"

namespace dltap::simgpu {

// SM time that a stream took in advance: its next kernels get their places out
// of it, one after the other, and each as many SMs as were booked. The gap
// between two kernels of a stream is made up for in the second: so what kernels
// use agrees with what was booked over a few of them, not at each instant.
//
// Open() and Close() under the stream's mutex and SmSharing's, open() under
// either, the rest under the stream's.
class SmBooking {
 public:
  static constexpr size_t kMaxPieces = 8;

  bool open() const { return count_ > 0; }

  // For kernels that take `most_units` at most. They are of the least level.
  void Open(const std::vector<SmProfile::Piece>& pieces, int most_units,
            int64_t now_ns);

  // None, and nothing has changed: what is left does not suffice.
  // REQUIRES: open().
  std::optional<SmProfile::Place> Take(const SmWork& work);

  // Gives back what was not used.
  void Close(SmProfile& profile);

  // Where the stream's next booking goes on, for work that begins at this time.
  int64_t Next(int64_t begin_ns) const;

  // Of the last booking: kernels, and SM time in units x ns.
  int kernels() const { return kernels_; }
  int64_t used() const { return used_; }
  int64_t Booked(int64_t until_ns = std::numeric_limits<int64_t>::max()) const;

  // When work was last taken out of it. Any thread may ask.
  int64_t last_taken_ns() const {
    return last_taken_ns_.load(std::memory_order_relaxed);
  }

 private:
  // The same beyond the current piece.
  std::optional<SmProfile::Place> TakeFurther(const SmWork& work);
  SmProfile::Place TakeUntil(int64_t end_ns, int64_t begin_ns,
                             const SmWork& work);

  std::array<SmProfile::Piece, kMaxPieces> pieces_;
  size_t count_ = 0;
  size_t current_ = 0;   // the piece with what comes next
  int64_t next_ns_ = 0;  // what is before is used, or free
  int most_units_ = 0;
  int64_t used_ = 0;
  int kernels_ = 0;
  std::atomic<int64_t> last_taken_ns_{0};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SM_BOOKING_H_
