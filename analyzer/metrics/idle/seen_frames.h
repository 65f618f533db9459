// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_SEEN_FRAMES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_SEEN_FRAMES_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/idle/frame_roles.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// How often a thread was found where while the device waited for it.
struct SeenFrames {
  std::array<uint64_t, kSeenIn> all{};
  std::array<std::array<uint64_t, kFrameRoles>, kSeenIn> by_role{};
  std::array<std::map<std::string, uint64_t>, kSeenIn> by_name;

  void Add(const SeenFrames& other);
  auto operator<=>(const SeenFrames&) const = default;
};

// Where in the program that is: "train.py:41 make_batch", the innermost line
// that is no library's, and, where a library was called from there, its
// innermost function: " > torch/utils/data/dataloader.py _next_data". Those of
// Python's own library are not named. Empty: nothing tells.
std::string NameOfPause(const LaunchSite& site);

// Adds up the looks of gaps. Holds a reference.
class SeenFramesKeeper {
 public:
  explicit SeenFramesKeeper(const TraceModel& model) : model_(model) {}
  void Add(const Gap& gap);
  SeenFrames Take();

 private:
  struct Place {
    std::string name;
    FrameRole role;
  };
  const Place& PlaceOf(SiteId site);

  const TraceModel& model_;
  SeenFrames sums_;
  std::vector<std::optional<Place>> places_;  // by site
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_SEEN_FRAMES_H_
