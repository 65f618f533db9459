// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/info_json.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

// Whether a process says less than happened in it.
bool IsWhole(const Process& process) {
  return process.complete && process.level_reason.empty() &&
         std::all_of(process.losses.begin(), process.losses.end(),
                     [](const Loss& loss) { return loss.count == 0; });
}

void PrintLosses(const Process& process) {
  const std::string who = absl::StrCat("process ", process.pid, ": ");
  for (const Loss& loss : process.losses) {
    if (loss.count == 0) continue;
    std::printf("%s%s: %lu %s\n", who.c_str(), loss.cause.c_str(),
                static_cast<unsigned long>(loss.count), loss.meaning.c_str());
  }
  if (!process.level_reason.empty()) {
    std::printf("%slevel %s: %s\n", who.c_str(),
                Printable(process.level).c_str(),
                Printable(process.level_reason).c_str());
  }
  if (!process.complete) {
    std::printf(
        "%sended before its trace was closed; all that was committed is read\n",
        who.c_str());
  }
}

void PrintText(const TraceModel& model,
               const std::vector<std::string>& problems, bool whole) {
  for (const std::string& problem : problems) {
    std::printf("%s\n", problem.c_str());
  }
  for (const Process& process : model.processes) PrintLosses(process);
  if (whole) std::puts("whole: nothing damaged, nothing lost");
}

}  // namespace

int RunCheck(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  CLI::App app(
      "Read a trace whole and say what is damaged or lost: exit code 0 when "
      "nothing is, 1 when something is, 3 when it cannot be read.",
      "dltap check");
  app.add_option("TRACE", paths, "directories or files")->required();
  bool json = false;
  app.add_flag("--json", json, "as JSON");
  if (const auto code = ParseArgs(app, args)) return *code;
  std::vector<std::string> problems;
  const absl::StatusOr<TraceModel> model = LoadTrace(paths, &problems);
  if (!model.ok()) return Fail(model.status());
  const bool whole =
      problems.empty() &&
      std::all_of(model->processes.begin(), model->processes.end(), IsWhole);
  if (json) {
    std::puts(CheckJson(*model, problems, whole).c_str());
  } else {
    PrintText(*model, problems, whole);
  }
  return whole ? kExitOk : kExitThreshold;
}

}  // namespace dltap::analyzer
