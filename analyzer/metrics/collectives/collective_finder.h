// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_FINDER_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_FINDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/collectives/collective_run.h"
#include "analyzer/metrics/collectives/local_communicators.h"
#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What counts of the events that are in memory: calls that begin in `host`,
// activities that begin in the part of their device.
struct CountedPart {
  TimePart host;
  std::vector<TimePart> devices;  // empty: all
};

// The communication of one process, whose events may come part by part, in
// time. Refers to the model.
class CollectiveFinder {
 public:
  CollectiveFinder(const TraceModel& model, size_t process)
      : model_(model),
        index_(process),
        has_work_(model.processes[process].devices.size()) {}

  void Add(const Process& process, const ProcessAttribution& attribution,
           const CountedPart& part = {});

  // What JoinRuns takes. Nothing may be added after it.
  CollectiveRuns Take();

 private:
  class Part;
  // A communicator on one device, by what tells it from others there.
  using LocalKey = std::pair<size_t, std::string>;
  // Its device may show later, or its kernel after all.
  struct Unended {
    std::string key;
    LocalCommunicator local;
    CollectiveRun run;
  };

  size_t LocalOf(const std::string& key, const LocalCommunicator& local);
  DeviceId DeviceOf(const std::string& key) const;

  const TraceModel& model_;
  const size_t index_;
  std::vector<bool> has_work_;  // by device
  LocalCommunicators made_;
  std::map<LocalKey, size_t> locals_;
  std::vector<Unended> unended_;
  CollectiveRuns out_;
};

// All of a trace whose events are in memory.
CollectiveRuns FindCollectives(const TraceModel& model,
                               const Attribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_FINDER_H_
