// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/device_account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/metrics/base/disjoint.h"
#include "analyzer/metrics/devices/united_process.h"
#include "analyzer/metrics/pictures/draw_device.h"
#include "analyzer/metrics/windows/delays.h"
#include "analyzer/metrics/windows/step_choice.h"

namespace dltap::analyzer {
namespace {

// Of a page: more than anybody opens row by row.
constexpr size_t kMostTreeLayers = 2000;

// A window of one of the processes that use a device.
struct MemberWindow {
  size_t member;
  StepWindow window;
};

// Of the union of `spans`, what lies inside the windows, which are disjoint.
int64_t UnionInside(const std::vector<StepWindow>& windows,
                    std::vector<Interval> spans) {
  int64_t ns = 0;
  size_t first = 0;
  for (const Interval& span : Disjoint(std::move(spans))) {
    while (first < windows.size() &&
           windows[first].span.end_ns <= span.begin_ns) {
      ++first;
    }
    for (size_t w = first; w < windows.size(); ++w) {
      if (windows[w].span.begin_ns >= span.end_ns) break;
      ns += CommonNs(windows[w].span, span);
    }
  }
  return ns;
}

// One physical device and the processes that were selected of it.
class DeviceAccount {
 public:
  DeviceAccount(const TraceModel& model, const Attribution& attribution,
                const std::vector<Steps>& steps,
                const std::vector<ProcessLayers>& layers,
                const Selection& selection)
      : model_(model),
        attribution_(attribution),
        steps_(steps),
        layers_(layers),
        selection_(selection) {}

  void Run(const PhysicalDevice& device, const DeviceSums& out) {
    for (const DeviceMember& member : device) {
      if (IsSelected(member)) {
        members_.push_back(member);
      } else {
        AddOutsideOf(member, AlwaysOutside(kNotSelected), {}, out.outside);
      }
    }
    FindWindows();
    const Steps steps = UnitedSteps();
    const std::vector<StepWindow> windows = UnitedWindows();
    for (size_t m = 0; m < members_.size(); ++m) {
      AddOutsideOf(members_[m], PartsOutside(m), windows, out.outside);
    }
    if (!windows.empty()) Summarise(steps, windows, out);
    out.windows = windows;
  }

 private:
  const Process& ProcessOf(const DeviceMember& member) const {
    return model_.processes[member.process];
  }
  const Steps& StepsOf(const DeviceMember& member) const {
    return steps_[member.process];
  }

  bool IsSelected(const DeviceMember& member) const {
    const Process& process = ProcessOf(member);
    return Selects(selection_, process) &&
           Selects(selection_, process.devices[member.device.value()]);
  }

  void FindWindows() {
    for (size_t m = 0; m < members_.size(); ++m) {
      const DeviceMember& member = members_[m];
      all_.push_back(AllStepWindows(ProcessOf(member),
                                    attribution_.processes[member.process],
                                    StepsOf(member), member.device));
      for (const StepWindow& window : all_.back()) {
        const Step& step = StepsOf(member).steps[window.step];
        if (step.use == StepUse::kUsed) used_.push_back({m, window});
      }
    }
    by_steps_ = !used_.empty();
    for (size_t m = 0; m < members_.size() && !by_steps_; ++m) {
      if (StepsOf(members_[m]).found_by != StepsFoundBy::kNone) continue;
      for (const StepWindow& window : RunOf(members_[m])) {
        used_.push_back({m, window});
      }
    }
    std::stable_sort(used_.begin(), used_.end(),
                     [](const MemberWindow& a, const MemberWindow& b) {
                       return a.window.span < b.window.span;
                     });
  }

  std::vector<StepWindow> RunOf(const DeviceMember& member) const {
    const Process& process = ProcessOf(member);
    if (selection_.whole_run) return WholeRun(process, member.device);
    if (!selection_.window) return UndelayedRun(process, member.device);
    const Interval part =
        Common(*selection_.window, {process.begin_ns, process.end_ns});
    if (part.length_ns() <= 0) return {};
    return {{part, 0}};
  }

  std::vector<OutsidePart> PartsOutside(size_t m) const {
    if (StepsOf(members_[m]).found_by != StepsFoundBy::kNone) {
      return AroundSteps(StepsOf(members_[m]), all_[m]);
    }
    if (by_steps_) return AlwaysOutside(kProcessWithoutSteps);
    const bool asked = selection_.whole_run || selection_.window;
    return AlwaysOutside(asked ? kNotSelected : Name(StepUse::kDelayed));
  }

  void AddOutsideOf(const DeviceMember& member,
                    const std::vector<OutsidePart>& parts,
                    const std::vector<StepWindow>& windows,
                    Outside& outside) const {
    AddOutside(ProcessOf(member), attribution_.processes[member.process],
               member.device, parts, windows, outside);
  }

  // The steps of all processes in time. They may overlap.
  Steps UnitedSteps() {
    Steps out;
    std::vector<std::pair<Step, std::pair<size_t, size_t>>> in_time;
    for (size_t m = 0; m < members_.size(); ++m) {
      const Steps& steps = StepsOf(members_[m]);
      out.found_by = std::max(out.found_by, steps.found_by);
      for (size_t i = 0; i < steps.steps.size(); ++i) {
        in_time.push_back({steps.steps[i], {m, i}});
      }
      united_step_.emplace_back(steps.steps.size());
    }
    std::stable_sort(in_time.begin(), in_time.end(),
                     [](const auto& a, const auto& b) {
                       return a.first.begin_ns < b.first.begin_ns;
                     });
    for (const auto& [step, of] : in_time) {
      united_step_[of.first][of.second] = out.steps.size();
      out.steps.push_back(step);
    }
    return out;
  }

