// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t MakeEvent(cudaEvent_t* event, unsigned flags) {
  return ByDriver<kName>([&](const DriverTable& driver) {
    return FromDriver(driver.event_create(event, flags));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Record(cudaEvent_t event, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.event_record(event, stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t RecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                            unsigned flags) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.event_record_with_flags(event, stream, flags));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Wait(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.stream_wait_event(stream, event, flags));
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return MakeEvent<"cudaEventCreate">(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return MakeEvent<"cudaEventCreateWithFlags">(event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return ByDriver<"cudaEventDestroy">([&](const DriverTable& driver) {
    return FromDriver(driver.event_destroy(event));
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return Record<"cudaEventRecord">(event, stream);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return Record<"cudaEventRecord_ptsz", kPtsz>(event, stream);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int flags) {
  return RecordWithFlags<"cudaEventRecordWithFlags">(event, stream, flags);
}

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event,
                                          cudaStream_t stream,
                                          unsigned int flags) {
  return RecordWithFlags<"cudaEventRecordWithFlags_ptsz", kPtsz>(event, stream,
                                                                 flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return ByDriver<"cudaEventQuery">([&](const DriverTable& driver) {
    return FromDriver(driver.event_query(event));
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return ByDriver<"cudaEventSynchronize">([&](const DriverTable& driver) {
    return FromDriver(driver.event_synchronize(event));
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start,
                                 cudaEvent_t end) {
  return ByDriver<"cudaEventElapsedTime">([&](const DriverTable& driver) {
    return FromDriver(driver.event_elapsed_time(ms, start, end));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags) {
  return Wait<"cudaStreamWaitEvent">(stream, event, flags);
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                     unsigned int flags) {
  return Wait<"cudaStreamWaitEvent_ptsz", kPtsz>(stream, event, flags);
}
