// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_watch.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using trace::BlockKind;

uint64_t ToNs(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_nsec);
}

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

void WriteSample(const ThreadBuffer& buffer, trace::ThreadState state) {
  trace::CpuSampleRecord sample = {};
  sample.ticks = Ticks();
  sample.cpu_time_ns = buffer.cpu_time_ns;
  sample.thread = buffer.thread_index;
  sample.state = static_cast<uint8_t>(state);
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
  if (!buffer.is_named || strcmp(stat.name, buffer.name) != 0) {
    memcpy(buffer.name, stat.name, sizeof(buffer.name));
    buffer.is_named = true;
    WriteThread(buffer);
  }
  buffer.cpu_time_ns = ThreadCpuNs(tid);
  WriteSample(buffer, stat.state);
}

uint64_t ResidentBytes() {
  char line[128];
  if (ReadSmallFile("/proc/self/statm", line, sizeof(line)) < 0) return 0;
  const char* resident = strchr(line, ' ');
  if (resident == nullptr) return 0;
  return strtoull(resident, nullptr, 10) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void SampleProcess() {
  timespec cpu = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  trace::ProcessSampleRecord sample = {};
  sample.ticks = Ticks();
  sample.cpu_time_ns = ToNs(cpu);
  sample.resident_bytes = ResidentBytes();
  WriteRecord(BlockKind::kSamples, sample);
}

}  // namespace

void SampleThreads() {
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    if (g_buffers.at(i).is_owned()) SampleThread(g_buffers.at(i));
  }
  SampleProcess();
}

void NoteThreadEnd(ThreadBuffer& buffer) {
  if (!buffer.is_named) WriteThread(buffer);
  WriteSample(buffer, trace::ThreadState::kEnded);
}

bool IsLastThread() {
  constexpr int kStateField = 3;
  constexpr int kThreadsField = 20;
  char line[1024];
  if (ReadSmallFile("/proc/self/stat", line, sizeof(line)) < 0) return false;
  ThreadStat main = {};
  if (!ParseThreadStat(line, &main) ||
      main.state != trace::ThreadState::kEnded) {
    return false;
  }
  const char* at = strrchr(line, ')') + 2;
  for (int field = kStateField; at != nullptr && field < kThreadsField;
       ++field) {
    at = strchr(at, ' ');
    if (at != nullptr) ++at;
  }
  return at != nullptr && strtoul(at, nullptr, 10) == 2;
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
  return true;
}

}  // namespace dltap::shim
