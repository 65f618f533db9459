// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_owners.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

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

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// What lies nobody knows where is a part of what nobody else owns.
void AddUnplaced(const std::vector<OwnedRange>& ranges, int64_t held,
                 OwnedBytes& shares) {
  for (const OwnedRange& range : ranges) {
    if (range.address != 0) continue;
    const int64_t owned =
        std::accumulate(shares.begin(), shares.end(), int64_t{0});
    shares[static_cast<size_t>(range.owner)] +=
        std::min(range.bytes, std::max<int64_t>(held - owned, 0));
  }
}

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
  for (const OwnedRange& range : ranges) {
    if (range.address != 0) cover.Claim(range);
  }
  int64_t held = 0;
  for (const MemoryBlock& block : blocks) {
    cover.Hold(block);
    held += block.bytes;
  }
  OwnedBytes shares = cover.Count(!blocks.empty());
  AddUnplaced(ranges, blocks.empty() ? kNoLimit : held, shares);
  return shares;
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
