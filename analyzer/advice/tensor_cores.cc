// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Products in FP32, on a GPU whose tensor cores would multiply them in TF32 or
// a narrow type. At worst the products alone get quicker, in TF32; at best all
// is bfloat16, and what moves data has half of it to move.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.20;  // of the step

constexpr std::array kProducts = {LayerClass::kGemm, LayerClass::kConv,
                                  LayerClass::kAttention, LayerClass::kRnn};
constexpr std::array kPointwise = {
    LayerClass::kActivation, LayerClass::kElementwise, LayerClass::kNorm,
    LayerClass::kSoftmax,    LayerClass::kPool,        LayerClass::kDropout,
    LayerClass::kReduction,  LayerClass::kLoss};

constexpr Wording kAct = {
    .any = "TF32 or bfloat16 products (tensor cores)",
    .torch =
        "torch.autocast(\"cuda\", torch.bfloat16), or "
        "torch.set_float32_matmul_precision(\"high\") (TF32)",
    .tensorflow =
        "keras.mixed_precision.set_global_policy(\"mixed_bfloat16\"), or "
        "tf.config.experimental.enable_tensor_float_32_execution(True)",
    .jax = "bfloat16 arrays, or jax_default_matmul_precision=\"tensorfloat32\"",
    .mxnet =
        "amp.init() (mxnet.amp), or "
        "MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION=1"};
// For tensor cores that know FP16 alone.
constexpr Wording kActInFp16 = {
    .any = "FP16 products (tensor cores)",
    .torch = "torch.autocast(\"cuda\", torch.float16) with a GradScaler",
    .tensorflow = "keras.mixed_precision.set_global_policy(\"mixed_float16\")",
    .jax = "float16 arrays",
    .mxnet = "amp.init() (mxnet.amp)"};

// Convolutions may use TF32 anyway, where the library finds it quicker.
constexpr Wording kActInBf16 = {
    .any = "bfloat16 convolutions (tensor cores)",
    .torch = "torch.autocast(\"cuda\", torch.bfloat16)",
    .tensorflow = "keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")",
    .jax = "bfloat16 arrays",
    .mxnet = "amp.init() (mxnet.amp)"};

const Wording& ActOn(const opmodel::GpuSpec& gpu, LayerClass most) {
  if (gpu.tf32_flops_per_s <= 0) return kActInFp16;
  return most == LayerClass::kConv ? kActInBf16 : kAct;
}

AvoidableSums Together(const AvoidableSums& products,
                       const AvoidableSums& convolutions) {
  AvoidableSums sums = products;
  sums.Add(convolutions);
  sums.windows = std::max(products.windows, convolutions.windows);
  return sums;
}

// The class whose FP32 work is most of it; products that are not convolutions
// may be attention's or a recurrent layer's.
LayerClass MostOf(const Facts& facts, const AvoidableSums& products,
                  const AvoidableSums& convolutions) {
  if (convolutions.ns > products.ns) return LayerClass::kConv;
  LayerClass most = LayerClass::kGemm;
  for (const LayerClass c : {LayerClass::kAttention, LayerClass::kRnn}) {
    const auto ns = [&](LayerClass of) {
      return facts.totals.classes[static_cast<size_t>(of)].gpu_ns;
    };
    if (ns(c) > ns(most)) most = c;
  }
  return most;
}

}  // namespace

void AdviseTensorCores(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableWork& all = facts.totals.avoidable;
  const AvoidableSums& products = all.of(Avoidable::kFp32Products);
  const AvoidableSums& convolutions = all.of(Avoidable::kFp32Convolutions);
  const AvoidableSums work = Together(products, convolutions);
  const double ns = facts.Step(work.ns);
  if (facts.gpu == nullptr || facts.ShareOfStep(ns) < kLeastShare) return;
  const LayerClass most = MostOf(facts, products, convolutions);
  Advice advice = SavingOf(facts, work, WaitedFor(facts, most));
  // Narrow numbers are half as much to move.
  advice.gain_high_ns += PassesNs(facts, kPointwise) / 2;
  advice.act = ActOn(*facts.gpu, most).For(facts.framework);
  advice.why = absl::StrFormat(
      "%.0f kernels a step multiply in FP32, %.2f ms; FP32 has a peak of %.0f "
      "TFLOP/s, tensor cores of %.0f",
      facts.Step(work.count), ns * 1e-6, facts.gpu->fp32_flops_per_s * 1e-12,
      facts.gpu->fp16_flops_per_s * 1e-12);
  advice.layer_class = most;
  for (const LayerClass c : kProducts) advice.claims.With(c);
  advice.claimed_ns = ns;
  out.push_back(std::move(advice));
}

}  // namespace dltap::analyzer
