// SPDX-License-Identifier: Apache-2.0
// Attention kernels that PyTorch brings, from their parameter structs. A struct
// is believed only where it agrees with the geometry of the launch.
#include <cmath>
#include <cstddef>
#include <string_view>

#include "opmodel/attention_time.h"
#include "opmodel/cost.h"
#include "simgpu/torch/launch_readers.h"
#include "simgpu/torch/mangled_name.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

struct Attention {
  int64_t batch, heads, kv_heads, queries, keys, head_dim, head_dim_v;
  bool causal;
  DType type;
};

// FlashAttention 2 does not use the instructions of sm_90: 35 % of the H100's
// peak (Shah et al. 2024, FlashAttention-3) where the model's fused kernel,
// cuDNN's, reaches 64 %. CUTLASS's memory-efficient kernels reach about half of
// FlashAttention 2 (Dao 2023, figure 4); in FP32 they gain what they lose, by
// three TF32 products for each.
constexpr double kFlashOnHopper = 0.64 / 0.35;
constexpr double kCutlassRatio = 2.0;

LaunchCost AttentionCost(const Attention& shape, OpKind kind, double slowdown,
                         const opmodel::GpuSpec& gpu) {
  opmodel::Operation op;
  op.kind = kind;
  op.storage = op.math = shape.type;
  op[Dim::kBatch] = shape.batch;
  op[Dim::kHeads] = shape.heads;
  op[Dim::kKvHeads] = shape.kv_heads;
  op[Dim::kSeqQ] = shape.queries;
  op[Dim::kSeqKv] = shape.keys;
  op[Dim::kHeadDim] = shape.head_dim;
  op[Dim::kHeadDimV] = shape.head_dim_v;
  op[Dim::kCausal] = shape.causal;
  const auto cost = opmodel::CostOf(op);
  if (!cost) return {};
  const double ns = opmodel::AttentionTime(op, *cost, gpu).ns;
  return {.duration_ns = std::llround(slowdown * ns)};
}

bool IsSize(int64_t value, int64_t most) { return value > 0 && value <= most; }

// flash.h of FlashAttention 2: Qkv_params and the start of Flash_fwd_params,
// which Flash_bwd_params begins with as well.
struct FlashParams {
  void* qkv[3];
  int64_t qkv_strides[9];
  int32_t heads, kv_heads, heads_per_kv_head;
  void* output;
  void* output_accumulator;
  int64_t output_strides[3];
  void* probabilities;
  void* log_sum;
  void* log_sum_accumulator;
  int32_t batch, queries, keys, new_keys, head_dim;
};

LaunchCost FlashCost(const LaunchCostRule& rule, const LaunchView& launch,
                     OpKind kind) {
  const auto params = ReadArgument<FlashParams>(launch, 0);
  constexpr int64_t kMost = 1 << 24;
  // Blocks: (tiles, batch, heads).
  if (params.batch != static_cast<int64_t>(launch.grid.y) ||
      params.heads != static_cast<int64_t>(launch.grid.z) ||
      !IsSize(params.kv_heads, params.heads) ||
      !IsSize(params.queries, kMost) || !IsSize(params.keys, kMost) ||
      !IsSize(params.head_dim, 256)) {
    return {};
  }
  // flash_fwd_kernel<traits, dropout, causal, ...>; backward the same.
  const std::string_view name = rule.name;
  constexpr std::string_view kTraitsEnd = "EELb";
  const size_t flags = name.find(kTraitsEnd);
  constexpr size_t kCausalFlag = kTraitsEnd.size() + 5;  // past "0ELb"
  const bool causal = flags != std::string_view::npos &&
                      flags + kCausalFlag <= name.size() &&
                      name[flags + kCausalFlag - 1] == '1';
  const bool bf16 = name.find("bfloat16_t") != std::string_view::npos;
  return AttentionCost({.batch = params.batch,
                        .heads = params.heads,
                        .kv_heads = params.kv_heads,
                        .queries = params.queries,
                        .keys = params.keys,
                        .head_dim = params.head_dim,
                        .head_dim_v = params.head_dim,
                        .causal = causal,
                        .type = bf16 ? DType::kBf16 : DType::kF16},
                       kind, launch.gpu.compute_major >= 9 ? kFlashOnHopper : 1,
                       launch.gpu);
}

