// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/cli/summarise_trace.h"
#include "analyzer/cli/write_output.h"
#include "analyzer/compare/difference.h"
#include "analyzer/compare/rule.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/reports/diff_report.h"
#include "analyzer/reports/diff_sentence.h"

namespace dltap::analyzer {
namespace {

struct Options {
  std::string base;
  std::string now;
  std::string by;
  DiffOptions diff;
  SelectionOptions selection;
  std::vector<std::string> rules;
  size_t least_steps = 0;
  bool force = false;
  std::string json;
  std::string markdown;
};

std::vector<std::string> Views() {
  std::vector<std::string> names;
  for (size_t i = 0; i < static_cast<size_t>(DifferenceBy::kCount); ++i) {
    names.emplace_back(Name(static_cast<DifferenceBy>(i)));
  }
  return names;
}

std::string QuantityHelp() {
  std::string text = "Quantities of --fail-on (shares: NEW's own value):\n";
  for (const QuantityRow& row : QuantityTable()) {
    text +=
        "  " + std::string(row.name) + "  " + std::string(row.meaning) + "\n";
  }
  return text + "dltap diff --fail-on 'step_ms>3%' --fail-on 'syncs>0' old new";
}

// Two documents on one stream are none.
std::optional<int> RefuseBoth(const Options& options) {
  if (options.json != "-" || options.markdown != "-") return std::nullopt;
  PrintError(
      "diff: --json - and --markdown - both want stdout; give one a file");
  return kExitUsage;
}

std::optional<int> Parse(const std::vector<std::string>& args,
                         Options& options) {
  CLI::App app("Say how two runs differ, and judge it by rules.", "dltap diff");
  app.add_option("BASE", options.base, "a trace, as dltap report takes it")
      ->required();
  app.add_option("NEW", options.now, "the one to compare with it")->required();
  app.add_option("--by", options.by,
                 "rows: class, layer, kernel, op, phase, "
                 "idle, api (default: parts of the step)")
      ->check(CLI::IsMember(Views()));
  app.add_option("--top", options.diff.top, "rows at most")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--fail-on", options.rules,
                 "exit code 1 if it holds: QUANTITY>NUMBER, or NUMBER% of "
                 "BASE; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--min-steps", options.least_steps,
                 "not comparable with fewer used steps in either")
      ->check(CLI::Range(0, 1'000'000'000));
  app.add_flag("--force", options.force,
               "go on although the runs are not comparable");
  app.add_option("--json", options.json, "write JSON here; -: to stdout");
  app.add_option("--markdown", options.markdown,
                 "write Markdown for GitHub here; -: to stdout");
  AddSelectionOptions(app, options.selection);
  app.footer(QuantityHelp());
  if (const auto code = ParseArgs(app, args)) return code;
  if (const auto code = RefuseBoth(options)) return *code;
  const std::vector<std::string> views = Views();
  const auto view = std::find(views.begin(), views.end(), options.by);
  if (view != views.end()) {
    options.diff.by = static_cast<DifferenceBy>(view - views.begin());
  }
  return std::nullopt;
}

int CodeOf(const std::vector<Judgement>& judgements, bool force) {
  int code = kExitOk;
  for (const Judgement& judgement : judgements) {
    if (judgement.verdict == Verdict::kFires) return kExitThreshold;
    if (judgement.verdict == Verdict::kUnknown && !force) {
      PrintError("diff: " + judgement.rule.quantity +
                 " is unknown in one of the runs, so \"" + judgement.rule.text +
                 "\" can't be judged; --force takes it as held");
      code = kExitBadInput;
    }
  }
  return code;
}

// nullopt: go on.
std::optional<int> Refuse(const Difference& difference,
                          const Options& options) {
  const Bars bars = options.rules.empty() ? Bars::kAll : Bars::kRules;
  const std::vector<Unlike> barred = difference.BarredBy(bars);
  if (barred.empty() || options.force) return std::nullopt;
  for (const Unlike& each : barred) {
    const bool all = BarsOf(each.what) == Bars::kAll;
    PrintError("diff: not comparable" +
               std::string(all ? ": " : " by --fail-on: ") + UnlikeText(each));
  }
  PrintError("diff: --force compares them all the same");
  return kExitBadInput;
}

int Write(const DiffReport& report, const Options& options) {
  const bool on_stdout = options.json == "-" || options.markdown == "-";
  absl::Status status;
  if (!options.json.empty()) {
    status.Update(WriteOutput(options.json, DiffJson(report)));
  }
  if (!options.markdown.empty()) {
    status.Update(
        WriteOutput(options.markdown, DiffMarkdown(report, options.diff)));
  }
  if (!on_stdout) {
    status.Update(WriteOutput("-", DiffText(report, options.diff)));
  }
  return status.ok() ? kExitOk : Fail(status);
}

int CompareSides(const Summary& base, const Summary& now,
                 const std::vector<Rule>& rules, const Options& options) {
  const Figures base_figures = FiguresOf(base);
  const Figures now_figures = FiguresOf(now);
  DiffReport report{{&base, &base_figures}, {&now, &now_figures}, nullptr, {}};
  const Difference difference =
      Compare(report.base, report.now, options.least_steps);
  if (const auto code = Refuse(difference, options)) return *code;
  report.difference = &difference;
  for (const Rule& rule : rules) {
    // A function that neither run calls.
    const QuantityChange* found = difference.Find(rule.quantity);
    const Change change = found != nullptr ? found->change : ChangeOf({0}, {0});
    report.judgements.push_back({rule, change, Judge(rule, change)});
  }
  const int written = Write(report, options);
  return written != kExitOk ? written
                            : CodeOf(report.judgements, options.force);
}

}  // namespace

int RunDiff(const std::vector<std::string>& args) {
  Options options;
  if (const auto code = Parse(args, options)) return *code;
  std::vector<Rule> rules;
  for (const std::string& text : options.rules) {
    const absl::StatusOr<Rule> rule = ParseRule(text);
    if (!rule.ok()) return FailUsage("diff", rule.status());
    rules.push_back(*rule);
  }
  std::vector<Summary> sides;
  for (const std::string& path : {options.base, options.now}) {
    SummarisedTrace trace = SummariseTrace({path}, {}, options.selection);
    if (!trace.usage.ok()) return FailUsage("diff", trace.usage);
    if (!trace.summary.ok()) return Fail(trace.summary.status());
    sides.push_back(*std::move(trace.summary));
  }
  return CompareSides(sides[0], sides[1], rules, options);
}

}  // namespace dltap::analyzer
