// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/report_ranks.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/html_page.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/ranks/ask_for_ranks.h"
#include "analyzer/ranks/rank_map_text.h"
#include "analyzer/ranks/ranks_json.h"
#include "analyzer/ranks/ranks_text.h"
#include "analyzer/reports/page.h"

namespace dltap::analyzer {
namespace {

// Of --json and pages: what a browser draws and a disk holds without effort.
constexpr size_t kMapRows = 1024;
constexpr size_t kMapColumns = 2000;
constexpr size_t kMapCells = 100'000;
// What DuckDB may take; the rest of a large data set goes to disk.
constexpr const char* kMemory = "1200MB";

absl::StatusOr<RanksRequest> RequestOf(const RanksOptions& options) {
  RanksRequest request{.run = options.run};
  if (!options.steps.empty()) {
    request.steps = StepRange(options.steps);
    if (!request.steps) {
      return absl::InvalidArgumentError(
          absl::StrCat("--steps wants A..B with A <= B, or one number, not \"",
                       options.steps, "\""));
    }
  }
  const bool is_text = !options.json && options.html.empty();
  request.map_rows = is_text ? kTextMapRows : kMapRows;
  request.map_columns = is_text ? TextMapColumns() : kMapColumns;
  request.map_cells = is_text ? std::numeric_limits<size_t>::max() : kMapCells;
  return request;
}

absl::StatusOr<RanksReport> Ask(const std::string& folder,
                                const RanksRequest& request) {
  absl::StatusOr<Dataset> dataset = Dataset::Open(folder, {.memory = kMemory});
  if (!dataset.ok()) return dataset.status();
  return AskForRanks(*dataset, folder, request);
}

int Print(const RanksReport& report, const RanksOptions& options) {
  std::string text = options.json ? RanksJson(report) : RanksText(report);
  if (options.ascii && !options.json) text = AsAscii(text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return FinishOutput(kExitOk);
}

}  // namespace

bool IsAnyDataset(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, IsDataset);
}

int ReportRanks(const std::vector<std::string>& paths,
                const RanksOptions& options) {
  if (paths.size() > 1) {
    return FailUsage("report",
                     absl::InvalidArgumentError(
                         "a data set is reported alone: name one, and --run "
                         "for one of its runs"));
  }
  const auto request = RequestOf(options);
  if (!request.ok()) return FailUsage("report", request.status());
  if (!options.html.empty()) {
    const absl::Status may_write = MayWritePage(options.html);
    if (!may_write.ok()) return Fail(may_write);
  }
  const absl::StatusOr<RanksReport> report = Ask(paths[0], *request);
  // Of DuckDB, for parts that are broken: no usage of ours is wrong.
  if (absl::IsInvalidArgument(report.status())) {
    return Fail(absl::DataLossError(
        absl::StrCat(paths[0], ": ", report.status().message())));
  }
  if (!report.ok()) return Fail(report.status());
  if (options.html.empty()) return Print(*report, options);
  const absl::Status written =
      WritePage(RanksJson(*report), "{}", options.html);
  return written.ok() ? FinishOutput(kExitOk) : Fail(written);
}

}  // namespace dltap::analyzer
