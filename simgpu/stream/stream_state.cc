// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {
namespace {

// CUPTI shows the default stream of the first context as stream 7; others
// follow in the order of their creation.
constinit std::atomic<uint32_t> g_last_stream_id{6};

}  // namespace

Stream* MakeStream(Device& device, unsigned flags, int priority) {
  Stream* stream =
      HandlePool<Stream>::New(&device, flags, ClampPriority(priority),
                              g_last_stream_id.fetch_add(1) + 1);
  stream->context = device.primary_context;
  const std::lock_guard lock(device.streams_mutex);
  device.streams.push_back(stream);
  return stream;
}

}  // namespace dltap::simgpu
