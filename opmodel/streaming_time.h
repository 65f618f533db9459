// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_STREAMING_TIME_H_
#define DLTAP_OPMODEL_STREAMING_TIME_H_

#include "opmodel/cost.h"
#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"

namespace dltap::opmodel {

// Time to move `bytes` to or from device memory at the sustained rate.
double MemoryNs(double bytes, const GpuSpec& gpu);

// A kernel that reads and writes `bytes` once and computes little.
ModelledTime StreamingTime(double bytes, const GpuSpec& gpu);

// A kernel whose accesses touch `sector_bytes` of the L2's sectors for the
// bytes that it needs.
ModelledTime ScatteredTime(double bytes, double sector_bytes,
                           const GpuSpec& gpu);

// What the L2 gives all SMs together.
double L2BytesPerS(const GpuSpec& gpu);

// A normalisation or softmax of `op`: kernels read each row two or three times
// and later reads hit the caches only while the rows in flight fit. Without
// kRows, one pass.
ModelledTime RowPassTime(const Operation& op, const Cost& cost,
                         const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_STREAMING_TIME_H_
