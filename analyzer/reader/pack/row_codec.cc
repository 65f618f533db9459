// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/pack/row_codec.h"

#include <cstring>

namespace dltap::analyzer {
namespace {

constexpr size_t kWord = sizeof(uint32_t);
constexpr uint64_t kCallMark = uint64_t{1} << 63;  // keeps shapes apart

void PutVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

bool TakeVarint(std::string_view& in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(in.front());
    in.remove_prefix(1);
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Small differences of either sign are small numbers.
uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^
         static_cast<uint64_t>(value >> 63);
}
int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Where a row's time lies: a u64. Calls begin with it, records have it behind
// their header, if they are long enough to have one.
size_t TimeOffset(RowKind kind) { return kind == RowKind::kCalls ? 0 : 8; }
bool HasTime(RowKind kind, size_t row_bytes) {
  return row_bytes >= TimeOffset(kind) + sizeof(uint64_t);
}
bool IsTimeWord(RowKind kind, size_t row_bytes, size_t offset) {
  return HasTime(kind, row_bytes) && offset >= TimeOffset(kind) &&
         offset < TimeOffset(kind) + sizeof(uint64_t);
}

size_t BytesOf(uint64_t key) {
  if ((key & kCallMark) != 0) {
    return static_cast<size_t>((key >> 16) & 0xFF) * trace::kSlotBytes;
  }
  return static_cast<size_t>(key >> 32);
}

}  // namespace

bool RowCodec::KeyAt(RowKind kind, trace::Bytes rest, uint64_t* key,
                     size_t* bytes) {
  if (kind == RowKind::kCalls) {
    if (rest.size() < trace::kSlotBytes) return false;
    const auto slot = Load<trace::CallSlot>(rest.data());
    if (slot.slots < 1 || slot.slots > trace::kMaxSlotsPerCall) return false;
    *key = kCallMark | slot.entry_point | uint64_t{slot.slots} << 16;
  } else {
    if (rest.size() < sizeof(trace::RecordHeader)) return false;
    *key = Load<uint64_t>(rest.data());
    if ((*key & kCallMark) != 0) return false;
  }
  *bytes = BytesOf(*key);
  return *bytes >= sizeof(uint64_t) && *bytes % sizeof(uint64_t) == 0 &&
         *bytes <= rest.size();
}

size_t RowCodec::NumberOf(uint64_t key, size_t bytes) {
  const auto [it, added] = numbers_.try_emplace(key, shapes_.size());
  if (added) shapes_.push_back({key, std::vector<uint32_t>(bytes / kWord), {}});
  return it->second;
}

uint64_t& RowCodec::LastTime(RowKind kind, Shape& shape) {
  return kind == RowKind::kCalls ? last_call_ : last_times_[shape.key];
}

bool RowCodec::Encode(RowKind kind, trace::Bytes payload, std::string& out) {
  std::vector<std::pair<uint64_t, size_t>> rows;  // key, offset
  for (size_t at = 0; at < payload.size();) {
    uint64_t key = 0;
    size_t bytes = 0;
    if (!KeyAt(kind, payload.subspan(at), &key, &bytes)) return false;
    rows.emplace_back(key, at);
    at += bytes;
  }
  const size_t known = shapes_.size();
  std::vector<size_t> numbers;
  numbers.reserve(rows.size());
  for (const auto& [key, at] : rows) {
    const size_t number = NumberOf(key, BytesOf(key));
    shapes_[number].rows.push_back(at);
    numbers.push_back(number);
  }
  PutVarint(rows.size(), out);
  PutVarint(shapes_.size() - known, out);
  for (size_t i = known; i < shapes_.size(); ++i) {
    out.append(reinterpret_cast<const char*>(&shapes_[i].key),
               sizeof(uint64_t));
  }
  for (const size_t number : numbers) PutVarint(number, out);
  for (size_t i = 0; i < rows.size(); ++i) {
    Shape& shape = shapes_[numbers[i]];
    if (!HasTime(kind, BytesOf(shape.key))) continue;
    const auto time =
        Load<uint64_t>(&payload[rows[i].second + TimeOffset(kind)]);
    uint64_t& last = LastTime(kind, shape);
    PutVarint(ZigZag(static_cast<int64_t>(time - last)), out);
    last = time;
  }
  for (Shape& shape : shapes_) {
    if (shape.rows.empty()) continue;
    const size_t row_bytes = BytesOf(shape.key);
    for (size_t word = 0; word * kWord < row_bytes; ++word) {
      if (IsTimeWord(kind, row_bytes, word * kWord)) continue;
      for (const size_t at : shape.rows) {
        const auto value = Load<uint32_t>(&payload[at + word * kWord]);
        const auto difference = static_cast<int32_t>(value - shape.last[word]);
        PutVarint(ZigZag(difference), out);
        shape.last[word] = value;
      }
    }
    shape.rows.clear();
  }
  return true;
}

bool RowCodec::Decode(RowKind kind, std::string_view encoded, size_t raw_bytes,
                      std::vector<uint8_t>& out) {
  uint64_t row_count = 0;
  uint64_t added = 0;
  if (!TakeVarint(encoded, &row_count) || !TakeVarint(encoded, &added) ||
      row_count > raw_bytes / sizeof(uint64_t) || added > row_count ||
      encoded.size() < added * sizeof(uint64_t)) {
    return false;
  }
  size_t added_bytes = 0;  // each has a row below
  for (uint64_t i = 0; i < added; ++i) {
    const auto key =
        Load<uint64_t>(reinterpret_cast<const uint8_t*>(encoded.data()));
    encoded.remove_prefix(sizeof(key));
    const bool of_kind = ((key & kCallMark) != 0) == (kind == RowKind::kCalls);
    const size_t bytes = BytesOf(key);
    added_bytes += bytes;
    if (!of_kind || bytes < sizeof(uint64_t) || added_bytes > raw_bytes ||
        bytes % sizeof(uint64_t) != 0 || numbers_.contains(key)) {
      return false;
    }
    NumberOf(key, bytes);
  }
  const size_t begin = out.size();
  size_t used = 0;
  std::vector<size_t> numbers(row_count);
  for (size_t& number : numbers) {
    uint64_t value = 0;
    if (!TakeVarint(encoded, &value) || value >= shapes_.size()) return false;
    number = static_cast<size_t>(value);
    Shape& shape = shapes_[number];
    if (BytesOf(shape.key) > raw_bytes - used) return false;
    shape.rows.push_back(begin + used);
    used += BytesOf(shape.key);
  }
  if (used != raw_bytes) return false;
  out.resize(begin + raw_bytes);
  size_t at = begin;
  for (const size_t number : numbers) {
    Shape& shape = shapes_[number];
    const size_t row_bytes = BytesOf(shape.key);
    if (HasTime(kind, row_bytes)) {
      uint64_t value = 0;
      if (!TakeVarint(encoded, &value)) return false;
      uint64_t& last = LastTime(kind, shape);
      last += static_cast<uint64_t>(UnZigZag(value));
      std::memcpy(&out[at + TimeOffset(kind)], &last, sizeof(last));
    }
    at += row_bytes;
  }
  for (Shape& shape : shapes_) {
    if (shape.rows.empty()) continue;
    const size_t row_bytes = BytesOf(shape.key);
    for (size_t word = 0; word * kWord < row_bytes; ++word) {
      if (IsTimeWord(kind, row_bytes, word * kWord)) continue;
      for (const size_t row : shape.rows) {
        uint64_t value = 0;
        if (!TakeVarint(encoded, &value)) return false;
        shape.last[word] += static_cast<uint32_t>(UnZigZag(value));
        std::memcpy(&out[row + word * kWord], &shape.last[word], kWord);
      }
    }
    shape.rows.clear();
  }
  return encoded.empty();
}

}  // namespace dltap::analyzer
