// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/baseline_file.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/summarise_trace.h"
#include "analyzer/cli/temporary_folder.h"
#include "analyzer/cli/write_output.h"
#include "analyzer/compare/baseline.h"
#include "analyzer/compare/comparable.h"
#include "analyzer/compare/rule.h"
#include "analyzer/control/child_process.h"
#include "analyzer/control/cuda_major.h"
#include "analyzer/control/run_environment.h"
#include "analyzer/control/xla_toolkit.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/reader/ring_rescue.h"
#include "analyzer/reports/ci_report.h"

namespace dltap::analyzer {
namespace {

struct Options {
  std::vector<std::string> gpus;  // as the table of GPUs calls them
  std::string baseline = "dltap-baseline.json";
  std::string name;
  std::vector<std::string> rules;
  std::string keep;
  int devices = 1;
  bool has_rules = false;  // of its own
  bool what_if = false;
  bool update = false;
  bool force = false;
  std::vector<std::string> command;
};

// Nobody wants more of these unasked. Times are modelled: a better model moves
// them a little.
const std::vector<std::string> kDefaultRules = {
    "launches>0", "syncs>0",       "copies>0",  "copied_bytes>0",
    "mallocs>0",  "peak_memory>0", "step_ms>1%"};

// Each GPU once, before the first run.
absl::Status NameGpus(Options& options) {
  if (options.gpus.empty()) options.gpus = {"h100-sxm"};
  std::vector<std::string> names;
  for (const std::string& gpu : options.gpus) {
    const auto found = ParseGpu(gpu.starts_with("sim:") ? gpu : "sim:" + gpu);
    if (!found.ok()) return found.status();
    const std::string name((*found)->name);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  options.gpus = std::move(names);
  return absl::OkStatus();
}

std::optional<int> Parse(const std::vector<std::string>& args,
                         Options& options) {
  CLI::App app(
      "Run a program on simulated GPUs, on the virtual clock, and compare what "
      "it does there with a baseline file: no GPU and no noise.",
      "dltap ci");
  app.footer("dltap ci [OPTIONS] -- COMMAND...");
  app.add_option("--gpu", options.gpus,
                 "GPU to simulate; may be repeated (default: h100-sxm)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--gpus", options.devices, "simulated devices")
      ->check(CLI::Range(1, 64));
  app.add_flag("--what-if", options.what_if,
               "simulate a GPU that the program's CUDA version has given up");
  app.add_option("--baseline", options.baseline,
                 "the baseline file (default: dltap-baseline.json)");
  app.add_option("--name", options.name,
                 "the program's name in it (default: the command)");
  app.add_flag("--update", options.update, "write the baseline");
  app.add_option("--fail-on", options.rules,
                 absl::StrCat("as in dltap diff; may be repeated (default: ",
                              absl::StrJoin(kDefaultRules, " "), ")"))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--keep", options.keep, "keep the traces in this directory");
  app.add_flag("--force", options.force,
               "go on with a baseline of other versions, or without all "
               "records");
  const auto dashes = std::find(args.begin(), args.end(), "--");
  if (const auto code = ParseArgs(app, {args.begin(), dashes})) return code;
  if (dashes != args.end()) options.command.assign(dashes + 1, args.end());
  if (options.command.empty()) {
    PrintError("ci: no command given; dltap ci [OPTIONS] -- COMMAND...");
    return kExitUsage;
  }
  if (absl::Status s = NameGpus(options); !s.ok()) return FailUsage("ci", s);
  options.has_rules = !options.rules.empty();
  if (!options.has_rules) options.rules = kDefaultRules;
  if (options.name.empty()) {
    options.name = absl::StrJoin(options.command, " ");
  }
  return std::nullopt;
}

// A directory for traces, gone with this unless it shall be kept.
class TraceDirectory {
 public:
  static absl::StatusOr<std::unique_ptr<TraceDirectory>> Make(
      const std::string& keep) {
    if (keep.empty()) {
      const absl::StatusOr<std::string> folder = MakeTemporaryFolder("ci");
      if (!folder.ok()) return folder.status();
      return std::unique_ptr<TraceDirectory>(
          new TraceDirectory(*folder, false));
    }
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(keep, error);
    if (!error) std::filesystem::create_directories(path, error);
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat(keep, ": ", error.message()));
    }
    return std::unique_ptr<TraceDirectory>(new TraceDirectory(path, true));
  }
  ~TraceDirectory() {
    std::error_code error;
    if (!kept_) std::filesystem::remove_all(path_, error);
  }
  TraceDirectory(const TraceDirectory&) = delete;
  TraceDirectory& operator=(const TraceDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  TraceDirectory(std::filesystem::path path, bool kept)
      : path_(std::move(path)), kept_(kept) {}

  const std::filesystem::path path_;
  const bool kept_;
};

absl::StatusOr<RunSettings> SettingsFor(const std::string& gpu,
                                        const std::filesystem::path& root,
                                        const Options& options) {
  RunSettings settings;
  settings.sim_clock = "virtual";
  settings.level = "kernels";  // whatever the user's shell says
  settings.gpus = options.devices;
  settings.what_if = options.what_if;
  const auto simulated = ParseGpu("sim:" + gpu);
  if (!simulated.ok()) return simulated.status();
  settings.simulated = *simulated;
  const absl::StatusOr<int> cuda = ChooseCuda(
      std::nullopt, GuessCudaMajor(options.command, CurrentEnvironment()),
      settings);
  if (!cuda.ok()) return cuda.status();
  settings.cuda = *cuda;
  settings.toolkit = FetchedToolkitForXla(
      options.command, InstallPaths::OfThisProgram(), CurrentEnvironment());
  const std::filesystem::path directory =
      root / std::string(settings.simulated->name);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const bool holds_something = !std::filesystem::is_empty(directory, error);
  if (error || holds_something) {
    return absl::FailedPreconditionError(absl::StrCat(
        directory.string(), ": ",
        error ? error.message() : "holds something already; name another"));
  }
  settings.directory = directory.string();
  return settings;
}

absl::Status RunOn(const RunSettings& settings, const Options& options) {
  const absl::StatusOr<Environment> environment = RunEnvironment(
      settings, InstallPaths::OfThisProgram(), CurrentEnvironment());
  if (!environment.ok()) return environment.status();
  const ChildResult result = RunChild(options.command, *environment);
  if (result.exec_error != 0) {
    return absl::NotFoundError(absl::StrCat(options.command[0], ": ",
                                            std::strerror(result.exec_error)));
  }
  RescueRings(settings.directory);
  if (result.exit_code == 0) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(
      options.command[0], " ended with exit code ", result.exit_code));
}

std::map<std::string, std::string> VersionsOf(const Figures& figures,
                                              const RunSettings& settings) {
  std::map<std::string, std::string> versions = {
      {"cuda", absl::StrCat(settings.cuda)},
      {"devices", absl::StrCat(settings.gpus)},
      {"dltap", DLTAP_VERSION}};
  if (!figures.program.frameworks.empty()) {
    versions["framework"] = absl::StrJoin(figures.program.frameworks, ", ");
  }
  return versions;
}

absl::StatusOr<BaselineRun> Measure(const std::string& gpu,
                                    const std::filesystem::path& root,
                                    const Options& options) {
  const absl::StatusOr<RunSettings> settings = SettingsFor(gpu, root, options);
  if (!settings.ok()) return settings.status();
  if (absl::Status s = RunOn(*settings, options); !s.ok()) return s;
  std::error_code error;
  if (std::filesystem::is_empty(settings->directory, error)) {
    return absl::NotFoundError(absl::StrCat(
        options.command[0], ": no work of a GPU on ", gpu,
        ", nothing was recorded; dltap doctor -- ",
        absl::StrJoin(options.command, " "), " says what would be"));
  }
  const SummarisedTrace trace = SummariseTrace({settings->directory}, {}, {});
  if (!trace.summary.ok()) return trace.summary.status();
  const Figures figures = FiguresOf(*trace.summary);
  const Side side = {&*trace.summary, &figures};
  const std::string losses = LossesOf(side);
  if (!losses.empty() && !options.force) {
    return absl::DataLossError(absl::StrCat(
        gpu, ": records are missing (", losses,
        "), so counts can't be judged; --keep DIR and dltap report DIR tell "
        "more, --force goes on"));
  }
  if (trace.summary->devices.empty()) {
    return absl::NotFoundError(
        absl::StrCat(options.command[0], ": no work of a GPU"));
  }
  return BaselineRunOf(side, VersionsOf(figures, *settings));
}

int Compare(const std::string& gpu, const BaselineRun* base,
            const BaselineRun& now, const std::vector<Rule>& rules,
            const Options& options) {
  if (base == nullptr) {
    PrintError(absl::StrCat("ci: ", options.baseline, " has nothing of \"",
                            options.name, "\" on ", gpu, "; --update adds it"));
    return kExitBadInput;
  }
  const std::string unlike = UnlikeVersions(*base, now);
  if (!unlike.empty() && !options.force) {
    PrintError(absl::StrCat("ci: ", gpu, ": not comparable: ", unlike,
                            "; --update writes a new baseline, --force "
                            "compares all the same"));
    return kExitBadInput;
  }
  const CiReport report = {gpu, *base, now, ChangesOf(*base, now), rules};
  WriteOutput("-", CiText(report)).IgnoreError();
  if (options.has_rules && Any(report, Verdict::kUnknown)) return kExitBadInput;
  return Any(report, Verdict::kFires) ? kExitThreshold : kExitOk;
}

int Update(const std::map<std::string, BaselineRun>& runs,
           const Options& options) {
  const absl::Status written =
      UpdateBaseline(options.baseline, options.name, runs);
  if (!written.ok()) return Fail(written);
  std::printf("%s: written\n", options.baseline.c_str());
  return kExitOk;
}

}  // namespace

