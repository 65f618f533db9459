// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

// Prints each way in which the trace says less than happened.
uint64_t PrintLosses(const TraceModel& model) {
  uint64_t findings = 0;
  for (const Process& process : model.processes) {
    const std::string who = absl::StrCat("process ", process.pid, ": ");
    for (const Loss& loss : process.losses) {
      if (loss.count == 0) continue;
      ++findings;
      std::printf("%s%s: %lu %s\n", who.c_str(), loss.cause.c_str(),
                  static_cast<unsigned long>(loss.count), loss.meaning.c_str());
    }
    if (!process.level_reason.empty()) {
      ++findings;
      std::printf("%slevel %s: %s\n", who.c_str(),
                  Printable(process.level).c_str(),
                  Printable(process.level_reason).c_str());
    }
    if (!process.complete) {
      ++findings;
      std::printf(
          "%sended before its trace was closed; all that was "
          "committed is read\n",
          who.c_str());
    }
  }
  return findings;
}

}  // namespace

int RunCheck(const std::vector<std::string>& args) {
  std::vector<std::string> paths;
  CLI::App app(
      "Read a trace whole and say what is damaged or lost: exit code 0 when "
      "nothing is, 1 when something is, 3 when it cannot be read.",
      "dltap check");
  app.add_option("TRACE", paths, "directories or files")->required();
  if (const auto code = ParseArgs(app, args)) return *code;
  std::vector<std::string> problems;
  const absl::StatusOr<TraceModel> model = LoadTrace(paths, &problems);
  if (!model.ok()) return Fail(model.status());
  for (const std::string& problem : problems) {
    std::printf("%s\n", problem.c_str());
  }
  if (PrintLosses(*model) + problems.size() > 0) return kExitThreshold;
  std::puts("whole: nothing damaged, nothing lost");
  return kExitOk;
}

}  // namespace dltap::analyzer
