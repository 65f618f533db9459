// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/control_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/own_cost.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/recording_window.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"
#include "shim/trace/control_page.h"

namespace dltap::shim {
namespace {

using trace::ControlPage;
using trace::ControlRequest;
using trace::ControlState;

// Where the program may open few files, they are all its own.
constexpr int kLowestDescriptor = 256;

// Collector only. A forked child's own collector makes a new one.
constinit ControlPage* g_page = nullptr;
constinit int g_descriptor = -1;
constinit uint64_t g_inode = 0;

// Of a size that nobody can change: reading it never ends the process.
ControlPage* MapPage() {
  const int fd =
      memfd_create(trace::kControlName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return nullptr;
  const int high = MoveDescriptorUp(fd);
  void* page = MAP_FAILED;
  if (high >= kLowestDescriptor && ftruncate(high, trace::kControlBytes) == 0 &&
      fcntl(high, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ==
          0) {
    page = mmap(nullptr, trace::kControlBytes, PROT_READ | PROT_WRITE,
                MAP_SHARED, high, 0);
  }
  if (page == MAP_FAILED) {
    close(high);
    return nullptr;
  }
  // A child would read its parent's wishes.
  madvise(page, trace::kControlBytes, MADV_DONTFORK);
  g_descriptor = high;
  g_inode = InodeOf(high);
  return static_cast<ControlPage*>(page);
}

// Those from 64 on are a reader's.
uint64_t Losses() {
  uint64_t count = 0;
  for (uint32_t number = 0; number < 64; ++number) {
    const auto kind = static_cast<trace::LossKind>(number);
    // What the policy `ring` deletes is none; it is counted in bytes.
    if (kind != trace::LossKind::kOverwritten) count += LossCount(kind);
  }
  return count;
}

ControlState StateNow() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word == kDisabled) return ControlState::kEnded;
  return word >= kFirstSession ? ControlState::kRecording
                               : ControlState::kPaused;
}

constexpr uint64_t kCostPeriodNs = 1'000'000'000;
constinit uint64_t g_cost_ns = 0;  // when the cost was told, in monotonic time

// What was asked for in the last pass: answered when that pass is over, so that
// everything recorded before the request is in the data file.
constinit uint32_t g_obeyed = 0;

// The kernel adds the process's CPU time up over all threads.
void TellCost(uint64_t now_ns) {
  ControlPage& page = *g_page;
  const OwnCost cost = CostSoFar();
  page.own_cpu_ns.store(cost.own_ns);
  page.total_cpu_ns.store(cost.process_ns);
  g_cost_ns = now_ns;
}

void TellStatus() {
  ControlPage& page = *g_page;
  page.state.store(static_cast<uint32_t>(StateNow()));
  page.level.store(static_cast<uint32_t>(LevelNow()));
  page.calls.store(CallsWritten());
  page.lost.store(Losses());
  const uint64_t now_ns = MonotonicNs();
  page.pass_ns.store(now_ns);
  const bool is_asked = page.answered.load() != g_obeyed;
  if (is_asked || now_ns - g_cost_ns >= kCostPeriodNs) TellCost(now_ns);
}

void Obey(ControlRequest request) {
  switch (request) {
    case ControlRequest::kStart:
      return OpenWindow(trace::WindowCause::kControl);
    case ControlRequest::kStop:
      return CloseWindow(trace::WindowCause::kControl);
    case ControlRequest::kFlush:  // every pass does
    case ControlRequest::kStatus:
    case ControlRequest::kNone: return;
  }
}

void Start() {
  CloseIfOwn(&g_descriptor, g_inode);  // of the parent process
  g_page = MapPage();
  g_obeyed = 0;
  g_cost_ns = 0;
  if (g_page == nullptr) return;
  const Config& config = SessionConfig();
  g_page->version = trace::kControlVersion;
  g_page->pid = static_cast<uint32_t>(getpid());
  g_page->limit_bytes.store(config.max_bytes);
  g_page->is_ring.store(config.policy == SizePolicy::kRing ? 1 : 0);
  g_page->started_ns.store(MonotonicNs());
  char real[PATH_MAX];
  const char* directory = realpath(g_output.directory(), real);
  snprintf(g_page->directory, sizeof(g_page->directory), "%s",
           directory != nullptr ? directory : g_output.directory());
  snprintf(g_page->file, sizeof(g_page->file), "%s",
           g_output.data_file().name());
  TellStatus();
  std::atomic_thread_fence(std::memory_order_release);
  g_page->magic = trace::kControlMagic;
}

void Pass() {
  if (g_page == nullptr) return;
  TellStatus();
  g_page->answered.store(g_obeyed, std::memory_order_release);
  const uint32_t asked = g_page->asked.load(std::memory_order_acquire);
  if (asked == g_obeyed) return;
  Obey(static_cast<ControlRequest>(g_page->request.load()));
  g_obeyed = asked;
}

void End() {
  if (g_page == nullptr) return;
  g_cost_ns = 0;
  TellStatus();
  g_page->state.store(static_cast<uint32_t>(ControlState::kEnded));
  g_page->answered.store(g_page->asked.load());
}

}  // namespace

void ListenToControl() {
  AddParticipant({.start = Start,
                  .pass = Pass,
                  .exit = [](bool (*)()) { End(); },
                  .stop = End});
}

}  // namespace dltap::shim
