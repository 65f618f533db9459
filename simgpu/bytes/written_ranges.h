// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_WRITTEN_RANGES_H_
#define DLTAP_SIMGPU_BYTES_WRITTEN_RANGES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "simgpu/bytes/freshness.h"
#include "simgpu/bytes/plausible_values.h"
#include "simgpu/bytes/work_order.h"

namespace dltap::simgpu {

// A known write: its place in its line of work, how many kernels that do not
// compute had run before it, and whether it was of assumed bytes. A stale one
// is that of a kernel of which only the type of its numbers is known.
struct WriteStamp {
  size_t line = 0;
  uint64_t number = 0;
  uint64_t unknown_kernels = 0;
  Freshness freshness = Freshness::kFresh;
  NumberType type = NumberType::kUnknown;
  friend bool operator==(const WriteStamp&, const WriteStamp&) = default;

  bool IsSpoilt(const OrderPoint& seen_from) const {
    return At(seen_from.spoilt, line) >= number;
  }
};

// Disjoint ranges of addresses, each with the write that filled it.
class WrittenRanges {
 public:
  void Add(uintptr_t begin, uintptr_t end, const WriteStamp& stamp);
  void Remove(uintptr_t begin, uintptr_t end);

  // From `address` to the end of the write that filled it, and on through
  // what touches that, up to where a block may begin.
  void RemoveFrom(uintptr_t address);

  // Where the next block may begin.
  static uintptr_t EndOfBlock(uintptr_t address);

  // Calls visit(begin, end, stamp) for the parts of a range in their order;
  // the stamp is null where nothing was written.
  template <typename Visit>
  void ForEachPart(uintptr_t begin, uintptr_t end, Visit visit) const {
    for (auto at = FirstThatReaches(begin); begin < end; ++at) {
      const uintptr_t from =
          at == ranges_.end() ? end : std::clamp(at->first, begin, end);
      if (from > begin) visit(begin, from, nullptr);
      if (from == end) return;
      begin = std::min(end, at->second.end);
      visit(from, begin, &at->second.stamp);
    }
  }

  template <typename IsOld>
  void Forget(IsOld is_old) {
    std::erase_if(
        ranges_, [&](const auto& entry) { return is_old(entry.second.stamp); });
  }

  size_t size() const { return ranges_.size(); }
  void clear() { ranges_.clear(); }

 private:
  struct Range {
    uintptr_t end;
    WriteStamp stamp;
  };
  using Ranges = std::map<uintptr_t, Range>;  // by their begins

  // The first that ends behind the address.
  Ranges::const_iterator FirstThatReaches(uintptr_t address) const;

  Ranges ranges_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_WRITTEN_RANGES_H_
