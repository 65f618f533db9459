// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/missing_ids.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

// Ids are pushed around the calls of all libraries but these.
constexpr std::array<std::string_view, 4> kWithoutIds = {"cuda", "cudart",
                                                         "cupti", "nvtx"};

class MissingIds {
 public:
  MissingIds(const TraceModel& model, Process& process) : process_(process) {
    for (const EntryPoint& entry : model.entry_points) {
      has_id_.push_back(std::ranges::find(kWithoutIds, entry.library) ==
                        kWithoutIds.end());
    }
  }

  void Restore() {
    for (LaunchRecord& launch : process_.launches) {
      if (launch.external != 0 || !launch.thread.known()) continue;
      const Call* call = OutermostAround(launch);
      if (call == nullptr || !has_id_[call->entry.value()] || IsNamed(*call)) {
        continue;
      }
      launch.external = call->begin_ticks;
    }
  }

 private:
  // Whether a record had the id of the call from the start. Hardly ever asked.
  bool IsNamed(const Call& call) {
    if (!knows_named_) {
      for (const LaunchRecord& launch : process_.launches) {
        if (launch.external == 0) continue;
        named_.insert({launch.thread, launch.external});
      }
      knows_named_ = true;
    }
    return named_.contains({call.thread, call.begin_ticks});
  }

  // The outermost call that contains all of it; nullptr: none.
  const Call* OutermostAround(const LaunchRecord& launch) {
    const auto& calls = process_.calls;
    near_ = FirstFrom(calls.size(), near_, [&](size_t i) {
      return std::pair(calls[i].thread, calls[i].begin_ns) <=
             std::pair(launch.thread, launch.begin_ns);
    });
    auto at = calls.begin() + static_cast<ptrdiff_t>(near_);
    while (at != calls.begin()) {
      --at;
      if (at->thread != launch.thread) return nullptr;
      if (at->depth == 0) return at->end_ns >= launch.end_ns ? &*at : nullptr;
    }
    return nullptr;
  }

  Process& process_;
  std::vector<bool> has_id_;  // by entry point
  absl::flat_hash_set<std::pair<ThreadId, uint64_t>> named_;
  bool knows_named_ = false;
  size_t near_ = 0;  // in the calls, of the record before
};

}  // namespace

void RestoreMissingIds(const TraceModel& model, Process& process) {
  if (!process.launches.empty()) MissingIds(model, process).Restore();
}

}  // namespace dltap::analyzer
