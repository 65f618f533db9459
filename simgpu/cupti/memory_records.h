// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_MEMORY_RECORDS_H_
#define DLTAP_SIMGPU_CUPTI_MEMORY_RECORDS_H_

#include <mutex>
#include <optional>
#include <unordered_map>

#include "simgpu/cupti/record_layout.h"

namespace dltap::simgpu {

// Records of memory and of memory pools.

// The caller that asked for memory: the first code outside the simulated
// libraries that called into them.
struct MemoryCaller {
  uint64_t code = 0;
  const char* file = nullptr;  // its shared object; lives for ever
};
MemoryCaller CallerOfMemory(bool with_file);

// CUPTI_ACTIVITY_KIND_MEMORY2
PendingRecord ToRecord(const MemoryActivityRecord& memory,
                       const MemoryCaller& caller);
PendingRecord ToRecord(const PoolActivityRecord& pool);

// CUPTI_ACTIVITY_KIND_MEMORY: one record for an allocation and its release, so
// the beginnings are kept. Any thread.
class MemoryLifetimes {
 public:
  // The record, when `memory` is a release whose beginning was seen.
  std::optional<PendingRecord> Add(const MemoryActivityRecord& memory,
                                   const MemoryCaller& caller);
  void Clear();

 private:
  struct Beginning {
    int64_t time_ns;
    uint64_t code;
  };
  std::mutex mutex_;
  std::unordered_map<uint64_t, Beginning> beginnings_;  // by address
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_MEMORY_RECORDS_H_
