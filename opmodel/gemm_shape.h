// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GEMM_SHAPE_H_
#define DLTAP_OPMODEL_GEMM_SHAPE_H_

#include <cstdint>

#include "opmodel/gpu_table.h"
#include "opmodel/math_rate.h"
#include "opmodel/operation.h"

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
  // How often an element of A in memory stands in the m x k matrix: a
  // convolution's filter taps share their inputs.
  double a_copies = 1;
  GemmKernels kernels = GemmKernels::kBlas;
};

// Whether a convolution's kernel runs it, whose matrix A is nowhere in memory.
bool IsImplicit(const GemmShape& shape);

// The length of a row, of one of the packed matrices that the product reads or
// writes, that is no multiple of 16 bytes; 0: all are. Columns first, as BLAS
// has them: rows are the leading dimensions, k or m of A, n or k of B, m of D.
int64_t OddRow(const Operation& op);

// REQUIRES: CostOf(op) has a value.
GemmShape GemmShapeOf(const Operation& op, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GEMM_SHAPE_H_
