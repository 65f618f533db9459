// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory_owners.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dltap::analyzer {
namespace {

// How many ranges cover each byte, by owner, and how many bytes are whose.
class RangeCover {
 public:
  void Change(const OwnedRange& range, int by) {
    if (range.bytes <= 0) return;
    const auto end = Split(range.address + static_cast<uint64_t>(range.bytes));
    for (auto at = Split(range.address); at != end; ++at) {
      const int64_t length =
          static_cast<int64_t>(std::next(at)->first - at->first);
      Count(at->second, -length);
      at->second[static_cast<size_t>(range.owner)] += by;
      Count(at->second, length);
    }
  }

  const OwnedBytes& bytes() const { return bytes_; }
  int64_t total() const {
    return std::accumulate(bytes_.begin(), bytes_.end(), int64_t{0});
  }

 private:
  using Claims = std::array<int32_t, kMemoryOwners>;

  // The segment that begins at `address`.
  std::map<uint64_t, Claims>::iterator Split(uint64_t address) {
    const auto after = segments_.lower_bound(address);
    if (after != segments_.end() && after->first == address) return after;
    const Claims claims =
        after == segments_.begin() ? Claims{} : std::prev(after)->second;
    return segments_.emplace_hint(after, address, claims);
  }

  void Count(const Claims& claims, int64_t length) {
    const auto first = std::find_if(claims.begin(), claims.end(),
                                    [](int32_t n) { return n > 0; });
    if (first == claims.end()) return;
    bytes_[static_cast<size_t>(first - claims.begin())] += length;
  }

  std::map<uint64_t, Claims> segments_;  // by begin; each up to the next
  OwnedBytes bytes_{};
};

}  // namespace

std::string_view Name(MemoryOwner owner) {
  constexpr std::string_view kNames[kMemoryOwners] = {
      "weights", "gradients", "feature_maps", "workspace",
      "comm",    "dynamic",   "unknown"};
  return kNames[static_cast<size_t>(owner)];
}

MemoryShares SharesAt(const std::vector<OwnedRange>& ranges, DeviceId device,
                      int64_t at_ns) {
  RangeCover cover;
  for (const OwnedRange& range : ranges) {
    const bool counts = range.device == device &&
                        range.owner != MemoryOwner::kUnknown &&
                        range.begin_ns <= at_ns && at_ns < range.end_ns;
    if (counts) cover.Change(range, 1);
  }
  return {at_ns, cover.bytes()};
}

MemoryShares SharesAtPeak(const std::vector<OwnedRange>& ranges,
                          DeviceId device) {
  struct Edge {
    int64_t at_ns;
    int by;  // what ends goes before what begins
    size_t range;
  };
  std::vector<Edge> edges;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const OwnedRange& range = ranges[i];
    const bool counts = range.device == device &&
                        range.owner != MemoryOwner::kUnknown &&
                        range.begin_ns < range.end_ns;
    if (!counts) continue;
    edges.push_back({range.begin_ns, 1, i});
    if (range.end_ns != kStillHeld) edges.push_back({range.end_ns, -1, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.at_ns, a.by, a.range) < std::tie(b.at_ns, b.by, b.range);
  });
  MemoryShares peak;
  RangeCover cover;
  int64_t most = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    cover.Change(ranges[edges[i].range], edges[i].by);
    const bool is_last =
        i + 1 == edges.size() || edges[i + 1].at_ns != edges[i].at_ns;
    if (!is_last || cover.total() <= most) continue;
    most = cover.total();
    peak = {edges[i].at_ns, cover.bytes()};
  }
  return peak;
}

}  // namespace dltap::analyzer
