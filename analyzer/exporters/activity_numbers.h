// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NUMBERS_H_
#define DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NUMBERS_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exporters/export_input.h"
#include "analyzer/output/column_rows.h"
#include "analyzer/output/text_table.h"

namespace dltap::analyzer {

// The numbers of ActivityName in a table of texts.
class ActivityNumbers {
 public:
  explicit ActivityNumbers(const TraceModel& model)
      : model_(model), of_kernels_(model.texts.size(), ColumnRows::kNoText) {}

  void Add(const Activity& activity, TextTable& texts) {
    uint32_t& number = NumberOf(activity);
    if (number != ColumnRows::kNoText) return;
    number = texts.Add(ActivityName(model_, activity));
  }
  // Of one that was added.
  uint32_t Of(const Activity& activity) const {
    if (HasNumber(activity)) return of_kernels_[activity.name.value()];
    return of_others_.at(KeyOf(activity));
  }

 private:
  using Key =
      std::tuple<ActivityKind, TextId, CopyKind, MemoryKind, MemoryKind>;

  bool HasNumber(const Activity& activity) const {
    return activity.kind == ActivityKind::kKernel && activity.name.known();
  }
  static Key KeyOf(const Activity& activity) {
    return {activity.kind, activity.name, activity.copy, activity.source,
            activity.target};
  }
  uint32_t& NumberOf(const Activity& activity) {
    if (HasNumber(activity)) return of_kernels_[activity.name.value()];
    return of_others_.try_emplace(KeyOf(activity), ColumnRows::kNoText)
        .first->second;
  }

  const TraceModel& model_;
  std::vector<uint32_t> of_kernels_;  // by TextId
  absl::flat_hash_map<Key, uint32_t> of_others_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_ACTIVITY_NUMBERS_H_
