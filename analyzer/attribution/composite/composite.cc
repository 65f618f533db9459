// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/composite.h"

#include <vector>

#include "analyzer/attribution/composite/attention_regroup.h"
#include "analyzer/attribution/composite/composite_units.h"
#include "analyzer/attribution/composite/norm_regroup.h"
#include "analyzer/attribution/composite/recurrent_regroup.h"

namespace dltap::analyzer {
namespace {

// Adding rows by index begins with sorting the indices: what sorts in a run of
// nothing else is of the class of what it sorts for.
void RegroupSorts(const Process& process, const std::vector<Unit>& units,
                  ProcessAttribution& attribution) {
  for (size_t first = 0; first < units.size();) {
    const Unit* scatter = nullptr;
    size_t end = first;
    for (; end < units.size(); ++end) {
      const Unit& unit = units[end];
      const bool scatters = (unit.traits & kScatter) != 0;
      if (scatters && scatter == nullptr) scatter = &unit;
      const bool is_part = scatters || (unit.traits & (kSort | kPlain)) != 0 ||
                           IsCopyOrMemset(unit.layer_class);
      if (!is_part) break;
    }
    for (size_t i = first; scatter != nullptr && i < end; ++i) {
      if ((units[i].traits & kSort) == 0) continue;
      MoveUnit(process, units[i], scatter->layer_class, attribution);
    }
    first = end + 1;
  }
}

// The sums of O dO, by kernels of their own right before the gradients of
// memory-efficient attention: a product, a sum, and copies around them.
void RegroupDeltas(const Process& process, const std::vector<Unit>& units,
                   ProcessAttribution& attribution) {
  constexpr size_t kReach = 8;
  for (size_t i = 0; i < units.size(); ++i) {
    if ((units[i].traits & kTakesDelta) == 0) continue;
    const Unit* sum = nullptr;
    for (size_t u = i; u > 0 && i - u < kReach;) {
      const Unit& unit = units[--u];
      if (unit.layer_class == LayerClass::kReduction && sum == nullptr) {
        sum = &unit;
      } else if (sum != nullptr && (unit.traits & kTimes) != 0) {
        MoveUnit(process, *sum, LayerClass::kAttention, attribution);
        MoveUnit(process, unit, LayerClass::kAttention, attribution);
        break;
      } else if (!IsPointwise(unit) && !IsCopyOrMemset(unit.layer_class)) {
        break;
      }
    }
  }
}

// What makes numbers of a mask of truths, right before a fused attention that
// adds them.
void RegroupMasks(const Process& process, const std::vector<Unit>& units,
                  ProcessAttribution& attribution) {
  constexpr size_t kReach = 4;
  for (size_t i = 0; i < units.size(); ++i) {
    const Attributed& at = attribution.activities[units[i].activities.front()];
    if (at.layer_class != LayerClass::kAttention ||
        at.class_from == ClassFrom::kComposite || IsBackward(at.direction)) {
      continue;
    }
    for (size_t u = i; u > 0 && i - u < kReach;) {
      const Unit& unit = units[--u];
      if ((unit.traits & kSelects) != 0) {
        MoveUnit(process, unit, LayerClass::kAttention, attribution);
        break;
      }
      const bool passes = (unit.traits & kPlain) != 0 ||
                          unit.layer_class == LayerClass::kLayout ||
                          IsCopyOrMemset(unit.layer_class);
      if (!passes) break;
    }
  }
}

}  // namespace

void RegroupComposites(const TraceModel& model, const Process& process,
                       const RangeIndex& ranges,
                       ProcessAttribution& attribution) {
  // The last: of no known stream.
  std::vector<std::vector<size_t>> by_stream(process.streams.size() + 1);
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const StreamId stream = process.activities[i].stream;
    by_stream[stream.known() ? stream.value() : process.streams.size()]
        .push_back(i);
  }
  UnitMaker maker(model, process, attribution);
  CellNodes nodes(model, process, ranges, attribution);
  RecurrentRegroup recurrent(process, nodes, attribution);
  for (const std::vector<size_t>& activities : by_stream) {
    if (activities.empty()) continue;
    const std::vector<Unit> units = maker.Run(activities);
    RegroupSorts(process, units, attribution);
    RegroupDeltas(process, units, attribution);
    RegroupMasks(process, units, attribution);
    RegroupAttention(process, units, attribution);
    recurrent.Run(units);
    RegroupNorms(process, units, attribution);
  }
}

}  // namespace dltap::analyzer
