// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_LOCAL_COMMUNICATORS_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_LOCAL_COMMUNICATORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/event_source.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the call that made a communicator tells of it.
struct MadeCommunicator {
  int64_t begin_ns;  // of that call
  std::string id;    // equal on all ranks; empty: not recorded
  int ranks = 0;     // 0: unknown
  int rank = -1;
};

// The communicators that one process made, by handle.
class LocalCommunicators {
 public:
  // By the calls that begin in `part`; parts come in time.
  void Add(const TraceModel& model, const Process& process,
           const TimePart& part);

  // The one that had this handle at that time; nullptr: not recorded.
  const MadeCommunicator* At(uint64_t handle, int64_t at_ns) const;

  // All of them, by handle, those of one handle in time.
  std::vector<const MadeCommunicator*> All() const;

 private:
  void Add(const TraceModel& model, const Process& process, const Call& call);

  // A handle may be used again after its communicator is gone.
  std::map<uint64_t, std::vector<MadeCommunicator>> made_;
  std::map<std::string, int> splits_;  // so far, by the parent's id
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_LOCAL_COMMUNICATORS_H_
