// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_CONV_TIME_H_
#define DLTAP_OPMODEL_CONV_TIME_H_

#include <vector>

#include "opmodel/alternative.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// The engines that can run a convolution (any direction), fastest first. Empty
// when a dimension is unknown.
std::vector<Alternative> ConvAlternatives(const Operation& op,
                                          const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_CONV_TIME_H_
