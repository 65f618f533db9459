// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "analyzer/cli/command.h"
#include "analyzer/predict/ops_csv.h"
#include "analyzer/predict/prediction.h"
#include "analyzer/predict/render.h"
#include "shim/opmodel/gpu_table.h"

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
  elementwise, layer_norm, softmax
                                b h: b rows of h elements)";

// By the table's name ("l4") or by a driver's ("NVIDIA L4").
const opmodel::GpuSpec* GpuNamed(const std::string& name) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpu(name);
  return gpu != nullptr ? gpu : opmodel::FindGpuByProduct(name);
}

std::string KnownGpus() {
  std::string names;
  for (const opmodel::GpuSpec& gpu : opmodel::AllGpus()) {
    names.append(names.empty() ? "" : ", ").append(gpu.name);
  }
  return names;
}

}  // namespace

int RunPredict(const std::vector<std::string>& args) {
  std::string ops;
  std::string gpu_name;
  bool json = false;
  CLI::App app("Model the time of operations on a GPU that need not be there.",
               "dltap predict");
  app.add_option("--ops", ops, "CSV file, one operation per row")->required();
  app.add_option("--gpu", gpu_name, "h100-sxm, a100-80-pcie, l4, t4, ...")
      ->required();
  app.add_flag("--json", json, "rows and errors as JSON");
  app.footer(kColumns + ("\nGPUs: " + KnownGpus()));
  if (const auto code = ParseArgs(app, args)) return *code;
  const opmodel::GpuSpec* gpu = GpuNamed(gpu_name);
  if (gpu == nullptr) {
    PrintError("predict: unknown GPU \"" + gpu_name +
               "\"; known are: " + KnownGpus());
    return kExitUsage;
  }
  const absl::StatusOr<std::vector<OpsRow>> rows = ReadOpsCsv(ops);
  if (!rows.ok()) return Fail(rows.status());
  const Prediction prediction = Predict(*rows, *gpu);
  const std::string text = json ? RenderPredictionJson(prediction)
                                : RenderPredictionText(prediction);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitOk;
}

}  // namespace dltap::analyzer
