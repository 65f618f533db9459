// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_THREAD_IDS_H_
#define DLTAP_SIMGPU_CUPTI_THREAD_IDS_H_

#include <cstdint>

#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// cuptiSetThreadIdType: what records hold as a thread's id, pthread_self() cut
// to 32 bits or the system's. False: no such type.
bool SetThreadIdType(CUpti_ActivityThreadIdType type);
CUpti_ActivityThreadIdType ThreadIdType();

// Of the calling thread.
uint32_t ClientThreadId();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_THREAD_IDS_H_
