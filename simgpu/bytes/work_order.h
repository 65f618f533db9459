// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_WORK_ORDER_H_
#define DLTAP_SIMGPU_BYTES_WORK_ORDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dltap::simgpu {

// Which work comes before which, for the zero rule (stream/memory_effects.h): a
// kernel with unknown effects may have overwritten a known write. It can only
// have done so if it comes after the write, and it only matters to a read that
// comes after it. Work without such an order, on streams that do not wait for
// each other, would race if it met in memory; a correct program has none.
//
// Order is kept by vector clocks (Mattern, "Virtual Time and Global States of
// Distributed Systems", 1989), one component for each line: a non-blocking
// stream, or all blocking streams of the process, or the host. Where less is
// known more order is assumed: a small read then sees zeroes, never what a
// kernel has overwritten.
using VectorClock = std::vector<uint64_t>;

inline uint64_t At(const VectorClock& clock, size_t line) {
  return line < clock.size() ? clock[line] : 0;
}

// A place in a line. Immutable.
struct OrderPoint {
  size_t line = 0;
  // writes[i]: those of line i's known writes up to this number come before.
  VectorClock writes;
  // spoilt[i]: up to this number an unknown kernel comes after them, and before
  // this place.
  VectorClock spoilt;

  uint64_t write_number() const { return At(writes, line); }
};
using Order = std::shared_ptr<const OrderPoint>;  // null: after nothing

// Raised whenever the host learns something.
extern std::atomic<uint64_t> g_host_order_version;

// Thread-safe. All that the host knows to be over comes before what a line does
// next.
class OrderLine {
 public:
  OrderLine();
  ~OrderLine();
  OrderLine(const OrderLine&) = delete;
  OrderLine& operator=(const OrderLine&) = delete;

  // A kernel may have written anywhere. Two relaxed loads when nothing was
  // written since the last one.
  void NoteUnknownKernel() {
    if (all_spoilt_.load(std::memory_order_relaxed) &&
        host_version_.load(std::memory_order_relaxed) ==
            g_host_order_version.load(std::memory_order_relaxed)) [[likely]] {
      return;
    }
    SpoilAll();
  }

  // For work with known writes to memory: its write_number() stands for what it
  // writes.
  Order BeginWrite();

  // All of the line's work so far, and what comes before.
  Order Now();

  // What comes next follows that, too.
  void Join(const Order& order);

 private:
  struct HostTag {};
  explicit OrderLine(HostTag /*tag*/) : is_host_(true) {}
  friend OrderLine& HostLine();

  void FollowHost();
  void SpoilAll();
  // REQUIRES: mutex_.
  void Set(OrderPoint point);

  const bool is_host_ = false;
  std::atomic<bool> all_spoilt_{true};  // spoilt == writes
  std::atomic<uint64_t> host_version_{0};
  std::mutex mutex_;
  Order now_;
  bool was_seen_ = false;  // others have the latest number of now_
};

// What host code does next comes after what it has waited for. One line for
// all threads: how they wait for each other is not seen.
OrderLine& HostLine();

// Of all blocking streams of all devices.
OrderLine& BlockingLine();

// Everything submitted so far by this process.
Order OrderOfAll();

// The place of the memory effects that this thread carries out now, for
// written_memory.h.
class AtOrder {
 public:
  explicit AtOrder(const Order& order);
  ~AtOrder();
  AtOrder(const AtOrder&) = delete;
  AtOrder& operator=(const AtOrder&) = delete;

 private:
  const Order* const outer_;
};

// Host code that writes where no AtOrder is open does so in HostLine().
Order OrderOfWrite();
Order OrderOfRead();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_WORK_ORDER_H_
