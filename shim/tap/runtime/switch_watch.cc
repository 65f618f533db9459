// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/switch_watch.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using trace::ThreadSwitch;

constexpr size_t kDataPages = 8;  // some 2,000 switches
constexpr uint32_t kMostWatched = 16;
constexpr uint8_t kFirstLook = 2;
constexpr uint8_t kNeverAgain = 255;
// A noted switch takes 0.5 to 2 us longer: no more than 1 % of a CPU.
constexpr uint64_t kMostASecond = 5'000;
constexpr uint64_t kFewSwitches = 500;  // between two looks: a burst
constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr size_t kMostAtOnce = 256;  // switches of one record
constexpr uint32_t kPreemptedBit = PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

// Of this process: a child counts anew.
struct Watched {
  uint64_t pid;
  uint32_t threads;
  bool is_refused;
};
constinit Watched g_watched = {};

Watched& OwnWatched() {
  const auto pid = static_cast<uint64_t>(getpid());
  if (g_watched.pid != pid) g_watched = {pid, 0, false};
  return g_watched;
}

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

bool IsFiltered() {
  char path[64];
  char text[4096];
  snprintf(path, sizeof(path), "/proc/self/task/%d/status", gettid());
  if (ReadSmallFile(path, text, sizeof(text)) < 0) return true;
  const char* line = strstr(text, "\nSeccomp:");
  return line == nullptr ||
         strtol(line + strlen("\nSeccomp:"), nullptr, 10) != 0;
}

bool IsWanted() {
  return SessionConfig().switches &&
         g_process.clock.load(std::memory_order_relaxed) !=
             static_cast<uint32_t>(ClockKind::kActivity);
}

// nullptr: the kernel does not let us, or has no room.
const void* MapSwitchesOf(uint32_t tid) {
  perf_event_attr wanted = {};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;
  wanted.sample_type = PERF_SAMPLE_TIME;
  wanted.sample_id_all = 1;
  wanted.context_switch = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  wanted.watermark = 1;  // nobody waits for it
  wanted.wakeup_watermark = 1u << 30;
  const auto event = static_cast<int>(syscall(SYS_perf_event_open, &wanted,
                                              static_cast<pid_t>(tid), -1, -1,
                                              PERF_FLAG_FD_CLOEXEC));
  if (event < 0) return nullptr;
  void* ring = mmap(nullptr, (1 + kDataPages) * PageBytes(), PROT_READ,
                    MAP_SHARED, event, 0);
  close(event);  // the mapping keeps it
  return ring == MAP_FAILED ? nullptr : ring;
}

void Begin(ThreadBuffer& buffer) {
  Watched& watched = OwnWatched();
  if (watched.is_refused || watched.threads >= kMostWatched || !IsWanted()) {
    return;
  }
  // A filter may have come since the last time.
  watched.is_refused = IsFiltered();
  if (watched.is_refused) return;
  buffer.switches.since_ns = MonotonicNs();
  buffer.switches.ring =
      MapSwitchesOf(buffer.tid.load(std::memory_order_relaxed));
  if (buffer.switches.ring != nullptr) {
    ++watched.threads;
  } else {
    watched.is_refused = errno != ESRCH;
  }
}

void LetGo(ThreadBuffer& buffer) {
  munmap(const_cast<void*>(buffer.switches.ring),
         (1 + kDataPages) * PageBytes());
  buffer.switches = {};
  --OwnWatched().threads;
}

// What the kernel has written since the last time. The mapping can't be written
// to, so that the kernel overwrites what was not read in time: a program that
// protects the pages of all its writable mappings could not give one page of
// this one back.
class RingReader {
 public:
  RingReader(const void* ring, uint64_t from)
      : head_(std::atomic_ref(
            static_cast<perf_event_mmap_page*>(const_cast<void*>(ring))
                ->data_head)),
        data_(static_cast<const char*>(ring) + PageBytes()),
        end_(Head()),
        at_(from) {}

  // False: at the end, or the rest was overwritten, of which lost() tells.
  bool Next(perf_event_header* header, uint64_t* at_ns) {
    if (end_ - at_ < kRecordBytes) return false;
    Copy(at_, header, sizeof(*header));
    Copy(at_ + sizeof(*header), at_ns, sizeof(*at_ns));
    if (Head() - at_ > Bytes() - kRecordBytes || header->size != kRecordBytes) {
      lost_ = (end_ - at_) / kRecordBytes;
      at_ = end_;
      return false;
    }
    at_ += kRecordBytes;
    return true;
  }
  uint64_t at() const { return at_; }
  uint64_t lost() const { return lost_; }

 private:
  // A header and a time: none of another length is asked for.
  static constexpr size_t kRecordBytes = 16;

  static size_t Bytes() { return kDataPages * PageBytes(); }
  uint64_t Head() const { return head_.load(std::memory_order_acquire); }
  void Copy(uint64_t from, void* to, size_t bytes) const {
    memcpy(to, data_ + (from & (Bytes() - 1)), bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
  }

  std::atomic_ref<__u64> head_;
  const char* data_;
  uint64_t end_;
  uint64_t at_;
  uint64_t lost_ = 0;
};

ThreadSwitch KindOf(const perf_event_header& header) {
  if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) {
    return ThreadSwitch::kRuns;
  }
  return (header.misc & kPreemptedBit) != 0 ? ThreadSwitch::kPreempted
                                            : ThreadSwitch::kSleeps;
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

// Returns how many.
uint64_t WriteSwitches(ThreadBuffer& buffer) {
  SwitchWriter writer(buffer);
  RingReader reader(buffer.switches.ring, buffer.switches.read_bytes);
  perf_event_header header;
  uint64_t at_ns = 0;
  uint64_t count = 0;
  for (; reader.Next(&header, &at_ns); ++count) {
    if (header.type == PERF_RECORD_SWITCH) writer.Add(at_ns, KindOf(header));
  }
  if (reader.lost() > 0) writer.AddLost(reader.lost());
  buffer.switches.read_bytes = reader.at();
  writer.Finish();
  return count + reader.lost();
}

}  // namespace

void FollowSwitches(ThreadBuffer& buffer) {
  SwitchWatch& watch = buffer.switches;
  if (watch.ring != nullptr) {
    const uint64_t since_ns = watch.since_ns;
    const uint64_t count = WriteSwitches(buffer);
    if (count * kNsPerSecond > (watch.since_ns - since_ns) * kMostASecond &&
        count > kFewSwitches) {
      LetGo(buffer);
      watch.looks = kNeverAgain;
    }
    return;
  }
  if (watch.looks < kFirstLook) ++watch.looks;
  if (watch.looks == kFirstLook) Begin(buffer);
}

void EndSwitches(ThreadBuffer& buffer) {
  if (buffer.switches.ring == nullptr) return;
  WriteSwitches(buffer);
  LetGo(buffer);
}

void EndAllSwitches() {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (buffer.switches.ring != nullptr) LetGo(buffer);
  }
}

}  // namespace dltap::shim
