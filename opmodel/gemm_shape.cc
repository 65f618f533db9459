// SPDX-License-Identifier: Apache-2.0
#include "opmodel/gemm_shape.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dltap::opmodel {

bool IsImplicit(const GemmShape& shape) {
  return shape.kernels == GemmKernels::kConvolution ||
         shape.kernels == GemmKernels::kConvolutionSplittingK;
}

int64_t OddRow(const Operation& op) {
  constexpr int64_t kLoadBits = 128;
  const int64_t step = kLoadBits / std::max(1, BitsOf(op.storage));
  const std::array rows = {op[Dim::kM],
                           op[Dim::kTransA] != 0 ? op[Dim::kK] : op[Dim::kM],
                           op[Dim::kTransB] != 0 ? op[Dim::kN] : op[Dim::kK]};
  for (const int64_t row : rows) {
    if (step > 1 && row % step != 0) return row;
  }
  return 0;
}

GemmShape GemmShapeOf(const Operation& op, const GpuSpec& gpu) {
  const bool complex = op.storage == DType::kC64 || op.storage == DType::kC128;
  return {
      .batch = static_cast<double>(std::max<int64_t>(1, op[Dim::kBatch])),
      .m = static_cast<double>(op[Dim::kM]),
      .n = static_cast<double>(op[Dim::kN]),
      .k = static_cast<double>(op[Dim::kK]),
      .bytes_per_element = BitsOf(op.storage) / 8.0,
      .rate = PaddedRate(MathRateOf(op, gpu), static_cast<double>(OddRow(op))),
      .real_ops_factor = complex ? 4.0 : 1.0,
      .transposed_a = op[Dim::kTransA] != 0};
}

}  // namespace dltap::opmodel
