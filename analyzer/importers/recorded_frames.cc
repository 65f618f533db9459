// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/recorded_frames.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/frame_name.h"

namespace dltap::analyzer {
namespace {

// Pauses that are looked at are as long, or longer.
constexpr int64_t kDistanceNs = 100'000;
constexpr int64_t kMostLooks = 1 << 17;  // at a thread

class Looker {
 public:
  Looker(TraceModel& model, Process& process)
      : model_(model), process_(process) {
    for (const Range& range : process.ranges) {
      if (range.kind == RangeKind::kPython) ranges_.push_back(&range);
    }
    std::ranges::stable_sort(ranges_, {}, [](const Range* range) {
      return std::tuple(range->thread, range->begin_ns, -range->end_ns);
    });
  }

  void Run() {
    for (auto first = ranges_.begin(); first != ranges_.end();) {
      const auto end = std::find_if(first, ranges_.end(), [&](const Range* r) {
        return r->thread != (*first)->thread;
      });
      LookAt({first, end});
      first = end;
    }
  }

 private:
  struct OfThread {
    std::vector<const Range*>::const_iterator begin, end;
  };

  void LookAt(const OfThread& thread) {
    int64_t last_ns = (*thread.begin)->end_ns;
    for (auto it = thread.begin; it != thread.end; ++it) {
      last_ns = std::max(last_ns, (*it)->end_ns);
    }
    int64_t at_ns = (*thread.begin)->begin_ns;
    const int64_t distance_ns =
        std::max(kDistanceNs, (last_ns - at_ns) / kMostLooks);
    open_.clear();
    for (auto next = thread.begin; at_ns < last_ns; at_ns += distance_ns) {
      for (; next != thread.end && (*next)->begin_ns <= at_ns; ++next) {
        open_.push_back(*next);
      }
      std::erase_if(open_, [&](const Range* r) { return r->end_ns <= at_ns; });
      if (open_.empty()) continue;
      process_.frames_seen.push_back(
          {at_ns, (*thread.begin)->thread, SiteOfOpen()});
    }
  }

  // None, where no frame has a file.
  SiteId SiteOfOpen() {
    path_.clear();
    for (const Range* range : open_) path_.push_back(range->name);
    const auto [it, is_new] = sites_.try_emplace(path_);
    if (!is_new) return it->second;
    LaunchSite site;
    site.kind = SiteKind::kPython;
    for (auto name = path_.rbegin(); name != path_.rend(); ++name) {
      auto frame = FrameOfName(model_.texts[*name]);
      if (!frame) continue;
      frame->place = InstalledPlace(frame->place);
      site.frames.push_back(std::move(*frame));
    }
    if (!site.frames.empty()) {
      it->second = SiteId(model_.sites.size());
      model_.sites.push_back(std::move(site));
    }
    return it->second;
  }

  TraceModel& model_;
  Process& process_;
  std::vector<const Range*> ranges_;  // by thread and begin, the outer first
  std::vector<const Range*> open_;
  std::vector<TextId> path_;  // the names of what is open
  absl::flat_hash_map<std::vector<TextId>, SiteId> sites_;
};

}  // namespace

void LookAtRecordedFrames(TraceModel& model, Process& process) {
  Looker(model, process).Run();
}

}  // namespace dltap::analyzer
