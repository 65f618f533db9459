// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_PATIENCE_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_PATIENCE_H_

#include <cstdint>

#include "shim/tap/runtime/clock.h"

namespace dltap::shim {

// How long a thread of the program waits for the collector, from now on. Asked
// now and then by that thread.
//
// In code of others (the loader, the vendor's profiler) the collector may need
// a lock that the waiting thread holds, or never come back. A busy machine is
// no such case: there it is ready to run, and gets no CPU.
class CollectorPatience {
 public:
  // So long at most; less for one that uses no CPU time for 0.1 s in code of
  // others and is not ready to: it waits for somebody.
  explicit CollectorPatience(uint64_t most_ns)
      : give_up_ns_(begin_ns_ + most_ns) {}

  // At the process's end, for what does not come later. So long, beside what
  // the collector waits for a CPU or a disk: 10 s in all such waits. One that
  // has used a second of CPU time is not kept from it.
  static CollectorPatience OfTheEnd(uint64_t usual_ns);

  bool is_of_the_end() const { return usual_ns_ != 0; }
  uint64_t begin_ns() const { return begin_ns_; }
  bool IsOver();

 private:
  static uint64_t CollectorCpuNs();
  bool IsBlocked(uint64_t now_ns);
  bool HasHadItsTime(uint64_t now_ns);

  uint64_t begin_ns_ = MonotonicNs();
  uint64_t give_up_ns_;
  uint64_t usual_ns_ = 0;  // of the end
  uint64_t first_cpu_ns_ = CollectorCpuNs();
  uint64_t cpu_ns_ = first_cpu_ns_;
  uint64_t ran_ns_ = begin_ns_;    // when it was last seen to have run
  uint64_t moved_ns_ = begin_ns_;  // or not to be blocked
  uint64_t looked_ns_ = 0;
  uint64_t first_delay_ns_ = 0;
  uint64_t disk_ns_ = 0;  // it was seen to wait for a disk
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_PATIENCE_H_
