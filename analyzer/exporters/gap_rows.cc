// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/gap_rows.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "analyzer/exporters/activity_numbers.h"
#include "analyzer/exporters/cause_columns.h"
#include "analyzer/exporters/event_rows.h"
#include "analyzer/exporters/gap_list.h"
#include "analyzer/exporters/process_account.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/idle/gaps.h"
#include "analyzer/metrics/idle/host_view.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

// The places of the columns below.
enum Column : size_t {
  kDevice = 2,
  kBegin,
  kEnd,
  kStep,
  kClass,
  kBetween,
  kEndedBy,
  kCauses,
  kDrainedBy = kCauses + kIdleCauses,
  kDrainedIn,
  kColumnCount
};

constexpr std::array<TypedColumn, kColumnCount> MakeColumns() {
  std::array<TypedColumn, kColumnCount> columns = {
      TypedColumn{"process", kText},
      {"rank", kInteger},
      {"device", kInteger},
      {"begin_ns", kInteger},
      {"end_ns", kInteger},
      {"step", kInteger},
      {"class", kText},
      {"between_steps", kFlag},
      {"ended_by", kText}};
  for (size_t i = 0; i < kIdleCauses; ++i) {
    columns[kCauses + i] = {kCauseColumns[i], kInteger};
  }
  columns[kDrainedBy] = {"drained_by", kText};
  columns[kDrainedIn] = {"drained_in", kText};
  return columns;
}
constexpr std::array<TypedColumn, kColumnCount> kColumns = MakeColumns();

// The gaps of the devices that are selected, inside what is selected.
class GapFinder {
 public:
  GapFinder(const ExportInput& input, size_t p)
      : input_(input),
        process_(input.model.processes[p]),
        attribution_(input.attribution.processes[p]),
        steps_(input.steps[p]) {
    const Selection& selection = input.selection;
    if (selection.whole_run || selection.window) steps_ = {};
  }

  GapList Run() {
    for (size_t d = 0; d < process_.devices.size(); ++d) {
      if (Selects(input_.selection, process_.devices[d])) Find(DeviceId(d));
    }
    return std::move(out_);
  }

 private:
  std::vector<StepWindow> WindowsOf(DeviceId device) const {
    const Selection& selection = input_.selection;
    if (!selection.whole_run && !selection.window) {
      return StepWindows(process_, attribution_, steps_, device);
    }
    std::vector<StepWindow> windows;
    for (StepWindow window : WholeRun(process_, device)) {
      if (selection.window) {
        window.span =
            Common(*selection.window, {process_.begin_ns, process_.end_ns});
      }
      if (window.span.length_ns() > 0) windows.push_back(window);
    }
    return windows;
  }

  void Find(DeviceId device) {
    const std::vector<StepWindow> windows = WindowsOf(device);
    if (windows.empty()) return;
    const HostView host(input_.model, process_, attribution_, steps_, device);
    FindGaps(process_, attribution_, steps_, host, device, windows,
             [&](const Gap& gap) {
               out_.Add(attribution_, device, windows[gap.window].step, gap);
             });
  }

  const ExportInput& input_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  Steps steps_;
  GapList out_;
};

class GapRows : public EventRows {
 public:
  explicit GapRows(const ExportInput& input)
      : EventRows(input, kColumns),
        names_(input.model),
        entries_(input.model.entry_points.size(), kNoText),
        found_(input.model.processes.size()),
        lists_(input.model.processes.size(), nullptr) {
    for (size_t p = 0; p < input.model.processes.size(); ++p) {
      if (input.WantsProcess(p)) AddProcess(p);
    }
  }

 protected:
  void FillBlock(const Block& block, std::span<ColumnPlace> places) override {
    FillOwner(block, places);
    FillPlaces(block, places);
    FillTexts(block, places);
    FillCauses(block, places);
  }

 private:
  void AddProcess(size_t p) {
    if (input().account == nullptr) found_[p] = GapFinder(input(), p).Run();
    lists_[p] =
        input().account == nullptr ? &found_[p] : &input().account->gaps;
    const std::span<const KeptGap> gaps = lists_[p]->gaps();
    BeginProcess(p);
    Reserve(gaps.size());
    for (size_t i = 0; i < gaps.size(); ++i) {
      AddEvent(i);
      AddTexts(input().model.processes[p], gaps[i]);
    }
  }

  void AddTexts(const Process& process, const KeptGap& gap) {
    if (gap.is_charged) classes_.Add(gap.layer_class, texts(kClass));
    if (gap.ended_by.known()) {
      names_.Add(process.activities[gap.ended_by.value()], texts(kEndedBy));
    }
    drains_.Add(gap.drained_by, texts(kDrainedBy));
    if (!gap.drained_in.known()) return;
    const size_t entry = process.calls[gap.drained_in.value()].entry.value();
    if (entries_[entry] != kNoText) return;
    entries_[entry] =
        texts(kDrainedIn).Add(ApiName(input().model.entry_points[entry]));
  }

  void FillPlaces(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    const bool has_steps = !input().steps[block.process].steps.empty() &&
                           !input().selection.whole_run &&
                           !input().selection.window;
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const KeptGap& gap = lists_[block.process]->gaps()[block.events[i]];
      places[kDevice].Integer(row, process.devices[gap.device].ordinal);
      places[kBegin].Integer(row, input().At(gap.begin_ns));
      places[kEnd].Integer(row, input().At(gap.end_ns));
      has_steps ? places[kStep].Integer(row, gap.step)
                : places[kStep].Null(row);
    }
  }

  void FillTexts(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const KeptGap& gap = lists_[block.process]->gaps()[block.events[i]];
      gap.is_charged ? places[kClass].Text(row, classes_.Of(gap.layer_class))
                     : places[kClass].Null(row);
      places[kBetween].Flag(row, !gap.is_charged);
      gap.ended_by.known()
          ? places[kEndedBy].Text(
                row, names_.Of(process.activities[gap.ended_by.value()]))
          : places[kEndedBy].Null(row);
      places[kDrainedBy].Text(row, drains_.Of(gap.drained_by));
      gap.drained_in.known()
          ? places[kDrainedIn].Text(
                row,
                entries_[process.calls[gap.drained_in.value()].entry.value()])
          : places[kDrainedIn].Null(row);
    }
  }

  void FillCauses(const Block& block, std::span<ColumnPlace> places) const {
    for (size_t c = 0; c < kIdleCauses; ++c) {
      int64_t* const first = places[kCauses + c].integers + block.row;
      std::fill(first, first + block.events.size(), 0);
    }
    for (size_t i = 0; i < block.events.size(); ++i) {
      lists_[block.process]->VisitCauses(
          block.events[i], [&](size_t cause, int64_t ns) {
            places[kCauses + cause].Integer(block.row + i, ns);
          });
    }
  }

  ActivityNumbers names_;
  WordNumbers<LayerClass> classes_;
  WordNumbers<DrainedBy> drains_;
  std::vector<uint32_t> entries_;      // by entry point
  std::vector<GapList> found_;         // by process, where we did
  std::vector<const GapList*> lists_;  // by process
};

std::unique_ptr<ColumnRows> MakeGaps(const ExportInput& input) {
  return std::make_unique<GapRows>(input);
}

}  // namespace

ExportTable GapsTable() { return {"gaps", kColumns, nullptr, MakeGaps}; }

}  // namespace dltap::analyzer
