// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loader_watch.h"

#include <link.h>
#include <unistd.h>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/loader_lock.h"

namespace dltap::shim {
namespace {

constinit std::atomic<uint64_t> g_no_loads{0};
constinit std::atomic<uint32_t> g_no_objects{0};

// glibc's `struct rtld_global`. Its begin is fixed ("'dl_loaded' must remain
// the first element. Forever.", ldsodefs.h); what follows the namespaces has
// been, from 2.4 on, two or (2.35) three recursive mutexes and the count of
// loads. Their places depend on the release, so they are found by what they
// hold.
struct LoaderGlobals {
  const link_map* loaded;
  std::atomic<uint32_t> object_count;
};

struct Found {
  const std::atomic<uint64_t>* loads;
  LoaderMutex* list_lock;
};

// We are inside dl_iterate_phdr, hence hold the lock of the list. Inside of
// dlopen(), too, the lock of loading, which comes before it.
Found FindLoads(char* globals, uint64_t bytes, uint64_t loads) {
  constexpr int kMostMutexes = 3;
  const int32_t thread = gettid();
  constexpr uint64_t kNeeded =
      kMostMutexes * sizeof(LoaderMutex) + sizeof(uint64_t);
  for (uint64_t at = 0; at + kNeeded <= bytes; at += alignof(uint64_t)) {
    auto* mutex = reinterpret_cast<LoaderMutex*>(globals + at);
    if (!mutex->IsHeldBy(thread)) continue;
    LoaderMutex* held = nullptr;
    for (int i = 0; i < kMostMutexes && mutex->IsRecursive(); ++i) {
      if (mutex->IsHeldBy(thread)) held = mutex;
      ++mutex;
    }
    const auto* count = reinterpret_cast<const std::atomic<uint64_t>*>(mutex);
    if (count->load(std::memory_order_relaxed) == loads) return {count, held};
  }
  return {};
}

void Find(const LoadedObjects& objects) {
  for (int i = 0; i < objects.count(); ++i) {
    uint64_t bytes = 0;
    auto* globals = static_cast<LoaderGlobals*>(
        objects[i].Elf().FindVariable("_rtld_global", &bytes));
    if (globals == nullptr) continue;
    const auto count = static_cast<uint32_t>(objects.count());
    if (bytes < sizeof(LoaderGlobals) || globals->loaded != _r_debug.r_map ||
        globals->object_count.load(std::memory_order_relaxed) != count) {
      return;
    }
    const Found found =
        FindLoads(reinterpret_cast<char*>(globals), bytes, objects.loads());
    if (found.loads == nullptr) return;
    NoteListLock(found.list_lock);
    g_loader.objects.store(&globals->object_count, std::memory_order_relaxed);
    g_loader.loads.store(found.loads, std::memory_order_relaxed);
    return;
  }
}

}  // namespace

[[gnu::section("dltap_at_load")]] constinit LoaderWatch g_loader = {
    .loads = &g_no_loads,
    .settled = 0,
    .objects = &g_no_objects,
    .settled_objects = 0};

uint64_t LoadsSoFar() {
  return g_loader.loads.load(std::memory_order_relaxed)
      ->load(std::memory_order_relaxed);
}

bool LoaderIsAsSettled() {
  return !LoaderMoved() &&
         g_loader.objects.load(std::memory_order_relaxed)
                 ->load(std::memory_order_relaxed) ==
             g_loader.settled_objects.load(std::memory_order_relaxed);
}

void LoaderSettled() {
  g_loader.settled_objects.store(
      g_loader.objects.load(std::memory_order_relaxed)
          ->load(std::memory_order_relaxed),
      std::memory_order_relaxed);
  g_loader.settled.store(g_loader.loads.load(std::memory_order_relaxed)
                             ->load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
}

void WatchLoader(const LoadedObjects& objects) {
  static constinit bool is_done = false;
  if (is_done) return;
  is_done = true;
  Find(objects);
}

}  // namespace dltap::shim
