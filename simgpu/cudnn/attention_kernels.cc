// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::GpuSpec;
using opmodel::Operation;
using opmodel::OpKind;

// The vendor generates these kernels per architecture; $A is sm90, sm80, ...
constexpr char kForward90[] =
    "cudnn_generated_fort_native_sdpa_$A_flash_fprop_wgmma_f16_knob_3_64x128x64"
    "_4x1x1_cga1x1x1_kernel0_0";
constexpr char kForward[] =
    "cudnn_generated_fort_native_sdpa_$A_flash_fprop_f16_knob_7_64x64x64_4x1x1_"
    "kernel0_0";
constexpr char kBackward90[] =
    "cudnn_generated_fort_native_sdpa_$A_flash_bprop_wgmma_f16_knob_26_"
    "128x64x64_4x1x1_cga1x1x1_kernel0_0";
constexpr char kBackward[] =
    "cudnn_generated_fort_native_sdpa_$A_flash_bprop_f16_knob_33_64x64x64_4x1x1"
    "_kernel0_0";
constexpr char kDotOfOutput[] =
    "void cudnn::fusion::compute_dot_do_o_specialized<true, __half, 128, 64, "
    "float>(cudnn::fusion::dot_do_o_params)";

constexpr double kDotShare = 0.05;

const char* NameOf(const char* pattern, const GpuSpec& gpu) {
  const int compute = 10 * gpu.compute_major + gpu.compute_minor;
  std::string name(pattern);
  name.replace(name.find("$A"), 2,
               "sm" + std::to_string(compute >= 100  ? 100
                                     : compute >= 90 ? 90
                                                     : 80));
  return InternName(name.c_str());
}

LibraryKernel KernelOf(const char* pattern, const Operation& op, double ns,
                       const GpuSpec& gpu) {
  const auto rows =
      static_cast<uint32_t>(std::max<int64_t>(1, (op[Dim::kSeqQ] + 63) / 64));
  return {.name = NameOf(pattern, gpu),
          .grid = {rows, static_cast<uint32_t>(op[Dim::kHeads]),
                   static_cast<uint32_t>(op[Dim::kBatch])},
          .block = {gpu.compute_major >= 9 ? 384u : 128u, 1, 1},
          .dynamic_shared_bytes = 160 << 10,
          .registers_per_thread = 168,
          .duration_ns = std::max<int64_t>(1, std::llround(ns))};
}

}  // namespace

KernelList AttentionKernels(const Engine& engine, const GpuSpec& gpu) {
  const bool hopper = gpu.compute_major >= 9;
  if (engine.op.kind == OpKind::kAttentionForward) {
    return {
        KernelOf(hopper ? kForward90 : kForward, engine.op, engine.ns, gpu)};
  }
  const double elements = static_cast<double>(
      engine.op[Dim::kBatch] * engine.op[Dim::kHeads] * engine.op[Dim::kSeqQ]);
  return {KernelFor(kDotOfOutput, elements, kDotShare * engine.ns),
          KernelOf(hopper ? kBackward90 : kBackward, engine.op,
                   (1 - kDotShare) * engine.ns, gpu)};
}

}  // namespace dltap::simgpu
