// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/native_sites.h"

#include <unistd.h>

#include <cstring>

#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/runtime/session_state.h"

namespace dltap::shim {
namespace {

using trace::LossKind;

// A definition holds in its epoch; the objects at an address, until the loader
// loads anew.
uint64_t Stamp() {
  const uint64_t loads = g_loader.loads.load(std::memory_order_relaxed)
                             ->load(std::memory_order_relaxed);
  return uint64_t{DefinitionEpoch()} << 32 | static_cast<uint32_t>(loads);
}

// The stack from `sp` up, if it is the thread's own: it ends at the thread's
// descriptor, that of the first thread where the program began. Another one, a
// coroutine's or a signal handler's, lies elsewhere, or ends before that.
bool LearnStack(const SiteTable& table, ThreadState& thread, uintptr_t sp) {
  constexpr uintptr_t kMostAttempts = 256;
  constexpr uintptr_t kMostGrowth = uintptr_t{8} << 20;  // since it was known
  constexpr uintptr_t kPage = 4096;
  const bool is_known = thread.stack_end != 0;
  if (is_known ? sp >= thread.stack_end || thread.stack_begin - sp > kMostGrowth
               : thread.stack_begin >= kMostAttempts) {
    return false;
  }
  const uintptr_t end =
      gettid() == table.pid
          ? table.loader.main_stack_end
          : reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  if (sp < end && end - sp <= kMostProbedBytes &&
      AllReadable(table.pid, sp, end)) {
    thread.stack_begin = sp & ~(kPage - 1);
    thread.stack_end = end;
    return true;
  }
  if (!is_known) ++thread.stack_begin;
  return false;
}

// The bytes up to `end` can be read. Volatile: they may be anything.
bool IsStored(uintptr_t at, uintptr_t end, uintptr_t value) {
  return at <= end - sizeof(uintptr_t) &&
         *reinterpret_cast<const volatile uintptr_t*>(at) == value;
}

// A walk from `place` would find this path. Looks only where that would look.
bool LiesAt(const StackPath& path, const StackPlace& place, uintptr_t end) {
  int link = 0;
  for (int i = 1; i < path.count; ++i) {
    for (; link < path.link_count && path.link_frames[link] == i; ++link) {
      const auto [at, to] = path.links[link];
      const uintptr_t target = place.sp + to;
      if (at == StackPath::kInRegister
              ? place.bp != target
              : !IsStored(place.sp + at, end, target)) {
        return false;
      }
    }
    if (!IsStored(place.sp + path.offsets[i], end, path.returns[i])) {
      return false;
    }
  }
  return true;
}

bool SameFrames(const StackPath& a, const StackPath& b) {
  return a.count == b.count && a.objects == b.objects &&
         a.is_truncated == b.is_truncated &&
         memcmp(a.returns, b.returns,
                static_cast<size_t>(a.count) * sizeof(a.returns[0])) == 0;
}

std::atomic<uint32_t>& BucketOf(SiteTable& table, uintptr_t pc) {
  return table.buckets[(pc * 0x9E3779B97F4A7C15u) >> 52];
}
static_assert(kBuckets == 1u << 12);

// A path of these frames that lies on the stack in another way, or that was
// known before something was loaded.
KnownPath* FindFrames(SiteTable& table, const StackPath& path) {
  uint32_t at =
      BucketOf(table, path.returns[0]).load(std::memory_order_acquire);
  for (; at != 0; at = table.paths[at - 1].next) {
    KnownPath& known = table.paths[at - 1];
    if (SameFrames(known.path, path)) return &known;
  }
  return nullptr;
}

uint32_t SiteOfFrames(SiteTable& table, Scratch& scratch, uint64_t stamp,
                      const KnownPath* equal) {
  if (equal != nullptr) {
    const uint64_t old = equal->stamp.load(std::memory_order_acquire);
    const uint32_t site = equal->site.load(std::memory_order_relaxed);
    if (old >> 32 == stamp >> 32 && site != 0) return site;
  }
  DescribeStack(scratch.memory, table.loader, scratch.path, table.program,
                &scratch.site);
  return Define(scratch);
}

void Remember(SiteTable& table, const StackPath& path, uint64_t stamp,
              uint32_t site) {
  const uint32_t index =
      table.path_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMostPaths) {
    table.path_count.store(kMostPaths, std::memory_order_relaxed);
    return;
  }
  KnownPath& known = table.paths[index];
  known.path = path;
  known.site.store(site, std::memory_order_relaxed);
  known.stamp.store(stamp, std::memory_order_relaxed);
  std::atomic<uint32_t>& bucket = BucketOf(table, path.returns[0]);
  known.next = bucket.load(std::memory_order_relaxed);
  while (!bucket.compare_exchange_weak(known.next, index + 1,
                                       std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

// `stale`: it lies on the stack as this path, but is of an older stamp.
uint32_t TakePath(SiteTable& table, const StackPlace& place, uint64_t stamp,
                  KnownPath* stale) {
  if (stale == nullptr &&
      table.path_count.load(std::memory_order_relaxed) >= kMostPaths) {
    return NoSite(LossKind::kSiteTableFull);
  }
  ScratchHold hold(table);
  if (hold.get() == nullptr) return NoSite(LossKind::kSiteUnknown);
  Scratch& scratch = *hold.get();
  WalkStack(scratch.memory, table.loader, place, &scratch.path);
  if (scratch.memory.was_refused()) return NoSite(LossKind::kSiteUnknown);
  KnownPath* equal = stale != nullptr && SameFrames(stale->path, scratch.path)
                         ? stale
                         : FindFrames(table, scratch.path);
  const uint32_t site = SiteOfFrames(table, scratch, stamp, equal);
  if (site == 0) return 0;
  if (equal != nullptr && equal == stale) {
    stale->site.store(site, std::memory_order_relaxed);
    stale->stamp.store(stamp, std::memory_order_release);
  } else {
    Remember(table, scratch.path, stamp, site);
  }
  return site;
}

}  // namespace

uint32_t NativeSite(SiteTable& table, ThreadState& thread) {
  // Where the wrapper keeps them: its caller's rbp, the return address.
  const auto* frame =
      reinterpret_cast<const uintptr_t*>(thread.outermost_frame);
  const auto pc = reinterpret_cast<uintptr_t>(thread.outermost_return);
  if (table.loader.find_object == nullptr) return 0;
  if (frame[1] != pc) return NoSite(LossKind::kSiteUnknown);
  const StackPlace place = {pc, thread.outermost_frame + 16, frame[0]};
  if ((place.sp < thread.stack_begin || place.sp >= thread.stack_end) &&
      !LearnStack(table, thread, place.sp)) {
    return NoSite(LossKind::kSiteUnknown);
  }
  const uint64_t stamp = Stamp();
  KnownPath* stale = nullptr;
  uint32_t at = BucketOf(table, pc).load(std::memory_order_acquire);
  for (; at != 0; at = table.paths[at - 1].next) {
    KnownPath& known = table.paths[at - 1];
    if (known.path.returns[0] != pc ||
        !LiesAt(known.path, place, thread.stack_end)) {
      continue;
    }
    if (known.stamp.load(std::memory_order_acquire) == stamp) {
      return known.site.load(std::memory_order_relaxed);
    }
    stale = &known;
  }
  return TakePath(table, place, stamp, stale);
}

}  // namespace dltap::shim
