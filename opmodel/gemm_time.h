// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GEMM_TIME_H_
#define DLTAP_OPMODEL_GEMM_TIME_H_

#include <vector>

#include "opmodel/gemm_shape.h"
#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"

namespace dltap::opmodel {

// One way to run a GEMM: each thread block computes tile_m x tile_n outputs
// over k / split_k.
struct GemmPlan {
  int tile_m;
  int tile_n;
  int split_k;
  ModelledTime time;
  double workspace_bytes;  // partial sums of split-K
};

// Every tile and split that the model knows, fastest first; at least three. The
// first one is what the library would run.
std::vector<GemmPlan> GemmPlansOf(const GemmShape& shape, const GpuSpec& gpu);

// The fastest of them, without the allocation.
GemmPlan BestGemmPlan(const GemmShape& shape, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GEMM_TIME_H_
