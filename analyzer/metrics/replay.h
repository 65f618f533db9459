// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_REPLAY_H_
#define DLTAP_ANALYZER_METRICS_REPLAY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/device_timeline.h"
#include "analyzer/metrics/gap.h"
#include "analyzer/metrics/step_graph.h"
#include "analyzer/metrics/window_edge.h"

namespace dltap::analyzer {

// By what times are multiplied: 0.5 is twice as fast, 0 takes no time.
struct TimeFactors {
  PerClass<double> work;
  std::array<double, kIdleCauses> host;  // by cause; kWait: the calls that wait
  bool waits = true;  // false: the host waits for no work of a device

  TimeFactors();  // all 1
};

// Runs the graph of a part of the trace again with other durations; everything
// begins as soon as what it depends on is over. Holds references.
class Replay {
 public:
  // The windows are those whose length is asked for; as many of them are
  // looked at as have `most_items` parts and activities in and before them.
  Replay(const StepGraph& graph, const Process& process,
         const ProcessAttribution& attribution, DeviceId device,
         const std::vector<StepWindow>& windows, size_t most_items);

  size_t windows() const { return edges_.size(); }
  // Of these windows together.
  int64_t measured_ns() const { return measured_ns_; }
  int64_t Run(const TimeFactors& factors);

 private:
  struct Item {
    int64_t at_ns;   // end of a part, begin of work
    uint32_t line;   // WorkNode::kNoLine: work
    uint32_t index;  // part of the line, or activity
  };
  struct PartTime {
    double begin_ns;
    double length_ns;
  };
  struct Edge {
    WindowEdge at;
    std::vector<uint32_t> over;  // by then: the last work of each stream
  };
  struct Edges {
    Edge begin;
    Edge end;
  };

  void ChooseWindows(DeviceId device, const std::vector<StepWindow>& windows,
                     size_t most_items);
  void GatherItems();
  void Reset();
  void ResetPart(uint32_t line, uint32_t part);
  void ResetWork(uint32_t work);
  void EndPart(const Item& item, const TimeFactors& factors);
  void BeginWork(const Item& item, const TimeFactors& factors);
  double LengthOf(const HostPart& part, const TimeFactors& factors) const;
  double HostTime(uint32_t line, uint32_t part, int64_t at_ns) const;
  double TimeOf(const Edge& edge) const;
  double TimeOf(const WindowEdge& edge) const;

  const StepGraph& graph_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  std::vector<Edges> edges_;
  int64_t measured_ns_ = 0;
  std::vector<Item> items_;                        // in time
  std::vector<std::vector<PartTime>> part_times_;  // by line
  std::vector<double> begin_ns_;                   // by activity
  std::vector<double> end_ns_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_REPLAY_H_
