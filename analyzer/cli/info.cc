// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/info_json.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/model/library_version.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

// `value` may hold what the trace says: any bytes, also a terminal's commands.
void Line(const std::string& key, const std::string& value) {
  if (value.empty()) return;
  std::printf("  %-10s %s\n", key.c_str(), Printable(value).c_str());
}

std::string Milliseconds(int64_t ns) {
  return absl::StrFormat("%.3f ms", static_cast<double>(ns) / 1e6);
}

std::string DeviceText(const Device& device) {
  std::string text = absl::StrCat(device.ordinal, ": ", device.name);
  if (device.sms > 0) absl::StrAppend(&text, ", ", device.sms, " SMs");
  if (device.compute_major > 0) {
    absl::StrAppend(&text, ", sm_", device.compute_major, device.compute_minor);
  }
  if (device.memory_bytes > 0) {
    absl::StrAppend(&text, ", ", device.memory_bytes >> 20, " MiB");
  }
  if (device.simulated) absl::StrAppend(&text, ", simulated");
  if (!device.uuid.empty()) absl::StrAppend(&text, ", UUID ", device.uuid);
  return text;
}

std::string LibrariesText(const Process& process) {
  std::vector<std::string> texts;
  for (const LibraryVersion& version : process.libraries) {
    texts.push_back(absl::StrCat(version.library, " ", VersionText(version)));
  }
  return absl::StrJoin(texts, ", ");
}

std::string LevelText(const Process& process) {
  if (process.level_reason.empty()) return process.level;
  return process.level + " (" + process.level_reason + ")";
}

std::string OpenText(const TraceModel& model, const Process& process,
                     const OpenCall& call) {
  const Thread& thread = process.threads[call.thread.value()];
  return absl::StrCat(
      model.entry_points[call.entry.value()].symbol, " on thread ", thread.tid,
      thread.name.empty() ? "" : " ", thread.name, ", for ",
      Milliseconds(std::max<int64_t>(0, LastSeenNs(process) - call.begin_ns)),
      " until the process was last seen");
}

void PrintProcess(const TraceModel& model, const Process& process) {
  std::printf("process %ld%s%s\n", static_cast<long>(process.pid),
              process.host.empty() ? "" : " on ",
              Printable(process.host).c_str());
  Line("program", process.program);
  Line("command", process.command.empty()
                      ? ""
                      : WholeCommandText(process.program, process.command,
                                         process.command_is_cut));
  Line("framework", process.framework);
  Line("libraries", LibrariesText(process));
  if (process.rank) {
    Line("rank", process.world_size
                     ? absl::StrCat(*process.rank, " of ", *process.world_size)
                     : absl::StrCat(*process.rank));
  }
  for (const Device& device : process.devices) {
    Line("device", DeviceText(device));
  }
  Line("level", LevelText(process));
  Line("duration", Milliseconds(process.end_ns - process.begin_ns));
  Line("recorded",
       absl::StrCat(process.calls.size(), " calls of ", process.threads.size(),
                    " threads, ", CountOf(process, ActivityKind::kKernel),
                    " kernels, ", CountOf(process, ActivityKind::kMemcpy),
                    " copies, ", CountOf(process, ActivityKind::kMemset),
                    " memsets, ", process.ranges.size(), " ranges"));
  Line("clocks",
       absl::StrCat("mapped to within ", process.clock_residual_ns, " ns"));
  if (!process.complete) {
    Line("ended", "before its trace was closed: killed, or still running");
  }
  for (const OpenCall& call : process.open_calls) {
    Line("inside", OpenText(model, process, call));
  }
  for (const Loss& loss : process.losses) {
    if (loss.count == 0) continue;
    Line("lost", absl::StrCat(loss.count, " ", loss.meaning));
  }
}

}  // namespace

int RunInfo(const std::vector<std::string>& args) {
  static constexpr const char* kFormats[] = {"dltap", "Kineto",
                                             "Nsight Systems"};
  std::vector<std::string> paths;
  bool json = false;
  CLI::App app("Say what a trace holds.", "dltap info");
  app.add_option("TRACE", paths, "directories or files")->required();
  app.add_flag("--json", json, "as JSON");
  if (const auto code = ParseArgs(app, args)) return *code;
  const absl::StatusOr<TraceModel> model = LoadTrace(paths);
  if (!model.ok()) return Fail(model.status());
  if (json) {
    std::puts(InfoJson(*model).c_str());
    return kExitOk;
  }
  std::printf("%s trace, %zu file%s, %zu process%s\n",
              kFormats[static_cast<size_t>(model->format)], model->files.size(),
              model->files.size() == 1 ? "" : "s", model->processes.size(),
              model->processes.size() == 1 ? "" : "es");
  for (const Process& process : model->processes) {
    PrintProcess(*model, process);
  }
  return kExitOk;
}

}  // namespace dltap::analyzer
