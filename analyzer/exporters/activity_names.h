// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NAMES_H_
#define DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NAMES_H_

#include <string>
#include <string_view>
#include <tuple>

#include "absl/container/node_hash_map.h"
#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// ActivityName, worked out once for all activities of one name.
class ActivityNames {
 public:
  explicit ActivityNames(const TraceModel& model) : model_(model) {}

  // Stays as long as this.
  std::string_view Of(const Activity& activity) {
    const auto [it, is_new] = names_.try_emplace(
        std::tuple(activity.kind, activity.name, activity.copy, activity.source,
                   activity.target));
    if (is_new) it->second = ActivityName(model_, activity);
    return it->second;
  }

 private:
  const TraceModel& model_;
  absl::node_hash_map<
      std::tuple<ActivityKind, TextId, CopyKind, MemoryKind, MemoryKind>,
      std::string>
      names_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NAMES_H_
