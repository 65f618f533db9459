// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/calls/meaning_cache.h"

#include <cstring>
#include <limits>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr uint32_t kNotYet = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kNoMeaning = 0;

}  // namespace

MeaningCache::MeaningCache(const TraceModel& model, const Process& process)
    : model_(model),
      process_(process),
      meaning_of_(process.calls.size(), kNotYet),
      meanings_(1) {
  for (const EntryPoint& entry : model.entry_points) {
    arguments_tell_.push_back(ArgumentsTell(entry));
    std::vector<std::pair<uint8_t, uint8_t>>& places = pointers_.emplace_back();
    for (const ArgLayout& arg : entry.args) {
      if (arg.kind != ArgKind::kPointer) continue;
      places.emplace_back(arg.offset, arg.width);
    }
  }
}

uint32_t MeaningCache::IndexOf(CallId call) {
  uint32_t& meaning = meaning_of_[call.value()];
  if (meaning == kNotYet) meaning = Find(process_.calls[call.value()]);
  return meaning;
}

uint32_t MeaningCache::Add(const Call& call) {
  meanings_.push_back(MeaningOf(model_, process_, call));
  return static_cast<uint32_t>(meanings_.size() - 1);
}

// Hot path: most calls are plain launches, which mean nothing.
uint32_t MeaningCache::Find(const Call& call) {
  if (call.operation.known()) {
    const auto [it, is_new] =
        by_operation_.try_emplace({call.entry, call.operation});
    if (is_new) it->second = Add(call);
    return it->second;
  }
  if (!arguments_tell_[call.entry.value()]) return kNoMeaning;
  MakeKey(call);
  const auto [it, is_new] = by_arguments_.try_emplace(key_);
  if (is_new) it->second = Add(call);
  return it->second;
}

// The payload but for its pointers, which differ from call to call and mean
// nothing.
void MeaningCache::MakeKey(const Call& call) {
  key_.resize(sizeof(call.entry) + call.payload_bytes);
  std::memcpy(key_.data(), &call.entry, sizeof(call.entry));
  char* const payload = key_.data() + sizeof(call.entry);
  if (call.payload_bytes == 0) return;
  std::memcpy(payload, process_.payloads.data() + call.payload_offset,
              call.payload_bytes);
  for (const auto& [offset, width] : pointers_[call.entry.value()]) {
    if (offset + width > call.payload_bytes) continue;
    std::memset(payload + offset, 0, width);
  }
}

}  // namespace dltap::analyzer
