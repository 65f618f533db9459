// SPDX-License-Identifier: Apache-2.0
// The JSON report of an own trace three times, a line each: in one piece, in
// slices of a model, and in slices of the files. Then, a line each, what was
// read: {"why_not", "reads", "events", "most_events"}.
//   report_slices EVENTS_IN_A_SLICE [--whole-run] TRACE..
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/slices/sliced_summary.h"
#include "analyzer/reader/sliced_trace.h"
#include "analyzer/reader/trace_reader.h"
#include "analyzer/reports/json_report.h"
#include "tests/support/sliced_model.h"

namespace dltap::analyzer {
namespace {

void Print(const Summary& summary) {
  const std::string json = JsonReport(summary, FiguresOf(summary));
  std::printf("%s", json.c_str());
}

std::string PrintSliced(EventSource& source, uint64_t events,
                        const Selection& selection) {
  SliceLimits limits;
  limits.events = events;
  limits.head_events = events / 8;
  limits.most_events = 1ULL << 62;
  std::string why_not;
  const auto sliced = SummariseInSlices(source, {}, selection, limits, why_not);
  if (sliced) {
    Print(*sliced);
  } else {
    std::printf("null\n");
  }
  return why_not;
}

int Run(const std::vector<std::string>& paths, uint64_t events,
        const Selection& selection) {
  std::vector<std::string> problems;
  absl::StatusOr<TraceModel> model = ReadTrace(paths, &problems);
  auto files = OpenTraceFiles(paths, &problems);
  if (!model.ok() || !files.ok()) return 1;
  uint64_t all = 0;
  for (const Process& process : model->processes) {
    all += process.calls.size() + process.launches.size() +
           process.activities.size();
  }
  Print(Summarise(*model, Attribute(*model), selection));
  SlicedModel of_model(*std::move(model));
  const std::string why_not = PrintSliced(of_model, events, selection);
  SlicedTrace trace(*std::move(files), &problems);
  PrintSliced(trace, events, selection);
  std::printf(
      "{\"why_not\": \"%s\", \"reads\": %zu, \"events\": %llu, "
      "\"most_events\": %llu}\n",
      why_not.c_str(), of_model.reads(), static_cast<unsigned long long>(all),
      static_cast<unsigned long long>(of_model.most_events()));
  return 0;
}

}  // namespace
}  // namespace dltap::analyzer

int main(int argc, char** argv) {
  const bool whole = argc > 2 && std::string_view(argv[2]) == "--whole-run";
  const int first = whole ? 3 : 2;
  if (argc <= first) return 2;
  return dltap::analyzer::Run({argv + first, argv + argc},
                              std::strtoull(argv[1], nullptr, 10),
                              {.whole_run = whole});
}
