// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GROUPED_CONV_TIME_H_
#define DLTAP_OPMODEL_GROUPED_CONV_TIME_H_

#include <optional>

#include "opmodel/conv_shape.h"
#include "opmodel/cost.h"
#include "opmodel/gemm_shape.h"
#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

struct GroupedTime {
  double compute_ns;
  double memory_ns;
};

// The kernels made for convolutions of many groups: all groups in one pass over
// the tensors. Each channel by itself (depthwise) runs on the FP32 pipe, more
// channels as products padded to the smallest tile.
// REQUIRES: conv.groups > 1.
GroupedTime GroupedConvTime(const ConvShape& conv, const GemmShape& gemm,
                            const Cost& cost, const GpuSpec& gpu);

// Gradients of several channels a group in NHWC and half precision, for which
// tensor cores have kernels of few widths only; nullopt: this is one of them,
// or no such gradient.
std::optional<ModelledTime> NhwcGradientTime(const Operation& op,
                                             const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GROUPED_CONV_TIME_H_
