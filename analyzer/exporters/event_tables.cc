// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/event_tables.h"

#include <string>
#include <vector>

#include "analyzer/metrics/step_choice.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kStepColumns[] = {
    {"process", kText},     {"rank", kInteger},   {"step", kInteger},
    {"begin_ns", kInteger}, {"end_ns", kInteger}, {"use", kText}};

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

void WriteSteps(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    const std::vector<Step>& steps = input.steps[p].steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!input.Wants(steps[i])) continue;
      WriteOwner(input.model.processes[p], sink);
      sink.Integer(Signed(i));
      sink.Integer(steps[i].begin_ns);
      sink.Integer(steps[i].end_ns);
      sink.Text(Name(steps[i].use));
      sink.EndRow();
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
