// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_SITE_TABLE_H_
#define DLTAP_SHIM_TAP_ENTRY_SITE_TABLE_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/entry/call_stack.h"
#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/python_frames.h"
#include "shim/tap/entry/site_definition.h"
#include "shim/trace/losses.h"

// What is known of launch sites, for all threads of a process.
namespace dltap::shim {

inline constexpr uint32_t kBuckets = 4096;
inline constexpr uint32_t kMostPaths = 8192;
inline constexpr uint32_t kPythonSlots = 32768;
inline constexpr uint32_t kMostPythonSites = 16384;
inline constexpr int kScratches = 4;

// A native path as it lies on a stack. All but `stamp` and `site` never change
// once a bucket leads here.
struct KnownPath {
  std::atomic<uint64_t> stamp;  // site and objects are right in it
  std::atomic<uint32_t> site;
  uint32_t next;  // in the bucket, plus 1
  StackPath path;
};

struct KnownPython {
  std::atomic<uint64_t> hash;  // of the path; 0: free
  std::atomic<uint64_t> site;  // epoch << 32 | id
};

// What taking a new path needs, too large for a program's stack.
struct Scratch {
  std::atomic<uint32_t> taken;
  MemoryView memory;
  StackPath path;
  PythonPath python;
  SiteDefinition site;
};

// Mapped once the first site is asked for; zeros in a forked child.
struct SiteTable {
  int pid;
  trace::SiteKind kind;
  LoaderFunctions loader;
  PythonConnection python;
  std::atomic<uint32_t> python_count;
  std::atomic<uint32_t> path_count;
  char program[1024];
  std::atomic<uint32_t> buckets[kBuckets];  // index + 1
  Scratch scratches[kScratches];
  KnownPython pythons[kPythonSlots];
  KnownPath paths[kMostPaths];
};

// One of the scratches, or none: other threads have them.
class ScratchHold {
 public:
  explicit ScratchHold(SiteTable& table) {
    for (Scratch& scratch : table.scratches) {
      if (scratch.taken.exchange(1, std::memory_order_acquire) != 0) continue;
      scratch_ = &scratch;
      scratch.memory.Begin(table.pid);
      return;
    }
  }
  ~ScratchHold() {
    if (scratch_ != nullptr)
      scratch_->taken.store(0, std::memory_order_release);
  }
  ScratchHold(const ScratchHold&) = delete;
  ScratchHold& operator=(const ScratchHold&) = delete;
  Scratch* get() const { return scratch_; }

 private:
  Scratch* scratch_ = nullptr;
};

// The table, made by the first call. Null: another thread is making it, which
// is counted, or there are no launch sites here, as the trace says.
SiteTable* SitesOfProcess();

// Commits what the scratch holds, under a new id. 0: no room, counted.
uint32_t Define(Scratch& scratch);

// Says in the trace how sites are taken from here on.
void WriteSiteMode(trace::SiteKind wanted, trace::SiteKind kind,
                   const char* reason);

// Counts a call without a site; 0.
uint32_t NoSite(trace::LossKind loss);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_SITE_TABLE_H_
