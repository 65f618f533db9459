// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/algorithm.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using Kind = KernelAlgorithm::Kind;

bool HasAny(std::string_view name, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(), [name](const char* part) {
    return name.find(part) != std::string_view::npos;
  });
}

Kind KindOf(std::string_view name) {
  if (HasAny(name, {"fft2d", "fft1d", "flip_filter", "cgemm_strided", "vecfft",
                    "VectorFFT"})) {
    return Kind::kUncounted;
  }
  if (!HasAny(name, {"winograd", "Winograd"})) return Kind::kNotTold;
  if (HasAny(name, {"4x4"})) return Kind::kWinograd4x4;
  if (HasAny(name, {"9x9", "13x13", "f3x2", "f2x3"})) return Kind::kUncounted;
  return Kind::kWinograd2x2;
}

// Longest sign first: "tf32" holds "f32".
std::optional<DType> MathOf(std::string_view name) {
  if (HasAny(name, {"tf32", "s1688", "s16816"})) return DType::kTf32;
  if (HasAny(name, {"bf16"})) return DType::kBf16;
  if (HasAny(name, {"sgemm", "scudnn", "ffma", "simt_s", "f32f32", "fp32"})) {
    return DType::kF32;
  }
  return std::nullopt;
}

// The multiplications of the definition per multiplication done; nullopt: not
// known. The tiles' names are those of 3x3 filters.
std::optional<double> ReductionOf(Kind kind, const opmodel::Operation& op) {
  if (kind == Kind::kNotTold) return 1;
  const bool is_3x3 = op[Dim::kFilterHeight] == 3 && op[Dim::kFilterWidth] == 3;
  if (!is_3x3 || kind == Kind::kUncounted) return std::nullopt;
  return kind == Kind::kWinograd2x2 ? 36.0 / 16 : 144.0 / 36;
}

bool CuDnnMayUseTf32(LayerClass layer_class) {
  return layer_class == LayerClass::kConv || layer_class == LayerClass::kRnn ||
         layer_class == LayerClass::kAttention;
}

// What the kernels of a work tell of it.
struct Told {
  KernelAlgorithm algorithm;
  LayerClass layer_class = LayerClass::kUnattributed;

  template <typename H>
  friend H AbslHashValue(H h, const Told& t) {
    return H::combine(std::move(h), t.algorithm.kind, t.algorithm.math,
                      t.layer_class);
  }
  bool operator==(const Told&) const = default;
};

WorkKind Refined(const Told& told, WorkKind kind) {
  opmodel::Operation& op = kind.leading;
  if (op.storage == DType::kF32) {
    if (told.algorithm.math) {
      op.math = *told.algorithm.math;
    } else if (op.math == DType::kTf32 && CuDnnMayUseTf32(told.layer_class)) {
      op.math = DType::kF32;
    }
  }
  if (!kind.cost) return kind;
  kind.executed_flops.reset();
  if (const auto reduction = ReductionOf(told.algorithm.kind, op)) {
    kind.executed_flops = kind.cost->flops / *reduction;
  }
  return kind;
}

// Gives each work the kind that `told`, by work, makes of its own.
void Refine(const std::vector<Told>& told, ProcessAttribution& attribution) {
  std::vector<WorkKind> refined;
  absl::flat_hash_map<std::pair<uint32_t, Told>, uint32_t> known;
  for (size_t w = 0; w < told.size(); ++w) {
    Work& work = attribution.works[w];
    const auto [it, is_new] =
        known.try_emplace({work.kind, told[w]}, refined.size());
    if (is_new) refined.push_back(Refined(told[w], attribution.KindOf(work)));
    work.kind = it->second;
  }
  attribution.work_kinds = std::move(refined);
}

}  // namespace

KernelAlgorithm AlgorithmOf(std::string_view kernel_name) {
  return {KindOf(kernel_name), MathOf(kernel_name)};
}

void AddAlgorithms(const TraceModel& model, const Process& process,
                   ProcessAttribution& attribution) {
  std::vector<std::optional<KernelAlgorithm>> of_name(model.texts.size());
  std::vector<Told> told(attribution.works.size());
  // Of the longest kernel that names its arithmetic, by work.
  std::vector<int64_t> math_ns(attribution.works.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    if (activity.kind != ActivityKind::kKernel) continue;
    if (!attributed.work.known()) continue;
    Told& of_work = told[attributed.work.value()];
    of_work.layer_class = attributed.layer_class;
    if (!activity.name.known()) continue;
    std::optional<KernelAlgorithm>& algorithm = of_name[activity.name.value()];
    if (!algorithm) algorithm = AlgorithmOf(model.texts[activity.name]);
    of_work.algorithm.kind = std::max(of_work.algorithm.kind, algorithm->kind);
    const int64_t ns = activity.end_ns - activity.begin_ns;
    if (!algorithm->math || ns < math_ns[attributed.work.value()]) continue;
    of_work.algorithm.math = algorithm->math;
    math_ns[attributed.work.value()] = ns;
  }
  Refine(told, attribution);
}

}  // namespace dltap::analyzer
