// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_CLIENT_CLOCK_H_
#define DLTAP_SIMGPU_CUPTI_CLIENT_CLOCK_H_

#include <cstdint>

#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// cuptiActivityRegisterTimestampCallback: from then on every time that the
// client sees is of its own clock. Converted by a line through two readings of
// both clocks, the first at registration, the second at the newest refresh.
void SetTimestampCallback(CUpti_TimestampCallbackFunc callback);

// Takes the second reading. Call it before converting a batch.
void RefreshClientClock();

// A time of the simulation's clock as the client writes it.
uint64_t ToClientTime(uint64_t sim_ns);

// Now, as cuptiGetTimestamp returns it.
uint64_t ClientNow();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_CLIENT_CLOCK_H_
