// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/color.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/html_page.h"
#include "analyzer/cli/page_option.h"
#include "analyzer/cli/report_counters.h"
#include "analyzer/cli/report_ranks.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/cli/summarise_trace.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/reports/json_report.h"
#include "analyzer/reports/page.h"
#include "analyzer/reports/text_report.h"

namespace dltap::analyzer {
namespace {

const std::map<std::string, ReportBy> kBy = {
    {"class", ReportBy::kClass},
    {"api", ReportBy::kApi},
    {"kernel", ReportBy::kKernel},
    {"op", ReportBy::kOp},
    {"step", ReportBy::kStep},
    {"evidence", ReportBy::kEvidence},
    {"roofline", ReportBy::kRoofline},
    {"long-low", ReportBy::kLongLow},
    {"collective", ReportBy::kCollective},
    {"memory", ReportBy::kMemory},
    {"path", ReportBy::kPath},
    {"what-if", ReportBy::kWhatIf},
    {"layer", ReportBy::kLayer},
    {"site", ReportBy::kSite},
};

std::vector<std::string> ViewNames() {
  std::vector<std::string> names;
  for (const auto& [name, by] : kBy) names.push_back(name);
  return names;
}

struct Options {
  std::vector<std::string> paths;
  std::string by = "class";
  ReportOptions report;
  AttributionOptions attribution;
  SelectionOptions selection;
  std::string samples;
  std::optional<double> samples_per_step;
  std::string color = "auto";
  std::string html;
  size_t width = 0;
  bool ascii = false;
  std::string run;
  bool json = false;
  bool csv = false;
  bool no_composite = false;
};

// "64" or "64images".
bool ParseSamples(const std::string& text, Options& options) {
  size_t used = 0;
  try {
    options.samples_per_step = std::stod(text, &used);
  } catch (const std::exception&) {
    return false;
  }
  if (used < text.size()) options.report.samples_unit = text.substr(used);
  constexpr double kMost = 1e12;  // nan is neither
  return *options.samples_per_step > 0 && *options.samples_per_step <= kMost;
}

// Views of what isn't summed up slice by slice.
bool NeedsWhole(const std::string& by) {
  return by == "memory" || by == "layer" || by == "what-if";
}

std::string Render(const Options& options, const Summary& summary) {
  const Figures figures = FiguresOf(summary, options.samples_per_step);
  if (options.json) return JsonReport(summary, figures);
  const ReportBy by = kBy.at(options.by);
  if (options.csv) return CsvReport(figures, by, options.report);
  const std::string text = TextReport(summary, figures, by, options.report);
  return options.ascii ? AsAscii(text) : text;
}

int PrintCounters(const Options& options) {
  const absl::StatusOr<std::string> text =
      ReportCounters(options.paths[0],
                     {options.by, options.json, options.csv, options.report});
  if (!text.ok()) return Fail(text.status());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return kExitOk;
}

// What chooses among traces, or arranges their numbers.
constexpr const char* kOfTraces[] = {"--by",
                                     "--top",
                                     "--wide",
                                     "--advice",
                                     "--samples-per-step",
                                     "--steps-plot",
                                     "--no-composite",
                                     "--csv",
                                     "--window",
                                     "--device",
                                     "--process",
                                     "--rank",
                                     "--warmup"};

int ReportDataset(const CLI::App& app, const Options& options) {
  for (const char* const option : kOfTraces) {
    if (app.count(option) == 0) continue;
    return FailUsage(
        "report", absl::InvalidArgumentError(absl::StrCat(
                      option, " is of traces, not of a data set; dltap query ",
                      options.paths[0], " asks it anything")));
  }
  return ReportRanks(options.paths, {.run = options.run,
                                     .steps = options.selection.steps,
                                     .html = options.html,
                                     .json = options.json,
                                     .ascii = options.ascii});
}

}  // namespace

int RunReport(const std::vector<std::string>& args) {
  Options options;
  CLI::App app("Say where the GPU's time goes, per layer class.",
               "dltap report");
  app.add_option(
         "TRACE", options.paths,
         "directories or files: own traces, Kineto JSON(.gz), SQLite of Nsight "
         "Systems; or CSV of Nsight Compute; or a data set of many ranks")
      ->required();
  app.add_option("--by", options.by,
                 absl::StrCat("rows: ", absl::StrJoin(ViewNames(), ", ")))
      ->check(CLI::IsMember(ViewNames()));
  app.add_option("--top", options.report.top,
                 "rows at most (not by class; default: 20, in CSV all)")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_flag("--wide", options.report.wide, "show classes below 0.5 % too");
  auto* advice =
      app.add_flag("--advice", options.report.advice,
                   "what each advice rests on, and what was held back and why");
  app.add_option(
      "--samples-per-step", options.samples,
      "print throughput; a number, and a unit if you like: 64images");
  app.add_option("--color", options.color, "auto, always, never; see NO_COLOR")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option(
         "--width", options.width,
         "columns of the page (default: the terminal's, else 100); bars "
         "are drawn where there is room")
      ->check(CLI::Range(kNarrowestPage, kWidestPage));
  app.add_flag("--ascii", options.ascii, "no character beyond ASCII");
  app.add_flag("--steps-plot", options.report.steps_plot,
               "draw the length of each step, with those that are left out");
  app.add_flag("--no-composite", options.no_composite,
               "keep GEMM, softmax, GEMM apart instead of one attention");
  AddSelectionOptions(app, options.selection);
  app.add_option("--run", options.run,
                 "of a data set: this run (default: the newest)");
  auto* json = app.add_flag("--json", options.json, "the report as JSON");
  auto* csv = app.add_flag("--csv", options.csv, "the table as CSV");
  csv->excludes(json)->excludes(advice);
  app.add_option("--html", options.html,
                 "write the report as one page for a browser, to this file")
      ->excludes(json)
      ->excludes(csv);
  if (const auto code = ParseArgs(app, args)) return *code;
  // A CSV file is read by a program, which adds its rows up.
  if (options.csv && app.count("--top") == 0) options.report.top = SIZE_MAX;
  if (!options.samples.empty() && !ParseSamples(options.samples, options)) {
    PrintError("report: --samples-per-step wants a positive number, not \"" +
               options.samples + "\"");
    return kExitUsage;
  }
  SetPage(PageFor(options.width, stdout));
  if (IsAnyDataset(options.paths)) return ReportDataset(app, options);
  if (!options.run.empty()) {
    PrintError("report: --run is of a data set of many ranks, not of traces");
    return kExitUsage;
  }
  if (AreCounters(options.paths)) {
    if (options.html.empty()) return PrintCounters(options);
    PrintError("report: --html shows traces, no counters of Nsight Compute");
    return kExitUsage;
  }
  options.attribution.composite = !options.no_composite;
  if (!options.html.empty()) {
    return WriteHtml({"report", options.paths, options.attribution,
                      options.selection, options.samples_per_step},
                     options.html);
  }
  options.report.color = UseColor(options.color, stdout);
  const SummarisedTrace trace =
      SummariseTrace(options.paths, options.attribution, options.selection,
                     !options.json && NeedsWhole(options.by));
  if (!trace.usage.ok()) return FailUsage("report", trace.usage);
  if (!trace.summary.ok()) return Fail(trace.summary.status());
  const std::string text = Render(options, *trace.summary);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
