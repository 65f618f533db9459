// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PATH_REPLAY_H_
#define DLTAP_ANALYZER_METRICS_PATH_REPLAY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/path/step_graph.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/window_edge.h"

namespace dltap::analyzer {

// By what times are multiplied: 0.5 is twice as fast, 0 takes no time.
struct TimeFactors {
  PerClass<double> work;
  std::array<double, kIdleCauses> host;  // by cause; kWait: the calls that wait
  bool waits = true;  // false: the host waits for no work of a device

  TimeFactors();  // all 1
};

class Replay;

// Kernels of several ranks' replays that are one collective: none is over
// before the last of them began.
class Meeting {
 public:
  void Reset();

 private:
  friend class Replay;
  struct Member {
    Replay* replay;
    uint32_t work;
  };
  std::vector<Member> members_;
  size_t begun_ = 0;
  // The last to begin now, after the one that was the last to begin.
  double late_ns_ = 0;
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

  // Replays of several ranks that run at once: each goes on until it needs to
  // know the end of a collective that not all ranks have begun; true: to its
  // end.
  bool Has(uint32_t work) const;  // whether it replays this activity
  // The activity waited `waited_ns` for the last of the meeting; the replay
  // may not move after that.
  void Join(Meeting& meeting, uint32_t work, int64_t waited_ns);
  void Begin();
  bool Advance(const TimeFactors& factors);
  size_t done() const { return next_; }  // items
  int64_t WindowsNs() const;             // once all is done

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
  void ResetPart(uint32_t line, uint32_t part);
  void ResetWork(uint32_t work);
  bool IsKnown(const Item& item, const TimeFactors& factors) const;
  void Meet(uint32_t work, const TimeFactors& factors);
  void EndMeeting(uint32_t work, double late_ns, const TimeFactors& factors);
  double FactorOfWork(uint32_t work, const TimeFactors& factors) const;
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
  std::vector<double> end_ns_;                     // NaN: not known yet
  size_t next_ = 0;                                // of the items
  struct Part {
    Meeting* meeting;
    int64_t waited_ns;
  };
  absl::flat_hash_map<uint32_t, Part> meetings_;  // by activity
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PATH_REPLAY_H_
