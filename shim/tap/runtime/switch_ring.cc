// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/switch_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/own_descriptors.h"
#include "shim/tap/runtime/process_info.h"

namespace dltap::shim {
namespace {

using trace::ThreadSwitch;

constexpr uint64_t kDataPages = 8;

// A header and a time; of threads that begin and end with four ids between and
// the time again behind. Nothing else is asked for.
constexpr uint64_t kSwitchBytes = 16;
constexpr uint64_t kTaskTime = 24;
constexpr uint64_t kTaskBytes = 40;

uint64_t PageBytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t DataBytes() { return kDataPages * PageBytes(); }
uint64_t RingBytes() { return PageBytes() + DataBytes(); }

// The number behind that name; `missing` if there is none.
uint64_t FieldOf(const char* status, const char* name, int base,
                 uint64_t missing) {
  const char* line = strstr(status, name);
  return line == nullptr ? missing
                         : strtoull(line + strlen(name), nullptr, base);
}

// The kernel counts rings as the user's locked memory.
bool TakesLockedMemory(const char* status, uint32_t rings) {
  constexpr uint64_t kIpcLock = uint64_t{1} << 14;
  constexpr uint64_t kOnePartIn = 8;
  rlimit limit;
  if ((FieldOf(status, "\nCapEff:", 16, 0) & kIpcLock) != 0) return false;
  return getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
         limit.rlim_cur / kOnePartIn < rings * RingBytes();
}

// "monotonic SECONDS NANOSECONDS", and more; a kernel without such namespaces
// has no file.
bool HasOtherTime() {
  char text[256];
  long long seconds = 0;
  long long ns = 0;
  return ReadSmallFile("/proc/self/timens_offsets", text, sizeof(text)) > 0 &&
         (sscanf(text, "monotonic %lld %lld", &seconds, &ns) != 2 ||
          seconds != 0 || ns != 0);
}

bool TellsPreemption() {
  utsname system;
  unsigned major = 0;
  unsigned minor = 0;
  return uname(&system) == 0 &&
         sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
         (major > 4 || (major == 4 && minor >= 17));
}

// Events have no file of any kind.
bool IsEvent(int fd) {
  struct stat status;
  return syscall(SYS_fstat, fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

perf_event_mmap_page* PageOf(const void* ring) {
  return static_cast<perf_event_mmap_page*>(const_cast<void*>(ring));
}

ThreadSwitch StateAfter(const perf_event_header& header) {
  if (header.type == PERF_RECORD_EXIT) return ThreadSwitch::kSleeps;
  if (header.type != PERF_RECORD_SWITCH) return ThreadSwitch::kUnknown;
  if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) {
    return ThreadSwitch::kRuns;
  }
  return (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0
             ? ThreadSwitch::kPreempted
             : ThreadSwitch::kSleeps;
}

// The first event of a machine may take the kernel 10 to 30 ms.
struct Opening {
  uint32_t tid;
  const void* ring;
  int error;
};

void Open(void* argument) {
  auto& opening = *static_cast<Opening*>(argument);
  perf_event_attr wanted = {};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;  // counts nothing
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
                                              static_cast<pid_t>(opening.tid),
                                              -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event >= 0) opening.ring = MapSwitchEvent(event);
  opening.error = errno;
}

}  // namespace

bool MayAskForSwitches(uint32_t rings) {
  char path[64];
  char status[32768];  // with a line of all groups of the user
  snprintf(path, sizeof(path), "/proc/self/task/%d/status", gettid());
  return ReadSmallFile(path, status, sizeof(status)) >= 0 &&
         FieldOf(status, "\nSeccomp:", 10, 1) == 0 &&
         !TakesLockedMemory(status, rings) && !HasOtherTime() &&
         TellsPreemption();
}

const void* MapSwitches(uint32_t tid) {
  Opening opening = {tid, nullptr, 0};
  if (!WithOwnDescriptors(Open, &opening)) Open(&opening);
  errno = opening.error;
  return opening.ring;
}

// By system calls, on a thread that nobody knows.
const void* MapSwitchEvent(int event) {
  const long at = syscall(SYS_mmap, nullptr, RingBytes(), PROT_READ, MAP_SHARED,
                          event, off_t{0});
  const int error = errno;
  const void* ring = at == -1 ? nullptr : std::bit_cast<const void*>(at);
  const bool is_own = IsEvent(event);
  if (is_own) syscall(SYS_close, event);  // the mapping keeps it
  if (is_own && ring == nullptr) {
    errno = error;
    return nullptr;
  }
  if (is_own && PageOf(ring)->data_offset == PageBytes() &&
      PageOf(ring)->data_size == DataBytes()) {
    return ring;
  }
  if (ring != nullptr) UnmapSwitches(ring);
  errno = EBADF;
  return nullptr;
}

void UnmapSwitches(const void* ring) { syscall(SYS_munmap, ring, RingBytes()); }

SwitchReader::SwitchReader(const void* ring, uint64_t from_bytes)
    : head_(PageOf(ring)->data_head),
      data_(static_cast<const char*>(ring) + PageBytes()),
      end_(Head()),
      at_(from_bytes) {}

bool SwitchReader::crowds() const { return end_ - at_ > DataBytes() / 4; }

bool SwitchReader::Next(uint64_t* at_ns, ThreadSwitch* state) {
  do {
    if (end_ - at_ < kSwitchBytes) return false;
    perf_event_header header;
    Copy(at_, &header, sizeof(header));
    const bool is_switch = header.size == kSwitchBytes;
    Copy(at_ + (is_switch ? sizeof(header) : kTaskTime), at_ns, sizeof(*at_ns));
    if (Head() - at_ > DataBytes() - kTaskBytes ||
        (!is_switch && header.size != kTaskBytes)) {
      lost_ = (end_ - at_) / kSwitchBytes;
      at_ = end_;
      return false;
    }
    at_ += header.size;
    *state = StateAfter(header);
  } while (*state == ThreadSwitch::kUnknown);
  return true;
}

void SwitchReader::Copy(uint64_t from, void* to, uint64_t bytes) const {
  memcpy(to, data_ + (from & (DataBytes() - 1)), bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace dltap::shim
