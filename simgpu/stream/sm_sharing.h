// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SM_SHARING_H_
#define DLTAP_SIMGPU_STREAM_SM_SHARING_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "simgpu/stream/sm_booking.h"
#include "simgpu/stream/sm_log.h"
#include "simgpu/stream/sm_profile.h"
#include "simgpu/stream/sm_work.h"

namespace dltap::simgpu {

// A stream as one of those that share the SMs.
struct SmClaimant {
  SmClaimant(std::mutex& mutex_of_stream, const std::atomic<int>& its_priority)
      : stream_mutex(mutex_of_stream), priority(its_priority) {}

  std::mutex& stream_mutex;
  const std::atomic<int>& priority;
  std::atomic<int> claim{0};   // of SmProfile::kWhole
  std::unique_ptr<SmLog> log;  // null before the first claim
  SmBooking booking;

  // The rest, and all writing of the claim, under SmSharing's mutex.
  int claim_without_booking = 0;
  int kernels_since_booking = 0;
  double last_sm_time = 0;   // of the kernel placed last, in units x ns
  double placed_before = 0;  // SmSharing::placed after it, or after the booking
  double part = 1;           // of all that is placed: the stream's, lately
};

// How the streams of a device share its SMs (rules in sm_profile.h).
//
// A stream claims the largest part that one of its kernels takes. As long as
// all claims together fit the device no kernel can lack room, and a launch only
// notes its time in its stream's own log. When they do not fit, launches go
// through the profile, under its mutex, after the logs were read into it.
// Claims of streams that ran dry are dropped then.
//
// Two threads that launch at the same instant may miss one kernel of each
// other. A stream may be destroyed before it runs dry. What it left behind
// counts only while the claims of the others do not fit; else it would send a
// single stream through the profile.
//
// When several threads launch, a stream with a long queue books SM time for its
// next kernels (sm_booking.h): as much as its share of the work, at least half
// of the SMs. It takes the mutex again when that is used up. Behind a long
// queue kernels of two streams then run side by side and slower, where they
// would have taken turns; the SM time is the same. No SMs stay idle for a
// stream without work: it gives back what it does not use when it comes back,
// or another stream takes it when this one has stopped launching. Where one
// thread launches all, each kernel gets its exact place.
struct SmSharing {
  // `books`: streams may take SM time in advance, so that threads that launch
  // at once meet less often. In virtual time they take turns anyway.
  explicit SmSharing(int max_kernels, bool books = true)
      : may_book(books), profile(max_kernels) {}

  // Places a kernel. REQUIRES: the stream's mutex, then `mutex`.
  SmProfile::Place Place(SmClaimant& own, const SmWork& work);

  const bool may_book;
  alignas(64) std::atomic<int64_t> claimed{0};  // of kWhole; may be more

  alignas(64) std::mutex mutex;  // after a stream's; another's is only tried
  SmProfile profile;
  std::vector<SmClaimant*> claimants;
  double placed = 0;  // SM time since the start, in units x ns
  // When Place() was last called, and when by another thread than last_thread.
  std::thread::id last_thread;
  int64_t last_ns = kNever;
  int64_t others_ns = kNever;

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 2;
};

// Places a kernel. REQUIRES: the stream's mutex.
SmProfile::Place TakeSms(SmSharing& sharing, SmClaimant& own,
                         const SmWork& work);

// For a stream that is about to be destroyed; its work goes on.
void LeaveSms(SmSharing& sharing, SmClaimant& own);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SM_SHARING_H_
