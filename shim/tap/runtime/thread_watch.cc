// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/directory.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/switch_watch.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using trace::BlockKind;

constexpr int kThreadsField = 20;
// The kernel tells times to programs in ticks of 100 Hz on all its platforms
// that we run on.
constexpr uint64_t kNsPerStatTick = 10'000'000;

// Looks at the threads while one of them is at work, and else. With 25 ms a gap
// between calls is told from the calls around it; the collector's look takes no
// more than one part in 250 of a CPU, and ends for that in the midst of many.
constexpr uint64_t kShortestLookNs = 25'000'000;
constexpr uint64_t kLongestLookNs = 100'000'000;
constexpr uint64_t kLooksCpu = 250;
// A pause is no end of the work.
constexpr uint64_t kBusyForNs = 1'000'000'000;

// What else is looked at with a sample may take half as much again, and waits
// rather than samples.
constexpr uint64_t kFurtherLooksCpu = 500;

constinit uint32_t g_last_sampled = 0;
constinit uint32_t g_last_looked = 0;
constinit uint64_t g_further_ns = 0;  // not before
constinit uint64_t g_last_work_ns = 0;

[[gnu::section("dltap_at_load")]] constinit ThreadCountFinder g_find_count =
    nullptr;
[[gnu::section("dltap_at_load")]] constinit ThreadLook g_look = nullptr;

trace::ThreadState StateOf(char letter) {
  switch (letter) {
    case 'R': return trace::ThreadState::kRunning;
    case 'S':
    case 'I': return trace::ThreadState::kSleeping;
    case 'D': return trace::ThreadState::kDisk;
    case 'T':
    case 't': return trace::ThreadState::kStopped;
    case 'X':
    case 'x':
    case 'Z': return trace::ThreadState::kEnded;
    default: return trace::ThreadState::kUnknown;
  }
}

void WriteSample(const ThreadBuffer& buffer, uint64_t ticks,
                 trace::ThreadState state) {
  trace::CpuSampleRecord sample = {};
  sample.ticks = ticks;
  sample.cpu_time_ns = buffer.cpu_time_ns;
  sample.thread = buffer.thread_index;
  sample.state = static_cast<uint8_t>(state);
  sample.has_run_delay = buffer.has_run_delay ? 1 : 0;
  sample.run_delay_ns = buffer.run_delay_ns;
  WriteRecord(BlockKind::kSamples, sample);
}

void WriteThread(const ThreadBuffer& buffer) {
  trace::ThreadRecord thread = {};
  thread.index = buffer.thread_index;
  thread.tid = buffer.tid.load(std::memory_order_relaxed);
  thread.is_main = thread.tid == static_cast<uint64_t>(getpid()) ? 1 : 0;
  WriteRecord(BlockKind::kDefinitions, thread,
              trace::Piece::String(buffer.name, strlen(buffer.name)));
}

void ReadRunDelay(uint32_t tid, ThreadBuffer& buffer) {
  char path[64];
  char line[128];
  snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
  buffer.has_run_delay = ReadSmallFile(path, line, sizeof(line)) >= 0 &&
                         ParseRunDelay(line, &buffer.run_delay_ns);
}

// Reads what the kernel has counted of a thread, and returns when: all at one
// time, if this thread does not have to wait for a CPU meanwhile each time it
// tries. 0: it has ended. The CPU time comes first, for asking for it makes the
// kernel count up to now.
uint64_t ReadCounts(uint32_t tid, ThreadBuffer& buffer) {
  constexpr int kAttempts = 3;
  constexpr uint64_t kAtOneTimeNs = 500'000;
  uint64_t ticks = 0;
  for (int i = 0; i < kAttempts; ++i) {
    const uint64_t begin_ns = MonotonicNs();
    const uint64_t cpu_time_ns = ThreadCpuNs(tid);
    if (cpu_time_ns == 0) return 0;
    buffer.cpu_time_ns = cpu_time_ns;
    ReadRunDelay(tid, buffer);
    ticks = Ticks();
    if (MonotonicNs() - begin_ns < kAtOneTimeNs) break;
  }
  return ticks;
}

void SampleThread(ThreadBuffer& buffer) {
  const uint32_t tid = buffer.tid.load(std::memory_order_relaxed);
  char path[64];
  char line[512];
  snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tid);
  ThreadStat stat = {};
  if (ReadSmallFile(path, line, sizeof(line)) < 0 ||
      !ParseThreadStat(line, &stat)) {
    return;
  }
  if (IsNewer(stat, buffer.attached_ns)) {
    buffer.is_replaced = true;
    return;
  }
  if (!buffer.is_named || strcmp(stat.name, buffer.name) != 0) {
    memcpy(buffer.name, stat.name, sizeof(buffer.name));
    buffer.is_named = true;
    WriteThread(buffer);
  }
  const uint64_t ticks = ReadCounts(tid, buffer);
  if (ticks == 0) return;
  WriteSample(buffer, ticks, stat.state);
  FollowSwitches(buffer);
  buffer.wants_look = true;
}

