// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_sites.h"

#include <atomic>
#include <cstdint>

namespace dltap::shim {
namespace {

// A reader takes what lies between two equal, even versions; a writer, of which
// there is one at a time, makes it odd first. Two sites of one slot displace
// each other, so that a slot may be written, and written back, while a reader
// looks at it. alignas: within a cache line.
struct alignas(32) CallSite {
  std::atomic<uint64_t> version;
  std::atomic<uint64_t> key;
  std::atomic<void*> real;
};
constexpr int kSiteBits = 12;
constinit CallSite g_sites[1 << kSiteBits];
constinit bool g_is_empty = true;

// Addresses have 47 bits.
uint64_t KeyOf(const void* caller, int counter_index) {
  return reinterpret_cast<uint64_t>(caller) ^
         static_cast<uint64_t>(counter_index + 1) << 48;
}

CallSite& SiteOf(uint64_t key) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  return g_sites[key * kMultiplier >> (64 - kSiteBits)];
}

void Write(CallSite& site, uint64_t key, void* real) {
  const uint64_t version = site.version.load(std::memory_order_relaxed);
  site.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  site.key.store(key, std::memory_order_relaxed);
  site.real.store(real, std::memory_order_relaxed);
  site.version.store(version + 2, std::memory_order_release);
}

}  // namespace

void* FindForCallSite(const void* caller, int counter_index) {
  const uint64_t key = KeyOf(caller, counter_index);
  const CallSite& site = SiteOf(key);
  const uint64_t version = site.version.load(std::memory_order_acquire);
  const bool is_it = site.key.load(std::memory_order_relaxed) == key;
  void* real = site.real.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_whole = version % 2 == 0 &&
                        site.version.load(std::memory_order_relaxed) == version;
  return is_it && is_whole ? real : nullptr;
}

void KeepForCallSite(const void* caller, int counter_index, void* real) {
  const uint64_t key = KeyOf(caller, counter_index);
  Write(SiteOf(key), key, real);
  g_is_empty = false;
}

void ForgetCallSites() {
  if (g_is_empty) return;
  for (CallSite& site : g_sites) Write(site, 0, nullptr);
  g_is_empty = true;
}

}  // namespace dltap::shim
