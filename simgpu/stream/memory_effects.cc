// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/memory_effects.h"

#include <cstring>

#include "simgpu/base/config.h"
#include "simgpu/bytes/shared_memory.h"
#include "simgpu/bytes/sparse_bytes.h"
#include "simgpu/bytes/uncomputed_reads.h"
#include "simgpu/bytes/written_memory.h"

namespace dltap::simgpu {
namespace {

bool IsPlain(const CopyWork& copy) {
  return copy.height == 1 && copy.depth == 1;
}

size_t DestinationExtent(const CopyWork& copy) {
  return (copy.depth - 1) * copy.destination_slice +
         (copy.height - 1) * copy.destination_pitch + copy.width;
}

// Rows that follow one another at both ends.
bool IsOneRun(const CopyWork& copy) {
  const size_t slice = copy.width * copy.height;
  return (copy.height == 1 || (copy.destination_pitch == copy.width &&
                               copy.source_pitch == copy.width)) &&
         (copy.depth == 1 ||
          (copy.destination_slice == slice && copy.source_slice == slice));
}

void MoveRows(const CopyWork& copy) {
  if (IsOneRun(copy)) {
    MoveBytes(copy.destination, copy.source, copy.bytes());
    return;
  }
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      std::memmove(copy.destination + z * copy.destination_slice +
                       y * copy.destination_pitch,
                   copy.source + z * copy.source_slice + y * copy.source_pitch,
                   copy.width);
    }
  }
}

void FillRow(std::byte* row, const MemsetWork& set) {
  if (set.element_bytes == 1) {
    std::memset(row, static_cast<int>(set.value), set.width);
    return;
  }
  for (size_t i = 0; i < set.width; ++i) {
    std::memcpy(row + i * set.element_bytes, &set.value, set.element_bytes);
  }
}

void AssumeSource(const CopyWork& copy) {
  AssumeValues(const_cast<std::byte*>(copy.source), copy.bytes());
}

// Larger reads show what lies there, which is plausible where its type is
// known.
bool ShowsPlausible(const CopyWork& copy) {
  return GetConfig().plausible_seed && IsPlain(copy) &&
         copy.bytes() <= kMostPlausibleBytes &&
         !WrittenElsewhere(copy.source, copy.bytes()) &&
         KnownTypeAt(copy.source) != NumberType::kUnknown &&
         FreshnessOf(copy.source, copy.bytes()) == Freshness::kStale;
}

void ReadSmall(const CopyWork& copy) {
  const Freshness freshness = FreshnessOf(copy.source, copy.bytes());
  if (freshness == Freshness::kStale && !GetConfig().plausible_seed) {
    std::memset(copy.destination, 0, copy.bytes());
  } else {
    if (freshness == Freshness::kStale) AssumeSource(copy);
    MoveRows(copy);
  }
  if (freshness != Freshness::kFresh) {
    NoteUncomputedRead(copy.destination, copy.bytes());
  }
}

}  // namespace

void StageSource(CopyWork& copy) {
  if (copy.source_kind != MemoryKind::kPageable ||
      copy.direction != CopyDirection::kHostToDevice || copy.bytes() == 0 ||
      copy.bytes() > kStagedAtOnceBytes) {
    return;
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(copy.bytes());
  CopyWork stage = copy;
  stage.destination = bytes->data();
  stage.destination_pitch = copy.width;
  stage.destination_slice = copy.width * copy.height;
  MoveRows(stage);
  copy.source = bytes->data();
  copy.source_pitch = stage.destination_pitch;
  copy.source_slice = stage.destination_slice;
  copy.staged_bytes = std::move(bytes);
}

void PerformCopy(const CopyWork& copy) {
  if (copy.bytes() == 0) return;
  const bool from_device = copy.source_kind == MemoryKind::kDevice;
  const bool to_device = copy.destination_kind == MemoryKind::kDevice;
  if (from_device && !to_device && IsPlain(copy) &&
      copy.bytes() <= kSmallReadBytes &&
      !WrittenElsewhere(copy.source, copy.bytes())) {
    ReadSmall(copy);
    return;
  }
  if (from_device && !to_device && ShowsPlausible(copy)) AssumeSource(copy);
  MoveRows(copy);
  if (!to_device) return;
  if (!IsPlain(copy)) {
    if (from_device) MarkStale(copy.destination, DestinationExtent(copy));
    return;
  }
  const Freshness freshness =
      from_device ? FreshnessOf(copy.source, copy.bytes()) : Freshness::kFresh;
  if (freshness == Freshness::kStale) {
    MarkStale(copy.destination, copy.bytes(), KnownTypeAt(copy.source));
  } else {
    Mark(copy.destination, copy.bytes(), freshness);
  }
  if (!from_device && copy.bytes() <= kSmallReadBytes &&
      GetConfig().keep_numbers) {
    MarkFreshForLong(copy.destination, copy.bytes());
  }
}

void PerformMemset(const MemsetWork& set) {
  if (set.bytes() == 0) return;
  const size_t row_bytes = set.width * set.element_bytes;
  const bool one_run = set.height == 1 || set.pitch == row_bytes;
  if (set.value == 0 && one_run) {
    ZeroBytes(set.destination, set.bytes());
  } else {
    for (size_t y = 0; y < set.height; ++y) {
      FillRow(set.destination + y * set.pitch, set);
    }
  }
  if (one_run) MarkFresh(set.destination, set.bytes());
}

}  // namespace dltap::simgpu
