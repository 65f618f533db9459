// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/same_program.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/classes/framework.h"
#include "analyzer/metrics/layers/layer_names.h"

namespace dltap::analyzer {
namespace {

constexpr double kSomeShare = 0.01;  // of the GPU time

// GPU time by weights.
using Weights = std::map<std::string, double>;

Weights WeightsIn(const Side& side) {
  Weights weights;
  for (const LayerFigures& layer : side.figures->layers.layers) {
    if (layer.row != LayerRow::kLayer) continue;
    weights[WeightsOf(layer.identity.operation)] += layer.step_mean.gpu_ns;
  }
  weights.erase("");
  return weights;
}

std::optional<double> ShareIn(const Weights& weights, const Weights& others) {
  double all_ns = 0;
  double same_ns = 0;
  for (const auto& [name, ns] : weights) {
    all_ns += ns;
    same_ns += others.contains(name) ? ns : 0;
  }
  return Ratio(same_ns, all_ns);
}

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string ScriptOf(const ProcessSummary& process) {
  const std::vector<std::string>& words = process.command;
  const auto script = std::find_if(
      words.begin(), words.end(),
      [](const std::string& word) { return word.ends_with(".py"); });
  if (script != words.end()) return BaseName(*script);
  const auto module = std::find(words.begin(), words.end(), "-m");
  if (module != words.end() && module + 1 != words.end()) return module[1];
  return BaseName(words.empty() ? process.program : words.front());
}

}  // namespace

std::optional<double> SameWeightsShare(const Side& base, const Side& now) {
  const Weights base_weights = WeightsIn(base);
  const Weights now_weights = WeightsIn(now);
  const std::optional<double> of_base = ShareIn(base_weights, now_weights);
  const std::optional<double> of_now = ShareIn(now_weights, base_weights);
  if (!of_base || !of_now) return std::nullopt;
  return std::min(*of_base, *of_now);
}

std::string ScriptOf(const Side& side) {
  for (const ProcessSummary& process : side.summary->processes) {
    if (process.has_gpu_work) return ScriptOf(process);
  }
  return "";
}

std::string_view Name(Use use) {
  constexpr std::string_view kNames[] = {"unknown", "training", "inference"};
  return kNames[static_cast<size_t>(use)];
}

Use UseOf(const Side& side) {
  const StepShare& step = side.figures->program.total.step_mean;
  const double trained_ns = step.backward_ns + step.update_ns;
  if (trained_ns > kSomeShare * step.gpu_ns) return Use::kTraining;
  if (trained_ns == 0 && step.forward_ns > 0) return Use::kInference;
  return Use::kUnknown;
}

std::string_view FrameworkOf(const Side& side) {
  switch (
      FrameworkOf(side.figures->program.frameworks, side.summary->tallies)) {
    case Framework::kUnknown: break;
    case Framework::kTorch: return "torch";
    case Framework::kTensorflow: return "tensorflow";
    case Framework::kJax: return "jax";
    case Framework::kMxnet: return "mxnet";
  }
  return "";
}

}  // namespace dltap::analyzer