// The start of AttentionKernel::Params (PyTorch's mem_eff_attention,
// kernel_forward.h).
struct CutlassParams {
  void* inputs[4];
  void* sequence_starts[3];
  uint32_t causal_offset;
  void* outputs[3];
  int32_t window;
  float scale;
  int32_t head_dim, head_dim_v, queries, keys, all_keys;
  uint8_t mask;  // 1, 2: causal
};

// The backward kernel's (kernel_backward.h); it stands behind pointers whose
// number varies, and is found by its agreeing with the launch.
struct CutlassGradientShape {
  int32_t head_dim, head_dim_v, queries, keys, heads;
  uint8_t mask;
};

DType CutlassType(std::string_view name) {
  if (name.find("_bf16_") != std::string_view::npos) return DType::kBf16;
  if (name.find("_f16_") != std::string_view::npos) return DType::kF16;
  return DType::kF32;
}

template <typename Shape>
bool HasSizes(const Shape& shape) {
  constexpr int64_t kMost = 1 << 24;
  constexpr int64_t kMostDim = 65536;
  return IsSize(shape.queries, kMost) && IsSize(shape.keys, kMost) &&
         IsSize(shape.head_dim, kMostDim) && IsSize(shape.head_dim_v, kMostDim);
}

template <typename Shape>
LaunchCost CutlassCost(const LaunchCostRule& rule, const LaunchView& launch,
                       const Shape& shape, OpKind kind) {
  const DType type = CutlassType(rule.name);
  return AttentionCost({.batch = launch.grid.z,
                        .heads = launch.grid.y,
                        .kv_heads = launch.grid.y,
                        .queries = shape.queries,
                        .keys = shape.keys,
                        .head_dim = shape.head_dim,
                        .head_dim_v = shape.head_dim_v,
                        .causal = shape.mask == 1 || shape.mask == 2,
                        .type = type},
                       kind, type == DType::kF32 ? 1 : kCutlassRatio,
                       launch.gpu);
}

}  // namespace

LaunchCost ReadFlashAttention(const LaunchCostRule& rule,
                              const LaunchView& launch) {
  return FlashCost(rule, launch, OpKind::kAttentionForward);
}

LaunchCost ReadFlashAttentionGradient(const LaunchCostRule& rule,
                                      const LaunchView& launch) {
  return FlashCost(rule, launch, OpKind::kAttentionBackward);
}

// fmha_cutlassF_{f32,f16,bf16}_aligned_QxK_..., blocks: (tiles of Q queries,
// heads, batch).
LaunchCost ReadCutlassAttention(const LaunchCostRule& rule,
                                const LaunchView& launch) {
  const auto params = ReadArgument<CutlassParams>(launch, 0);
  const std::string_view name = rule.name;
  constexpr std::string_view kMark = "ligned_";
  const size_t tile = name.find(kMark);
  if (tile == std::string_view::npos) return {};
  const int rows = LeadingNumber(name.substr(tile + kMark.size()));
  if (rows == 0 || !HasSizes(params) ||
      launch.grid.x != (static_cast<uint32_t>(params.queries) + rows - 1) /
                           static_cast<uint32_t>(rows)) {
    return {};
  }
  return CutlassCost(rule, launch, params, OpKind::kAttentionForward);
}

// fmha_cutlassB_..., blocks: (splits of the keys, heads, batch).
LaunchCost ReadCutlassAttentionGradient(const LaunchCostRule& rule,
                                        const LaunchView& launch) {
  constexpr size_t kFirstOffset = 96;
  constexpr size_t kLastOffset = 192;
  const auto* params = static_cast<const std::byte*>(launch.arguments[0]);
  for (size_t at = kFirstOffset; at <= kLastOffset; at += sizeof(int32_t)) {
    CutlassGradientShape shape;
    std::memcpy(&shape, params + at, sizeof(shape));
    if (HasSizes(shape) && shape.heads == static_cast<int64_t>(launch.grid.y)) {
      return CutlassCost(rule, launch, shape, OpKind::kAttentionBackward);
    }
  }
  return {};
}

}  // namespace dltap::simgpu
