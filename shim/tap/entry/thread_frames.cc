// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/thread_frames.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "shim/tap/entry/copy_file.h"
#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/python_frames.h"
#include "shim/tap/entry/python_identity.h"
#include "shim/tap/entry/python_layout.h"
#include "shim/tap/entry/python_reader.h"
#include "shim/tap/entry/site_definition.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/trace_output.h"
#include "shim/tap/tagging/late_table.h"

namespace dltap::shim {
namespace {

constexpr uint32_t kPathSlots = 8192;
constexpr uint32_t kMostUsed = 3 * kPathSlots / 4;
constexpr uint32_t kPlaces = 1024;
constexpr int kMostThreads = 4096;         // of the interpreter's list
constexpr uint32_t kMostWrongLooks = 100;  // before frames are given up
constexpr uint64_t kConnectEachNs = 1'000'000'000;

struct KnownPath {
  uint64_t hash;  // 0: free
  uint32_t site;
};

// Where the interpreter keeps the state of a thread.
struct Place {
  uint32_t tid;
  uint16_t misses;  // searches that have not found it
  uint16_t waits;   // looks before the next one
  uint32_t number;  // of the thread in the interpreter's state
  uintptr_t state;  // 0: not known
};

// Of one session; zeros when it begins.
struct FrameWatch {
  CopyFile file;
  PythonConnection python;
  MemoryView memory;
  PythonPath before;
  PythonPath path;
  SiteDefinition site;
  uint64_t connect_ns;   // not before
  uint32_t used;         // of the paths
  uint32_t wrong_looks;  // before the first right one
  bool is_checked;
  bool is_off;
  KnownPath paths[kPathSlots];
  Place places[kPlaces];
};
constinit LateTable<FrameWatch> g_watch;

void StopFrames() {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr) return;
  watch->is_off = true;
  watch->file.Close();
}

// A forked child has its parent's.
void StartFrames() {
  FrameWatch* watch = g_watch.Find();
  if (watch != nullptr) {
    StopFrames();
    memset(static_cast<void*>(watch), 0, sizeof(*watch));
  }
  // Where simulated time stands still, looks would tell of one moment of it.
  const bool is_real = g_process.clock.load(std::memory_order_relaxed) !=
                       static_cast<uint32_t>(ClockKind::kActivity);
  if (!SessionConfig().frames || !is_real) return;
  watch = g_watch.Make();
  if (watch == nullptr) return;
  watch->is_off = !watch->file.Open(g_output.ring_file().path());
}

// While there is none, it is looked for where something was loaded.
void FindPython() {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr || watch->is_off || watch->python.is_usable()) return;
  const uint64_t now_ns = MonotonicNs();
  if (now_ns < watch->connect_ns) return;
  watch->connect_ns = now_ns + kConnectEachNs;
  if (watch->python.Connect() && !watch->python.is_usable()) StopFrames();
}

void ForgetPaths() {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr) return;
  memset(watch->paths, 0, sizeof(watch->paths));
  watch->used = 0;
}

bool LoadNumber(FrameWatch& watch, uintptr_t state, uint64_t* number) {
  const int16_t member = watch.python.reader().layout->thread;
  return watch.memory.Load(state + static_cast<uintptr_t>(member), number);
}

bool IsThreadOfProcess(uint64_t tid) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/task/%llu",
           static_cast<unsigned long long>(tid));
  return access(path, F_OK) == 0;
}

// The thread that forked keeps its number in the child's interpreter (3.11,
// 3.12), which then is nobody's, and its state is the oldest there.
bool IsForkedThread(FrameWatch& watch, uintptr_t oldest, uint32_t tid) {
  uint64_t number = 0;
  return tid == static_cast<uint32_t>(getpid()) && oldest != 0 &&
         LoadNumber(watch, oldest, &number) && number != 0 &&
         !IsThreadOfProcess(number);
}

uintptr_t SearchState(FrameWatch& watch, uint32_t tid) {
  uintptr_t state = watch.python.NewestThread();
  uintptr_t oldest = 0;
  uint64_t number = 0;
  for (int i = 0; state != 0 && i < kMostThreads; ++i) {
    if (!LoadNumber(watch, state, &number)) return 0;
    if (number == tid) return state;
    oldest = state;
    if (!watch.memory.Load(state + kPythonOlder, &state)) return 0;
  }
  return state == 0 && IsForkedThread(watch, oldest, tid) ? oldest : 0;
}

