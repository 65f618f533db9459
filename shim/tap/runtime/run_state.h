// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RUN_STATE_H_
#define DLTAP_SHIM_TAP_RUNTIME_RUN_STATE_H_

#include <cstdint>

namespace dltap::shim {

// What the kernel says of a thread at this moment. All false and 0: it waits
// for somebody, or nothing is known (no /proc, no thread to be had, Linux
// before 5.9).
struct RunState {
  bool is_ready;          // it has a CPU or waits for one
  bool waits_for_disk;    // or it cannot be woken for another reason
  uint64_t run_delay_ns;  // so long it was ready without a CPU; 0: not known
};

// Asks it of a thread of this process, by tid, while the caller's signals are
// held. Any thread, also one with little stack, off the call path: 0.1 ms, and
// no descriptor of the program's. Keeps errno. Nothing is known, and no system
// call made, where a filter of these has been noted.
RunState ReadRunState(uint32_t tid);

// Whether the program's first thread, which most often ends it, is under such a
// filter (seccomp): the kernel may kill it for a call that it does not make
// itself. Collector only, now and then.
void NoteFilter();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RUN_STATE_H_
