// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/report_counters.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/cli/input_kind.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/importers/ncu_csv.h"
#include "analyzer/metrics/figures/stalls.h"
#include "analyzer/reports/stall_report.h"

namespace dltap::analyzer {

bool AreCounters(const std::vector<std::string>& paths) {
  if (paths.size() != 1) return false;
  const absl::StatusOr<InputKind> kind = KindOfFile(paths[0]);
  return kind.ok() && *kind == InputKind::kNcuCsv;
}

absl::StatusOr<std::string> ReportCounters(const std::string& path,
                                           const CounterReport& report) {
  if (report.by != "class" && report.by != "kernel") {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": counters have no rows by ", report.by,
                     "; use --by class or --by kernel"));
  }
  const absl::StatusOr<std::string> text = ReadFileBytes(path);
  if (!text.ok()) return text.status();
  const absl::StatusOr<CounterTable> table = ParseNcuCsv(*text, path);
  if (!table.ok()) return table.status();
  if (table->cut_at > 0) {
    PrintProblems({absl::StrCat(path, ": ends early, at byte ", text->size(),
                                ": its whole lines end ", "at byte ",
                                table->cut_at, "; what followed is lost")});
  }
  if (table->unreadable_values > 0) {
    PrintProblems({absl::StrCat(
        path, ": values without a number or of an ",
        "unknown unit are left out: ", table->unreadable_values)});
  }
  const StallFigures figures = StallsOf(*table);
  const StallsBy by =
      report.by == "kernel" ? StallsBy::kKernel : StallsBy::kClass;
  if (report.json) return StallJson(figures, path);
  return report.csv ? StallCsv(figures, by, report.options)
                    : StallText(figures, by, report.options);
}

}  // namespace dltap::analyzer