enum class Due : uint8_t { kNo, kWork, kIdle };

// Threads that make no calls are looked at by what they do instead.
Due WhyDue(ThreadBuffer& buffer, uint64_t now_ns) {
  Ring* second = buffer.second.load(std::memory_order_acquire);
  trace::RingHeader& ring =
      *(second != nullptr ? second : buffer.first)->header;
  const uint64_t head =
      std::atomic_ref(ring.head).load(std::memory_order_relaxed);
  const bool in_call =
      std::atomic_ref(ring.open_call).load(std::memory_order_relaxed) != 0;
  const bool is_idle = head == buffer.sampled_head && !in_call;
  if (is_idle && now_ns - buffer.sampled_ns < buffer.idle_look_ns) {
    return Due::kNo;
  }
  buffer.sampled_head = head;
  return is_idle ? Due::kIdle : Due::kWork;
}

// After a call the thread may do something else than before it.
void LookAtThread(ThreadBuffer& buffer, uint64_t now_ns, Due due) {
  const uint64_t span_ns = now_ns - buffer.sampled_ns;
  const uint64_t cpu_time_ns = buffer.cpu_time_ns;
  buffer.sampled_ns = now_ns;
  SampleThread(buffer);
  const uint64_t last_ns = due == Due::kWork ? 0 : buffer.idle_look_ns;
  buffer.idle_look_ns =
      NextIdleLookNs(last_ns, span_ns, buffer.cpu_time_ns - cpu_time_ns);
}

uint64_t ResidentBytes() {
  char line[128];
  if (ReadSmallFile("/proc/self/statm", line, sizeof(line)) < 0) return 0;
  const char* resident = strchr(line, ' ');
  if (resident == nullptr) return 0;
  return strtoull(resident, nullptr, 10) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// A worker of the kernel's, for io_uring, counts as a thread of the process.
bool IsWorker(const char* tid) {
  constexpr int kFlagsField = 9;
  constexpr uint64_t kIoWorker = 0x10;  // PF_IO_WORKER
  char path[64];
  char line[1024];
  snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
  return ReadSmallFile(path, line, sizeof(line)) >= 0 &&
         (StatField(line, kFlagsField) & kIoWorker) != 0;
}

// All but this one and the main thread, which has ended. The first that is none
// ends the look.
bool OthersAreWorkers() {
  const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks < 0) return false;
  const auto own = static_cast<long>(gettid());
  const auto main = static_cast<long>(getpid());
  bool are_workers = true;
  VisitDirectory(tasks, [&](const char* name) {
    const long tid = strtol(name, nullptr, 10);
    const bool is_other = tid != 0 && tid != own && tid != main;
    are_workers = !is_other || IsWorker(name);
    return are_workers;
  });
  close(tasks);
  return are_workers;
}

// Needs no /proc, of which the program may have lost sight. A thread that the C
// library has not made does not count there either, and does not keep the
// process alive.
bool IsLastOfLibrary() {
  static constinit const std::atomic<uint32_t>* count = nullptr;
  if (count == nullptr && g_find_count != nullptr) count = g_find_count();
  return count != nullptr && count->load(std::memory_order_relaxed) == 1;
}

}  // namespace

// The next time goes on where this one has stopped.
uint64_t SampleThreads(uint64_t now_ns) {
  constexpr uint32_t kMaxSamples = 32;
  const uint64_t begin_ns = OwnCpuNs();
  const uint32_t count = g_buffers.count();
  uint32_t samples = 0;
  for (uint32_t i = 0; i < count && samples < kMaxSamples; ++i) {
    if (++g_last_sampled >= count) g_last_sampled = 0;
    ThreadBuffer& buffer = g_buffers.at(g_last_sampled);
    if (!buffer.is_owned()) continue;
    const Due due = WhyDue(buffer, now_ns);
    if (due == Due::kNo) {
      SaveSwitches(buffer);
      continue;
    }
    if (due == Due::kWork) g_last_work_ns = now_ns;
    LookAtThread(buffer, now_ns, due);
    ++samples;
    if (OwnCpuNs() - begin_ns > kLongestLookNs / kLooksCpu) break;
  }
  return NextLookNs(OwnCpuNs() - begin_ns,
                    now_ns - g_last_work_ns < kBusyForNs);
}

