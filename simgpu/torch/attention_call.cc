// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "opmodel/operation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

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

// What the name tells of a kernel.
struct AttentionKernel {
  size_t params_bytes;  // of its parameters, at most
  OpKind kind;
  DType type;
  bool causal;   // FlashAttention's
  int64_t tile;  // queries of a block; CUTLASS's
};

// Of all tensors that the parameters name, and of whatever lies behind them on
// the caller's stack. Which of them the kernel writes to differs by release;
// none of them holds what a program decides by.
std::vector<WriteTarget> TensorsIn(const AttentionKernel& kernel,
                                   const LaunchView& launch) {
  std::vector<WriteTarget> targets;
  const std::byte* params = Bytes(launch.arguments[0]);
  for (size_t at = 0; at < kernel.params_bytes; at += sizeof(void*)) {
    auto* address = ReadAt<std::byte*>(params + at);
    if (IsAllocated({address, 1})) targets.push_back({address});
  }
  return targets;
}

DecodedLaunch Decoded(const Attention& shape, const AttentionKernel& kernel,
                      const LaunchView& launch, double slowdown) {
  DecodedLaunch decoded;
  decoded.may_write = TensorsIn(kernel, launch);
  opmodel::Operation& op = decoded.operation.emplace();
  op.kind = kernel.kind;
  op.storage = op.math = shape.type;
  op[Dim::kBatch] = shape.batch;
  op[Dim::kHeads] = shape.heads;
  op[Dim::kKvHeads] = shape.kv_heads;
  op[Dim::kSeqQ] = shape.queries;
  op[Dim::kSeqKv] = shape.keys;
  op[Dim::kHeadDim] = shape.head_dim;
  op[Dim::kHeadDimV] = shape.head_dim_v;
  op[Dim::kCausal] = shape.causal;
  decoded.slowdown = slowdown;
  return decoded;
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

DecodedLaunch DecodeFlash(const AttentionKernel& kernel,
                          const LaunchView& launch) {
  const auto params = ReadAt<FlashParams>(launch.arguments[0]);
  constexpr int64_t kMost = 1 << 24;
  // Blocks: (tiles, batch, heads).
  if (params.batch != static_cast<int64_t>(launch.grid.y) ||
      params.heads != static_cast<int64_t>(launch.grid.z) ||
      !IsSize(params.kv_heads, params.heads) ||
      !IsSize(params.queries, kMost) || !IsSize(params.keys, kMost) ||
      !IsSize(params.head_dim, 256)) {
    return {};
  }
  return Decoded({.batch = params.batch,
                  .heads = params.heads,
                  .kv_heads = params.kv_heads,
                  .queries = params.queries,
                  .keys = params.keys,
                  .head_dim = params.head_dim,
                  .head_dim_v = params.head_dim,
                  .causal = kernel.causal,
                  .type = kernel.type},
                 kernel, launch,
                 launch.gpu.compute_major >= 9 ? kFlashOnHopper : 1);
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
DecodedLaunch DecodedCutlass(const AttentionKernel& kernel,
                             const LaunchView& launch, const Shape& shape) {
  return Decoded({.batch = launch.grid.z,
                  .heads = launch.grid.y,
                  .kv_heads = launch.grid.y,
                  .queries = shape.queries,
                  .keys = shape.keys,
                  .head_dim = shape.head_dim,
                  .head_dim_v = shape.head_dim_v,
                  .causal = shape.mask == 1 || shape.mask == 2,
                  .type = kernel.type},
                 kernel, launch,
                 kernel.type == DType::kF32 ? 1 : kCutlassRatio);
}

// Blocks: (tiles of queries, heads, batch).
DecodedLaunch DecodeCutlass(const AttentionKernel& kernel,
                            const LaunchView& launch) {
  const auto params = ReadAt<CutlassParams>(launch.arguments[0]);
  if (!HasSizes(params) ||
      launch.grid.x != (params.queries + kernel.tile - 1) / kernel.tile) {
    return {};
  }
  return DecodedCutlass(kernel, launch, params);
}

// Blocks: (splits of the keys, heads, batch).
DecodedLaunch DecodeCutlassGradient(const AttentionKernel& kernel,
                                    const LaunchView& launch) {
  constexpr size_t kFirstOffset = 96;
  constexpr size_t kLastOffset = 192;
  const std::byte* params = Bytes(launch.arguments[0]);
  for (size_t at = kFirstOffset; at <= kLastOffset; at += sizeof(int32_t)) {
    const auto shape = ReadAt<CutlassGradientShape>(params + at);
    if (HasSizes(shape) && shape.heads == static_cast<int64_t>(launch.grid.y)) {
      return DecodedCutlass(kernel, launch, shape);
    }
  }
  return {};
}

// flash_fwd_kernel<traits, dropout, causal, ...>; backward the same.
Decoder FlashDecoder(const NameParts& kernel) {
  const bool forward = kernel.name == "flash_fwd_kernel";
  if ((!forward &&
       kernel.name != "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel") ||
      kernel.arguments.size() < 3) {
    return {};
  }
  const bool bf16 =
      kernel.arguments[0].find("bfloat16_t") != std::string_view::npos;
  const AttentionKernel found{
      .params_bytes = forward ? size_t{640} : size_t{1024},
      .kind = forward ? OpKind::kAttentionForward : OpKind::kAttentionBackward,
      .type = bf16 ? DType::kBf16 : DType::kF16,
      .causal = kernel.arguments[2] == "true",
      .tile = 0};
  return
      [found](const LaunchView& launch) { return DecodeFlash(found, launch); };
}

// fmha_cutlassF_{f32,f16,bf16}_aligned_QxK_..., fmha_cutlassB_... for the
// gradient.
Decoder CutlassDecoder(const NameParts& kernel) {
  const bool forward = kernel.name.starts_with("fmha_cutlassF_");
  if (!forward && !kernel.name.starts_with("fmha_cutlassB_")) return {};
  constexpr std::string_view kMark = "ligned_";
  const size_t mark = kernel.name.find(kMark);
  if (mark == std::string_view::npos) return {};
  const AttentionKernel found{
      .params_bytes = forward ? size_t{320} : size_t{640},
      .kind = forward ? OpKind::kAttentionForward : OpKind::kAttentionBackward,
      .type = CutlassType(kernel.name),
      .causal = false,
      .tile = static_cast<int64_t>(
          NumberIn(kernel.name.substr(mark + kMark.size())))};
  if (found.tile < 1) return {};
  return DecodeBy(forward ? DecodeCutlass : DecodeCutlassGradient, found);
}

}  // namespace

Decoder AttentionDecoder(const NameParts& kernel) {
  return kernel.name.starts_with("flash_") ? FlashDecoder(kernel)
                                           : CutlassDecoder(kernel);
}

}  // namespace dltap::simgpu
