// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_
#define DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_

namespace dltap::simgpu {

// CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER: the only attribute that
// changes what a client of the simulation sees.
bool PerThreadBuffers();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_ATTRIBUTES_H_
