// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_WORK_H_
#define DLTAP_SIMGPU_STREAM_WORK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "simgpu/base/activity.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/stream/memory_operation.h"

namespace dltap::simgpu {

struct Array;
struct Event;
struct Kernel;

// What can stand in a stream or in a graph node.

struct EmptyWork {};

// Asked in stream order, with the time at which the work began here, until all
// data has come. The answer is when the last rank began that gave any, later by
// what slow links cost, earlier by what fast ones save. The work ends its
// modelled time after that.
using OpenExchange = std::function<std::optional<int64_t>(int64_t begin_ns)>;

// Called when the work is submitted, in the order that all ranks share.
using ExchangeStarter = std::function<OpenExchange()>;

struct KernelWork {
  const char* name = "";
  const Kernel* kernel = nullptr;  // null for library kernels
  Dim3 grid;
  Dim3 block;
  Dim3 cluster{0, 0, 0};
  uint32_t registers_per_thread = 32;
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  int64_t duration_ns = 0;      // 0: modelled
  double bytes_per_thread = 0;  // 0: unknown
  bool cooperative = false;
  // May begin before what it follows is over (programmatic dependent launch).
  bool programmatic = false;
  void** arguments = nullptr;    // as the caller gave them; never read later
  std::function<void()> effect;  // on memory; empty: not known,
  // but where it may write; nullopt: anywhere.
  std::optional<std::vector<WriteTarget>> may_write;
  std::shared_ptr<const ExchangeStarter> exchange;  // with other ranks
};

// Up to three dimensions; a plain copy has height = depth = 1.
struct CopyWork {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  size_t width = 0;  // bytes in a row
  size_t height = 1;
  size_t depth = 1;
  size_t destination_pitch = 0;
  size_t source_pitch = 0;
  size_t destination_slice = 0;  // bytes from one depth to the next
  size_t source_slice = 0;
  CopyDirection direction = CopyDirection::kHostToHost;
  MemoryKind destination_kind = MemoryKind::kPageable;
  MemoryKind source_kind = MemoryKind::kPageable;
  int destination_device = 0;
  int source_device = 0;
  bool asynchronous = true;
  bool staged = false;       // between devices, through the host
  bool sync_memops = false;  // an end asks synchronous copies to wait
  // Where an end is one; what a node's parameters show.
  const Array* destination_array = nullptr;
  const Array* source_array = nullptr;
  // The source, where it was taken out of the program's hands (StageSource).
  std::shared_ptr<const std::vector<std::byte>> staged_bytes;

  size_t bytes() const { return width * height * depth; }
};

struct MemsetWork {
  std::byte* destination = nullptr;
  size_t pitch = 0;
  uint32_t value = 0;
  uint32_t element_bytes = 1;  // 1, 2 or 4
  size_t width = 0;            // elements in a row
  size_t height = 1;
  MemoryKind kind = MemoryKind::kDevice;
  bool asynchronous = true;
  bool sync_memops = false;  // a synchronous memset waits

  size_t bytes() const { return width * height * element_bytes; }
};

struct HostWork {
  std::function<void()> function;
  void (*raw)(void*) = nullptr;  // what a node's parameters show
  void* user_data = nullptr;
};

// In explicit graphs only: eager event calls do not go through Submit().
struct EventRecordWork {
  Event* event;
};
struct EventWaitWork {
  Event* event;
};

// Memory that a graph allocates keeps its address for the graph's life.
struct GraphAllocation;
struct MemoryAllocWork {
  std::shared_ptr<GraphAllocation> allocation;
};
struct MemoryFreeWork {
  std::shared_ptr<GraphAllocation> allocation;
};

// In explicit graphs only: other processes, which would wait or be waited for,
// do not exist here. Parameters are kept as they were given.
struct SemaphoreWork {
  bool signal = false;
  std::vector<void*> semaphores;
  std::vector<std::byte> parameters;
};

// Managed memory that is prefetched; in streams only.
struct MigrationWork {
  size_t bytes = 0;
  CopyDirection direction = CopyDirection::kHostToDevice;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, MemsetWork, HostWork,
                          EventRecordWork, EventWaitWork, MemoryAllocWork,
                          MemoryFreeWork, MemoryOperationsWork, SemaphoreWork,
                          MigrationWork>;

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_WORK_H_
