// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/critical_path.h"

#include <algorithm>

#include "analyzer/metrics/windows/window_edge.h"

namespace dltap::analyzer {
namespace {

// Goes back from the end of a window to its begin, always to what was ready
// last.
class PathWalker {
 public:
  PathWalker(const StepGraph& graph, const Process& process,
             const ProcessAttribution& attribution)
      : graph_(graph), process_(process), attribution_(attribution) {}

  void Walk(const WindowEdge& edge, int64_t begin_ns) {
    begin_ns_ = begin_ns;
    at_ns_ = edge.at_ns;
    if (edge.work != kNoWork) {
      FromWork(edge.work, !edge.begins);
    } else if (const uint32_t work = FromHost(graph_.main_line);
               work != kNoWork) {
      FromWork(work, true);
    }
    Charge(IdleCause::kUnknown, begin_ns_);  // nothing leads further back
  }

  PathSums out;

 private:
  // The path's part down to `from_ns`, as far as it lies in the window.
  int64_t Take(int64_t from_ns) {
    const int64_t until_ns = std::max(from_ns, begin_ns_);
    const int64_t ns = std::max<int64_t>(0, at_ns_ - until_ns);
    at_ns_ -= ns;
    return ns;
  }

  void Charge(IdleCause cause, int64_t from_ns) {
    out.idle_ns[static_cast<size_t>(cause)] += Take(from_ns);
  }

  // `at_end`: with the work, else from its begin on.
  void FromWork(uint32_t work, bool at_end) {
    for (bool inside = at_end; at_ns_ > begin_ns_; inside = true) {
      const Activity& activity = process_.activities[work];
      if (inside) {
        const Attributed& attributed = attribution_.activities[work];
        out.work_ns[static_cast<size_t>(attributed.layer_class)]
                   [static_cast<size_t>(attributed.direction)] +=
            Take(activity.begin_ns);
      }
      const WorkNode& node = graph_.works[work];
      if (node.bound_by == kNoWork && !node.submission_known()) return;
      const bool late = activity.begin_ns - node.ready_ns > kMaxLagNs;
      Charge(late ? IdleCause::kDependency : IdleCause::kLatency,
             node.ready_ns);
      if (node.bound_by == kNoWork) {
        work = FromHost(node.line);
        if (work == kNoWork) return;
      } else {
        work = node.bound_by;
      }
    }
  }

  // Back along a line until it waits for work, which is returned.
  uint32_t FromHost(uint32_t line) {
    if (line == WorkNode::kNoLine) return kNoWork;
    const HostLine& host = graph_.lines[line];
    uint32_t at = host.PartAt(at_ns_ - 1);
    if (at == HostLine::kNoPart) return kNoWork;
    for (;; --at) {
      const HostPart& part = host.parts[at];
      if (part.does == HostDoes::kWait) {
        const uint32_t on = LastTarget(part);
        if (on != kNoWork) {
          Charge(part.copies ? IdleCause::kLaunch : IdleCause::kWait,
                 process_.activities[on].end_ns);
          return on;
        }
      }
      ChargeHost(host, part);
      if (at == 0 || at_ns_ <= begin_ns_) return kNoWork;
    }
  }

  // The last thing that the wait was for, if it made the host wait at all.
  uint32_t LastTarget(const HostPart& part) const {
    uint32_t last = kNoWork;
    int64_t last_ns = part.span.begin_ns;
    for (uint32_t t = part.first_target; t < part.last_target; ++t) {
      const Activity& target = process_.activities[graph_.targets[t]];
      if (target.end_ns <= last_ns || target.end_ns > at_ns_) continue;
      if (target.begin_ns >= at_ns_) continue;
      last_ns = target.end_ns;
      last = graph_.targets[t];
    }
    return last;
  }

  void ChargeHost(const HostLine& host, const HostPart& part) {
    const bool whole = part.span.begin_ns >= begin_ns_;
    int64_t ns = Take(part.span.begin_ns);
    const bool is_call =
        part.does == HostDoes::kLibrary || part.does == HostDoes::kLaunch;
    if (whole && is_call && process_.per_call_overhead_ns > 0) {
      const int64_t own = std::min(ns, process_.per_call_overhead_ns);
      out.idle_ns[static_cast<size_t>(IdleCause::kProfiler)] += own;
      ns -= own;
    }
    host.AddTo(part, ns, out.idle_ns);
  }

  const StepGraph& graph_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  int64_t begin_ns_ = 0;
  int64_t at_ns_ = 0;
};

}  // namespace

PathSums CriticalPath(const StepGraph& graph, const Process& process,
                      const ProcessAttribution& attribution, DeviceId device,
                      const std::vector<StepWindow>& windows) {
  PathWalker walker(graph, process, attribution);
  for (const StepWindow& window : windows) {
    walker.Walk(EdgeAt(process, device, window.span.end_ns, false),
                window.span.begin_ns);
  }
  return walker.out;
}

}  // namespace dltap::analyzer
