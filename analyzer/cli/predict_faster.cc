// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/predict_faster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/path/what_if.h"
#include "analyzer/output/near_names.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/path_report.h"

namespace dltap::analyzer {
namespace {

// A class may be written as the report prints it: "LSTM/RNN".
std::string Canonical(const std::string& what) {
  const std::string lower = absl::AsciiStrToLower(what);
  for (size_t i = 0; i < kClassCount; ++i) {
    const auto layer_class = static_cast<LayerClass>(i);
    if (lower == absl::AsciiStrToLower(DisplayName(layer_class))) {
      return std::string(Name(layer_class));
    }
  }
  return lower;
}

// "; did you mean conv?", or nothing.
std::string NearSpeedup(const std::string& what) {
  std::vector<std::string> known = KnownSpeedups();
  for (size_t i = 0; i < kClassCount; ++i) {
    known.emplace_back(Name(static_cast<LayerClass>(i)));
  }
  return DidYouMean(what, known);
}

// "conv=2"; "waits=inf".
absl::StatusOr<Speedup> ParseSpeedup(const std::string& text) {
  constexpr double kLeast = 0.01;
  const size_t equals = std::min(text.find('='), text.size());
  Speedup speedup{Canonical(text.substr(0, equals)), 0};
  if (equals == text.size() ||
      !absl::SimpleAtod(text.substr(equals + 1), &speedup.times) ||
      !(speedup.times >= kLeast)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "predict: --faster ", text, ": expected WHAT=K, K a number of ", kLeast,
        " or more, or inf: conv=2"));
  }
  TimeFactors factors;
  if (Apply(speedup, factors)) return speedup;
  return absl::InvalidArgumentError(
      absl::StrCat("predict: --faster ", text, NearSpeedup(speedup.what),
                   ": expected a class of the report, or one of ",
                   absl::StrJoin(KnownSpeedups(), ", "), " (waits=inf only)"));
}

absl::StatusOr<Scenario> ParseScenario(const std::vector<std::string>& texts) {
  Scenario scenario;
  for (const std::string& text : texts) {
    const absl::StatusOr<Speedup> speedup = ParseSpeedup(text);
    if (!speedup.ok()) return speedup.status();
    scenario.push_back(*speedup);
  }
  return scenario;
}

}  // namespace

bool AsksForFaster(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(), [](const std::string& arg) {
    return arg == "--faster" || arg.starts_with("--faster=");
  });
}

int RunPredictFaster(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  std::vector<std::string> faster;
  SelectionOptions selected;
  bool json = false;
  CLI::App app("Replay the steps of a trace with something faster.",
               "dltap predict");
  app.add_option("TRACE", paths, "directories or files")->required();
  app.add_option("--faster", faster,
                 "WHAT=K, K times as fast, or inf; may be repeated: all at "
                 "once. WHAT: a class (conv, gemm, copy_h2d, ...), or " +
                     absl::StrJoin(KnownSpeedups(), ", "))
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  AddSelectionOptions(app, selected);
  app.add_flag("--json", json, "the numbers as JSON");
  if (const auto code = ParseArgs(app, args)) return *code;
  const absl::StatusOr<Scenario> scenario = ParseScenario(faster);
  if (!scenario.ok()) {
    PrintError(std::string(scenario.status().message()));
    return kExitUsage;
  }
  const absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return Fail(model.status());
  absl::StatusOr<Selection> selection = ParseSelection(selected, *model);
  if (!selection.ok()) return FailUsage("predict", selection.status());
  selection->scenarios = {*scenario};
  const Summary summary = Summarise(*model, Attribute(*model), *selection);
  const absl::Status usage = CheckParts(*selection, summary);
  if (!usage.ok()) return FailUsage("predict", usage);
  const PathFigures path = PathFiguresOf(summary);
  if (!path.replay_error) {
    return Fail(absl::InvalidArgumentError(
        "predict: no GPU work to replay in that part of the trace"));
  }
  const std::string text = json ? FasterJson(path) : FasterText(path);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
