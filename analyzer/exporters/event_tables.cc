// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/event_tables.h"

#include <string>
#include <vector>

#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/metrics/windows/window.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kStepColumns[] = {
    {"process", kText},         {"rank", kInteger},
    {"step", kInteger},         {"begin_ns", kInteger},
    {"end_ns", kInteger},       {"use", kText},
    {"device", kInteger},       {"window_begin_ns", kInteger},
    {"window_end_ns", kInteger}};

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

class StepRows {
 public:
  StepRows(const ExportInput& input, size_t p, RowSink& sink)
      : process_(input.model.processes[p]), input_(input), sink_(sink) {
    const Steps& steps = input.steps[p];
    places_.resize(steps.steps.size());
    for (size_t d = 0; d < process_.devices.size(); ++d) {
      if (!Selects(input.selection, process_.devices[d])) continue;
      for (const StepWindow& window : AllStepWindows(
               process_, input.attribution.processes[p], steps, DeviceId(d))) {
        places_[window.step].push_back({d, window.span});
      }
    }
  }

  void Write(size_t number, const Step& step) {
    const std::vector<Place>& places = places_[number];
    if (places.empty()) WriteRow(number, step, nullptr);
    for (const Place& place : places) WriteRow(number, step, &place);
  }

 private:
  struct Place {
    size_t device;
    Interval window;
  };

  void WriteRow(size_t number, const Step& step, const Place* place) {
    WriteOwner(process_, sink_);
    sink_.Integer(Signed(number));
    sink_.Integer(input_.At(step.begin_ns));
    sink_.Integer(input_.At(step.end_ns));
    sink_.Text(Name(step.use));
    if (place == nullptr) {
      for (int i = 0; i < 3; ++i) sink_.Null();
    } else {
      sink_.Integer(process_.devices[place->device].ordinal);
      sink_.Integer(input_.At(place->window.begin_ns));
      sink_.Integer(input_.At(place->window.end_ns));
    }
    sink_.EndRow();
  }

  const Process& process_;
  const ExportInput& input_;
  RowSink& sink_;
  std::vector<std::vector<Place>> places_;  // by step
};

void WriteSteps(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    StepRows rows(input, p, sink);
    const std::vector<Step>& steps = input.steps[p].steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (input.Wants(steps[i])) rows.Write(i, steps[i]);
    }
  }
}

}  // namespace

std::string OwnerOf(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  return process.host.empty() ? pid : process.host + ":" + pid;
}

void WriteOwner(const Process& process, RowSink& sink) {
  sink.Text(OwnerOf(process));
  process.rank ? sink.Integer(*process.rank) : sink.Null();
}

ExportTable StepsTable() { return {"steps", kStepColumns, WriteSteps}; }

}  // namespace dltap::analyzer
