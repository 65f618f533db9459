// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/meaning_cache.h"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr uint32_t kNotYet = std::numeric_limits<uint32_t>::max();

// What a meaning depends on beside the payload.
struct KeyHead {
  EntryPointId entry;
  OperationId operation;
  TextId function;
  uint32_t failed;
  uint32_t capturing;
};
static_assert(std::has_unique_object_representations_v<KeyHead>,
              "compared byte by byte");

}  // namespace

MeaningCache::MeaningCache(const TraceModel& model, const Process& process)
    : model_(model),
      process_(process),
      meaning_of_(process.calls.size(), kNotYet) {
  for (const EntryPoint& entry : model.entry_points) {
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

uint32_t MeaningCache::Find(const Call& call) {
  MakeKey(call);
  const auto [it, is_new] = by_key_.try_emplace(key_, meanings_.size());
  if (is_new) meanings_.push_back(MeaningOf(model_, process_, call));
  return it->second;
}

// All that a meaning may depend on: the payload but for its pointers, which
// differ from call to call and mean nothing.
void MeaningCache::MakeKey(const Call& call) {
  const KeyHead head{call.entry, call.operation, call.function, call.failed,
                     call.capturing};
  key_.resize(sizeof(head) + call.payload_bytes);
  std::memcpy(key_.data(), &head, sizeof(head));
  char* const payload = key_.data() + sizeof(head);
  if (call.payload_bytes == 0) return;
  std::memcpy(payload, process_.payloads.data() + call.payload_offset,
              call.payload_bytes);
  for (const auto& [offset, width] : pointers_[call.entry.value()]) {
    if (offset + width > call.payload_bytes) continue;
    std::memset(payload + offset, 0, width);
  }
}

}  // namespace dltap::analyzer
