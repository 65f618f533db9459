// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/op_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

#include "opmodel/device_time.h"
#include "opmodel/grouped_conv_time.h"
#include "opmodel/streaming_time.h"
#include "simgpu/cublas/gemm_kernels.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::GpuSpec;
using opmodel::Operation;
using opmodel::OpKind;

struct NameRow {
  OpKind kind;
  const char* name;
};

constexpr NameRow kNames[] = {
    {OpKind::kNormForward,
     "void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>("
     "cudnn::bn_fw_tr_1C11_args<float>)"},
    {OpKind::kNormBackward,
     "void cudnn::bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>("
     "cudnn::bn_bw_1C11_args<float>)"},
    {OpKind::kPoolForward,
     "void cudnn::pooling_fw_4d_kernel<float, float, cudnn::maxpooling_func<"
     "float, (cudnnNanPropagation_t)0>, (cudnnPoolingMode_t)0, false>("
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float*, "
     "cudnnPoolingStruct, float, float, int, cudnn::reduced_divisor, "
     "cudnn::reduced_divisor)"},
    {OpKind::kPoolBackward,
     "void cudnn::pooling_bw_kernel_max<float, float, cudnn::maxpooling_func<"
     "float, (cudnnNanPropagation_t)0> >(cudnnTensorStruct, float const*, "
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float const*, "
     "cudnnTensorStruct, float*, cudnnPoolingStruct)"},
    {OpKind::kSoftmaxForward,
     "void cudnn::ops::softmax_fw_kernel<1, float, float, 256, 1, 0, 0, 0>("
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float*, int, float, "
     "float)"},
    {OpKind::kSoftmaxBackward,
     "void cudnn::ops::softmax_bw_kernel_SoftMaxBackward<1, float, float, 256>("
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float*)"},
    {OpKind::kActivationForward,
     "void cudnn::ops::op_generic_relu_fw_4d_kernel<float, float>("
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float*)"},
    {OpKind::kActivationBackward,
     "void cudnn::ops::relu_backward_4d_kernel<float, float>("
     "cudnnTensorStruct, float const*, cudnnTensorStruct, float*)"},
    {OpKind::kDropoutForward,
     "void cudnn::dropout_fp<float>(unsigned long, float*, unsigned char*, "
     "float, float)"},
    {OpKind::kDropoutBackward,
     "void cudnn::dropout_bp<float>(unsigned long, float*, unsigned char "
     "const*, float)"},
    {OpKind::kReduction,
     "void cudnn::reduced_reduce_kernel<float, float, 256>(float const*, "
     "float*, int)"},
    {OpKind::kLayout,
     "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, "
     "(cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float "
     "const*, float*)"},
    {OpKind::kRng, "void cudnn::rng_uniform_kernel<float>(float*, long)"},
    {OpKind::kPointwise,
     "void op_tensor_kernel_alpha2_zero<int, float, float, float, 256, 1, 4, "
     "2>(cudnnTensorStruct, float*, cudnnTensorStruct, float const*, float, "
     "float)"},
};

bool IsConv(OpKind kind) {
  return kind == OpKind::kConvForward || kind == OpKind::kConvBackwardData ||
         kind == OpKind::kConvBackwardWeight;
}

bool IsRnn(OpKind kind) {
  return kind == OpKind::kRnnForward || kind == OpKind::kRnnBackwardData ||
         kind == OpKind::kRnnBackwardWeight;
}

bool IsAttention(OpKind kind) {
  return kind == OpKind::kAttentionForward ||
         kind == OpKind::kAttentionBackward;
}

const char* NameOf(OpKind kind) {
  const auto* row = std::find_if(
      std::begin(kNames), std::end(kNames),
      [&](const NameRow& candidate) { return candidate.kind == kind; });
  return row == std::end(kNames) ? kNames[std::size(kNames) - 1].name
                                 : row->name;
}

KernelList GemmKernels(const Engine& engine, const GpuSpec& gpu) {
  const GemmLaunch& best = GemmLaunchOf(engine.op, gpu);
  KernelList kernels = {best.product};
  if (best.reduction.name != nullptr) kernels.push_back(best.reduction);
  // A slower engine is the same product in more time.
  double sum = 0;
  for (const LibraryKernel& kernel : kernels) {
    sum += static_cast<double>(kernel.duration_ns);
  }
  for (LibraryKernel& kernel : kernels) {
    kernel.duration_ns =
        std::llround(static_cast<double>(kernel.duration_ns) * engine.ns / sum);
  }
  return kernels;
}