  // Windows that overlap become one: an instant counts once.
  std::vector<StepWindow> UnitedWindows() const {
    std::vector<StepWindow> windows;
    for (const MemberWindow& used : used_) {
      StepWindow window = used.window;
      if (by_steps_) window.step = united_step_[used.member][window.step];
      if (!windows.empty() &&
          window.span.begin_ns < windows.back().span.end_ns) {
        int64_t& end_ns = windows.back().span.end_ns;
        end_ns = std::max(end_ns, window.span.end_ns);
      } else {
        windows.push_back(window);
      }
    }
    return windows;
  }

  void Summarise(const Steps& steps, const std::vector<StepWindow>& windows,
                 const DeviceSums& out) const {
    if (members_.size() == 1) {
      const DeviceMember& only = members_.front();
      Add({ProcessOf(only), attribution_.processes[only.process], steps,
           only.device, windows, &selection_.scenarios},
          layers_[only.process], out);
      return;
    }
    const UnitedProcess united = Unite(model_, attribution_, members_);
    Add({united.process, united.attribution, steps, united.device, windows,
         &selection_.scenarios},
        UnitedLayers(layers_, united.origins), out);
  }

  void Add(const DeviceView& view, const ProcessLayers& layers,
           const DeviceSums& out) const {
    TallyKeeper tallies(model_, view.process, view.attribution, out.tallies);
    LayerKeeper layer_keeper(layers, out.layers);
    std::optional<LayerTreeKeeper> tree;
    if (out.pictures != nullptr) tree.emplace(layers, kMostTreeLayers);
    DeviceSummary& device = out.devices.emplace_back(SummariseDevice(
        model_, view, {tallies, &layer_keeper, tree ? &*tree : nullptr},
        out.exposed_comm));
    for (const DeviceMember& member : members_) {
      device.processes.push_back(KeyOf(ProcessOf(member)));
    }
    std::sort(device.processes.begin(), device.processes.end());
    device.processes.erase(
        std::unique(device.processes.begin(), device.processes.end()),
        device.processes.end());
    if (device.processes.size() > 1) AddUses(view.windows, device);
    if (out.pictures != nullptr) {
      tree->AddTo(out.pictures->layers);
      DrawDevice(model_, view, device, MarkedWindows(device.processes),
                 *out.pictures);
    }
    if (!by_steps_) return;
    for (const MemberWindow& used : used_) {
      device.steps.push_back({PlaceOf(used.member, device.processes),
                              used.window.step, used.window.span.length_ns()});
    }
    std::sort(device.steps.begin(), device.steps.end());
  }

  // Of a member's process among `processes`, which are sorted.
  size_t PlaceOf(size_t member,
                 const std::vector<ProcessKey>& processes) const {
    const auto at = std::lower_bound(processes.begin(), processes.end(),
                                     KeyOf(ProcessOf(members_[member])));
    return static_cast<size_t>(at - processes.begin());
  }

  // Of all steps, used or not; empty: the run is one window.
  std::vector<MarkedWindow> MarkedWindows(
      const std::vector<ProcessKey>& processes) const {
    std::vector<MarkedWindow> marked;
    if (!by_steps_) return marked;
    for (size_t m = 0; m < members_.size(); ++m) {
      for (const StepWindow& window : all_[m]) {
        const Step& step = StepsOf(members_[m]).steps[window.step];
        marked.push_back(
            {window, step.use, PlaceOf(m, processes), window.step});
      }
    }
    return marked;
  }

  // While one process leaves the device idle, another one may use it.
  void AddUses(const std::vector<StepWindow>& windows,
               DeviceSummary& device) const {
    std::map<ProcessKey, std::vector<Interval>> work;
    for (const DeviceMember& member : members_) {
      std::vector<Interval>& spans = work[KeyOf(ProcessOf(member))];
      for (const Activity& activity : ProcessOf(member).activities) {
        if (activity.device != member.device) continue;
        spans.push_back({activity.begin_ns, activity.end_ns});
      }
    }
    for (auto& [key, spans] : work) {
      const int64_t busy_ns = UnionInside(windows, std::move(spans));
      device.uses[key] = {busy_ns, device.busy_ns() - busy_ns};
    }
  }

  const TraceModel& model_;
  const Attribution& attribution_;
  const std::vector<Steps>& steps_;
  const std::vector<ProcessLayers>& layers_;
  const Selection& selection_;
  std::vector<DeviceMember> members_;         // selected
  std::vector<std::vector<StepWindow>> all_;  // one per member
  std::vector<MemberWindow> used_;            // in time; may overlap
  bool by_steps_ = false;  // some process has used steps here
  std::vector<std::vector<size_t>> united_step_;
};

}  // namespace

void AddDevice(const TraceModel& model, const Attribution& attribution,
               const std::vector<Steps>& steps,
               const std::vector<ProcessLayers>& layers,
               const Selection& selection, const PhysicalDevice& device,
               const DeviceSums& out) {
  DeviceAccount(model, attribution, steps, layers, selection).Run(device, out);
}

}  // namespace dltap::analyzer
