// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_
#define DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_

namespace dltap::simgpu {

// The attributes that change what a client of the simulation sees.
// CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER.
bool PerThreadBuffers();
// CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER: the client has zeroed them.
bool ZeroedBuffers();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_
