// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/query_spark.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/cli/temporary_folder.h"
#include "analyzer/control/child_process.h"
#include "analyzer/control/install_paths.h"
#include "analyzer/control/run_environment.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/query/engine_answer.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

std::string ValueOf(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

absl::StatusOr<fs::path> FindSparkSubmit(const Environment& environment) {
  std::vector<std::string> folders;
  if (const std::string home = ValueOf(environment, "SPARK_HOME");
      !home.empty()) {
    folders.push_back(home + "/bin");
  } else {
    folders = absl::StrSplit(ValueOf(environment, "PATH"), ':');
  }
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / "spark-submit";
    if (!folder.empty() && access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::UnavailableError(
      "no spark-submit in SPARK_HOME or PATH: install Spark 4 (pip install "
      "pyspark==4.0.1, and Java 17), or leave --engine out to ask DuckDB");
}

// A Spark that pip installed finds itself by the Python beside it.
void ChoosePython(const fs::path& submit, Environment& environment) {
  const fs::path python = submit.parent_path() / "python3";
  if (access(python.c_str(), X_OK) == 0) {
    environment.try_emplace("PYSPARK_PYTHON", python.string());
  }
}

std::vector<std::string> CommandOf(const fs::path& submit,
                                   const std::string& script,
                                   const SparkOptions& options) {
  // Without this Spark tells hundreds of lines about itself.
  std::vector<std::string> command = {
      // Of Python, Spark gives stderr to stdout.
      "/bin/sh",
      "-c",
      "exec \"$0\" \"$@\" >&2",
      submit.string(),
      "--name",
      "dltap query",
      "--conf",
      "spark.log.level=ERROR"};
  if (!options.master.empty()) {
    command.insert(command.end(), {"--master", options.master});
  }
  for (const std::string& setting : options.conf) {
    command.insert(command.end(), {"--conf", setting});
  }
  command.insert(
      command.end(),
      {"--py-files",
       (fs::path(script).parent_path() / "dataset_query.py").string(), script});
  return command;
}

absl::Status Submit(const std::vector<std::string>& command,
                    const Environment& environment) {
  const ChildResult result = RunChild(command, environment);
  if (result.exec_error != 0) {
    return absl::UnavailableError(
        absl::StrCat(command[0], ": ", std::strerror(result.exec_error)));
  }
  if (result.exit_code == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "spark-submit ended with ", result.exit_code, ": see above for why"));
}

}  // namespace

absl::Status QueryBySpark(
    const std::string& dataset, const std::string& sql,
    const SparkOptions& options,
    const std::function<RowSink&(const ResultColumns&)>& begin) {
  Environment environment = CurrentEnvironment();
  const absl::StatusOr<fs::path> submit = FindSparkSubmit(environment);
  if (!submit.ok()) return submit.status();
  ChoosePython(*submit, environment);
  const auto script = InstallPaths::OfThisProgram().SparkScript();
  if (!script.ok()) return script.status();
  const auto folder = MakeTemporaryFolder("query");
  if (!folder.ok()) return folder.status();
  const std::string file = *folder + "/answer.json";
  std::vector<std::string> command = CommandOf(*submit, *script, options);
  command.insert(command.end(), {dataset, "--sql", sql, "--answer", file});
  absl::Status status = Submit(command, environment);
  if (status.ok()) {
    const absl::StatusOr<std::string> answer = ReadFileBytes(file);
    status = answer.ok() ? ReadEngineAnswer(*answer, begin) : answer.status();
  }
  std::error_code error;
  fs::remove_all(*folder, error);
  return status;
}

}  // namespace dltap::analyzer
