// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_LAUNCH_LOG_H_
#define DLTAP_SIMGPU_STREAM_LAUNCH_LOG_H_

#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// DLTAP_SIM_LAUNCHES: "name <<<gx,gy,gz bx,by,bz shared stream>>>" per launch,
// library and graph launches included, without times.
void LogLaunch(const KernelWork& kernel, const Stream& stream);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_LAUNCH_LOG_H_
