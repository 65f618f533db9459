// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_CONTEXT_H_
#define DLTAP_SIMGPU_STREAM_CONTEXT_H_

#include "simgpu/stream/device_state.h"

namespace dltap::simgpu {

// Makes the primary context active and shows it to the activity client.
void ActivatePrimary(Device& device);

// A context for cuCtxCreate.
Context* NewContext(Device& device);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_CONTEXT_H_
