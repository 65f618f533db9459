// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_PENDING_QUEUE_H_
#define DLTAP_SIMGPU_CUPTI_PENDING_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/cupti/record_layout.h"

namespace dltap::simgpu {

// Records on their way from the program's threads to the one that pumps, in the
// order of submission. They lie in chunks that are used again: adding one costs
// a copy, no growth and no fresh page, and waits for nobody who looks through
// them.
class PendingQueue {
 public:
  // Any thread. Throws std::bad_alloc.
  void Add(const PendingRecord& record, uint32_t thread_id);

  // Appends all of them to `out`.
  void TakeAll(std::vector<PendingRecord>& out);

 private:
  static constexpr size_t kChunkRecords = 256;
  static constexpr size_t kMostFree = 64;
  struct Chunk {
    size_t count = 0;
    std::array<PendingRecord, kChunkRecords> records;
  };
  using Chunks = std::vector<std::unique_ptr<Chunk>>;

  // REQUIRES: mutex_.
  void BeginChunk();

  std::mutex mutex_;
  Chunks filled_;  // the last one takes records
  Chunks free_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_PENDING_QUEUE_H_
