// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GEMM_TIME_H_
#define DLTAP_OPMODEL_GEMM_TIME_H_

#include <vector>

#include "opmodel/gpu_table.h"
#include "opmodel/math_rate.h"
#include "opmodel/modelled_time.h"

namespace dltap::opmodel {

// The kernels that run it: they differ in tiles and in splitting k.
enum class GemmKernels : uint8_t {
  kBlas,
  kConvolution,            // implicit GEMM: few tiles, one pass over k
  kConvolutionSplittingK,  // of the filter's gradient: adds up with atomics
  kRecurrent,              // a step of cuDNN's RNNs: narrow tiles everywhere
};

struct GemmShape {
  double batch;
  double m;
  double n;
  double k;
  double bytes_per_element;
  MathRate rate;
  double real_ops_factor = 1;  // 4 for complex types
  bool transposed_a = false;
  GemmKernels kernels = GemmKernels::kBlas;
};

// One way to run a GEMM: each thread block computes tile_m x tile_n outputs
// over k / split_k.
struct GemmPlan {
  int tile_m;
  int tile_n;
  int split_k;
  ModelledTime time;
  double workspace_bytes;  // partial sums of split-K
};

// REQUIRES: CostOf(op) has a value.
GemmShape GemmShapeOf(const Operation& op, const GpuSpec& gpu);

// Every tile and split that the model knows, fastest first; at least three. The
// first one is what the library would run.
std::vector<GemmPlan> GemmPlansOf(const GemmShape& shape, const GpuSpec& gpu);

// The fastest of them, without the allocation.
GemmPlan BestGemmPlan(const GemmShape& shape, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GEMM_TIME_H_
