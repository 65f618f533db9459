// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_memory.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>

#include "simgpu/base/clock.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/page_segments.h"
#include "simgpu/graph/capture.h"
#include "simgpu/memory/memory.h"
#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/device_memory.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kOpenEnd = std::numeric_limits<int64_t>::max();

// Launched graphs share the memory that a device holds for them: it is as much
// as those ever took that ran at the same time, until it is trimmed.
struct DeviceShare {
  struct Use {
    const GraphExec* exec;
    size_t bytes;
    int64_t end_ns;
  };
  std::vector<Use> uses;  // of launches, in their order
  uint64_t live_bytes = 0;
  uint64_t used_high = 0;
  uint64_t reserved_bytes = 0;
  uint64_t reserved_high = 0;

  // Launches of one exec follow each other: the next one does not count them.
  uint64_t UsedAt(int64_t now_ns, const GraphExec* except = nullptr) const {
    uint64_t bytes = live_bytes;
    for (const Use& use : uses) {
      if (use.end_ns > now_ns && use.exec != except) bytes += use.bytes;
    }
    return bytes;
  }
};

struct Book {
  std::mutex mutex;
  std::map<const void*, std::weak_ptr<GraphAllocation>> by_address;
  std::map<const void*, GraphAllocationRef> live;
  std::map<const Device*, DeviceShare> shares;
};

Book& TheBook() {
  static auto* const book = new Book;
  return *book;
}

// REQUIRES: book.mutex.
bool EndUse(Book& book, const void* address) {
  const auto found = book.live.find(address);
  if (found == book.live.end()) return false;
  const GraphAllocation& allocation = *found->second;
  book.shares[allocation.device].live_bytes -= allocation.mapped_bytes;
  book.live.erase(found);
  return true;
}

// "If any allocations remain unfreed and the exec was not instantiated with
// CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, the launch will fail."
// REQUIRES: book.mutex.
Error EndLastLaunch(Book& book, const GraphExec& exec) {
  for (const GraphAllocationRef& allocation : exec.memory->kept) {
    if (!book.live.contains(allocation->address)) continue;
    if ((exec.flags & kAutoFreeOnLaunch) == 0) return Error::kInvalidValue;
    EndUse(book, allocation->address);
  }
  return Error::kSuccess;
}

template <typename T>
const GraphAllocationRef* AllocationIn(const GraphNode& node) {
  const auto* work = std::get_if<T>(&node.work);
  return work == nullptr ? nullptr : &work->allocation;
}

bool Allocates(const Graph& graph, const GraphAllocation& allocation) {
  return std::ranges::any_of(graph.nodes, [&](const GraphNode* node) {
    const auto* found = AllocationIn<MemoryAllocWork>(*node);
    return found != nullptr && found->get() == &allocation;
  });
}

bool Frees(const Graph& graph, const GraphAllocation& allocation) {
  return std::ranges::any_of(graph.nodes, [&](const GraphNode* node) {
    const auto* found = AllocationIn<MemoryFreeWork>(*node);
    return found != nullptr && found->get() == &allocation;
  });
}

GraphAllocationRef FindByAddress(const void* address) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  const auto found = book.by_address.find(address);
  return found == book.by_address.end() ? nullptr : found->second.lock();
}

// Nobody holds it any more.
void Release(GraphAllocation* allocation) {
  Book& book = TheBook();
  {
    const std::lock_guard lock(book.mutex);
    book.by_address.erase(allocation->address);
  }
  RemoveAllocation(allocation->address);
  UnmapDevicePages({allocation->address, allocation->file_offset},
                   allocation->mapped_bytes);
  delete allocation;
}

}  // namespace

Error MakeAllocWork(Device& device, size_t bytes, Work* work) {
  if (bytes == 0) return Error::kInvalidValue;
  const size_t rounded = RoundToPages(bytes);
  const DevicePages pages =
      rounded < bytes ? DevicePages{} : MapDevicePages(rounded);
  if (pages.address == nullptr) return Error::kOutOfMemory;
  const GraphAllocationRef allocation(
      new GraphAllocation{.address = pages.address,
                          .bytes = bytes,
                          .mapped_bytes = rounded,
                          .file_offset = pages.offset,
                          .device = &device},
      Release);
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages.address),
                 .bytes = rounded,
                 .kind = MemoryKind::kDevice,
                 .owner = MemoryOwner::kGraph,
                 .device = device.ordinal,
                 .file = MemoryFile::Own(),
                 .file_offset = pages.offset});
  *work = MemoryAllocWork{allocation};
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  book.by_address[pages.address] = allocation;
  return Error::kSuccess;
}

// "If the allocation is freed in the same graph, a free node cannot be added to
// another graph. If it is freed in another graph, a free node can no longer be
// added to the owning graph."
Error MakeFreeWork(const Graph& graph, void* address, Work* work) {
  GraphAllocationRef allocation = FindByAddress(address);
  if (allocation == nullptr || allocation->freed_by_graph ||
      Frees(graph, *allocation)) {
    return Error::kInvalidValue;
  }
  if (Allocates(graph, *allocation)) {
    if (allocation->freed_elsewhere) return Error::kInvalidValue;
    allocation->freed_by_graph = true;
  } else {
    allocation->freed_elsewhere = true;
  }
  *work = MemoryFreeWork{std::move(allocation)};
  return Error::kSuccess;
}

Error CaptureAlloc(Stream& stream, Device& device, size_t bytes,
                   void** address) {
  NodeSpec spec{.type = GraphNodeType::kMemoryAlloc, .work = EmptyWork{}};
  Error error = MakeAllocWork(device, bytes, &spec.work);
  if (error != Error::kSuccess) return error;
  void* made = std::get<MemoryAllocWork>(spec.work).allocation->address;
  error = CaptureNode(stream, std::move(spec));
  if (error == Error::kSuccess) *address = made;
  return error;
}

