// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GPU_TABLE_H_
#define DLTAP_OPMODEL_GPU_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "opmodel/operation.h"

namespace dltap::opmodel {

enum class Vendor : uint8_t { kNvidia, kAmd };

// One row of gpu_table.csv (units and sources stand there). Peaks are dense
// and at boost clock; 0 means that the GPU has no such unit. For AMD an SM is a
// compute unit and a warp a wave of 64, and the compute capability is 0.0.
struct GpuSpec {
  std::string_view name;     // e.g. "h100-sxm"; the name of --gpu sim:NAME
  std::string_view product;  // as drivers report it: "NVIDIA H100 80GB HBM3"
  Vendor vendor;
  std::string_view architecture;
  int compute_major;
  int compute_minor;
  int sms;
  int fp32_lanes_per_sm;
  int base_mhz;
  int boost_mhz;
  double fp64_flops_per_s;
  double fp64_tensor_flops_per_s;
  double fp32_flops_per_s;
  double tf32_flops_per_s;
  double fp16_vector_flops_per_s;
  double fp16_flops_per_s;  // tensor cores; BF16 too from sm_80 on
  double fp8_flops_per_s;
  double int8_ops_per_s;
  double memory_bytes;
  double bandwidth_bytes_per_s;
  double l2_bytes;
  int max_warps_per_sm;
  int max_blocks_per_sm;
  int registers_per_sm;
  int shared_bytes_per_sm;
  double pcie_bytes_per_s;    // raw link rate to the host, one direction
  double nvlink_bytes_per_s;  // all links, one direction
  double tdp_watts;
  int process_nm;
  // Shares of the FP32 peak: what long, well-shaped kernels keep while power
  // does not limit them, and what the power limit leaves (above 1: it does not
  // limit). Shares of the other peaks: what kernels keep, power included. See
  // README.md for where they come from.
  double kernel_fp32_ratio;
  double power_fp32_ratio;
  double sustained_tensor_ratio;
  double sustained_bandwidth_ratio;
};

// FLOP/s of the FP32 pipe that long, well-shaped kernels keep.
double SustainedFp32(const GpuSpec& gpu);

// Whether FP32 work runs far below the boost clock for want of power.
bool IsPowerCapped(const GpuSpec& gpu);

bool IsMaxwell(const GpuSpec& gpu);  // or older
bool IsPascal(const GpuSpec& gpu);

std::span<const GpuSpec> AllGpus();
const GpuSpec* FindGpu(std::string_view name);  // nullptr: unknown

// By what a driver reports. Case, a leading "NVIDIA " and, when nothing else
// fits, the memory size are ignored. nullptr: unknown.
const GpuSpec* FindGpuByProduct(std::string_view product);

// Peak FLOP/s of the fastest unit that multiplies this type; 0 when it has
// none. kF32 is the plain FP32 pipe, on AMD the FP32 matrix
// cores where there are some; kTf32 the tensor cores.
double PeakFlopsPerS(const GpuSpec& gpu, DType math);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GPU_TABLE_H_
