// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_TENSOR_KERNELS_H_
#define DLTAP_OPMODEL_TENSOR_KERNELS_H_

#include "opmodel/gemm_shape.h"
#include "opmodel/gpu_table.h"

namespace dltap::opmodel {

// Tensor-core kernels: cuBLAS's of sm_80 and later, all libraries' of sm_90.
struct TensorKernels {
  double floor_ns;    // of a launch whose product is tiny
  double tail_tiles;  // see gemm_time.cc
  double edge_k;      // steps of k that prologue and epilogue cost
  double step_ns;     // of a block along k, however few products there are
};

// Whether a GEMM runs such a kernel.
bool RunsTensorKernels(const GemmShape& shape, const GpuSpec& gpu);

// REQUIRES: RunsTensorKernels(shape, gpu).
TensorKernels TensorKernelsOf(const GemmShape& shape, const GpuSpec& gpu);

// Of a product's traffic. Activations (the second operand and the result) that
// fit into the L2 were left there by the kernel before, or are for the one
// behind; weights come from device memory unless all is small.
double TensorMemoryNs(const GemmShape& shape, double bytes, const GpuSpec& gpu);

// The time in which an SM gathers so many elements of a convolution's operands
// for its tensor cores: 0 for all other products.
double GatherNs(const GemmShape& shape, double elements, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_TENSOR_KERNELS_H_
