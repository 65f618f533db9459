// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_TRACED_H_
#define DLTAP_SHIM_TAP_ENTRY_TRACED_H_

#include <cstdint>
#include <type_traits>

#include "entry_points.h"
#include "shim/tap/entry/call_record.h"
#include "shim/tap/entry/hook_call.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/entry/window_range.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session.h"
#include "shim/tap/runtime/thread_state.h"
#include "vocabulary.h"

// The one shape of a wrapper. Generated wrappers are single calls of Traced
// (role record), Counted or Followed (role state); everything is inlined into
// them, so that the frame and return address seen here are the wrapper's.
//
// No function that a wrapper may call is declared cold, only defined so: of
// what follows such a call gcc 12 believes that it never runs either, and that
// is the recorded path.
//
// Rules: arguments and result pass untouched; no lock is held while the
// real function runs; nothing relies on the code after it being reached, since
// an exception, a cancelled thread or longjmp may skip it; errno is kept by
// every cold path.
namespace dltap::shim {

// The real function, or nullptr when no library has it.
template <typename Traits>
[[gnu::always_inline]] inline typename Traits::Real RealOf(const void* caller) {
  void* real = g_real[Traits::kCounterIndex].load(std::memory_order_relaxed);
  if (real == nullptr || LoaderMoved()) [[unlikely]] {
    real = ResolveReal(Traits::kCounterIndex, caller);
  }
  return reinterpret_cast<typename Traits::Real>(real);
}

template <typename Traits, typename Result>
inline Result MissValue() {
  if constexpr (std::is_void_v<Result>) {
    return;
  } else if constexpr (std::is_same_v<Result, int32_t>) {
    return MissStatus(Traits::kLibrary);
  } else {
    return Result{};
  }
}

template <typename Traits, typename... Args>
using ResultOf =
    decltype(std::declval<typename Traits::Real>()(std::declval<Args>()...));

template <typename Traits, typename... Args>
[[gnu::always_inline]] inline void RunBefore(Args... args) {
  if constexpr (requires { Traits::Before(args...); }) Traits::Before(args...);
}

// `args` begins with the result unless the function returns void.
template <typename Traits, typename... Args>
[[gnu::always_inline]] inline void RunAfter(Args... args) {
  if constexpr (requires { Traits::After(args...); }) Traits::After(args...);
}

// The real call with the hooks around it, not recorded.
template <typename Traits, typename... Args>
[[gnu::always_inline]] inline auto CallFollowed(typename Traits::Real real,
                                                Args... args) {
  RunBefore<Traits>(args...);
  if constexpr (std::is_void_v<ResultOf<Traits, Args...>>) {
    real(args...);
    RunAfter<Traits>(args...);
  } else {
    const auto result = real(args...);
    RunAfter<Traits>(result, args...);
    return result;
  }
}

// The first call that launches, copies, allocates or creates, and succeeds,
// starts the session and is its first record.
template <specs::EntryPoint kEntry, typename... Args>
[[gnu::noinline]] auto CallFirstWork(typename EntryTraits<kEntry>::Real real,
                                     Args... args) {
  using Traits = EntryTraits<kEntry>;
  nvtx::EnterInheritedRanges();
  if (!PrepareSession()) {
    CountCall(Traits::kCounterIndex);
    return CallFollowed<Traits>(real, args...);
  }
  RunBefore<Traits>(args...);
  const TwofoldTime begin = TakeTwofoldTime();
  const auto result = real(args...);
  const TwofoldTime end = TakeTwofoldTime();
  SettleRealFunctions();  // the first call loads the driver
  ThreadState& thread = t_thread;
  const bool is_recorded =
      Succeeded<Traits>(result) && StartSession() && AttachThread(thread);
  RunAfter<Traits>(result, args...);  // may define what the record refers to
  if (is_recorded) {
    WriteRecord<kEntry>(thread, {TicksOf(begin), TicksOf(end), 0, 0, true},
                        args...);
  } else {
    CountCall(Traits::kCounterIndex);
  }
  return result;
}

template <specs::EntryPoint kEntry, typename... Args>
[[gnu::always_inline]] inline auto Traced(Args... args) {
  using Traits = EntryTraits<kEntry>;
  using Result = ResultOf<Traits, Args...>;
  const auto real = RealOf<Traits>(__builtin_return_address(0));
  if (real == nullptr) [[unlikely]]
    return MissValue<Traits, Result>();
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  ThreadState& thread = t_thread;
  if (thread.session != word) [[unlikely]] {
    if (word == kDisabled) return real(args...);
    if (word == kPaused) return CallFollowed<Traits>(real, args...);
    if constexpr (Traits::kIsWork && !std::is_void_v<Result>) {
      if (word == kIdle) return CallFirstWork<kEntry>(real, args...);
    }
    if (word == kIdle || !AttachThread(thread)) {
      CountCall(Traits::kCounterIndex);
      return CallFollowed<Traits>(real, args...);
    }
  }
  const uint64_t entered_ticks = EnterTimed(thread);
  RunBefore<Traits>(args...);
  const OpenCall call = BeginCall<kEntry>(thread, __builtin_frame_address(0),
                                          __builtin_return_address(0), args...);
  if constexpr (std::is_void_v<Result>) {
    real(args...);
    if (IsInForkedChild(thread)) [[unlikely]]
      return RunAfter<Traits>(args...);
    const uint64_t end_ticks = EndCall<kEntry>(thread, call);
    RunAfter<Traits>(args...);
    const FinishedCall done = {call.begin_ticks, end_ticks, call.depth,
                               call.flags, true};
    WriteRecord<kEntry>(thread, done, args...);
    NoteCost(thread, entered_ticks, done);
  } else {
    const Result result = real(args...);
    if (IsInForkedChild(thread)) [[unlikely]] {
      RunAfter<Traits>(result, args...);
      return result;
    }
    const uint64_t end_ticks = EndCall<kEntry>(thread, call);
    RunAfter<Traits>(result, args...);
    const FinishedCall done = {call.begin_ticks, end_ticks, call.depth,
                               call.flags, Succeeded<Traits>(result)};
    WriteRecord<kEntry>(thread, done, args...);
    NoteCost(thread, entered_ticks, done);
    return result;
  }
}

// A call of this function is counted, nothing else.
[[gnu::always_inline]] inline void CountOne(int counter_index) {
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  ThreadState& thread = t_thread;
  if (thread.session == word) [[likely]] {
    ++thread.counters[counter_index];
  } else if (!IsOff(word)) {
    CountUnattached(counter_index);
  }
}

template <specs::EntryPoint kEntry, typename... Args>
[[gnu::always_inline]] inline auto Counted(Args... args) {
  using Traits = EntryTraits<kEntry>;
  using Result = ResultOf<Traits, Args...>;
  const auto real = RealOf<Traits>(__builtin_return_address(0));
  if (real == nullptr) [[unlikely]]
    return MissValue<Traits, Result>();
  CountOne(Traits::kCounterIndex);
  return real(args...);
}

// Role state: the hook sees every call, also before the session and while
// recording is paused. A first success may start the session.
template <specs::EntryPoint kEntry, typename... Args>
[[gnu::always_inline]] inline auto Followed(Args... args) {
  using Traits = EntryTraits<kEntry>;
  using Result = ResultOf<Traits, Args...>;
  const auto real = RealOf<Traits>(__builtin_return_address(0));
  if (real == nullptr) [[unlikely]]
    return MissValue<Traits, Result>();
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  if (word == kDisabled) [[unlikely]]
    return real(args...);
  CountOne(Traits::kCounterIndex);
  if constexpr (Traits::kIsWork && !std::is_void_v<Result>) {
    const Result result = CallFollowed<Traits>(real, args...);
    if (word == kIdle && Succeeded<Traits>(result)) [[unlikely]] {
      nvtx::EnterInheritedRanges();
      StartSession();
    }
    return result;
  } else {
    return CallFollowed<Traits>(real, args...);
  }
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_TRACED_H_
