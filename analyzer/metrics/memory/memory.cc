// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory.h"

#include <algorithm>

namespace dltap::analyzer {

void MemorySummary::Add(const MemorySummary& other) {
  const auto join = [](auto& into, const auto& from) {
    const auto middle = static_cast<ptrdiff_t>(into.size());
    into.insert(into.end(), from.begin(), from.end());
    std::inplace_merge(into.begin(), into.begin() + middle, into.end());
  };
  join(devices, other.devices);
  join(pinned, other.pinned);
  without_addresses += other.without_addresses;
}

}  // namespace dltap::analyzer
