// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector_requests.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

// ProcessPage::finish_requests: what is wanted, above a count of requests.
constexpr int kFinishShift = 30;

constinit uint64_t g_deadline_ns = 0;

long Futex(std::atomic<uint32_t>* word, int operation, uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value,
                 timeout, nullptr, 0);
}

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond),
          static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace

void WakeCollector() {
  if (g_process.wake.exchange(1, std::memory_order_acq_rel) != 0) return;
  const int saved_errno = errno;
  Futex(&g_process.wake, FUTEX_WAKE, 1, nullptr);
  errno = saved_errno;
}

bool FinishPass(Finish what, uint64_t patience_ns) {
  if (g_process.collector_runs.load(std::memory_order_acquire) == 0) {
    return false;
  }
  const uint64_t give_up_ns = MonotonicNs() + patience_ns;
  g_deadline_ns = give_up_ns;
  constexpr uint32_t kCountMask = (1u << kFinishShift) - 1;
  uint32_t before = g_process.finish_requests.load(std::memory_order_relaxed);
  uint32_t request;
  do {
    request = ((before + 1) & kCountMask) |
              (static_cast<uint32_t>(what) << kFinishShift);
  } while (!g_process.finish_requests.compare_exchange_weak(
      before, request, std::memory_order_acq_rel));
  g_process.wake.store(0, std::memory_order_relaxed);
  WakeCollector();
  for (;;) {
    const uint32_t finished =
        g_process.finished.load(std::memory_order_acquire);
    if (finished == request) return true;
    const uint64_t now_ns = MonotonicNs();
    if (now_ns >= give_up_ns) return false;
    const timespec timeout = ToTimespec(give_up_ns - now_ns);
    Futex(&g_process.finished, FUTEX_WAIT, finished, &timeout);
  }
}

PassRequest NewestRequest() {
  const uint32_t number =
      g_process.finish_requests.load(std::memory_order_acquire);
  const bool is_open =
      number != g_process.finished.load(std::memory_order_relaxed);
  return {
      number, is_open,
      is_open ? static_cast<Finish>(number >> kFinishShift) : Finish::kDrain};
}

void AnswerRequest(const PassRequest& request) {
  g_process.finished.store(request.number, std::memory_order_release);
  Futex(&g_process.finished, FUTEX_WAKE, INT_MAX, nullptr);
}

uint64_t RequestDeadlineNs() { return g_deadline_ns; }

void WaitForRequest(uint64_t timeout_ns) {
  if (g_process.wake.exchange(0, std::memory_order_acq_rel) != 0) return;
  const timespec timeout = ToTimespec(timeout_ns);
  Futex(&g_process.wake, FUTEX_WAIT, 0,
        timeout_ns == kForEver ? nullptr : &timeout);
}

}  // namespace dltap::shim
