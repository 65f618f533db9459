// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_GROUPED_CONV_TIME_H_
#define DLTAP_OPMODEL_GROUPED_CONV_TIME_H_

#include <cstdint>
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

enum class Layout : uint8_t { kNchw, kNhwc };

// What a layout makes of several channels a group in half precision, where
// tensor cores have no kernel of that width; nullopt: they have one.
std::optional<ModelledTime> GroupedTimeIn(Layout layout, const Operation& op,
                                          const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_GROUPED_CONV_TIME_H_
