// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_sites.h"

#include <atomic>
#include <cstdint>

namespace dltap::shim {
namespace {

// A reader takes `real` only between two equal keys; a writer, of which there
// is one at a time, empties the key first. Two sites of one slot displace each
// other.
struct CallSite {
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

}  // namespace

void* FindForCallSite(const void* caller, int counter_index) {
  const uint64_t key = KeyOf(caller, counter_index);
  const CallSite& site = SiteOf(key);
  if (site.key.load(std::memory_order_acquire) != key) return nullptr;
  void* real = site.real.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return site.key.load(std::memory_order_relaxed) == key ? real : nullptr;
}

void KeepForCallSite(const void* caller, int counter_index, void* real) {
  const uint64_t key = KeyOf(caller, counter_index);
  CallSite& site = SiteOf(key);
  site.key.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  site.real.store(real, std::memory_order_relaxed);
  site.key.store(key, std::memory_order_release);
  g_is_empty = false;
}

void ForgetCallSites() {
  if (g_is_empty) return;
  for (CallSite& site : g_sites) site.key.store(0, std::memory_order_relaxed);
  g_is_empty = true;
}

}  // namespace dltap::shim
