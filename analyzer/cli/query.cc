// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/query_output.h"
#include "analyzer/cli/query_replay.h"
#include "analyzer/cli/query_replay_ranks.h"
#include "analyzer/cli/query_spark.h"
#include "analyzer/output/near_names.h"
#include "analyzer/query/dataset.h"
#include "analyzer/query/question.h"

namespace dltap::analyzer {
namespace {

struct Options {
  std::string folder;
  std::string query;  // a question's name, or SQL
  std::vector<std::string> settings;
  std::string format = "table";
  std::string parquet;  // the file to write
  DatasetLimits limits;
  std::string engine = "duckdb";
  SparkOptions spark;
  std::string replay;  // the file
  bool list = false;
  bool show_sql = false;
};

std::vector<std::string> QuestionNames() {
  std::vector<std::string> names;
  for (const Question& question : AllQuestions()) {
    names.push_back(question.name);
  }
  return names;
}

int List() {
  for (const Question& question : AllQuestions()) {
    std::printf("%s\n  %s\n", question.name.c_str(), question.sentence.c_str());
    for (const Parameter& parameter : question.parameters) {
      std::printf("    --set %s=%s  %s\n", parameter.name.c_str(),
                  parameter.value.c_str(), parameter.help.c_str());
    }
    for (const std::string& example : question.examples) {
      std::printf("    %s\n", example.c_str());
    }
  }
  return kExitOk;
}

// SQL has at least two words.
bool IsSql(std::string_view query) {
  return query.find_first_of(" \t\n") != std::string_view::npos;
}

absl::StatusOr<std::map<std::string, std::string>> ParseSettings(
    const std::vector<std::string>& settings) {
  std::map<std::string, std::string> out;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--set ", setting, ": NAME=VALUE is wanted"));
    }
    out[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return out;
}

absl::StatusOr<std::string> ChooseSql(const Options& options) {
  if (IsSql(options.query)) {
    if (options.settings.empty()) return options.query;
    return absl::InvalidArgumentError(
        "--set is for the questions of --list; SQL has its values in it");
  }
  const Question* const question = FindQuestion(options.query);
  if (question == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("no question ", options.query,
                     WhatThereIs(options.query, QuestionNames()),
                     "; SQL has at least two words"));
  }
  const auto settings = ParseSettings(options.settings);
  if (!settings.ok()) return settings.status();
  return SqlOf(*question, *settings);
}

// Prints the rows that `query` gives.
template <typename Query>
absl::Status Print(const std::string& format, Query query) {
  std::unique_ptr<QueryOutput> output;
  const absl::Status status =
      query([&](const ResultColumns& columns) -> RowSink& {
        output = MakeQueryOutput(format, columns, [](std::string_view text) {
          std::fwrite(text.data(), 1, text.size(), stdout);
        });
        return *output;
      });
  if (status.ok()) output->Finish();
  return status;
}

int CodeOf(const absl::Status& status) {
  if (status.ok()) return FinishOutput(kExitOk);
  if (absl::IsInvalidArgument(status)) return FailUsage("query", status);
  return Fail(status);
}

int AskSpark(const Options& options, const std::string& sql) {
  return CodeOf(Print(options.format, [&](auto begin) {
    return QueryBySpark(options.folder, sql, options.spark, begin);
  }));
}

absl::Status AskDataset(const Options& options, const std::string& sql,
                        Dataset& dataset) {
  if (!options.parquet.empty()) {
    return dataset.WriteParquet(sql, options.parquet);
  }
  return Print(options.format,
               [&](auto begin) { return dataset.Query(sql, begin); });
}

int AskDuckdb(const Options& options, const std::string& sql) {
  absl::StatusOr<Dataset> dataset =
      Dataset::Open(options.folder, options.limits);
  if (!dataset.ok()) return CodeOf(dataset.status());
  for (const std::string& warning : dataset->warnings()) {
    PrintError("warning: " + warning);
  }
  const absl::Status status = AskDataset(options, sql, *dataset);
  const double spilled = static_cast<double>(dataset->SpilledBytes());
  if (status.ok() && spilled > 0) {
    PrintError(absl::StrFormat(
        "the query did not fit into memory: %.1f MB went to disk; --memory "
        "lets it have more, steps and ranks in WHERE make it smaller",
        spilled * 1e-6));
  }
  return CodeOf(status);
}

absl::Status Replay(const Options& options) {
  const bool as_json = options.format == "json";
  const auto settings = ParseSettings(options.settings);
  if (!settings.ok()) return settings.status();
  std::error_code error;
  if (!std::filesystem::exists(options.replay, error)) {
    return absl::NotFoundError(
        absl::StrCat(options.replay, ": no such file or folder"));
  }
  if (std::filesystem::is_directory(options.replay, error)) {
    return PrintReplayOfRanks(options.replay, options.limits, *settings,
                              as_json);
  }
  if (settings->empty()) return PrintReplay(options.replay, as_json);
  return absl::InvalidArgumentError(
      "--set is for the replay of a data set; this is a file");
}

void AddEngineOptions(CLI::App& app, Options& options) {
  app.add_option("--parquet", options.parquet,
                 "write the answer to this file, as Parquet");
  app.add_option("--memory", options.limits.memory,
                 "that DuckDB may use, as 4GB; the rest goes to disk");
  app.add_option("--threads", options.limits.threads, "that DuckDB may use")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--engine", options.engine,
                 "what works the query out; spark: by spark-submit, DATASET "
                 "may be any address that Spark reads")
      ->check(CLI::IsMember({"duckdb", "spark"}))
      ->capture_default_str();
  app.add_option("--master", options.spark.master,
                 "Spark's: local[4], spark://HOST:7077, yarn, k8s://...");
  app.add_option("--conf", options.spark.conf,
                 "KEY=VALUE: a setting of Spark's")
      ->allow_extra_args(false);
}

