// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/pending_queue.h"

#include <utility>

namespace dltap::simgpu {

void PendingQueue::BeginChunk() {
  filled_.reserve(filled_.size() + 1);
  if (free_.empty()) {
    filled_.push_back(std::make_unique_for_overwrite<Chunk>());
  } else {
    filled_.push_back(std::move(free_.back()));
    free_.pop_back();
  }
}

void PendingQueue::Add(const PendingRecord& record, uint32_t thread_id) {
  const std::lock_guard lock(mutex_);
  if (filled_.empty() || filled_.back()->count == kChunkRecords) BeginChunk();
  Chunk& chunk = *filled_.back();
  PendingRecord& place = chunk.records[chunk.count++];
  place = record;
  place.thread_id = thread_id;
}

void PendingQueue::TakeAll(std::vector<PendingRecord>& out) {
  Chunks taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(filled_);
  }
  for (const auto& chunk : taken) {
    out.insert(out.end(), chunk->records.begin(),
               chunk->records.begin() + static_cast<ptrdiff_t>(chunk->count));
    chunk->count = 0;
  }
  const std::lock_guard lock(mutex_);
  while (!taken.empty() && free_.size() < kMostFree) {
    free_.push_back(std::move(taken.back()));
    taken.pop_back();
  }
}

}  // namespace dltap::simgpu
