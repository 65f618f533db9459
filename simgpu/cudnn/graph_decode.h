// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_GRAPH_DECODE_H_
#define DLTAP_SIMGPU_CUDNN_GRAPH_DECODE_H_

#include "simgpu/cudnn/backend_descriptor.h"

namespace dltap::simgpu {

// What an operation graph computes, as one operation: the heaviest of its nodes
// (attention, convolution, product, norm, pool, in this order); the others are
// fused into its kernel.
opmodel::Operation DecodeGraph(const BackendBody& graph);

// Of a convolution's input and result (or their gradients): the bytes of those
// in NCHW.
double NchwBytes(const BackendBody& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_GRAPH_DECODE_H_
