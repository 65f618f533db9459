// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/switch_watch.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
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
// A noted switch takes 0.5 to 2 us longer: no more than 1 % of a CPU.
constexpr uint64_t kMostASecond = 5'000;
constexpr uint64_t kFewSwitches = 500;  // between two looks: a burst
constexpr uint64_t kNsPerSecond = 1'000'000'000;
// One that is let go is asked again: a burst may be over.
constexpr uint64_t kPauseNs = 3 * kNsPerSecond;
constexpr size_t kMostAtOnce = 256;  // switches of one record
constexpr uint32_t kPreemptedBit = PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

// Of this session: a child's begins anew.
struct Watched {
  uint32_t threads;
  bool is_refused;
};
constinit Watched g_watched = {};

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
size_t DataBytes() { return kDataPages * PageBytes(); }
size_t RingBytes() { return PageBytes() + DataBytes(); }

// The number behind that name; `missing` if there is none.
uint64_t FieldOf(const char* status, const char* name, int base,
                 uint64_t missing) {
  const char* line = strstr(status, name);
  return line == nullptr ? missing
                         : strtoull(line + strlen(name), nullptr, base);
}

// The kernel counts rings as the user's locked memory, of which programs that
// may not lock more need some themselves (io_uring, RDMA): it must be little.
bool TakesLockedMemory(const char* status) {
  constexpr uint64_t kIpcLock = uint64_t{1} << 14;
  constexpr uint64_t kOnePartIn = 8;
  rlimit limit;
  if ((FieldOf(status, "\nCapEff:", 16, 0) & kIpcLock) != 0) return false;
  return getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
         limit.rlim_cur / kOnePartIn < kMostWatched * RingBytes();
}

// Before Linux 4.17 a thread that is preempted looks as one that sleeps.
bool TellsPreemption() {
  utsname system;
  unsigned major = 0;
  unsigned minor = 0;
  return uname(&system) == 0 &&
         sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
         (major > 4 || (major == 4 && minor >= 17));
}

// A filter may have come since the last time, and limits may be others.
bool MayAsk() {
  char path[64];
  char status[32768];  // with a line of all groups of the user
  snprintf(path, sizeof(path), "/proc/self/task/%d/status", gettid());
  return ReadSmallFile(path, status, sizeof(status)) >= 0 &&
         FieldOf(status, "\nSeccomp:", 10, 1) == 0 &&
         !TakesLockedMemory(status) && TellsPreemption();
}

bool IsWanted() {
  return SessionConfig().switches &&
         g_process.clock.load(std::memory_order_relaxed) !=
             static_cast<uint32_t>(ClockKind::kActivity);
}