void Append(std::vector<Engine>& engines, const Operation& op,
            const GpuSpec& gpu) {
  for (const auto& alternative : opmodel::AlternativesOf(op, gpu)) {
    engines.push_back({.op = op,
                       .name = alternative.name,
                       .ns = alternative.ns,
                       .workspace_bytes = alternative.workspace_bytes});
  }
}

struct TransformNames {
  const char* to_nhwc;
  const char* to_nchw;
};
constexpr TransformNames kHalfTransforms = {
    "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, "
    "(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __half "
    "const*, __half*)",
    "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true, false, "
    "(cudnnKernelDataType_t)0>(cudnn::ops::nhwc2nchw_params_t<float>, __half "
    "const*, __half*)"};
constexpr TransformNames kFloatTransforms = {
    "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, "
    "(cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float "
    "const*, float*)",
    "void cudnn::ops::nhwcToNchwKernel<float, float, float, true, false, "
    "(cudnnKernelDataType_t)2>(cudnn::ops::nhwc2nchw_params_t<float>, float "
    "const*, float*)"};

// The filter's gradient has two such inputs, the other directions one and the
// result.
KernelList TransformedKernels(const Engine& engine, const GpuSpec& gpu) {
  Engine inner = engine;
  inner.ns -= engine.transform_ns;
  inner.transform_ns = 0;
  KernelList kernels = KernelsOf(inner, gpu);
  const auto& op = engine.op;
  const auto points = [&](Dim channels, Dim depth, Dim height, Dim width) {
    return static_cast<double>(op[Dim::kBatch] * op[channels] * op[depth] *
                               op[height] * op[width]);
  };
  const double in =
      points(Dim::kChannelsIn, Dim::kDepthIn, Dim::kHeightIn, Dim::kWidthIn);
  const double out = points(Dim::kChannelsOut, Dim::kDepthOut, Dim::kHeightOut,
                            Dim::kWidthOut);
  const double in_ns = engine.transform_ns * in / (in + out);
  const double out_ns = engine.transform_ns - in_ns;
  const TransformNames& names =
      op.storage == DType::kF32 ? kFloatTransforms : kHalfTransforms;
  const bool data = op.kind == OpKind::kConvBackwardData;
  const bool weight = op.kind == OpKind::kConvBackwardWeight;
  kernels.insert(kernels.begin(), data ? KernelFor(names.to_nhwc, out, out_ns)
                                       : KernelFor(names.to_nhwc, in, in_ns));
  if (weight) {
    kernels.insert(kernels.begin(), KernelFor(names.to_nhwc, out, out_ns));
  } else {
    kernels.push_back(data ? KernelFor(names.to_nchw, in, in_ns)
                           : KernelFor(names.to_nchw, out, out_ns));
  }
  return kernels;
}

struct Cache {
  std::shared_mutex mutex;
  std::map<std::tuple<OpKind, opmodel::RnnCell, DType, DType,
                      decltype(Operation::dims), const GpuSpec*>,
           KernelList>
      lists;
};

Cache& TheCache() {
  static auto* const cache = new Cache;
  return *cache;
}

// Of reading and writing all of them once. Forward some kernels take or leave
// NCHW. Fits to ResNets, DenseNets and the like in both layouts on an RTX 3090
// (timm's published steps, PyTorch 1.12 to 2.4, the shown rows): 1.2 times the
// time of NHWC in inference, 1.4 in training. TF32 has the same shares: with
// them ResNet-50 in NCHW meets its published steps on A100 and RTX 3090.
constexpr double kForwardTransforms = 0.41;
constexpr double kBackwardTransforms = 1.32;

void AddTransforms(double bytes, const GpuSpec& gpu,
                   std::vector<Engine>& engines) {
  for (Engine& engine : engines) {
    const bool tensor = opmodel::BitsOf(engine.op.storage) == 16 ||
                        engine.op.math == DType::kTf32;
    if (!tensor || engine.name == "grouped_direct") continue;
    const double share = engine.op.kind == OpKind::kConvForward
                             ? kForwardTransforms
                             : kBackwardTransforms;
    engine.transform_ns = opmodel::StreamingTime(2 * share * bytes, gpu).ns;
    engine.ns += engine.transform_ns;
  }
}

