// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/inquiry.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/query/question.h"

namespace dltap::analyzer {
namespace {

// Small ones that several questions read.
constexpr std::string_view kTables[] = {"steps", "classes", "devices", "runs"};

absl::StatusOr<Answer> Rows(Dataset& dataset, const std::string& sql) {
  Answer answer;
  const absl::Status status =
      dataset.Query(sql, [&answer](const ResultColumns& columns) -> RowSink& {
        answer = Answer(columns);
        return answer;
      });
  if (!status.ok()) return status;
  return answer;
}

absl::StatusOr<const Question*> Named(std::string_view name) {
  const Question* const found = FindQuestion(name);
  if (found != nullptr) return found;
  return absl::InternalError(
      absl::StrCat("there is no question ", std::string(name)));
}

// In the schema of what is temporary, which comes before the views.
absl::Status KeepTables(Dataset& dataset, const std::string& run) {
  for (const std::string_view table : kTables) {
    const std::string name = SqlName(table);
    absl::Status made = dataset.Run(
        absl::StrCat("CREATE TEMP TABLE ", name, " AS SELECT * FROM main.",
                     name, " WHERE run = ", SqlText(run)));
    if (!made.ok()) return made;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Answer> AskDataset(
    Dataset& dataset, std::string_view question,
    const std::map<std::string, std::string>& settings) {
  const auto found = Named(question);
  if (!found.ok()) return found.status();
  const auto sql = SqlOf(**found, settings);
  if (!sql.ok()) return sql.status();
  return Rows(dataset, *sql);
}

absl::StatusOr<Inquiry> Inquiry::Begin(
    Dataset& dataset, std::map<std::string, std::string> scope) {
  absl::Status status = KeepTables(dataset, scope["run"]);
  if (!status.ok()) return status;
  const auto statements = SqlToKeep(scope);
  if (!statements.ok()) return statements.status();
  for (const std::string& sql : *statements) {
    status = dataset.Run(sql);
    if (!status.ok()) return status;
  }
  return Inquiry(dataset, std::move(scope));
}

absl::StatusOr<Answer> Inquiry::Ask(
    std::string_view question, std::map<std::string, std::string> settings) {
  const auto found = Named(question);
  if (!found.ok()) return found.status();
  for (const Parameter& parameter : (*found)->parameters) {
    const auto set = scope_.find(parameter.name);
    if (set != scope_.end()) settings.insert(*set);
  }
  const auto sql = SqlOf(**found, settings, Includes::kKept);
  if (!sql.ok()) return sql.status();
  return Rows(*dataset_, *sql);
}

}  // namespace dltap::analyzer
