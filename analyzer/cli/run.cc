// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/color.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/gpu_option.h"
#include "analyzer/cli/pack_dataset.h"
#include "analyzer/cli/page_option.h"
#include "analyzer/cli/summarise_trace.h"
#include "analyzer/control/child_process.h"
#include "analyzer/control/cuda_major.h"
#include "analyzer/control/machine_facts.h"
#include "analyzer/control/nothing_recorded.h"
#include "analyzer/control/program_linkage.h"
#include "analyzer/control/run_directory.h"
#include "analyzer/control/run_environment.h"
#include "analyzer/control/xla_toolkit.h"
#include "analyzer/duckdb/duckdb_functions.h"
#include "analyzer/reader/ring_rescue.h"
#include "analyzer/reports/page.h"
#include "analyzer/reports/text_report.h"

namespace dltap::analyzer {
namespace {

struct Options {
  std::string output;
  std::string gpu = "real";
  std::string cuda = "auto";
  RunSettings settings;
  std::string dataset;  // to which the ranks are added
  bool no_report = false;
  bool sensitivity = false;
  std::vector<std::string> command;
};

// Of --sensitivity: long enough to be seen in a step of many calls, short
// enough to change no program's nature.
constexpr const char* kDelaysUs = "20,50,100";

// Where our own options end: at `--`, or at the first word that is neither an
// option nor an option's value.
size_t EndOfOptions(const CLI::App& app, const std::vector<std::string>& args) {
  size_t i = 0;
  while (i < args.size() && args[i] != "--" && args[i].starts_with('-')) {
    const CLI::Option* option = app.get_option_no_throw(args[i]);
    const bool has_value =
        option != nullptr && option->get_items_expected_max() > 0;
    i += has_value ? 2 : 1;
  }
  return std::min(i, args.size());
}

void AddWindowOptions(CLI::App& app, RunSettings& settings) {
  constexpr int kMostSeconds = 100'000'000;
  app.add_option("--delay", settings.delay_s,
                 "record from so many seconds after the first GPU work on")
      ->check(CLI::Range(0, kMostSeconds));
  app.add_option("--duration", settings.duration_s,
                 "record for so many seconds")
      ->check(CLI::Range(1, kMostSeconds));
  app.add_option("--range", settings.range,
                 "record only while a thread is in an NVTX range of that name");
}

// nullopt: go on.
std::optional<int> Parse(const std::vector<std::string>& args,
                         Options& options) {
  CLI::App app(
      "Run a program under the profiler: one trace directory for it and all "
      "its children, its exit code, and the report on stderr.",
      "dltap run");
  app.footer("dltap run [OPTIONS] [--] COMMAND...");
  app.add_option("-o,--output", options.output,
                 "trace directory; %h host, %p pid, %r rank, %q{ENV} "
                 "(default: dltap-PROGRAM-TIME)");
  Suggest(app.add_option("--gpu", options.gpu,
                         "real, or sim:NAME for simulated CUDA libraries"),
          GpuOptionValues());
  app.add_option("--gpus", options.settings.gpus, "simulated devices")
      ->check(CLI::Range(1, 64));
  app.add_option("--cuda", options.cuda,
                 "CUDA version of the simulated libraries: 11, 12, 13 or auto, "
                 "what the program's frameworks are built for (default)")
      ->check(CLI::IsMember({"auto", "11", "12", "13"}));
  app.add_option("--sim-clock", options.settings.sim_clock,
                 "simulated time: real (the host waits), skip (waits move the "
                 "clock) or virtual (host calls cost fixed times: two runs "
                 "give the same trace); default: DLTAP_SIM_CLOCK, real")
      ->check(CLI::IsMember({"real", "skip", "virtual"}));
  app.add_flag("--what-if", options.settings.what_if,
               "simulate a GPU that the program's CUDA version has given up");
  app.add_option("--level", options.settings.level, "host or kernels")
      ->check(CLI::IsMember({"host", "kernels"}));
  app.add_option("--sites", options.settings.sites,
                 "record where calls are made: by return addresses (native), "
                 "or by Python frames where there are any")
      ->check(CLI::IsMember({"off", "native", "python"}));
  app.add_flag("--tf-names", options.settings.tensorflow_names,
               "TensorFlow: record which operation of the graph started each "
               "kernel, for directions, steps and classes");
  AddWindowOptions(app, options.settings);
  app.add_flag("--sensitivity", options.sensitivity,
               "put delays before library calls, of one class at a time, and "
               "report how much longer the steps get");
  app.add_option("--delay-window", options.settings.delay_window_ms,
                 "with --sensitivity: milliseconds with one delay; several "
                 "steps must fit (default 500)")
      ->check(CLI::Range(100, 600'000));
  app.add_flag("--no-report", options.no_report, "only record");
  app.add_option("--pack", options.dataset,
                 "add the ranks to this data set, as dltap pack --parquet "
                 "does, as a run of the directory's name");
  const auto end = args.begin() + static_cast<long>(EndOfOptions(app, args));
  if (auto code = ParseArgs(app, {args.begin(), end})) {
    return *code == kExitUsage ? kExitRunFailed : *code;
  }
  if (options.sensitivity) options.settings.delays_us = kDelaysUs;
  const bool dashes = end != args.end() && *end == "--";
  options.command.assign(dashes ? end + 1 : end, args.end());
  if (options.command.empty()) {
    PrintError("run: no command given; dltap run [OPTIONS] -- COMMAND...");
    return kExitRunFailed;
  }
  return std::nullopt;
}

int FailedRun(const absl::Status& status) {
  Fail(status);
  return kExitRunFailed;
}

// Delays take real time, which other clocks do not show.
absl::Status CheckClock(const Options& options) {
  const char* inherited = std::getenv("DLTAP_SIM_CLOCK");
  const std::string& wanted = options.settings.sim_clock;
  const std::string clock = !wanted.empty()        ? wanted
                            : inherited != nullptr ? inherited
                                                   : "real";
  if (!options.sensitivity || options.settings.simulated == nullptr ||
      clock == "real") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("--sensitivity needs --sim-clock real");
}

absl::Status ChooseGpu(Options& options) {
  RunSettings& settings = options.settings;
  const auto gpu = ParseGpu(options.gpu);
  if (!gpu.ok()) return gpu.status();
  settings.simulated = *gpu;
  const char* needs_one = !settings.sim_clock.empty() ? "--sim-clock"
                          : options.cuda != "auto"    ? "--cuda"
                                                      : nullptr;
  if (*gpu == nullptr) {
    if (needs_one == nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(std::string(needs_one) +
                                      " needs a simulated GPU: --gpu sim:NAME");
  }
  std::optional<int> wanted;
  if (options.cuda != "auto") wanted = std::stoi(options.cuda);
  const absl::StatusOr<int> cuda = ChooseCuda(
      wanted, GuessCudaMajor(options.command, CurrentEnvironment()), settings);
  if (cuda.ok()) settings.cuda = *cuda;
  settings.toolkit = FetchedToolkitForXla(
      options.command, InstallPaths::OfThisProgram(), CurrentEnvironment());
  return cuda.status();
}

// Before the program runs for hours.
absl::Status CheckPack(const Options& options) {
  if (options.dataset.empty()) return absl::OkStatus();
  if (std::getenv("WORLD_SIZE") != nullptr) {
    return absl::InvalidArgumentError(
        "--pack: this is one rank of a job, and the others still write; use "
        "dltap pack --parquet when it has ended");
  }
  return LoadDuckdb().status();
}

void AddToDataset(const Options& options, const std::string& directory) {
  std::string run = std::filesystem::path(directory).filename().string();
  std::replace_if(
      run.begin(), run.end(), [](char c) { return !IsRunCharacter(c); }, '-');
  const absl::Status status =
      PackDataset({directory}, {.folder = options.dataset, .run = run});
  if (!status.ok()) PrintError(std::string(status.message()));
}

absl::StatusOr<std::string> MakeDirectory(const Options& options) {
  if (options.output.empty()) {
    return MakeRunDirectory(
        DefaultRunDirectory(options.command, std::time(nullptr)), false);
  }
  const absl::StatusOr<std::string> path = ExpandOutput(options.output);
  if (!path.ok()) return path.status();
  // Ranks of one job may be sent into one directory.
  return MakeRunDirectory(*path, std::getenv("WORLD_SIZE") != nullptr);
}

int ExecFailed(const std::string& program, int error) {
  PrintError(program + ": " + std::strerror(error));
  return error == ENOENT ? kExitNotFound : kExitNotExecutable;
}

// Stdout is the program's, so the report goes to stderr.
void Report(const std::string& directory, const Environment& environment) {
  PrintError("trace in " + directory);
  const SummarisedTrace trace = SummariseTrace({directory}, {}, {});
  if (!trace.summary.ok()) {
    PrintError(std::string(trace.summary.status().message()));
    return;
  }
  const Summary& summary = *trace.summary;
  const Figures figures = FiguresOf(summary);
  const std::string why = WhyNoCalls(environment);
  if (figures.apis.empty() && !why.empty()) {
    PrintError(why);
    return;
  }
  ReportOptions options;
  options.color = UseColor("auto", stderr);
  SetPage(PageFor(0, stderr));
  const std::string text =
      TextReport(summary, figures, ReportBy::kClass, options);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool HasGpu(const Options& options, const Environment& environment) {
  return options.settings.simulated != nullptr || HasDriver() ||
         environment.contains("DLTAP_SIM_GPU");
}

void ExplainNoTrace(const Options& options, const Environment& environment,
                    int exit_code) {
  PrintError(WhyNoTrace({.program = LookAtProgram(options.command, environment),
                         .environment = environment,
                         .exit_code = exit_code,
                         .has_gpu = HasGpu(options, environment)}));
}

}  // namespace

int RunRun(const std::vector<std::string>& args) {
  Options options;
  if (const auto code = Parse(args, options)) return *code;
  if (absl::Status s = ChooseGpu(options); !s.ok()) return FailedRun(s);
  if (absl::Status s = CheckClock(options); !s.ok()) return FailedRun(s);
  if (absl::Status s = CheckPack(options); !s.ok()) return FailedRun(s);
  absl::StatusOr<std::string> directory = MakeDirectory(options);
  if (!directory.ok()) return FailedRun(directory.status());
  options.settings.directory = *directory;
  const absl::StatusOr<Environment> environment = RunEnvironment(
      options.settings, InstallPaths::OfThisProgram(), CurrentEnvironment());
  if (!environment.ok()) return FailedRun(environment.status());
  if (!HasGpu(options, *environment)) PrintError(kNoDriver);
  if (TakesToolkit(options.settings, *environment)) {
    PrintError("XLA compiles with the CUDA toolkit in " +
               options.settings.toolkit + " (XLA_FLAGS)");
  }
  const ChildResult result = RunChild(options.command, *environment);
  if (result.exec_error != 0) {
    return ExecFailed(options.command[0], result.exec_error);
  }
  RescueRings(*directory);
  if (!HoldsTrace(*directory)) {
    ExplainNoTrace(options, *environment, result.exit_code);
    return result.exit_code;
  }
  if (!options.no_report) Report(*directory, *environment);
  if (!options.dataset.empty()) AddToDataset(options, *directory);
  return result.exit_code;
}

}  // namespace dltap::analyzer
