// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_OPMODEL_GPU_TABLE_H_
#define DLTAP_SHIM_OPMODEL_GPU_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "shim/opmodel/operation.h"

namespace dltap::opmodel {

// One row of gpu_table.csv (units and sources stand there). Peaks are dense.
struct GpuSpec {
  std::string_view name;     // e.g. "h100-sxm"; the name of --gpu sim:NAME
  std::string_view product;  // e.g. "NVIDIA H100 80GB HBM3"
  int compute_major;
  int compute_minor;
  int sms;
  int boost_mhz;
  double fp32_flops_per_s;
  double tf32_flops_per_s;    // 0: none
  double fp16_flops_per_s;    // tensor cores, 0: none
  double fp64_flops_per_s;
  double fp8_flops_per_s;     // 0: none
  double memory_bytes;
  double bandwidth_bytes_per_s;
  double l2_bytes;
  int max_warps_per_sm;
  int max_blocks_per_sm;
  int registers_per_sm;
  int shared_bytes_per_sm;
  double pcie_bytes_per_s;    // one direction, pinned
  double nvlink_bytes_per_s;  // one direction, 0: none
  double tdp_watts;
};

std::span<const GpuSpec> AllGpus();
const GpuSpec* FindGpu(std::string_view name);       // nullptr: unknown
// By what a driver reports ("NVIDIA H100 80GB HBM3"); nullptr: unknown.
const GpuSpec* FindGpuByProduct(std::string_view product);

// Peak FLOP/s of the arithmetic on this GPU; 0 when it has none.
double PeakFlopsPerS(const GpuSpec& gpu, DType math);

}  // namespace dltap::opmodel

#endif  // DLTAP_SHIM_OPMODEL_GPU_TABLE_H_