void LookFurther(uint64_t now_ns) {
  if (g_look == nullptr || now_ns < g_further_ns) return;
  const uint64_t begin_ns = OwnCpuNs();
  const uint32_t count = g_buffers.count();
  uint64_t cost_ns = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (++g_last_looked >= count) g_last_looked = 0;
    ThreadBuffer& buffer = g_buffers.at(g_last_looked);
    if (!buffer.wants_look || !buffer.is_owned()) continue;
    buffer.wants_look = false;
    g_look({buffer.tid.load(std::memory_order_relaxed), buffer.thread_index,
            g_last_looked, buffer.pthread});
    cost_ns = OwnCpuNs() - begin_ns;
    if (cost_ns > kLongestLookNs / kFurtherLooksCpu) break;
  }
  g_further_ns = now_ns + cost_ns * kFurtherLooksCpu;
}

void SampleWatchedThreads(uint64_t now_ns) {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    const bool is_watched =
        buffer.is_owned() && buffer.switches.ring != nullptr;
    if (!is_watched || buffer.sampled_ns == now_ns) continue;
    LookAtThread(buffer, now_ns, Due::kIdle);
  }
}

uint64_t NextIdleLookNs(uint64_t last_ns, uint64_t span_ns, uint64_t ran_ns) {
  constexpr uint64_t kOneInRuns = 100;
  constexpr uint64_t kMostNs = 3'000'000'000;
  if (ran_ns * kOneInRuns > span_ns) return kShortestLookNs;
  const uint64_t longer_ns = 2 * last_ns;
  return longer_ns < kShortestLookNs ? kShortestLookNs
         : longer_ns > kMostNs       ? kMostNs
                                     : longer_ns;
}

uint64_t NextLookNs(uint64_t cost_ns, bool is_busy) {
  const uint64_t affordable_ns = cost_ns * kLooksCpu;
  if (!is_busy || affordable_ns > kLongestLookNs) return kLongestLookNs;
  return affordable_ns > kShortestLookNs ? affordable_ns : kShortestLookNs;
}

uint64_t SampleProcess() {
  constexpr uint64_t kOftenNs = 90'000'000;
  constexpr uint64_t kOneInCpu = 1000;
  const uint64_t begin_ns = OwnCpuNs();
  trace::ProcessSampleRecord sample = {};
  sample.ticks = Ticks();
  sample.cpu_time_ns = ProcessCpuNs();
  sample.resident_bytes = ResidentBytes();
  WriteRecord(BlockKind::kSamples, sample);
  const uint64_t affordable_ns = (OwnCpuNs() - begin_ns) * kOneInCpu;
  return affordable_ns > kOftenNs ? affordable_ns : kOftenNs;
}

void CountThreadsBy(ThreadCountFinder find) { g_find_count = find; }

void LookAtThreadsBy(ThreadLook look) { g_look = look; }

void NoteThreadEnd(ThreadBuffer& buffer) {
  if (!buffer.is_named) WriteThread(buffer);
  EndSwitches(buffer);
  WriteSample(buffer, Ticks(), trace::ThreadState::kEnded);
}

bool IsLastThread() {
  if (IsLastOfLibrary()) return true;
  char path[64];
  char line[1024];
  ThreadStat main = {};
  // Of the thread: the kernel would add up all of them for the process.
  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
  if (ReadSmallFile(path, line, sizeof(line)) < 0 ||
      !ParseThreadStat(line, &main) ||
      main.state != trace::ThreadState::kEnded) {
    return false;
  }
  return main.threads == 2 || (main.threads > 2 && OthersAreWorkers());
}

bool IsNewer(const ThreadStat& stat, uint64_t attached_ns) {
  return stat.start_ns > attached_ns + kNsPerStatTick;
}

// The second number (Documentation/scheduler/sched-stats.rst). A kernel that
// does not count says that the thread, which is at work, has never run.
bool ParseRunDelay(const char* line, uint64_t* run_delay_ns) {
  const auto next = [](const char* at) {
    at = at == nullptr ? nullptr : strchr(at, ' ');
    return at == nullptr || at[1] < '0' || at[1] > '9' ? nullptr : at + 1;
  };
  const char* delay = next(line);
  const char* runs = next(delay);
  // Whoever is here has run: a kernel that does not count says zeroes.
  if (runs == nullptr || strtoull(runs, nullptr, 10) == 0) return false;
  *run_delay_ns = strtoull(delay, nullptr, 10);
  return true;
}

bool ParseThreadStat(const char* line, ThreadStat* stat) {
  const char* open = strchr(line, '(');
  const char* close = strrchr(line, ')');
  if (open == nullptr || close == nullptr || close < open || close[1] != ' ') {
    return false;
  }
  size_t length = static_cast<size_t>(close - open - 1);
  if (length >= sizeof(stat->name)) length = sizeof(stat->name) - 1;
  memset(stat->name, 0, sizeof(stat->name));
  memcpy(stat->name, open + 1, length);
  stat->state = StateOf(close[2]);
  stat->threads = static_cast<uint32_t>(StatField(line, kThreadsField));
  stat->start_ns = StatField(line, kStartTimeField) * kNsPerStatTick;
  return true;
}

}  // namespace dltap::shim