// Options of the engine that is not asked.
absl::Status CheckEngine(const CLI::App& app, const Options& options) {
  const bool is_spark = options.engine == "spark";
  const std::vector<std::string> wrong =
      is_spark ? std::vector<std::string>{"--parquet", "--memory", "--threads"}
               : std::vector<std::string>{"--master", "--conf"};
  for (const std::string& name : wrong) {
    if (app.count(name) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is for --engine ", is_spark ? "duckdb" : "spark",
                     is_spark ? "; --master and --conf are Spark's" : ""));
  }
  return absl::OkStatus();
}

// Options that a replay does not heed.
absl::Status CheckReplay(const CLI::App& app, const Options& options) {
  if (options.replay.empty()) return absl::OkStatus();
  for (const char* name :
       {"DATASET", "QUERY", "--engine", "--parquet", "--show-sql"}) {
    if (app.count(name) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is for questions; --replay asks its own"));
  }
  if (options.format == "table" || options.format == "json") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--format ", options.format, ": a replay is printed as table or json"));
}

}  // namespace

int RunQuery(const std::vector<std::string>& args) {
  Options options;
  CLI::App app("Ask a data set of many ranks, by a question's name or in SQL.",
               "dltap query");
  app.footer(
      "Tables: kernels calls collectives gaps steps classes durations devices "
      "looks\nruns, each with the columns run and rank. The others: "
      "docs/dataset.md.");
  app.add_option("DATASET", options.folder,
                 "the folder that dltap pack --parquet made");
  CLI::Option* const query =
      app.add_option("QUERY", options.query, "a name of --list, or SQL");
  Suggest(query, QuestionNames());
  app.add_flag("--list", options.list,
               "the questions that have a name, and what can be set in them");
  app.add_option("--replay", options.replay,
                 "in place of DATASET and QUERY: says what steps would be "
                 "without stragglers. A data set (--set run=NAME, from_step, "
                 "to_step), or a pipeline's operations as ByteDance's "
                 "StragglerAnalysis publishes them (Parquet)");
  app.add_option("--set", options.settings,
                 "NAME=VALUE: a parameter of the question")
      ->allow_extra_args(false);
  CLI::Option* const format =
      app.add_option("--format", options.format, "how the answer is printed")
          ->check(CLI::IsMember(QueryFormats()))
          ->capture_default_str();
  AddEngineOptions(app, options);
  app.get_option("--parquet")->excludes(format);
  app.add_flag("--show-sql", options.show_sql,
               "print what the engine would get, and do nothing");
  if (const auto code = ParseArgs(app, args)) return *code;
  if (const absl::Status status = CheckEngine(app, options); !status.ok()) {
    return FailUsage("query", status);
  }
  if (options.list) return FinishOutput(List());
  if (const absl::Status status = CheckReplay(app, options); !status.ok()) {
    return FailUsage("query", status);
  }
  if (!options.replay.empty()) return CodeOf(Replay(options));
  // With --show-sql the data set may be missing.
  if (options.show_sql && options.query.empty()) {
    std::swap(options.folder, options.query);
  }
  if (options.query.empty() || (options.folder.empty() && !options.show_sql)) {
    return FailUsage("query",
                     absl::InvalidArgumentError(
                         "DATASET and QUERY are wanted; --list shows what can "
                         "be asked"));
  }
  const absl::StatusOr<std::string> sql = ChooseSql(options);
  if (!sql.ok()) return FailUsage("query", sql.status());
  if (options.show_sql) {
    std::printf("%s\n", sql->c_str());
    return FinishOutput(kExitOk);
  }
  return options.engine == "spark" ? AskSpark(options, *sql)
                                   : AskDuckdb(options, *sql);
}

}  // namespace dltap::analyzer
