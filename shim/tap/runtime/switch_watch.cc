// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/switch_watch.h"

#include <cerrno>
#include <cstdint>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/switch_ring.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using trace::ThreadSwitch;

constexpr uint32_t kMostWatched = 16;
constexpr uint8_t kFirstLook = 2;
// A noted switch takes 0.5 to 2 us longer: no more than 1 % of a CPU.
constexpr uint64_t kMostASecond = 5'000;
constexpr uint64_t kFewSwitches = 500;  // between two looks: a burst
constexpr uint64_t kNsPerSecond = 1'000'000'000;
// One that is let go, or could not be had, is asked for again: a burst may be
// over.
constexpr uint64_t kPauseNs = 3 * kNsPerSecond;
constexpr size_t kMostAtOnce = 256;  // switches of one record

// Of this session: a child's begins anew.
struct Watched {
  uint32_t threads;
  bool is_refused;  // or no longer of use
};
constinit Watched g_watched = {};

bool IsWanted() {
  return SessionConfig().switches &&
         g_process.clock.load(std::memory_order_relaxed) !=
             static_cast<uint32_t>(ClockKind::kActivity);
}

// A look after the pause may find it otherwise.
bool IsForNow(int error) {
  return error == ESRCH || error == EMFILE || error == ENFILE ||
         error == EBADF || error == EINTR;
}

void Begin(ThreadBuffer& buffer) {
  if (g_watched.is_refused || g_watched.threads >= kMostWatched ||
      !IsWanted()) {
    return;
  }
  // A filter may have come since the last time, and limits may be others.
  g_watched.is_refused = !MayAskForSwitches(kMostWatched);
  if (g_watched.is_refused) return;
  buffer.switches.ring =
      MapSwitches(buffer.tid.load(std::memory_order_relaxed));
  if (buffer.switches.ring == nullptr) {
    g_watched.is_refused = !IsForNow(errno);
    buffer.switches.since_ns = MonotonicNs() + kPauseNs;
    return;
  }
  // Nothing is told of the time before the mapping.
  buffer.switches.since_ns = MonotonicNs();
  ++g_watched.threads;
}

void LetGo(ThreadBuffer& buffer) {
  UnmapSwitches(buffer.switches.ring);
  buffer.switches = {};
  --g_watched.threads;
}

// What is to be written of a thread, a record at a time.
class SwitchWriter {
 public:
  explicit SwitchWriter(ThreadBuffer& buffer) : buffer_(buffer) {
    ReadBothClocks();
    record_.thread = buffer.thread_index;
    Open();
  }

  void Add(uint64_t at_ns, ThreadSwitch kind) {
    if (record_.count == kMostAtOnce) Write(at_ns);
    switches_[record_.count++] = at_ns << 2 | static_cast<uint64_t>(kind);
    buffer_.switches.state = static_cast<uint8_t>(kind);
    last_ns_ = at_ns;
  }
  void AddLost(uint64_t lost) {
    record_.lost += static_cast<uint32_t>(lost < kManyLost ? lost : kManyLost);
    CountLoss(trace::LossKind::kSwitchesLost, lost);
    buffer_.switches.state = static_cast<uint8_t>(ThreadSwitch::kUnknown);
  }
  void Finish() {
    Write(last_ns_ > record_.monotonic_ns ? last_ns_ : record_.monotonic_ns);
  }

 private:
  static constexpr uint64_t kManyLost = 1'000'000;

  // As close together as a few attempts get them.
  void ReadBothClocks() {
    constexpr int kAttempts = 3;
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < kAttempts; ++i) {
      const uint64_t before_ns = MonotonicNs();
      const uint64_t ticks = Ticks();
      const uint64_t apart_ns = MonotonicNs() - before_ns;
      if (apart_ns >= least_ns) continue;
      least_ns = apart_ns;
      record_.ticks = ticks;
      record_.monotonic_ns = before_ns + apart_ns / 2;
    }
  }
  void Open() {
    record_.count = record_.lost = 0;
    record_.begin_ns = buffer_.switches.since_ns;
    record_.state = buffer_.switches.state;
  }
  void Write(uint64_t end_ns) {
    record_.end_ns = end_ns;
    buffer_.switches.since_ns = end_ns;
    WriteRecord(
        trace::BlockKind::kSamples, record_,
        trace::Piece::Raw(switches_, record_.count * sizeof(switches_[0])));
    Open();
  }

  ThreadBuffer& buffer_;
  trace::SwitchesRecord record_ = {};
  uint64_t last_ns_ = 0;
  uint64_t switches_[kMostAtOnce];
};

SwitchReader ReaderOf(const ThreadBuffer& buffer) {
  return {buffer.switches.ring, buffer.switches.read_bytes};
}

// Returns how many. The clocks are read first: what happened until then is in
// the ring.
uint64_t WriteSwitches(ThreadBuffer& buffer) {
  SwitchWriter writer(buffer);
  SwitchReader reader = ReaderOf(buffer);
  uint64_t count = 0;
  uint64_t at_ns = 0;
  ThreadSwitch state = ThreadSwitch::kUnknown;
  for (; reader.Next(&at_ns, &state); ++count) writer.Add(at_ns, state);
  if (reader.lost() > 0) writer.AddLost(reader.lost());
  buffer.switches.read_bytes = reader.at_bytes();
  writer.Finish();
  return count + reader.lost();
}

// Lets go of a thread of which the kernel tells too much.
void WriteOrLetGo(ThreadBuffer& buffer) {
  SwitchWatch& watch = buffer.switches;
  const uint64_t since_ns = watch.since_ns;
  const uint64_t count = WriteSwitches(buffer);
  const uint64_t span_ns = watch.since_ns - since_ns;
  if (count <= kFewSwitches || count * kNsPerSecond <= span_ns * kMostASecond) {
    return;
  }
  LetGo(buffer);
  watch.looks = kFirstLook;
  watch.since_ns = MonotonicNs() + kPauseNs;
}

}  // namespace

void FollowSwitches(ThreadBuffer& buffer) {
  SwitchWatch& watch = buffer.switches;
  if (watch.ring != nullptr) return WriteOrLetGo(buffer);
  if (watch.looks < kFirstLook) ++watch.looks;
  if (watch.looks == kFirstLook && MonotonicNs() >= watch.since_ns) {
    Begin(buffer);
  }
}

void SaveSwitches(ThreadBuffer& buffer) {
  if (buffer.switches.ring != nullptr && ReaderOf(buffer).crowds()) {
    WriteOrLetGo(buffer);
  }
}

void EndSwitches(ThreadBuffer& buffer) {
  if (buffer.switches.ring == nullptr) return;
  WriteSwitches(buffer);
  LetGo(buffer);
}

void FollowNoMore() { g_watched.is_refused = true; }

void ForgetSwitches() { g_watched = {}; }

void EndAllSwitches() {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (buffer.switches.ring != nullptr) LetGo(buffer);
  }
}

}  // namespace dltap::shim
