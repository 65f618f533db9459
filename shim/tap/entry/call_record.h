// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_CALL_RECORD_H_
#define DLTAP_SHIM_TAP_ENTRY_CALL_RECORD_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "entry_points.h"
#include "shim/tap/runtime/activity_hooks.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/trace/layout.h"
#include "vocabulary.h"

// The pieces of a recorded call, in the order in which a wrapper uses them.
namespace dltap::shim {

// A wrapped call in progress.
struct OpenCall {
  uint64_t begin_ticks;
  uint32_t depth;
  uint8_t flags;  // kCallPushed, kCallDelayed
};

// A finished one.
struct FinishedCall {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t depth;
  uint8_t flags;  // of the OpenCall
  bool succeeded;
};

// Status codes of all these libraries are 32-bit and 0 on success; other
// results (strings, versions) always count as success. A communicator of NCCL's
// that does not block has taken the call when it says that it is under way.
template <typename Traits, typename Result>
inline bool Succeeded(Result result) {
  if constexpr (std::is_same_v<Result, int32_t>) {
    constexpr int32_t kNcclInProgress = 7;
    if constexpr (Traits::kLibrary == specs::Library::kNccl) {
      if (result == kNcclInProgress) return true;
    }
    return result == 0;
  }
  return true;
}

// Is it a library that starts kernels on the caller's behalf? Kernels are then
// joined to the outermost call by an external correlation id.
constexpr bool IsLibrary(specs::Library library) {
  return library != specs::Library::kCuda &&
         library != specs::Library::kCudart &&
         library != specs::Library::kCupti && library != specs::Library::kNvtx;
}

// Slots of a record with that payload: 16 bytes lie in the first one.
constexpr int SlotsOf(int payload_bytes) {
  return payload_bytes <= 16 ? 1 : 1 + (payload_bytes - 16 + 31) / 32;
}

// Specialized by generated code, one per wrapped function.
template <specs::EntryPoint kEntry>
struct EntryTraits;

template <specs::EntryPoint kEntry>
inline constexpr uint16_t kEntryId =
    static_cast<uint16_t>(trace::kFirstEntryPointId + static_cast<int>(kEntry));

// The layer class of a call: of its entry point, or of the object it names.
template <typename Traits, typename... Args>
[[gnu::always_inline]] inline specs::LayerClass LayerClassOf(Args... args) {
  if constexpr (requires { Traits::LayerClassOf(args...); }) {
    return Traits::LayerClassOf(args...);
  } else {
    return Traits::kLayerClass;
  }
}

// Waits as the delay in force says; the call begins afterwards.
[[gnu::noinline]] void DelayCall(ThreadState& thread,
                                 specs::LayerClass layer_class, OpenCall& call);

// The calling thread has begun, ended a stream capture. A capture may be ended
// by another thread than began it, which sees so at its next call: then none of
// its captures counts any more. (Readers know the captured streams by the
// calls.)
void CaptureBegan();
void CaptureEnded(bool failed);

// An outermost call begins on a thread that captures, or whose launch sites are
// taken. Returns when it begins: after that.
[[gnu::noinline]] uint64_t LookCloser(ThreadState& thread, bool is_work,
                                      uint64_t begin_ticks);

// Depth heals itself: an entry whose frame lies above the outermost wrapper's
// proves that that wrapper was left by a longjmp, an exception or a cancelled
// thread, so it starts at depth 0. (The stack grows downwards.) From deeper
// frames it is looked at after so many nested calls, and again whenever they
// have doubled, since that asks the kernel. A wrapper that was left has not
// popped its id.
inline constexpr uint32_t kNestedCallsToFirstLook = 64;

inline bool IsTimeToLook(uint32_t nested) {
  return nested >= kNestedCallsToFirstLook && std::has_single_bit(nested);
}

template <specs::EntryPoint kEntry, typename... Args>
[[gnu::always_inline]] inline OpenCall BeginCall(ThreadState& thread,
                                                 const void* frame,
                                                 const void* return_address,
                                                 Args... args) {
  using Traits = EntryTraits<kEntry>;
  const auto here = reinterpret_cast<uintptr_t>(frame);
  OpenCall call;
  call.depth = here < thread.outermost_frame ? thread.depth : 0;
  if (call.depth != 0 && IsTimeToLook(++thread.nested)) [[unlikely]] {
    if (OutermostIsGone(thread)) call.depth = 0;
  }
  thread.depth = call.depth + 1;
  call.flags = 0;
  call.begin_ticks = Ticks();
  if (call.depth == 0) {
    thread.nested = 0;
    thread.outermost_frame = here;
    thread.outermost_return = return_address;
    if (thread.is_pushed) [[unlikely]] {
      thread.is_pushed = false;
      PopCorrelation();
    }
    if (thread.record_flags != 0) [[unlikely]]
      call.begin_ticks = LookCloser(thread, Traits::kIsWork, call.begin_ticks);
    thread.outermost_ticks = call.begin_ticks;
    const uint64_t open_call =
        (call.begin_ticks & ~uint64_t{0xFFFF}) | kEntryId<kEntry>;
    std::atomic_ref(thread.ring->open_call)
        .store(open_call, std::memory_order_relaxed);
    if constexpr (IsLibrary(Traits::kLibrary)) {
      const uint32_t work =
          g_process.library_work.load(std::memory_order_relaxed);
      if (work != 0) [[unlikely]] {
        if ((work & kDelays) != 0) [[unlikely]] {
          DelayCall(thread, LayerClassOf<Traits>(args...), call);
        }
        if ((work & kPushes) != 0 && PushCorrelation(call.begin_ticks)) {
          call.flags |= trace::kCallPushed;
          thread.is_pushed = true;
        }
      }
    }
  }
  return call;
}

// Returns the end time. The ring may have been replaced meanwhile, by a nested
// call's record.
template <specs::EntryPoint kEntry>
[[gnu::always_inline]] inline uint64_t EndCall(ThreadState& thread,
                                               const OpenCall& call) {
  const uint64_t end_ticks = Ticks();
  thread.depth = call.depth;
  if (call.depth == 0) {
    std::atomic_ref(thread.ring->open_call).store(0, std::memory_order_relaxed);
    if constexpr (IsLibrary(EntryTraits<kEntry>::kLibrary)) {
      if ((call.flags & trace::kCallPushed) != 0 && thread.is_pushed)
          [[unlikely]] {
        thread.is_pushed = false;
        PopCorrelation();
      }
    }
  }
  return end_ticks;
}

// One call in 256 is timed as a whole, for the wrapper's own cost: from here to
// the end of NoteCost(), without the real call. Which, the place of its record
// tells, so that all of a cache line and of a page have their turn. 0: not this
// one.
[[gnu::always_inline]] inline uint64_t EnterTimed(const ThreadState& thread) {
  constexpr uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // 2^64 / golden ratio
  return ((thread.head + 1) * kSpread) >> 56 == 0 ? Ticks() : 0;
}

[[gnu::noinline]] void AddCost(ThreadState& thread, uint64_t entered_ticks,
                               const FinishedCall& call);

[[gnu::always_inline]] inline void NoteCost(ThreadState& thread,
                                            uint64_t entered_ticks,
                                            const FinishedCall& call) {
  if (entered_ticks != 0) [[unlikely]]
    AddCost(thread, entered_ticks, call);
}

// What a call of 2^32 ticks (1.5 s) or more needs: one slot more, for its
// duration. Also where a clock that ran backwards shows. Returns the slots.
[[gnu::noinline]] int WriteLongDuration(trace::CallSlot* slot, int slots,
                                        uint64_t duration);

// What a slot holds between begin and payload, by one store.
template <specs::EntryPoint kEntry, int kSlots>
[[gnu::always_inline]] inline void WriteHead(trace::CallSlot* slot,
                                             uint32_t duration, uint8_t flags) {
  using Slot = trace::CallSlot;
  static_assert(offsetof(Slot, entry_point) ==
                    offsetof(Slot, duration_ticks) + 4 &&
                offsetof(Slot, slots) == offsetof(Slot, duration_ticks) + 6 &&
                offsetof(Slot, flags) == offsetof(Slot, duration_ticks) + 7);
  constexpr uint64_t kOfEveryCall =
      uint64_t{kEntryId<kEntry>} << 32 | uint64_t{kSlots} << 48;
  const uint64_t head = kOfEveryCall | duration | uint64_t{flags} << 56;
  memcpy(reinterpret_cast<uint8_t*>(slot) + offsetof(Slot, duration_ticks),
         &head, sizeof(head));
}

// One record, built in place.
template <specs::EntryPoint kEntry, typename... Args>
[[gnu::always_inline]] inline void WriteRecord(ThreadState& thread,
                                               const FinishedCall& call,
                                               Args... args) {
  using Traits = EntryTraits<kEntry>;
  constexpr int kSlots = SlotsOf(Traits::kPayloadBytes);
  static_assert(kSlots < static_cast<int>(trace::kMaxSlotsPerCall));
  trace::CallSlot* slot = Reserve(thread, kSlots + 1);
  if (slot == nullptr) [[unlikely]] {
    CountCall(Traits::kCounterIndex);
    return;
  }
  const uint64_t duration = call.end_ticks - call.begin_ticks;
  const uint32_t depth =
      call.depth < trace::kCallDepthMask ? call.depth : trace::kCallDepthMask;
  const auto flags =
      static_cast<uint8_t>(depth | (call.succeeded ? 0 : trace::kCallFailed) |
                           call.flags | thread.record_flags);
  slot->begin_ticks = call.begin_ticks;
  WriteHead<kEntry, kSlots>(slot, static_cast<uint32_t>(duration), flags);
  Traits::Pack(slot->payload, call.succeeded, args...);
  if (duration >= trace::kDurationEscape) [[unlikely]] {
    Commit(thread, WriteLongDuration(slot, kSlots, duration));
    return;
  }
  Commit(thread, kSlots);
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_CALL_RECORD_H_
