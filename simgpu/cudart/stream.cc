// SPDX-License-Identifier: Apache-2.0
// Streams and events with fewer arguments than the driver's have.
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu::body {

Error StreamCreate(const DriverTable& driver, cudaStream_t* out) {
  return StreamCreateWithFlags(driver, out, 0);
}

Error StreamCreateWithFlags(const DriverTable& driver, cudaStream_t* out,
                            unsigned flags) {
  return FromDriver(driver.stream_create_with_priority(out, flags, 0));
}

Error EventCreate(const DriverTable& driver, cudaEvent_t* out) {
  return FromDriver(driver.event_create(out, cudaEventDefault));
}

}  // namespace dltap::simgpu::body
