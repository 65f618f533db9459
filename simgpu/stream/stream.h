// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_STREAM_H_
#define DLTAP_SIMGPU_STREAM_STREAM_H_

#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {

// Special handle values: cudaStreamLegacy, cudaStreamPerThread.
constexpr uintptr_t kLegacyStreamHandle = 1;
constexpr uintptr_t kPerThreadStreamHandle = 2;

Error CreateStream(Device& device, unsigned flags, int priority,
                   Stream** stream);
Error DestroyStream(Stream& stream);

// What null means to the function called: the legacy stream, or, for the
// _ptsz / _ptds variants, the thread's own default stream.
enum class DefaultStream : uint8_t { kLegacy, kPerThread };

// The stream behind a client's handle; nullptr: not a live stream.
Stream* ResolveStream(const void* handle,
                      DefaultStream null_means = DefaultStream::kLegacy);

Error SynchronizeStream(Stream& stream);
Error QueryStream(Stream& stream);
// No mode of capture allows it.
Error SynchronizeDevice(Device& device);
// The same wait inside of calls that are potentially unsafe, such as cudaFree.
Error WaitForDevice(Device& device);

// When all work submitted so far will be over.
int64_t StreamTail(Stream& stream);
int64_t DeviceTail(Device& device);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_STREAM_H_
