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

// Where the clock is not that of real time the line begins anew when the client
// begins to record, since what came before went at another pace.
void BeginClientTime();

// Takes the second reading. Call it before converting a batch.
void RefreshClientClock();

// A time of the simulation's clock as the client writes it.
uint64_t ToClientTime(uint64_t sim_ns);

// Where the client's clock is that of real time and the simulation's is not, no
// line leads from one to the other: between two readings of a virtual clock the
// host took as long as it took. Moments keep their order on the line above; but
// a length is told in units of the client's clock as real time passes, so that
// a kernel of 10 us has 10 us. Null: the line does for lengths, too.
uint64_t (*LengthConversion())(uint64_t sim_ns);

// Now, as cuptiGetTimestamp returns it.
uint64_t ClientNow();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_CLIENT_CLOCK_H_
