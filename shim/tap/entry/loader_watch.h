// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LOADER_WATCH_H_
#define DLTAP_SHIM_TAP_ENTRY_LOADER_WATCH_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim {

// Has an object been loaded since the real functions were last compared with
// the loader's list? Two loads and a comparison: every call asks. The loader
// has the count as a variable of its own, which dl_iterate_phdr copies under a
// lock; where that variable is not found, the answer is always no, and a second
// copy of a library is noticed when it is looked up only.
//
// An unload alone needs no attention: whoever still calls a function that is
// gone would have failed without us, too. What is loaded afterwards may lie at
// its address, and moves the count.
struct LoaderWatch {
  std::atomic<const std::atomic<uint64_t>*> loads;
  std::atomic<uint64_t> settled;  // *loads, then
  // Objects in the list now, and then: a thread that must take no lock sees by
  // them whether something was unloaded.
  std::atomic<const std::atomic<uint32_t>*> objects;
  std::atomic<uint32_t> settled_objects;
};
// The name is for the gates (gate.h).
extern constinit LoaderWatch g_loader asm("dltap_loader");

[[gnu::always_inline]] inline bool LoaderMoved() {
  return g_loader.loads.load(std::memory_order_relaxed)
             ->load(std::memory_order_relaxed) !=
         g_loader.settled.load(std::memory_order_relaxed);
}

// How many objects were ever loaded; 0: not known (yet). No lock.
uint64_t LoadsSoFar();

// Nothing was loaded or unloaded since.
bool LoaderIsAsSettled();

// Everything up to now has been looked at. Under the loader's lock.
void LoaderSettled();

// Finds the loader's variables, once. Under its lock, hence with its list.
void WatchLoader(const LoadedObjects& objects);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LOADER_WATCH_H_
