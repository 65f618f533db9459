// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/cli/command.h"
#include "analyzer/control/control_link.h"
#include "analyzer/control/snapshot.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reader/mapped_file.h"
#include "analyzer/reader/ring_rescue.h"

namespace dltap::analyzer {
namespace {

using trace::ControlRequest;
using trace::ControlState;

struct Options {
  int pid = 0;
  std::string action;
  std::string output;
  double last_s = 0;
  bool json = false;
};

constexpr double kLateS = 2;

const char* WordOf(ControlState state) {
  switch (state) {
    case ControlState::kRecording: return "recording";
    case ControlState::kPaused: return "paused";
    case ControlState::kEnded: return "ended";
  }
  return "unknown";
}

const char* LevelWord(int level) { return level >= 2 ? "kernels" : "host"; }

double Share(const RecordingStatus& status) {
  return status.total_cpu_ns == 0
             ? 0
             : static_cast<double>(status.own_cpu_ns) /
                   static_cast<double>(status.total_cpu_ns);
}

void PrintText(const RecordingStatus& status, int pid) {
  absl::PrintF("process %d: %s, begun %.0f s ago, level %s\n", pid,
               WordOf(status.state), status.age_s, LevelWord(status.level));
  absl::PrintF("trace:    %s/%s\n", status.directory, status.file);
  absl::PrintF("size:     %.1f MB of %.0f MB, then %s\n",
               static_cast<double>(status.bytes) / 1048576,
               static_cast<double>(status.limit_bytes) / 1048576,
               status.is_ring ? "the oldest gives way" : "recording stops");
  absl::PrintF("calls:    %u recorded; %u losses\n", status.calls, status.lost);
  absl::PrintF("own cost: %.2f s of CPU time, %.2f%% of the process's\n",
               static_cast<double>(status.own_cpu_ns) * 1e-9,
               100 * Share(status));
  if (status.last_pass_s > kLateS) {
    absl::PrintF("the recorder has not looked up for %.0f s\n",
                 status.last_pass_s);
  }
}

void PrintJson(const RecordingStatus& status, int pid) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.status");
  json.Field("version", 1);
  json.Field("pid", pid);
  json.Field("state", WordOf(status.state));
  json.Field("level", LevelWord(status.level));
  json.Field("trace", absl::StrCat(status.directory, "/", status.file));
  json.Field("age_s", status.age_s);
  json.Field("bytes", status.bytes);
  json.Field("limit_bytes", status.limit_bytes);
  json.Field("policy", status.is_ring ? "ring" : "stop");
  json.Field("calls", status.calls);
  json.Field("lost", status.lost);
  json.Field("own_cpu_ns", status.own_cpu_ns);
  json.Field("total_cpu_ns", status.total_cpu_ns);
  json.EndObject();
  std::puts(json.Take().c_str());
}

int Snapshot(const Options& options, const ControlLink& link) {
  std::string target = options.output;
  if (target.empty()) {
    target =
        absl::StrCat("dltap-snapshot-", options.pid, "-", std::time(nullptr));
  }
  // Before the data files, so that nothing is drained in between.
  const auto ring = MappedFile::Copy(link.RingFile());
  const auto bytes = CopySnapshot(link.DataFiles(), target, options.last_s);
  if (!bytes.ok()) return Fail(bytes.status());
  if (ring.ok() && !ring->bytes().empty()) {
    WriteRing(absl::StrCat(target, "/", link.RingName()), ring->bytes());
  }
  absl::PrintF("%s: %.1f MB\n", target, static_cast<double>(*bytes) / 1048576);
  return kExitOk;
}

ControlRequest RequestOf(const std::string& action) {
  if (action == "start") return ControlRequest::kStart;
  if (action == "stop") return ControlRequest::kStop;
  return action == "snapshot" ? ControlRequest::kFlush
                              : ControlRequest::kStatus;
}

// A session that has ended answers nobody; its files and figures are there.
int Act(const Options& options, ControlLink& link) {
  const bool changes = options.action == "start" || options.action == "stop";
  const bool ended = link.Status().state == ControlState::kEnded;
  if (ended && changes) {
    PrintError(absl::StrCat("the recording of process ", options.pid,
                            " has ended for good"));
    return kExitThreshold;
  }
  const absl::Status asked = link.Ask(RequestOf(options.action));
  if (!asked.ok() && changes) return Fail(asked);
  if (options.action == "snapshot") return Snapshot(options, link);
  options.json ? PrintJson(link.Status(), options.pid)
               : PrintText(link.Status(), options.pid);
  return kExitOk;
}

}  // namespace

int RunCtl(const std::vector<std::string>& args) {
  Options options;
  CLI::App app(
      "Steer the recording of a running process: start and stop it, copy what "
      "it holds (with DLTAP_MAX_MB=N:ring the last N megabytes) into a new "
      "directory, or say how it does.",
      "dltap ctl");
  app.add_option("PID", options.pid, "the recorded process")->required();
  app.add_option("ACTION", options.action, "start, stop, snapshot or status")
      ->required()
      ->check(CLI::IsMember({"start", "stop", "snapshot", "status"}));
  app.add_option("-o,--output", options.output,
                 "of a snapshot: the new directory (default: "
                 "dltap-snapshot-PID-TIME)");
  app.add_option("--last", options.last_s,
                 "of a snapshot: only the files of the last seconds")
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", options.json, "the status as JSON");
  if (const auto code = ParseArgs(app, args)) return *code;
  auto link = ControlLink::To(options.pid);
  if (!link.ok()) return Fail(link.status());
  return Act(options, *link);
}

}  // namespace dltap::analyzer
