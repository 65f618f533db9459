// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_PROCESS_PAGE_H_
#define DLTAP_SHIM_TAP_RUNTIME_PROCESS_PAGE_H_

#include <atomic>
#include <cstdint>

#include "entry_points.h"

namespace dltap::shim {

// What the on/off word can hold. Every wrapper loads it once per call.
enum SwitchWord : uint32_t {
  kIdle = 0,      // no session yet in this process; what a forked child reads
  kPaused = 1,    // a session runs, calls are not recorded, state is followed
  kDisabled = 2,  // nothing is done in this process any more
  kFirstSession = 3,  // this and above: the number of the recording session
};

inline bool IsOff(uint32_t word) {
  return word == kPaused || word == kDisabled;
}

// How far the collector of this process is.
enum class CollectorState : uint32_t {
  kNone = 0,
  kOpening = 1,  // it opens the session
  kOpen = 2,     // calls are recorded
  kReady = 3,    // and the activity source had its first pass
  kFailed = 4,   // nothing could be opened, or the trace has ended early
  kLast = 5,     // it ends the process; its passes run in the thread that asks
};

// How Ticks() reads the time.
enum class ClockKind : uint32_t { kTsc = 0, kMonotonic = 1, kActivity = 2 };

// What outermost library calls do beside the call; bits of one word, so that
// none of it costs anything until one is asked for.
enum LibraryWork : uint32_t {
  kPushes = 1,  // push correlation ids
  kDelays = 2,  // are told apart by class and delayed
};

inline constexpr uint32_t kWriterLosses = 64;  // numbers below are the writer's

// State that must not survive into a forked child. Its pages are advised
// MADV_WIPEONFORK, so after fork, _Fork or raw clone the child reads zeros
// everywhere: idle, with no session, no collector and no lock held, without any
// handler having run. (vfork shares memory and only ever execs.)
struct alignas(4096) ProcessPage {
  std::atomic<uint32_t> word;            // SwitchWord
  std::atomic<uint32_t> clock;           // ClockKind
  std::atomic<uint32_t> library_work;    // LibraryWork of outermost calls
  std::atomic<uint32_t> preparing;       // Preparation, see session.cc
  std::atomic<uint32_t> starting;        // a thread has started the collector
  std::atomic<uint32_t> window_is_open;  // asked for by OpenWindow()
  std::atomic<uint32_t> open_ranges;     // of DLTAP_RANGE
  std::atomic<uint32_t> ranges_pid;      // who counts them; 0: nobody yet
  // Of the collector, see collector_requests.cc.
  std::atomic<uint32_t> collector;         // CollectorState
  std::atomic<uint32_t> collector_tid;     // 0: it has not begun
  std::atomic<uint32_t> activity_session;  // the one activities began in
  std::atomic<uint32_t> wake;              // futex word of the collector
  std::atomic<uint32_t> finish_requests;   // passes asked for
  std::atomic<uint32_t> finished;          // the last one answered
  std::atomic<uint32_t> turns;             // futex word: something was done
  std::atomic<uint32_t> refills;           // futex word: rings are ready
  std::atomic<uint32_t> waiting;           // threads that wait for rings
  std::atomic<uint32_t> in_foreign_code;   // it may need locks of others
  std::atomic<uint32_t> given_up;          // one more than `turns` then
  std::atomic<uint32_t> looking;           // a thread asks for its RunState
  std::atomic<uint32_t> is_filtered;       // system calls are (NoteFilter)
  std::atomic<uint64_t> end_wait_ns;       // waited for it at the end so far
  // Number of a session whose trace has ended before the process; 0: none.
  std::atomic<uint32_t> ended_session;
  // Of launch sites, see entry/site_table.h.
  std::atomic<void*> sites;            // the table, once there
  std::atomic<uint32_t> making_sites;  // how far it is
  std::atomic<uint32_t> last_site;     // id given to a Site
  // Of runs with delays, see call_delay.h.
  std::atomic<uint64_t> delay;                  // class and length
  std::atomic<uint32_t> seen_classes;           // bit per layer class
  std::atomic<uint64_t> losses[kWriterLosses];  // by trace::LossKind
  // Calls before the session and of threads without a buffer.
  std::atomic<uint64_t> unattached[specs::kCounterCount];
};

// DLTAP_DISABLE was set when the library was loaded, the process has another
// user's rights, or another copy of us came first: this one never records, in
// no child either.
bool DisabledAtLoad();

// At load.
void DisableForGood();

// The name is for the gates (entry/gate.h).
extern constinit ProcessPage g_process asm("dltap_process");

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_PROCESS_PAGE_H_
