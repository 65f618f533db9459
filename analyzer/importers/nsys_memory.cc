// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys_memory.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/model/nsys_schema.h"

namespace dltap::analyzer {
namespace {

// ENUM_CUDA_DEV_MEM_EVENT_OPER.
constexpr int64_t kTaken = 0;
constexpr int64_t kGivenBack = 1;

struct Row {
  int64_t global_pid;
  MemoryEvent event;
  uint64_t pool;  // 0: none
  int64_t pool_bytes;
};

// Of the device, or pinned.
bool IsAllocated(MemoryKind kind) {
  return kind != MemoryKind::kUnknown && kind != MemoryKind::kPageable;
}

std::vector<Row> RowsInTime(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.event.at_ns < b.event.at_ns;
  });
  return rows;
}

// Turns what happens inside of a pool into what the pool holds.
void AddRows(std::vector<Row> rows, NsysProcesses& processes) {
  std::map<std::pair<int64_t, uint64_t>, int64_t> pools;  // what they hold
  for (Row& row : RowsInTime(std::move(rows))) {
    MemoryEvent& event = row.event;
    if (row.pool != 0) {
      int64_t& held = pools[{row.global_pid, row.pool}];
      if (held == row.pool_bytes) continue;
      event.address = row.pool;
      event.bytes = row.pool_bytes > 0 ? row.pool_bytes : -held;
      held = row.pool_bytes;
    }
    processes.Of(row.global_pid).process.memory_events.push_back(event);
  }
}

}  // namespace

MemoryKind NsysMemoryKind(std::optional<int64_t> number) {
  switch (number.value_or(-1)) {
    case nsys::kPageableMemory: return MemoryKind::kPageable;
    case nsys::kPinnedMemory: return MemoryKind::kPinned;
    case nsys::kDeviceMemory:
    case 5: return MemoryKind::kDevice;
    case nsys::kArrayMemory: return MemoryKind::kArray;
    case nsys::kManagedMemory:
    case 6: return MemoryKind::kManaged;
    default: return MemoryKind::kUnknown;
  }
}

absl::Status AddNsysMemory(NsysDatabase& database, int64_t origin_ns,
                           NsysProcesses& processes, uint64_t& without_times) {
  std::vector<Row> rows;
  const absl::Status read = database.Scan(
      nsys::kMemoryTable,
      {nsys::kStart, nsys::kGlobalPid, nsys::kDeviceId, nsys::kAddress,
       nsys::kBytes, nsys::kMemKind, nsys::kMemoryOperationType,
       nsys::kLocalMemoryPoolAddress, nsys::kLocalMemoryPoolSize},
      [&](const NsysRow& row) {
        const auto start = row.Int(0);
        if (!start || *start < -kMaxNsysTimeNs || *start > kMaxNsysTimeNs) {
          ++without_times;
          return;
        }
        const MemoryKind kind = NsysMemoryKind(row.Int(5));
        const int64_t bytes = row.IntOr(4, 0);
        const int64_t operation = row.IntOr(6, -1);
        const bool is_known = IsAllocated(kind) && bytes > 0 &&
                              (operation == kTaken || operation == kGivenBack);
        if (!is_known) return;
        const int64_t global_pid = row.IntOr(1, 0);
        MemoryEvent event{};
        event.at_ns = origin_ns + *start;
        event.address = static_cast<uint64_t>(row.IntOr(3, 0));
        event.bytes = operation == kTaken ? bytes : -bytes;
        event.device = processes.Of(global_pid).DeviceOf(row.IntOr(2, 0));
        event.kind = kind;
        rows.push_back({global_pid, event,
                        static_cast<uint64_t>(row.IntOr(7, 0)),
                        std::max<int64_t>(row.IntOr(8, 0), 0)});
      });
  if (read.ok()) AddRows(std::move(rows), processes);
  return read;
}

}  // namespace dltap::analyzer
