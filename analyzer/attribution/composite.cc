// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite.h"

#include <map>
#include <vector>

#include "analyzer/attribution/attention_regroup.h"
#include "analyzer/attribution/composite_units.h"
#include "analyzer/attribution/recurrent_regroup.h"

namespace dltap::analyzer {

void RegroupComposites(const TraceModel& model, const Process& process,
                       ProcessAttribution& attribution) {
  std::map<StreamId, std::vector<size_t>> by_stream;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    by_stream[process.activities[i].stream].push_back(i);
  }
  UnitMaker maker(model, process, attribution);
  std::vector<std::vector<Unit>> streams;
  for (const auto& [stream, activities] : by_stream) {
    streams.push_back(maker.Run(activities));
    RegroupAttention(process, streams.back(), attribution);
  }
  RecurrentRegroup recurrent(process, attribution);
  for (const std::vector<Unit>& units : streams) recurrent.Run(units);
}

}  // namespace dltap::analyzer
