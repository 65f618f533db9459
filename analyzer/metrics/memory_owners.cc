// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory_owners.h"

#include <algorithm>
#include <map>

namespace dltap::analyzer {
namespace {

// Which owners claim each byte, and which bytes are held.
class RangeCover {
 public:
  void Claim(const OwnedRange& range) {
    Change(range.address, range.bytes, [&](Segment& segment) {
      segment.owner = std::min(segment.owner, range.owner);
    });
  }

  void Hold(const MemoryBlock& block) {
    Change(block.address, block.bytes,
           [](Segment& segment) { segment.is_held = true; });
  }

  OwnedBytes Count(bool held_only) const {
    OwnedBytes bytes{};
    for (auto at = segments_.begin(); at != segments_.end(); ++at) {
      const Segment& segment = at->second;
      if (segment.owner == MemoryOwner::kUnknown) continue;
      if (held_only && !segment.is_held) continue;
      bytes[static_cast<size_t>(segment.owner)] +=
          static_cast<int64_t>(std::next(at)->first - at->first);
    }
    return bytes;
  }

 private:
  struct Segment {
    MemoryOwner owner = MemoryOwner::kUnknown;
    bool is_held = false;
  };
  using Segments = std::map<uint64_t, Segment>;

  template <typename What>
  void Change(uint64_t address, int64_t bytes, const What& what) {
    const uint64_t last = address + static_cast<uint64_t>(bytes);
    if (bytes <= 0 || last < address) return;
    const auto end = Split(last);
    for (auto at = Split(address); at != end; ++at) what(at->second);
  }

  // The segment that begins at `address`.
  Segments::iterator Split(uint64_t address) {
    const auto after = segments_.lower_bound(address);
    if (after != segments_.end() && after->first == address) return after;
    const Segment segment =
        after == segments_.begin() ? Segment{} : std::prev(after)->second;
    return segments_.emplace_hint(after, address, segment);
  }

  Segments segments_;  // by begin; each up to the next
};

}  // namespace

std::string_view Name(MemoryOwner owner) {
  constexpr std::string_view kNames[kMemoryOwners] = {
      "weights", "gradients", "feature_maps", "workspace",
      "comm",    "dynamic",   "unknown"};
  return kNames[static_cast<size_t>(owner)];
}

OwnedBytes SharesOf(const std::vector<OwnedRange>& ranges,
                    const std::vector<MemoryBlock>& blocks) {
  RangeCover cover;
  for (const OwnedRange& range : ranges) cover.Claim(range);
  for (const MemoryBlock& block : blocks) cover.Hold(block);
  return cover.Count(!blocks.empty());
}

std::vector<OwnedRange> RangesAt(const std::vector<OwnedRange>& ranges,
                                 DeviceId device, int64_t at_ns) {
  std::vector<OwnedRange> out;
  for (const OwnedRange& range : ranges) {
    const bool counts = range.device == device && range.begin_ns <= at_ns &&
                        at_ns < range.end_ns;
    if (counts) out.push_back(range);
  }
  return out;
}

}  // namespace dltap::analyzer