void UseGroupedKernels(opmodel::Layout layout, const GpuSpec& gpu,
                       std::vector<Engine>& engines) {
  for (Engine& engine : engines) {
    const auto time = opmodel::GroupedTimeIn(layout, engine.op, gpu);
    if (!time) continue;
    engine.name = "grouped_direct";
    engine.ns = time->ns;
    engine.transform_ns = 0;
  }
}

}  // namespace

void AdaptToLayout(double nchw_bytes, const GpuSpec& gpu,
                   std::vector<Engine>& engines) {
  const bool nchw = nchw_bytes > 0;
  if (nchw) AddTransforms(nchw_bytes, gpu, engines);
  UseGroupedKernels(nchw ? opmodel::Layout::kNchw : opmodel::Layout::kNhwc, gpu,
                    engines);
  std::stable_sort(
      engines.begin(), engines.end(),
      [](const Engine& a, const Engine& b) { return a.ns < b.ns; });
}

LibraryKernel KernelFor(const char* name, double elements, double ns) {
  const double blocks = std::clamp(std::ceil(elements / 1024), 1.0, 1048576.0);
  return {.name = name,
          .grid = {static_cast<uint32_t>(blocks), 1, 1},
          .block = {256, 1, 1},
          .registers_per_thread = 40,
          .duration_ns = std::max<int64_t>(1, std::llround(ns))};
}

std::vector<Engine> EnginesOf(const Operation& op, const GpuSpec& gpu) {
  std::vector<Engine> engines;
  Append(engines, op, gpu);
  if (op.storage == DType::kF32 && op.math == DType::kTf32) {
    Operation without_tensor_cores = op;
    without_tensor_cores.math = DType::kF32;
    Append(engines, without_tensor_cores, gpu);
  }
  if (engines.empty()) {
    // Shapes that the model does not know cost a launch.
    engines.push_back({.op = op, .name = "unknown", .ns = 2000});
  }
  constexpr size_t kFewest = 3;
  constexpr double kSlower = 1.2;
  while (engines.size() < kFewest) {
    Engine slower = engines.back();
    slower.ns *= kSlower;
    slower.workspace_bytes += 1 << 16;
    engines.push_back(slower);
  }
  std::stable_sort(
      engines.begin(), engines.end(),
      [](const Engine& a, const Engine& b) { return a.ns < b.ns; });
  return engines;
}

KernelList KernelsOf(const Engine& engine, const GpuSpec& gpu) {
  if (engine.transform_ns > 0) return TransformedKernels(engine, gpu);
  const OpKind kind = engine.op.kind;
  if (IsConv(kind)) return ConvKernels(engine, gpu);
  if (IsRnn(kind)) return RnnKernels(engine, gpu);
  if (IsAttention(kind)) return AttentionKernels(engine, gpu);
  if (kind == OpKind::kGemm) return GemmKernels(engine, gpu);
  return {KernelFor(NameOf(kind),
                    static_cast<double>(engine.op[Dim::kElementsOut]),
                    engine.ns)};
}

const KernelList& KernelsOf(const Operation& op, const GpuSpec& gpu) {
  Cache& cache = TheCache();
  const auto key =
      std::make_tuple(op.kind, op.cell, op.storage, op.math, op.dims, &gpu);
  {
    const std::shared_lock lock(cache.mutex);
    if (const auto found = cache.lists.find(key); found != cache.lists.end()) {
      return found->second;
    }
  }
  std::vector<Engine> engines;
  Append(engines, op, gpu);
  const Engine engine =
      engines.empty() ? EnginesOf(op, gpu).front() : engines.front();
  KernelList kernels = KernelsOf(engine, gpu);
  const std::lock_guard lock(cache.mutex);
  return cache.lists.try_emplace(key, std::move(kernels)).first->second;
}

Error LaunchKernels(void* stream, const KernelList& kernels) {
  for (const LibraryKernel& kernel : kernels) {
    const Error error = LaunchLibraryKernel(stream, kernel);
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