// 0: the interpreter does not know the thread, as far as is known. One that it
// has not known is searched for less and less often.
uintptr_t StateOf(FrameWatch& watch, uint32_t tid) {
  constexpr uint16_t kMostMisses = 8;
  Place& place = watch.places[tid % kPlaces];
  uint64_t number = 0;
  if (place.tid != tid) place = {tid, 0, 0, 0, 0};
  if (place.state != 0 && LoadNumber(watch, place.state, &number) &&
      number == place.number) {
    return place.state;
  }
  if (place.waits > 0) {
    --place.waits;
    return 0;
  }
  place.state = SearchState(watch, tid);
  if (place.state != 0 && LoadNumber(watch, place.state, &number)) {
    place.number = static_cast<uint32_t>(number);
  } else {
    place.waits = static_cast<uint16_t>(1 << place.misses);
    if (place.misses < kMostMisses) ++place.misses;
  }
  return place.state;
}

bool ReadPath(FrameWatch& watch, uint32_t tid, PythonPath* path) {
  watch.memory.Forget();
  const PythonReader& reader = watch.python.reader();
  const uintptr_t state = StateOf(watch, tid);
  uintptr_t frame = 0;
  return state != 0 && reader.FindFrame(watch.memory, state, &frame) &&
         frame != 0 && reader.ReadPath(watch.memory, frame, path);
}

// Into `watch.path`, and which frame of it is the innermost that stayed while
// the frames of a thread that runs were read. False: it is in none, or they
// cannot be read.
bool ReadStablePath(FrameWatch& watch, uint32_t tid, int* first) {
  if (!ReadPath(watch, tid, &watch.before) ||
      !ReadPath(watch, tid, &watch.path)) {
    return false;
  }
  *first = StablePart(watch.before, watch.path);
  return *first < watch.path.count;
}

// Frames of a version look as its headers say, or none of them is believed.
bool LooksRight(FrameWatch& watch, int first) {
  const PythonReader& reader = watch.python.reader();
  if (watch.is_checked) return reader.AreCode(watch.memory, watch.path, first);
  watch.is_checked = reader.LooksRight(watch.memory, watch.path, first);
  if (!watch.is_checked && ++watch.wrong_looks >= kMostWrongLooks) StopFrames();
  return watch.is_checked;
}

// The place of what the hash stands for; free where it is not known. nullptr:
// there is none.
KnownPath* Find(FrameWatch& watch, uint64_t hash) {
  for (uint32_t probe = 0; probe < kPathSlots; ++probe) {
    KnownPath& path = watch.paths[(hash + probe) % kPathSlots];
    if (path.hash == hash || path.hash == 0) return &path;
  }
  return nullptr;
}

void Keep(FrameWatch& watch, uint64_t hash, uint32_t site) {
  KnownPath* path = Find(watch, hash);
  if (path == nullptr || path->hash != 0 || watch.used >= kMostUsed) return;
  *path = {hash, site};
  ++watch.used;
}

// 0: there are too many, or it cannot be read.
uint32_t Define(FrameWatch& watch, int first) {
  if (watch.used >= kMostUsed ||
      !watch.python.reader().Describe(watch.memory, watch.path, first,
                                      &watch.site)) {
    return 0;
  }
  const uint32_t id = SiteDefinition::NextId();
  watch.site.Write(id);
  return id;
}

// A path is known by the innermost instruction, so that nothing but frames need
// be read, and by its line, which many instructions share.
uint32_t SiteOfPath(FrameWatch& watch, int first) {
  const PythonPath::Frame& innermost = watch.path.frames[first];
  const uint64_t path = HashPath(watch.path, first);
  const uint64_t by_instruction = MixPython(path, innermost.instruction) | 1;
  const KnownPath* known = Find(watch, by_instruction);
  if (known != nullptr && known->hash != 0) return known->site;
  if (!LooksRight(watch, first)) return 0;
  const uint32_t line = watch.python.reader().Line(watch.memory, innermost);
  const uint64_t by_line = MixPython(~path, line) | 1;
  known = Find(watch, by_line);
  uint32_t site = known != nullptr && known->hash != 0 ? known->site : 0;
  if (site == 0) {
    site = Define(watch, first);
    if (site == 0) return 0;
    Keep(watch, by_line, site);
  }
  Keep(watch, by_instruction, site);
  return site;
}

void LookAtFrames(uint32_t tid, uint32_t thread_index) {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr || watch->is_off || !watch->python.is_usable()) return;
  if (watch->python.reader().layout->thread < 0) return;
  trace::ThreadFramesRecord record = {};
  record.ticks = Ticks();
  watch->memory.Begin(watch->file);
  int first = 0;
  if (!ReadStablePath(*watch, tid, &first)) return;
  record.thread = thread_index;
  record.site = SiteOfPath(*watch, first);
  WriteRecord(trace::BlockKind::kSamples, record);
}

}  // namespace

void WatchPythonFrames() {
  LookAtThreadsBy(LookAtFrames);
  AddParticipant({.start = StartFrames,
                  .pass = FindPython,
                  .exit = [](uint64_t) { StopFrames(); },
                  .stop = StopFrames,
                  .forget = ForgetPaths});
}

}  // namespace dltap::shim