// Events have no file of any kind.
bool IsEvent(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

// Takes the descriptor. nullptr and errno: the kernel has no room, or the
// program has closed the number meanwhile and given it to something of its own.
const void* MapEvent(int event) {
  void* ring = mmap(nullptr, RingBytes(), PROT_READ, MAP_SHARED, event, 0);
  const int error = errno;
  const bool is_own = IsEvent(event);
  if (is_own) close(event);  // the mapping keeps it
  errno = error;
  if (ring == MAP_FAILED) return nullptr;
  const auto* page = static_cast<const perf_event_mmap_page*>(ring);
  if (is_own && page->data_offset == PageBytes() &&
      page->data_size == DataBytes()) {
    return ring;
  }
  munmap(ring, RingBytes());
  errno = EBADF;
  return nullptr;
}

// nullptr and errno: the kernel does not let us, or has no room.
const void* MapSwitchesOf(uint32_t tid) {
  perf_event_attr wanted = {};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;
  wanted.sample_type = PERF_SAMPLE_TIME;
  wanted.sample_id_all = 1;
  wanted.context_switch = 1;
  wanted.task = 1;  // when it ends
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  wanted.watermark = 1;  // nobody waits for it
  wanted.wakeup_watermark = 1u << 30;
  const auto event = static_cast<int>(syscall(SYS_perf_event_open, &wanted,
                                              static_cast<pid_t>(tid), -1, -1,
                                              PERF_FLAG_FD_CLOEXEC));
  return event < 0 ? nullptr : MapEvent(event);
}

// The next look may find it otherwise.
bool IsForNow(int error) {
  return error == ESRCH || error == EMFILE || error == ENFILE ||
         error == EBADF || error == EINTR;
}

void Begin(ThreadBuffer& buffer) {
  Watched& watched = g_watched;
  if (watched.is_refused || watched.threads >= kMostWatched || !IsWanted()) {
    return;
  }
  watched.is_refused = !MayAsk();
  if (watched.is_refused) return;
  buffer.switches.ring =
      MapSwitchesOf(buffer.tid.load(std::memory_order_relaxed));
  if (buffer.switches.ring == nullptr) {
    watched.is_refused = !IsForNow(errno);
    return;
  }
  // Nothing is told of the time before the mapping.
  buffer.switches.since_ns = MonotonicNs();
  ++watched.threads;
}

void LetGo(ThreadBuffer& buffer) {
  munmap(const_cast<void*>(buffer.switches.ring), RingBytes());
  buffer.switches = {};
  --g_watched.threads;
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
    if (end_ - at_ < kSwitchBytes) return false;
    Copy(at_, header, sizeof(*header));
    const bool is_switch = header->size == kSwitchBytes;
    Copy(at_ + (is_switch ? sizeof(*header) : kTaskTime), at_ns,
         sizeof(*at_ns));
    if (Head() - at_ > DataBytes() - kTaskBytes ||
        (!is_switch && header->size != kTaskBytes)) {
      lost_ = (end_ - at_) / kSwitchBytes;
      at_ = end_;
      return false;
    }
    at_ += header->size;
    return true;
  }
  uint64_t at() const { return at_; }
  uint64_t lost() const { return lost_; }

 private:
  // A header and a time; of threads that begin and end with four ids between
  // and the time again behind. Nothing else is asked for.
  static constexpr size_t kSwitchBytes = 16;
  static constexpr size_t kTaskTime = 24;
  static constexpr size_t kTaskBytes = 40;

  uint64_t Head() const { return head_.load(std::memory_order_acquire); }
  void Copy(uint64_t from, void* to, size_t bytes) const {
    memcpy(to, data_ + (from & (DataBytes() - 1)), bytes);
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

// The kernel's times are not those of a time namespace.
bool IsOurTime(uint64_t at_ns, uint64_t since_ns) {
  return at_ns + kNsPerSecond > since_ns &&
         at_ns < MonotonicNs() + kNsPerSecond;
}

// False: what the kernel tells is of no use. `count`: how many.
bool WriteSwitches(ThreadBuffer& buffer, uint64_t* count) {
  const uint64_t since_ns = buffer.switches.since_ns;
  SwitchWriter writer(buffer);
  RingReader reader(buffer.switches.ring, buffer.switches.read_bytes);
  perf_event_header header;
  uint64_t at_ns = 0;
  for (*count = 0; reader.Next(&header, &at_ns); ++*count) {
    if (!IsOurTime(at_ns, since_ns)) return false;
    if (header.type == PERF_RECORD_SWITCH) writer.Add(at_ns, KindOf(header));
    // From there on it has no CPU.
    if (header.type == PERF_RECORD_EXIT) {
      writer.Add(at_ns, ThreadSwitch::kSleeps);
    }
  }
  if (reader.lost() > 0) writer.AddLost(reader.lost());
  *count += reader.lost();
  buffer.switches.read_bytes = reader.at();
  writer.Finish();
  return true;
}

// Lets go of a thread of which the kernel tells nothing of use, or too much.
void WriteOrLetGo(ThreadBuffer& buffer) {
  SwitchWatch& watch = buffer.switches;
  const uint64_t since_ns = watch.since_ns;
  uint64_t count = 0;
  if (!WriteSwitches(buffer, &count)) {
    g_watched.is_refused = true;
  } else if (count <= kFewSwitches ||
             count * kNsPerSecond <=
                 (watch.since_ns - since_ns) * kMostASecond) {
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
  if (buffer.switches.ring == nullptr) return;
  const auto* page =
      static_cast<const perf_event_mmap_page*>(buffer.switches.ring);
  const uint64_t head =
      std::atomic_ref(const_cast<perf_event_mmap_page*>(page)->data_head)
          .load(std::memory_order_relaxed);
  if (head - buffer.switches.read_bytes > DataBytes() / 4) {
    WriteOrLetGo(buffer);
  }
}

void EndSwitches(ThreadBuffer& buffer) {
  if (buffer.switches.ring == nullptr) return;
  uint64_t count = 0;
  WriteSwitches(buffer, &count);
  LetGo(buffer);
}

void ForgetSwitches() { g_watched = {}; }

void EndAllSwitches() {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (buffer.switches.ring != nullptr) LetGo(buffer);
  }
}

}  // namespace dltap::shim
