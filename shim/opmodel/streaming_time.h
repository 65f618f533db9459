// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_OPMODEL_STREAMING_TIME_H_
#define DLTAP_SHIM_OPMODEL_STREAMING_TIME_H_

#include "shim/opmodel/gpu_table.h"
#include "shim/opmodel/modelled_time.h"

namespace dltap::opmodel {

// A kernel that reads and writes `bytes` once and computes little.
ModelledTime StreamingTime(double bytes, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_SHIM_OPMODEL_STREAMING_TIME_H_
