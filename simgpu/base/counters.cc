// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/counters.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <vector>

#include "simgpu/base/address_routes.h"
#include "simgpu/base/cbid_table.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/base/host_cost.h"

namespace dltap::simgpu {
namespace {

// All libraries together export about 4,500 functions. Index 0 is "none".
constexpr uint32_t kMaxFunctions = 16384;
constexpr size_t kBlockBytes = kMaxFunctions * sizeof(std::atomic<uint64_t>);

struct Registry {
  Registry() {
    functions.reserve(kMaxFunctions);
    functions.push_back(nullptr);
    blocks.reserve(kMaxFunctions);
  }

  std::mutex mutex;
  std::vector<ApiFunction*> functions;
  std::vector<std::atomic<uint64_t>*> blocks;
  std::vector<uint64_t> ended;  // counts of threads that are gone
};

void ForgetInChild();

Registry& GetRegistry() {
  static Registry* const registry = [] {
    AddForkChildHandler(ForgetInChild);
    return new Registry;
  }();
  return *registry;
}

// The child has one thread and made no call yet; its parent reports the rest.
// The owner of the mutex may not exist in the child, so it gets a new one; a
// list that grows in place is whole at any moment.
void ForgetInChild() {
  Registry& registry = GetRegistry();
  new (&registry.mutex) std::mutex;
  std::fill(registry.ended.begin(), registry.ended.end(), 0);
  for (auto* block : registry.blocks) {
    for (uint32_t i = 0; i < registry.functions.size(); ++i) {
      block[i].store(0, std::memory_order_relaxed);
    }
  }
}

uint64_t CountAt(const Registry& registry, uint32_t index) {
  uint64_t count = index < registry.ended.size() ? registry.ended[index] : 0;
  for (auto* block : registry.blocks) {
    count += block[index].load(std::memory_order_relaxed);
  }
  return count;
}

}  // namespace

std::atomic<uint64_t>* AcquireThreadCounts() {
  void* block = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) {
    std::fputs("dltap: simgpu: no address space for a thread's counters\n",
               stderr);
    std::abort();
  }
  auto* counts = static_cast<std::atomic<uint64_t>*>(block);
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.blocks.push_back(counts);
  return counts;
}

void ReleaseThreadCounts(std::atomic<uint64_t>* counts) {
  Registry& registry = GetRegistry();
  {
    const std::lock_guard lock(registry.mutex);
    registry.ended.resize(registry.functions.size());
    for (uint32_t i = 0; i < registry.ended.size(); ++i) {
      registry.ended[i] += counts[i].load(std::memory_order_relaxed);
    }
    std::erase(registry.blocks, counts);
  }
  munmap(counts, kBlockBytes);
}

void RegisterFunction(ApiFunction& function) {
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  if (function.counter.load(std::memory_order_relaxed) != 0) return;
  const auto index = static_cast<uint32_t>(registry.functions.size());
  if (index >= kMaxFunctions) {
    std::fputs("dltap: simgpu: kMaxFunctions is too small\n", stderr);
    std::abort();
  }
  registry.functions.push_back(&function);
  if (function.cbid == 0) {
    function.cbid = CbidOf(function.domain, function.name);
  }
  function.host_cost_ns = HostCostOf(function.name);
  function.fault = FindFault(function.name);
  function.counter.store(index, std::memory_order_release);
}

namespace {

// "cudart_static" for a runtime that is linked into the program: no tool that
// wraps symbols sees its calls.
std::string LibraryOf(const ApiFunction& function) {
  const bool linked_in =
      function.domain == ApiDomain::kRuntime && !IsSimulatedLibrary(&function);
  return std::string(function.library) + (linked_in ? "_static" : "");
}

}  // namespace

uint64_t CallsOf(const ApiFunction& function) {
  const uint32_t index = function.counter.load(std::memory_order_acquire);
  if (index == 0) return 0;
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  return CountAt(registry, index);
}

std::string CountsAsText() {
  Registry& registry = GetRegistry();
  const std::lock_guard lock(registry.mutex);
  std::vector<std::tuple<std::string, std::string_view, BodyKind, uint64_t>>
      rows;
  for (uint32_t i = 1; i < registry.functions.size(); ++i) {
    const ApiFunction& function = *registry.functions[i];
    const uint64_t count = CountAt(registry, i);
    if (count == 0) continue;  // called by the parent before fork only
    rows.emplace_back(LibraryOf(function), function.name, function.body, count);
  }
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const auto& [library, name, body, count] : rows) {
    text.append(library).append(" ").append(name);
    text.append(body == BodyKind::kReal ? " real " : " default ");
    text.append(std::to_string(count));
    const uint64_t by_address = CallsByAddress(name);
    if (by_address != 0) {
      text.append(" by_address ").append(std::to_string(by_address));
    }
    text.append("\n");
  }
  return text;
}

}  // namespace dltap::simgpu
