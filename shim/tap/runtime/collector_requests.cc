// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector_requests.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include "shim/tap/runtime/collector_patience.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kPatienceNs = 2 * kNsPerSecond;
// A thread that is not the first: the disk may be slow just now.
constexpr uint64_t kRingPatienceNs = kNsPerSecond / 5;
constexpr uint64_t kLookNs = kNsPerSecond / 20;

// ProcessPage::finish_requests: the most that is wanted, above a count of
// requests. ProcessPage::finished: the count up to which all is done.
constexpr int kFinishShift = 30;
constexpr uint32_t kCountMask = (1u << kFinishShift) - 1;

constinit std::atomic<bool> g_exit_is_awaited{false};
using TurnFunction = void (*)();
constinit TurnFunction g_turn_in_place = nullptr;

long Futex(std::atomic<uint32_t>* word, int operation, uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value,
                 timeout, nullptr, 0);
}

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond),
          static_cast<long>(ns % kNsPerSecond)};
}

CollectorState State() {
  return static_cast<CollectorState>(
      g_process.collector.load(std::memory_order_acquire));
}

bool IsDone(uint32_t request) {
  const uint32_t finished = g_process.finished.load(std::memory_order_acquire);
  return ((finished - request) & kCountMask) <= kCountMask / 2;
}

// A collector that has failed, or whose trace has come to an early end, is gone
// and answers nobody.
bool IsDoneOrGone(uint32_t request) {
  return State() == CollectorState::kFailed || IsDone(request);
}

bool HasComeTo(uint32_t state) {
  return static_cast<uint32_t>(State()) >= state;
}

// A wait of one thread, in slices.
class Wait {
 public:
  // `word` moves when there may be something new. A collector that was given up
  // since it last did something is not waited for again, but at the end.
  Wait(std::atomic<uint32_t>& word, const CollectorPatience& patience)
      : word_(word), patience_(patience) {}

  // Waits for `done(argument)`.
  bool For(bool (*done)(uint32_t), uint32_t argument) {
    const bool to_the_end = patience_.is_of_the_end();
    for (;;) {
      const uint32_t seen = word_.load(std::memory_order_acquire);
      if (done(argument)) return true;
      const uint32_t turns = g_process.turns.load(std::memory_order_acquire);
      if (!to_the_end && g_process.given_up.load() == turns + 1) return false;
      if (patience_.IsOver()) {
        if (!to_the_end) g_process.given_up.store(turns + 1);
        return false;
      }
      const timespec slice = ToTimespec(kLookNs);
      Futex(&word_, FUTEX_WAIT, seen, &slice);
    }
  }

 private:
  std::atomic<uint32_t>& word_;
  CollectorPatience patience_;
};

void NoteTurn() {
  g_process.turns.fetch_add(1, std::memory_order_acq_rel);
  Futex(&g_process.turns, FUTEX_WAKE, INT_MAX, nullptr);
}

uint32_t AddRequest(Finish what) {
  const auto wanted = static_cast<uint32_t>(what);
  uint32_t before = g_process.finish_requests.load(std::memory_order_relaxed);
  uint32_t request;
  do {
    const uint32_t most = before >> kFinishShift;
    request = ((before + 1) & kCountMask) |
              ((most > wanted ? most : wanted) << kFinishShift);
  } while (!g_process.finish_requests.compare_exchange_weak(
      before, request, std::memory_order_acq_rel));
  return request & kCountMask;
}

}  // namespace

void WakeCollector() {
  if (g_process.wake.exchange(1, std::memory_order_acq_rel) != 0) return;
  const int saved_errno = errno;
  Futex(&g_process.wake, FUTEX_WAKE, 1, nullptr);
  errno = saved_errno;
}

bool WaitForState(CollectorState state) {
  const int saved_errno = errno;
  const bool came = Wait(g_process.turns, CollectorPatience(kPatienceNs))
                        .For(HasComeTo, static_cast<uint32_t>(state));
  errno = saved_errno;
  return came && State() != CollectorState::kFailed;
}

bool WaitForRings() {
  const int saved_errno = errno;
  const uint32_t before = g_process.refills.load(std::memory_order_acquire);
  g_process.waiting.fetch_add(1, std::memory_order_acq_rel);
  WakeCollector();
  const bool came =
      Wait(g_process.refills, CollectorPatience(kRingPatienceNs))
          .For([](uint32_t seen) { return g_process.refills.load() != seen; },
               before);
  g_process.waiting.fetch_sub(1, std::memory_order_acq_rel);
  errno = saved_errno;
  return came;
}

bool FinishPass(Finish what) {
  if (State() == CollectorState::kNone || State() == CollectorState::kFailed) {
    return false;
  }
  const bool exits = what != Finish::kDrain;
  const bool to_the_end = exits && State() >= CollectorState::kOpen;
  const CollectorPatience patience =
      to_the_end ? CollectorPatience::OfTheEnd(kPatienceNs)
                 : CollectorPatience(kPatienceNs);
  if (exits) g_exit_is_awaited.store(true, std::memory_order_release);
  const uint32_t request = AddRequest(what);
  if (g_turn_in_place != nullptr && State() == CollectorState::kLast) {
    g_turn_in_place();
    return true;
  }
  g_process.wake.store(0, std::memory_order_relaxed);
  WakeCollector();
  const bool done = Wait(g_process.turns, patience).For(IsDoneOrGone, request);
  if (to_the_end) {
    g_process.end_wait_ns.fetch_add(MonotonicNs() - patience.begin_ns());
  }
  if (exits && !done) g_exit_is_awaited.store(false, std::memory_order_release);
  return done;
}

PassRequest NewestRequest() {
  const uint32_t word =
      g_process.finish_requests.load(std::memory_order_acquire);
  const uint32_t number = word & kCountMask;
  return {number, number != g_process.finished.load(std::memory_order_relaxed),
          static_cast<Finish>(word >> kFinishShift)};
}

void AnswerRequest(const PassRequest& request) {
  g_process.finished.store(request.number, std::memory_order_release);
  NoteTurn();
}

bool IsExitAwaited() {
  return g_exit_is_awaited.load(std::memory_order_acquire);
}

void SetCollectorState(CollectorState state) {
  g_process.collector.store(static_cast<uint32_t>(state),
                            std::memory_order_release);
  NoteTurn();
}

bool OfferRings(int count) {
  g_process.turns.fetch_add(1, std::memory_order_acq_rel);
  if (g_process.waiting.load(std::memory_order_acquire) == 0) return false;
  g_process.refills.fetch_add(1, std::memory_order_acq_rel);
  Futex(&g_process.refills, FUTEX_WAKE, static_cast<uint32_t>(count), nullptr);
  return true;
}

void SleepUntilRequest(uint64_t timeout_ns) {
  const timespec timeout = ToTimespec(timeout_ns);
  Futex(&g_process.wake, FUTEX_WAIT, 0, &timeout);
}

bool TakeRequest() {
  return g_process.wake.exchange(0, std::memory_order_acq_rel) != 0;
}

void NoteForeignCode(bool inside) {
  g_process.in_foreign_code.store(inside ? 1 : 0, std::memory_order_release);
}

void RunTurnsInPlace(void (*turn)()) { g_turn_in_place = turn; }

}  // namespace dltap::shim
