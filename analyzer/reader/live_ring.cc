// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/live_ring.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "shim/trace/layout.h"

namespace dltap::analyzer {
namespace {

using trace::RingFileHeader;
using trace::RingHeader;

template <typename T>
bool Load(std::span<const uint8_t> bytes, uint64_t at, T* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + at, sizeof(T));
  return true;
}

template <typename T>
void Store(const T& value, uint64_t at, std::vector<uint8_t>& bytes) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

struct Part {
  uint64_t at;
  std::vector<uint8_t> bytes;
};

// What tells how much is committed. It must be older than what it is about, and
// memory is copied in any order.
std::vector<Part> HeadsOf(std::span<const uint8_t> ring) {
  std::vector<Part> parts;
  RingFileHeader file;
  if (!Load(ring, 0, &file)) return parts;
  const auto add = [&](uint64_t at, uint64_t count, uint64_t each) {
    if (at > ring.size()) return;
    const auto part =
        ring.subspan(at, std::min<uint64_t>(count * each, ring.size() - at));
    parts.push_back({at, {part.begin(), part.end()}});
  };
  add(0, 1, sizeof(file));
  add(file.rings_offset, file.ring_count, file.ring_header_bytes);
  add(file.log_offset, file.log_chunks, sizeof(trace::DefinitionChunk));
  return parts;
}

// A ring that another thread has got meanwhile was drained before that.
uint64_t TailOf(const RingHeader& ring, const RingHeader& now) {
  const bool same = ring.thread_index == now.thread_index &&
                    ring.base == now.base && ring.head <= now.head;
  return same ? std::clamp(now.tail, ring.tail, std::max(ring.tail, ring.head))
              : ring.head;
}

// Both ends go back to 0 when all is drained.
uint64_t TailOf(const RingFileHeader& file, const RingFileHeader& now) {
  const bool went_back = now.definitions_head < file.definitions_head ||
                         now.definitions_tail < file.definitions_tail;
  if (went_back) return file.definitions_head;
  return std::clamp(now.definitions_tail, file.definitions_tail,
                    std::max(file.definitions_tail, file.definitions_head));
}

}  // namespace

void LeaveOutDrained(std::vector<uint8_t>& copy, std::span<const uint8_t> now) {
  RingFileHeader file;
  RingFileHeader file_now;
  if (!Load(copy, 0, &file) || !Load(now, 0, &file_now)) return;
  if (file.ring_header_bytes < sizeof(RingHeader)) return;
  for (uint64_t i = 0; i < file.ring_count; ++i) {
    const uint64_t at = file.rings_offset + i * file.ring_header_bytes;
    RingHeader ring;
    RingHeader ring_now;
    if (!Load(copy, at, &ring) || !Load(now, at, &ring_now)) break;
    ring.tail = TailOf(ring, ring_now);
    Store(ring, at, copy);
  }
  file.definitions_tail = TailOf(file, file_now);
  Store(file, 0, copy);
}

absl::StatusOr<MappedFile> CopyRing(const std::string& path) {
  const absl::StatusOr<MappedFile> file = MappedFile::Map(path);
  if (!file.ok()) return file.status();
  const std::vector<Part> heads = HeadsOf(file->bytes());
  std::atomic_thread_fence(std::memory_order_acquire);
  std::vector<uint8_t> copy(file->bytes().begin(), file->bytes().end());
  for (const Part& part : heads) {
    std::copy(part.bytes.begin(), part.bytes.end(),
              copy.begin() + static_cast<ptrdiff_t>(part.at));
  }
  const absl::StatusOr<MappedFile> now = MappedFile::Map(path);
  if (now.ok()) LeaveOutDrained(copy, now->bytes());
  return MappedFile::OfBytes(path, std::move(copy));
}

}  // namespace dltap::analyzer
