// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/written_ranges.h"

#include <iterator>

namespace dltap::simgpu {
namespace {

// Of the blocks that frameworks' allocators hand out: TensorFlow's (BFC);
// PyTorch's are multiples of 512.
constexpr uintptr_t kBlockAlignment = 256;

bool MayBeginBlock(uintptr_t address) { return address % kBlockAlignment == 0; }

}  // namespace

uintptr_t WrittenRanges::EndOfBlock(uintptr_t address) {
  return address - address % kBlockAlignment + kBlockAlignment;
}

WrittenRanges::Ranges::const_iterator WrittenRanges::FirstThatReaches(
    uintptr_t address) const {
  const auto at = ranges_.upper_bound(address);
  if (at == ranges_.begin()) return at;
  const auto before = std::prev(at);
  return before->second.end > address ? before : at;
}

void WrittenRanges::Add(uintptr_t begin, uintptr_t end,
                        const WriteStamp& stamp) {
  Remove(begin, end);
  auto at = ranges_.lower_bound(begin);
  if (at != ranges_.end() && at->first == end && !MayBeginBlock(end) &&
      at->second.stamp == stamp) {
    end = at->second.end;
    at = ranges_.erase(at);
  }
  if (at != ranges_.begin() && !MayBeginBlock(begin)) {
    Range& before = std::prev(at)->second;
    if (before.end == begin && before.stamp == stamp) {
      before.end = end;
      return;
    }
  }
  ranges_.emplace_hint(at, begin, Range{end, stamp});
}

void WrittenRanges::Remove(uintptr_t begin, uintptr_t end) {
  auto at = FirstThatReaches(begin);
  while (at != ranges_.end() && at->first < end) {
    const auto [old_begin, old] = *at;
    at = ranges_.erase(at);
    if (old_begin < begin) ranges_[old_begin] = {begin, old.stamp};
    if (old.end > end) ranges_[end] = {old.end, old.stamp};
  }
}

void WrittenRanges::RemoveFrom(uintptr_t address) {
  auto at = FirstThatReaches(address);
  if (at == ranges_.end() || at->first > address) return;
  uintptr_t end = at->second.end;
  for (++at; at != ranges_.end() && at->first == end && !MayBeginBlock(end);
       ++at) {
    end = at->second.end;
  }
  Remove(address, end);
}

}  // namespace dltap::simgpu
