// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/definition_area.h"

#include <atomic>
#include <cstring>

#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/losses.h"

namespace dltap::shim {
namespace {

// Taken at once: a buffer of the collector holds more.
constexpr uint64_t kMostTaken = uint64_t{256} << 10;

// A record's header is written at once, last, and commits the record.
trace::RecordHeader LoadHeader(const uint8_t* at) {
  auto* word = reinterpret_cast<uint64_t*>(const_cast<uint8_t*>(at));
  const uint64_t value = std::atomic_ref(*word).load(std::memory_order_acquire);
  trace::RecordHeader header;
  static_assert(sizeof(header) == sizeof(value));
  memcpy(&header, &value, sizeof(header));
  return header;
}

void StoreHeader(uint8_t* at, const trace::RecordHeader& header) {
  uint64_t value;
  memcpy(&value, &header, sizeof(value));
  std::atomic_ref(*reinterpret_cast<uint64_t*>(at))
      .store(value, std::memory_order_release);
}

bool IsCommitted(const trace::RecordHeader& header) {
  return header.kind != static_cast<uint16_t>(trace::RecordKind::kUnwritten);
}

}  // namespace

void DefinitionArea::Open(trace::RingFileHeader* header, uint8_t* bytes) {
  bytes_ = bytes;
  std::atomic_ref(header_).store(header, std::memory_order_release);
}

uint8_t* DefinitionArea::TakeRoom(size_t bytes) {
  trace::RingFileHeader* const header =
      std::atomic_ref(header_).load(std::memory_order_acquire);
  if (header == nullptr) return nullptr;
  const std::atomic_ref area_head(header->definitions_head);
  uint64_t head = area_head.load(std::memory_order_relaxed);
  do {
    if (bytes > kBytes - head) return nullptr;
  } while (!area_head.compare_exchange_weak(head, head + bytes,
                                            std::memory_order_acq_rel));
  uint8_t* at = bytes_ + head;
  StoreHeader(at, {static_cast<uint16_t>(trace::RecordKind::kUnwritten),
                   sizeof(trace::RecordHeader), static_cast<uint32_t>(bytes)});
  std::atomic_thread_fence(std::memory_order_release);  // told, then written
  return at;
}

void DefinitionArea::Commit(uint8_t* at, const trace::RecordHeader& header) {
  StoreHeader(at, header);
  if (Crowds()) WakeCollector();
}

// The first one's header commits all of them.
bool DefinitionArea::AppendAll(std::span<const uint8_t> records) {
  uint8_t* at = TakeRoom(records.size());
  if (at == nullptr) {
    CountLost();
    return false;
  }
  trace::RecordHeader first;
  memcpy(&first, records.data(), sizeof(first));
  memcpy(at + sizeof(first), records.data() + sizeof(first),
         records.size() - sizeof(first));
  Commit(at, first);
  return true;
}

void DefinitionArea::CountLost() {
  CountLoss(trace::LossKind::kDefinitionLost);
}

bool DefinitionArea::Crowds() const {
  return header_ != nullptr &&
         std::atomic_ref(header_->definitions_head)
                 .load(std::memory_order_relaxed) > kBytes / 2;
}

// Zeros: a thread tells how much it has taken before it writes behind that.
uint64_t DefinitionArea::UntoldBytes(uint64_t begin, uint64_t end) const {
  const auto end_of_zeros = [&](uint64_t limit) {
    uint64_t at = begin;
    while (at < limit && LoadHeader(bytes_ + at).bytes == 0) {
      at += sizeof(trace::RecordHeader);
    }
    return at;
  };
  uint64_t found = end_of_zeros(end);
  // What was found may be of one that has told meanwhile.
  while (end_of_zeros(found) != found) found = end_of_zeros(end);
  return found - begin;
}

void DefinitionArea::Cut(uint32_t place, uint64_t bytes) {
  Place* const cut = places_ + place;
  if (place_count_ == kMaxPlaces || cut->bytes == bytes) return;
  memmove(cut + 1, cut, (place_count_ - place) * sizeof(*cut));
  ++place_count_;
  cut[0].bytes = bytes;
  cut[1].offset += bytes;
  cut[1].bytes -= bytes;
}

void DefinitionArea::Shorten(uint32_t place, uint64_t bytes) {
  places_[place].offset += bytes;
  places_[place].bytes -= bytes;
  if (places_[place].bytes != 0) return;
  --place_count_;
  memmove(places_ + place, places_ + place + 1,
          (place_count_ - place) * sizeof(Place));
}

std::span<const uint8_t> DefinitionArea::TakeLate() {
  for (uint32_t i = 0; i < place_count_; ++i) {
    const Place place = places_[i];
    const uint64_t untold =
        UntoldBytes(place.offset, place.offset + place.bytes);
    const trace::RecordHeader header = LoadHeader(bytes_ + place.offset);
    if (untold == 0 && IsCommitted(header)) {
      Shorten(i, header.bytes);
      return {bytes_ + place.offset, header.bytes};
    }
    Cut(i, untold != 0 ? untold : header.bytes);
  }
  return {};
}

std::span<const uint8_t> DefinitionArea::Take() {
  const std::span<const uint8_t> late = TakeLate();
  if (!late.empty()) return late;
  const uint64_t head = std::atomic_ref(header_->definitions_head)
                            .load(std::memory_order_acquire);
  uint64_t begin = taken_;
  while (taken_ < head && taken_ - begin < kMostTaken) {
    const uint64_t untold = UntoldBytes(taken_, head);
    if (untold == head - taken_) break;  // nothing behind it
    const trace::RecordHeader header = LoadHeader(bytes_ + taken_);
    const uint64_t bytes = untold != 0 ? untold : header.bytes;
    if (untold != 0 || !IsCommitted(header)) {
      if (taken_ > begin || place_count_ == kMaxPlaces) break;
      places_[place_count_++] = {taken_, bytes};
      begin += bytes;
    }
    taken_ += bytes;
  }
  return {bytes_ + begin, taken_ - begin};
}

// Starts again at the front, which is zero as at first, when all is taken.
// Readers pass over zeros: wherever the process is killed, they find what was
// defined since.
void DefinitionArea::Drop() {
  const std::atomic_ref area_head(header_->definitions_head);
  const std::atomic_ref area_tail(header_->definitions_tail);
  const bool all = place_count_ == 0;
  area_tail.store(all ? taken_ : places_[0].offset, std::memory_order_release);
  uint64_t head = taken_;
  if (!all || head == 0 || area_head.load(std::memory_order_relaxed) != head) {
    return;
  }
  memset(bytes_, 0, head);
  area_tail.store(0, std::memory_order_release);
  if (area_head.compare_exchange_strong(head, 0, std::memory_order_acq_rel)) {
    taken_ = 0;
  } else {
    area_tail.store(taken_, std::memory_order_release);
  }
}

}  // namespace dltap::shim
