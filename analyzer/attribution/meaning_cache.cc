// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/meaning_cache.h"

#include <algorithm>
#include <limits>

namespace dltap::analyzer {
namespace {

constexpr uint32_t kNotYet = std::numeric_limits<uint32_t>::max();

template <typename T>
void Append(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

MeaningCache::MeaningCache(const TraceModel& model, const Process& process)
    : model_(model),
      process_(process),
      meaning_of_(process.calls.size(), kNotYet) {}

uint32_t MeaningCache::IndexOf(CallId call) {
  uint32_t& meaning = meaning_of_[call.value()];
  if (meaning == kNotYet) meaning = Find(process_.calls[call.value()]);
  return meaning;
}

uint32_t MeaningCache::Find(const Call& call) {
  MakeKey(call);
  const auto [it, is_new] = by_key_.try_emplace(key_, meanings_.size());
  if (is_new) meanings_.push_back(MeaningOf(model_, process_, call));
  return it->second;
}

// All that a meaning may depend on: the payload but for its pointers, which
// differ from call to call and mean nothing.
void MeaningCache::MakeKey(const Call& call) {
  key_.clear();
  Append(call.entry, key_);
  Append(call.operation, key_);
  Append(call.function, key_);
  Append(call.failed, key_);
  Append(call.capturing, key_);
  const size_t payload = key_.size();
  key_.append(reinterpret_cast<const char*>(process_.payloads.data()) +
                  call.payload_offset,
              call.payload_bytes);
  for (const ArgLayout& arg : model_.entry_points[call.entry.value()].args) {
    if (arg.kind != ArgKind::kPointer ||
        arg.offset + arg.width > call.payload_bytes) {
      continue;
    }
    std::fill_n(key_.begin() + payload + arg.offset, arg.width, '\0');
  }
}

}  // namespace dltap::analyzer
