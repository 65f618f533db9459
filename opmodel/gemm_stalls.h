// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GEMM_STALLS_H_
#define DLTAP_OPMODEL_GEMM_STALLS_H_

#include "opmodel/gemm_shape.h"
#include "opmodel/gpu_table.h"

namespace dltap::opmodel {

// Share of its rate that a GEMM keeps whatever its tile: libraries have slow
// kernels for some transpositions, row lengths and thin products. It stalls
// meanwhile, so that a power limit does not add to it.
double StallEfficiency(const GemmShape& shape, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GEMM_STALLS_H_
