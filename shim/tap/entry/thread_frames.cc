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
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/trace_output.h"
#include "shim/tap/tagging/late_table.h"

namespace dltap::shim {
namespace {

constexpr uint32_t kPathSlots = 8192;
constexpr uint32_t kMostUsed = 3 * kPathSlots / 4;
constexpr int kMostThreads = 4096;         // of the interpreter's list
constexpr uint32_t kMostWrongLooks = 100;  // before frames are given up
constexpr uint64_t kConnectEachNs = 1'000'000'000;
constexpr uint64_t kSearchesCpu = 500;  // they take one part in so many

struct KnownPath {
  uint64_t hash;  // 0: free
  uint32_t site;
};

// Where the interpreter keeps the state of a thread.
struct Place {
  uint32_t tid;
  uint16_t misses;  // searches that have not found it
  uint16_t waits;   // looks before the next one
  bool is_wanted;
  uint64_t number;  // of the thread in the interpreter's state
  uintptr_t state;  // 0: not known
};

constexpr uint32_t kMostWanted = 32;

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
  Place places[ThreadBuffers::kMaxBuffers];
  WatchedThread wanted[kMostWanted];  // whose state is to be searched
  uint32_t wanted_count;
  uint64_t search_ns;  // not before
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
void FindPython(FrameWatch& watch) {
  const uint64_t now_ns = MonotonicNs();
  if (now_ns < watch.connect_ns) return;
  watch.connect_ns = now_ns + kConnectEachNs;
  if (!watch.python.Connect()) return;
  if (!watch.python.is_usable() || watch.python.reader().layout->thread < 0) {
    StopFrames();
  }
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
// 3.12), which then is nobody's, and its state is the only one there.
bool IsForkedThread(uint64_t number, uint32_t tid) {
  return tid == static_cast<uint32_t>(getpid()) && number != 0 &&
         !IsThreadOfProcess(number);
}

// `is_only`: the interpreter has no other one.
bool IsOf(const WatchedThread& thread, uint64_t number, bool by_pthread,
          bool is_only) {
  if (by_pthread) return number == thread.pthread;
  return number == thread.tid ||
         (is_only && IsForkedThread(number, thread.tid));
}

// A thread that is not known is searched for less and less often; one whose
// buffer is another's by now, no more.
void BeginSearch(FrameWatch& watch) {
  constexpr uint16_t kMostMisses = 8;
  uint32_t left = 0;
  for (uint32_t i = 0; i < watch.wanted_count; ++i) {
    const WatchedThread& thread = watch.wanted[i];
    Place& place = watch.places[thread.buffer];
    if (place.tid != thread.tid) continue;
    place.state = 0;
    place.is_wanted = false;
    place.waits = static_cast<uint16_t>(1 << place.misses);
    if (place.misses < kMostMisses) ++place.misses;
    watch.wanted[left++] = thread;
  }
  watch.wanted_count = left;
}

// Once along the list for all.
void Search(FrameWatch& watch, uintptr_t newest) {
  const bool by_pthread = watch.python.reader().layout->by_pthread;
  uintptr_t state = newest;
  uintptr_t older = 0;
  uint64_t number = 0;
  for (int seen = 0; state != 0 && seen < kMostThreads; ++seen) {
    if (!LoadNumber(watch, state, &number) ||
        !watch.memory.Load(state + kPythonOlder, &older)) {
      return;
    }
    const bool is_only = seen == 0 && older == 0;
    for (uint32_t i = 0; i < watch.wanted_count; ++i) {
      const WatchedThread& thread = watch.wanted[i];
      if (!IsOf(thread, number, by_pthread, is_only)) continue;
      Place& place = watch.places[thread.buffer];
      if (place.state == 0) place = {thread.tid, 0, 0, false, number, state};
    }
    state = older;
  }
}

// What is known holds for the interpreter that the program has unloaded.
void ForgetPython(FrameWatch& watch) {
  memset(static_cast<void*>(&watch.python), 0, sizeof(watch.python));
  memset(watch.places, 0, sizeof(watch.places));
  ForgetPaths();
  watch.is_checked = false;
}

// In a pass, since the loader's lock may be needed, which a thread may hold
// that waits for the collector.
void FindThreads() {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr || watch->is_off) return;
  if (!watch->python.is_usable()) return FindPython(*watch);
  const uint64_t now_ns = MonotonicNs();
  if (watch->wanted_count == 0 || now_ns < watch->search_ns) return;
  const uint64_t begin_ns = OwnCpuNs();
  bool is_gone = false;
  const uintptr_t newest = watch->python.NewestThread(&is_gone);
  watch->memory.Begin(watch->file);
  BeginSearch(*watch);
  Search(*watch, newest);
  if (is_gone) ForgetPython(*watch);
  watch->wanted_count = 0;
  watch->search_ns = now_ns + (OwnCpuNs() - begin_ns) * kSearchesCpu;
}

// 0: the interpreter does not know the thread, as far as is known.
uintptr_t StateOf(FrameWatch& watch, const WatchedThread& thread) {
  Place& place = watch.places[thread.buffer];
  if (place.tid != thread.tid) place = {thread.tid, 0, 0, false, 0, 0};
  uint64_t number = 0;
  if (place.state != 0 && LoadNumber(watch, place.state, &number) &&
      number == place.number) {
    return place.state;
  }
  place.state = 0;
  if (place.waits > 0) {
    --place.waits;
  } else if (watch.wanted_count < kMostWanted && !place.is_wanted) {
    watch.wanted[watch.wanted_count++] = thread;
    place.is_wanted = true;
  }
  return 0;
}

// What a look finds: no Python, frames of more than one moment, a path.
enum class Found : uint8_t { kNone, kTorn, kPath };

// `likely`: what it probably is, or nullptr; and in which order to read that.
Found ReadPath(FrameWatch& watch, const WatchedThread& thread,
               const PythonPath* likely, bool inwards, PythonPath* path) {
  watch.memory.Forget();
  const PythonReader& reader = watch.python.reader();
  if (likely != nullptr) reader.FetchFrames(watch.memory, *likely, inwards);
  const uintptr_t state = StateOf(watch, thread);
  if (state == 0) return Found::kNone;
  uintptr_t frame = 0;
  if (!reader.FindFrame(watch.memory, state, &frame, path)) {
    return Found::kTorn;
  }
  if (frame == 0) return Found::kNone;
  return reader.ReadPath(watch.memory, frame, path) ? Found::kPath
                                                    : Found::kTorn;
}

// Into `watch.path`, and which frame of it is the innermost that stayed while
// the frames of a thread that runs were read. A short loop comes to the same
// places again and again, and frames of two of its moments would look like
// one's. So once it is known where they lie, they are copied within a moment,
// and more than once; those that lie apart there and back, so that nothing
// happens unseen between the two copies of an inner one.
Found ReadStablePath(FrameWatch& watch, const WatchedThread& thread,
                     int* first) {
  const bool are_apart = !watch.python.reader().AreSideBySide();
  PathCopies copies(are_apart ? 6 : 3);
  while (!copies.AreEnough()) {
    watch.before = watch.path;
    const PythonPath* likely = copies.count() == 0 ? nullptr : &watch.before;
    const bool inwards = !are_apart || copies.count() % 2 == 1;
    const Found found = ReadPath(watch, thread, likely, inwards, &watch.path);
    if (found == Found::kNone) return found;
    copies.Take(found == Found::kPath, watch.before, &watch.path);
    if (copies.AreTorn()) return Found::kTorn;
  }
  *first = copies.First(watch.path);
  return Found::kPath;
}

// Frames of a version look as its headers say, or none of them is believed.
bool AreChecked(FrameWatch& watch, int first) {
  if (watch.is_checked) return true;
  const PythonReader& reader = watch.python.reader();
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

// 0: there are too many, or it cannot be read. What the hash stands for is
// still there when it has been described.
uint32_t Define(FrameWatch& watch, int first, uint64_t hash) {
  PythonReader& reader = watch.python.reader();
  if (watch.used >= kMostUsed) {
    CountLoss(trace::LossKind::kSiteTableFull);
    return 0;
  }
  if (!reader.Describe(watch.memory, watch.path, first, &watch.site)) return 0;
  watch.memory.Forget();
  const uint64_t after = reader.HashPath(watch.memory, watch.path, first);
  if (after != hash) return 0;
  const uint32_t id = SiteDefinition::NextId();
  watch.site.Write(id);
  return id;
}

// A path is known by the innermost instruction, so that no line need be looked
// up, and by its line, which many instructions share.
uint32_t SiteOfPath(FrameWatch& watch, int first) {
  const PythonPath::Frame& innermost = watch.path.frames[first];
  const PythonReader& reader = watch.python.reader();
  const uint64_t path = reader.HashPath(watch.memory, watch.path, first);
  if (path == 0) return 0;
  const uint64_t by_instruction = MixPython(path, innermost.instruction) | 1;
  const KnownPath* known = Find(watch, by_instruction);
  if (known != nullptr && known->hash != 0) return known->site;
  if (!AreChecked(watch, first)) return 0;
  const uint64_t by_line =
      MixPython(~path, reader.Line(watch.memory, innermost)) | 1;
  known = Find(watch, by_line);
  uint32_t site = known != nullptr && known->hash != 0 ? known->site : 0;
  if (site == 0) {
    site = Define(watch, first, path);
    if (site == 0) return 0;
    Keep(watch, by_line, site);
  }
  Keep(watch, by_instruction, site);
  return site;
}

void LookAtFrames(const WatchedThread& thread) {
  FrameWatch* watch = g_watch.Find();
  if (watch == nullptr || watch->is_off || !watch->python.is_usable()) return;
  trace::ThreadFramesRecord record = {};
  record.ticks = Ticks();
  watch->memory.Begin(watch->file);
  int first = 0;
  const Found found = ReadStablePath(*watch, thread, &first);
  if (found == Found::kNone) return;
  record.thread = thread.index;
  if (found == Found::kPath) record.site = SiteOfPath(*watch, first);
  WriteRecord(trace::BlockKind::kSamples, record);
}

}  // namespace

void WatchPythonFrames() {
  LookAtThreadsBy(LookAtFrames);
  AddParticipant({.start = StartFrames,
                  .pass = FindThreads,
                  .exit = [](bool (*)()) { StopFrames(); },
                  .stop = StopFrames,
                  .forget = ForgetPaths});
}

}  // namespace dltap::shim