int RunCi(const std::vector<std::string>& args) {
  Options options;
  if (const auto code = Parse(args, options)) return *code;
  std::vector<Rule> rules;
  for (const std::string& text : options.rules) {
    const absl::StatusOr<Rule> rule = ParseExactRule(text);
    if (!rule.ok()) return FailUsage("ci", rule.status());
    rules.push_back(*rule);
  }
  for (const std::string& gpu : options.gpus) {
    const auto known = ParseGpu("sim:" + gpu);
    if (!known.ok()) return FailUsage("ci", known.status());
  }
  absl::StatusOr<Baseline> baseline = ReadBaseline(options.baseline);
  if (!baseline.ok()) return Fail(baseline.status());
  if (options.update) {
    const absl::Status writable = CheckBaseline(options.baseline);
    if (!writable.ok()) return Fail(writable);
  }
  const auto directory = TraceDirectory::Make(options.keep);
  if (!directory.ok()) return Fail(directory.status());
  const auto& known = (*baseline)[options.name];
  std::map<std::string, BaselineRun> runs;
  int code = kExitOk;
  for (const std::string& gpu : options.gpus) {
    absl::StatusOr<BaselineRun> run =
        Measure(gpu, (*directory)->path(), options);
    if (!run.ok()) return Fail(run.status());
    const BaselineRun& now = runs[gpu] = *std::move(run);
    if (options.update) continue;
    const auto at = known.find(gpu);
    // The gravest: input that can't be judged, then a rule that fires.
    code =
        std::max(code, Compare(gpu, at == known.end() ? nullptr : &at->second,
                               now, rules, options));
  }
  return options.update ? Update(runs, options) : code;
}

}  // namespace dltap::analyzer