Error CaptureFree(Stream& stream, void* address) {
  CaptureInfo info;
  Error error = GetCaptureInfo(stream, &info);
  if (error != Error::kSuccess) return error;
  if (info.status != CaptureStatus::kActive) return Error::kCaptureInvalidated;
  NodeSpec spec{.type = GraphNodeType::kMemoryFree, .work = EmptyWork{}};
  error = MakeFreeWork(*info.graph, address, &spec.work);
  return error == Error::kSuccess ? CaptureNode(stream, std::move(spec))
                                  : error;
}

GraphMemoryPlan PlanGraphMemory(const GraphExec& exec) {
  GraphMemoryPlan plan;
  std::map<Device*, size_t> now;
  std::set<const GraphAllocation*> allocated;
  std::set<const GraphAllocation*> freed;
  for (const auto& [graph, order] : exec.orders) {
    for (const GraphNode* node : order) {
      if (const auto* made = AllocationIn<MemoryAllocWork>(*node)) {
        Device* device = (*made)->device;
        allocated.insert(made->get());
        plan.kept.push_back(*made);
        now[device] += (*made)->mapped_bytes;
        size_t& peak = plan.needs[device].peak_bytes;
        peak = std::max(peak, now[device]);
      } else if (const auto* gone = AllocationIn<MemoryFreeWork>(*node)) {
        freed.insert(gone->get());
        plan.freed.push_back(*gone);
        size_t& bytes = now[(*gone)->device];
        bytes -= std::min(bytes, (*gone)->mapped_bytes);
      }
    }
  }
  std::erase_if(plan.kept, [&](const GraphAllocationRef& allocation) {
    return freed.contains(allocation.get());
  });
  std::erase_if(plan.freed, [&](const GraphAllocationRef& allocation) {
    return allocated.contains(allocation.get());
  });
  for (const GraphAllocationRef& allocation : plan.kept) {
    plan.needs[allocation->device].kept_bytes += allocation->mapped_bytes;
  }
  return plan;
}

Error TakeGraphMemory(const GraphExec& exec, int64_t begin_ns) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  const Error error = EndLastLaunch(book, exec);
  if (error != Error::kSuccess) return error;
  const int64_t now_ns = SimNow();
  for (const auto& [device, need] : exec.memory->needs) {
    DeviceShare& share = book.shares[device];
    const uint64_t wanted = share.UsedAt(begin_ns, &exec) + need.peak_bytes;
    if (wanted > share.reserved_bytes) {
      if (!ReserveBytes(*device, wanted - share.reserved_bytes)) {
        return Error::kOutOfMemory;
      }
      share.reserved_bytes = wanted;
    }
    share.reserved_high = std::max(share.reserved_high, share.reserved_bytes);
    share.used_high = std::max(share.used_high, wanted);
    std::erase_if(share.uses, [&](const DeviceShare::Use& use) {
      return use.end_ns <= now_ns;
    });
    share.uses.push_back({&exec, need.peak_bytes - need.kept_bytes, kOpenEnd});
  }
  for (const GraphAllocationRef& allocation : exec.memory->kept) {
    book.live[allocation->address] = allocation;
    book.shares[allocation->device].live_bytes += allocation->mapped_bytes;
  }
  for (const GraphAllocationRef& allocation : exec.memory->freed) {
    EndUse(book, allocation->address);
  }
  return Error::kSuccess;
}

void EndGraphMemory(const GraphExec& exec, int64_t end_ns) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  for (const auto& [device, need] : exec.memory->needs) {
    auto& uses = book.shares[device].uses;
    const auto first = std::ranges::find_if(uses, [&](const auto& use) {
      return use.exec == &exec && use.end_ns == kOpenEnd;
    });
    if (first != uses.end()) first->end_ns = end_ns;
  }
}

Error FreeInOrder(void* address, Stream& stream) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kGraph) {
    return FreeToPool(address, stream);
  }
  Book& book = TheBook();
  GraphAllocationRef last;  // may be all that held it: it goes after the lock
  const std::lock_guard lock(book.mutex);
  const auto found = book.live.find(address);
  if (found == book.live.end()) return Error::kInvalidValue;
  last = found->second;
  EndUse(book, address);
  return Error::kSuccess;
}

void TrimGraphMemory(Device& device) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  DeviceShare& share = book.shares[&device];
  const uint64_t used = share.UsedAt(SimNow());
  if (used >= share.reserved_bytes) return;
  ReleaseBytes(device, share.reserved_bytes - used);
  share.reserved_bytes = used;
}

namespace {

enum Attribute : int {
  kUsed = 0,
  kUsedHigh = 1,
  kReserved = 2,
  kReservedHigh = 3
};

}  // namespace

Error GetGraphMemoryAttribute(Device& device, int attribute, uint64_t* value) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  const DeviceShare& share = book.shares[&device];
  switch (attribute) {
    case kUsed: *value = share.UsedAt(SimNow()); break;
    case kUsedHigh: *value = share.used_high; break;
    case kReserved: *value = share.reserved_bytes; break;
    case kReservedHigh: *value = share.reserved_high; break;
    default: return Error::kInvalidValue;
  }
  return Error::kSuccess;
}

Error SetGraphMemoryAttribute(Device& device, int attribute, uint64_t value) {
  if ((attribute != kUsedHigh && attribute != kReservedHigh) || value != 0) {
    return Error::kInvalidValue;
  }
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  DeviceShare& share = book.shares[&device];
  (attribute == kUsedHigh ? share.used_high : share.reserved_high) = 0;
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
