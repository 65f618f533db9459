// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/predict_scaling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/gpu_option.h"
#include "analyzer/cli/load_trace.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/predict/scaling.h"
#include "analyzer/predict/scaling_render.h"

namespace dltap::analyzer {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;
constexpr double kMostBytes = 1e18;
constexpr double kMostBuckets = 1e6;

struct Options {
  std::vector<std::string> paths;
  std::string gpu;
  std::string link;
  std::string network = "ib";
  std::string input = "own";
  uint64_t gradient_bytes = 0;
  uint64_t bucket_bytes = 25 * kMib;  // of DistributedDataParallel
  int gpus_per_node = 8;
  std::vector<int> gpus = {2, 4, 8, 16, 32, 64};
  bool json = false;
};

std::vector<std::string> LinkNames() {
  std::vector<std::string> names;
  for (const opmodel::Link& link : opmodel::AllLinks()) {
    names.emplace_back(link.name);
  }
  return names;
}

// "102.4MB" -> "102400000"; returns what is wrong.
std::string ToBytes(std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"", 1},     {"b", 1},      {"kb", 1e3}, {"kib", 1 << 10},
      {"mb", 1e6}, {"mib", kMib}, {"gb", 1e9}, {"gib", 1 << 30}};
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const auto unit =
      kUnits.find(CLI::detail::to_lower(CLI::detail::trim_copy({stop, end})));
  const double bytes = unit == kUnits.end() ? 0 : number * unit->second;
  if (error != std::errc() || !(bytes >= 1 && bytes <= kMostBytes)) {
    return absl::StrCat("\"", text,
                        "\" is no number of bytes, such as 102.4MB");
  }
  text = std::to_string(std::llround(bytes));
  return "";
}

void Declare(CLI::App& app, Options& options) {
  const CLI::IsMember links(LinkNames());
  app.add_option("--scaling", options.paths, "a trace of one GPU's training")
      ->required();
  app.add_option("--gradients", options.gradient_bytes,
                 "bytes that each step all-reduces: 102MB; 4 for each "
                 "parameter in FP32")
      ->required()
      ->transform(CLI::Validator(ToBytes, "BYTES"));
  app.add_option("--bucket", options.bucket_bytes,
                 "bytes in one all-reduce: 25MiB")
      ->transform(CLI::Validator(ToBytes, "BYTES"));
  app.add_option("--gpu", options.gpu, "for its links; else the trace's GPU");
  app.add_option("--gpus", options.gpus, "numbers of GPUs: 2,4,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--gpus-per-node", options.gpus_per_node,
                 "beyond these the network joins them")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--link", options.link, "inside a node; else the GPU's own")
      ->check(links);
  app.add_option("--network", options.network, "between nodes")->check(links);
  app.add_option("--input", options.input,
                 "own: each GPU's input takes as long as now; shared: all read "
                 "from one store")
      ->check(CLI::IsMember({"own", "shared"}));
  app.add_flag("--json", options.json, "the rows as JSON");
}

absl::StatusOr<StepParts> PartsOf(const Figures& figures) {
  const ProgramFigures& program = figures.program;
  if (!figures.steps.mean_ns) {
    return absl::InvalidArgumentError(
        "predict: no steps were found in the trace; trace a training loop of "
        "several iterations");
  }
  const auto of = [&program](Phase phase) {
    return program.phases_step_ns[static_cast<size_t>(phase)];
  };
  // Communication that is there already is not counted again.
  const StepParts parts = {
      .io_ns = of(Phase::kIo),
      .h2d_ns = of(Phase::kH2d),
      .forward_ns = of(Phase::kForward),
      .backward_ns = of(Phase::kBackward),
      .update_ns = of(Phase::kUpdate),
      .other_ns = of(Phase::kOther) + of(Phase::kAutotune)};
  if (parts.backward_ns <= 0) {
    return absl::InvalidArgumentError(
        "predict: the step has no backward pass, so no gradients to "
        "all-reduce; is it inference?");
  }
  return parts;
}

absl::StatusOr<const opmodel::GpuSpec*> GpuOf(const Figures& figures,
                                              const Options& options) {
  const std::string name = !options.gpu.empty() ? options.gpu
                           : figures.program.gpus.empty()
                               ? ""
                               : figures.program.gpus.begin()->first;
  const opmodel::GpuSpec* gpu = GpuNamed(name);
  if (gpu == nullptr) {
    return absl::InvalidArgumentError(
        options.gpu.empty() ? absl::StrCat("predict: the trace's GPU (\"", name,
                                           "\") is not in the table; name one "
                                           "with --gpu")
                            : UnknownGpu(name));
  }
  return gpu;
}

ScalingOptions OptionsFor(const opmodel::GpuSpec& gpu, const Options& options) {
  ScalingOptions out;
  out.gradient_bytes = static_cast<double>(options.gradient_bytes);
  out.bucket_bytes = static_cast<double>(options.bucket_bytes);
  out.shared_input = options.input == "shared";
  out.gpus_per_node = options.gpus_per_node;
  out.link = options.link.empty() ? &opmodel::DefaultLink(gpu)
                                  : opmodel::FindLink(options.link);
  out.network = opmodel::FindLink(options.network);
  out.gpus = options.gpus;
  return out;
}

int Usage(const absl::Status& status) {
  PrintError(std::string(status.message()));
  return kExitUsage;
}

}  // namespace

bool AsksForScaling(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(), [](const std::string& arg) {
    return arg == "--scaling" || arg.starts_with("--scaling=");
  });
}

int RunPredictScaling(const std::vector<std::string>& args) {
  Options options;
  CLI::App app("Model the step of a trace on more GPUs of its kind.",
               "dltap predict");
  Declare(app, options);
  if (const auto code = ParseArgs(app, args)) return *code;
  if (static_cast<double>(options.gradient_bytes) >
      kMostBuckets * static_cast<double>(options.bucket_bytes)) {
    return Usage(absl::InvalidArgumentError(
        "predict: more than a million all-reduces a step; name a larger "
        "--bucket"));
  }
  const absl::StatusOr<TraceModel> model = LoadTrace(options.paths);
  if (!model.ok()) return Fail(model.status());
  const Summary summary = Summarise(*model, Attribute(*model));
  const Figures figures = FiguresOf(summary);
  const absl::StatusOr<StepParts> parts = PartsOf(figures);
  if (!parts.ok()) return Usage(parts.status());
  const auto gpu = GpuOf(figures, options);
  if (!gpu.ok()) return Usage(gpu.status());
  const ScalingOptions scaling_options = OptionsFor(**gpu, options);
  const Scaling scaling = PredictScaling(*parts, **gpu, scaling_options);
  const std::string text =
      options.json ? RenderScalingJson(scaling, **gpu, scaling_options)
                   : RenderScalingText(scaling, **gpu, scaling_options);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
