// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_TIME_FACTORS_H_
#define DLTAP_SIMGPU_STREAM_TIME_FACTORS_H_

namespace dltap::simgpu {

// By what the modelled time of kernels of this name is multiplied: of the
// first line of the file DLTAP_SIM_TIME_FACTORS ("FACTOR GLOB") whose glob the
// name matches; 1 without one. For tests of predictions: a GPU on which one
// kind of kernel is faster.
double TimeFactorOf(const char* name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_TIME_FACTORS_H_
