// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/gpu_option.h"
#include "analyzer/cli/predict_faster.h"
#include "analyzer/cli/predict_scaling.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/predict/ops_csv.h"
#include "analyzer/predict/prediction.h"
#include "analyzer/predict/render.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

constexpr char kColumns[] =
    R"(Columns of FILE.csv: op, precision (fp32, tf32, fp16, fp16mixed,
pseudo_fp16, bf16, fp8, int8, fp64), measured_ms (optional), and by op
  gemm                          m n k
  bmm, linear                   b m n k: b x (m x n) @ (n x k)
  conv_forward, conv_backward_data, conv_backward_weight
                                w h c n k s r pad_w pad_h stride_1 stride_2
  rnn_forward, rnn_backward_data, rnn_backward_weight
                                cell hidden batch timesteps [input layers ...]
  attention_forward, attention_backward
                                b heads seq_q head_dim [kv_heads seq_kv causal]
  elementwise, layer_norm, softmax
                                b h: b rows of h elements)";

struct Ratio {
  std::string_view name;  // its column in the GPU table
  double opmodel::GpuSpec::*field;
};
constexpr Ratio kRatios[] = {
    {"kernel_fp32_ratio", &opmodel::GpuSpec::kernel_fp32_ratio},
    {"power_fp32_ratio", &opmodel::GpuSpec::power_fp32_ratio},
    {"sustained_tensor_ratio", &opmodel::GpuSpec::sustained_tensor_ratio},
    {"sustained_bandwidth_ratio", &opmodel::GpuSpec::sustained_bandwidth_ratio},
};

std::string KnownRatios() {
  std::string names;
  for (const Ratio& ratio : kRatios) {
    names.append(names.empty() ? "" : ", ").append(ratio.name);
  }
  return names;
}

// Puts NAME=VALUE into the GPU's row.
absl::Status SetRatio(const std::string& assignment, opmodel::GpuSpec& gpu) {
  constexpr double kLargest = 10;
  const size_t equals = std::min(assignment.find('='), assignment.size());
  const std::string name = assignment.substr(0, equals);
  for (const Ratio& ratio : kRatios) {
    if (ratio.name != name) continue;
    double value = 0;
    if (equals == assignment.size() ||
        !absl::SimpleAtod(assignment.substr(equals + 1), &value) ||
        !(value > 0 && value <= kLargest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("predict: --ratio ", assignment,
                       ": expected a number above 0, at most ", kLargest));
    }
    gpu.*ratio.field = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "predict: unknown ratio \"", name, "\"; known are: ", KnownRatios()));
}

// A gzip file is read as what is in it.
absl::StatusOr<std::vector<OpsRow>> ReadOps(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return absl::InvalidArgumentError(
        path + ": is a directory; give a CSV file to --ops");
  }
  const absl::StatusOr<std::string> text = ReadFileBytes(path, kMostBytes);
  if (!text.ok()) return text.status();
  return ParseOpsCsv(*text, path);
}

}  // namespace

int RunPredict(const std::vector<std::string>& args) {
  if (AsksForScaling(args)) return RunPredictScaling(args);
  if (AsksForFaster(args)) return RunPredictFaster(args);
  std::string ops;
  std::string gpu_name;
  std::vector<std::string> ratios;
  bool json = false;
  CLI::App app("Model the time of operations on a GPU that need not be there.",
               "dltap predict");
  app.add_option("--ops", ops,
                 "CSV file (may be gzipped), one operation per row")
      ->required();
  Suggest(app.add_option("--gpu", gpu_name, "h100-sxm, a100-80-pcie, l4, ...")
              ->required(),
          GpuNames());
  app.add_option("--ratio", ratios,
                 "NAME=VALUE in place of the GPU table's, for a board that was "
                 "measured or runs at another power limit; may be repeated. "
                 "Names: " +
                     KnownRatios());
  app.add_flag("--json", json, "rows and errors as JSON");
  app.footer(kColumns + ("\nGPUs: " + KnownGpus()) +
             "\nOn more GPUs: dltap predict --scaling TRACE --help"
             "\nWith something faster: dltap predict --faster WHAT=K TRACE");
  if (const auto code = ParseArgs(app, args)) return *code;
  const opmodel::GpuSpec* known = GpuNamed(gpu_name);
  if (known == nullptr) {
    PrintError(UnknownGpu(gpu_name));
    return kExitUsage;
  }
  opmodel::GpuSpec gpu = *known;
  for (const std::string& ratio : ratios) {
    if (const absl::Status set = SetRatio(ratio, gpu); !set.ok()) {
      PrintError(std::string(set.message()));
      return kExitUsage;
    }
  }
  const absl::StatusOr<std::vector<OpsRow>> rows = ReadOps(ops);
  if (!rows.ok()) return Fail(rows.status());
  const Prediction prediction = Predict(*rows, gpu);
  const std::string text = json ? RenderPredictionJson(prediction)
                                : RenderPredictionText(prediction);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
