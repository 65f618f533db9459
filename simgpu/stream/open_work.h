// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_OPEN_WORK_H_
#define DLTAP_SIMGPU_STREAM_OPEN_WORK_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/timeline.h"
#include "simgpu/stream/work.h"
#include "simgpu/stream/work_activity.h"

namespace dltap::simgpu {

// Work whose end is not known when it begins: a kernel that exchanges data with
// other ranks lasts until the last of them is there, and in real time a host
// function lasts as long as it likes. What follows it in its stream, or by an
// event, gets its own time when the open work is over, on the host executor's
// thread; the tickets of such work are in Stream::open_ticket. In the other
// modes of the clock a host function lasts a fixed time, so that two virtual
// runs are alike.
bool IsOpenEnded(const Work& work);

// Numbers the exchange of the work among those of its communicator; null where
// it has none.
OpenExchange StartExchange(const Work& work);

// On the host executor's thread. The host knows then that all before it is
// over.
void CallHostFunction(const HostWork& host, const Order& order);

// Set at the first open work: a program that has none pays one load for it.
extern std::atomic<bool> g_has_open_work;

// The stream's next work follows some that is open, and has to wait for its
// time.
bool FollowsOpenWork(Stream& stream);
inline bool MayBegin(Stream& stream) {
  return !g_has_open_work.load(std::memory_order_relaxed) ||
         !FollowsOpenWork(stream);
}

// In virtual time, before this thread puts work on a stream or asks how far one
// is: waits for all open work. Which of two kernels takes its SMs first would
// depend on real time otherwise, and so would the answer. Where a peer waits
// for this host the wait is in vain: it is given up, and the next one shorter.
void SettleOpenWork();

// Later work of the stream gets its time when the job of the ticket is over.
void FollowOpenWork(Stream& stream, uint64_t ticket);

// Open-ended work that has begun.
class OpenWork {
 public:
  OpenWork(Stream& stream, const Work& work, OpenExchange exchange,
           const Span& span, const Origin& origin);

  // True: it is over, and its end known. Asked in stream order; runs a host
  // function on the executor's thread only.
  bool IsOver(bool on_host_executor);

  // The modelled end until the true one is known.
  int64_t end_ns() const { return span_.end_ns; }

  // Once over: the stream's end, which was the modelled one, becomes the true
  // one.
  void MoveTail() const;

  // Asks on the executor's thread when `before` is over, until the work is;
  // then moves the stream's end to its own. The ticket of that.
  static uint64_t Finish(std::shared_ptr<OpenWork> work, uint64_t before);

 private:
  bool RunHostFunction(const HostWork& host);
  bool AskOthers();

  Stream& stream_;
  const Work work_;
  const OpenExchange exchange_;
  const Origin origin_;
  const int64_t modelled_end_ns_;
  Span span_;
  bool over_ = false;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_OPEN_WORK_H_
