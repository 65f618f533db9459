// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream_attributes.h"

#include <mutex>

#include "simgpu/base/activity.h"
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {
namespace {

// "Valid for ..." in the documentation of cudaLaunchAttributeID.
constexpr int kOfStreams[] = {kAccessPolicyWindow, kSynchronizationPolicy,
                              kPriority, kMemSyncDomainMap, kMemSyncDomain};

void TellAttribute(Stream& stream, int id, const void* value) {
  if (!ActivityWanted(kResourceActivity)) return;
  const StreamAttributeFacts facts{id, value};
  GetActivitySink().OnResource({.event = ResourceEvent::kStreamAttributeChanged,
                                .context = stream.device->primary_context,
                                .handle = &stream,
                                .stream_attribute = &facts});
}

}  // namespace

Error SetStreamAttribute(Stream& stream, int id, const void* value) {
  if (value == nullptr || !IsOneOf(kOfStreams, id)) {
    return Error::kInvalidValue;
  }
  {
    const std::lock_guard lock(stream.mutex);
    if (id == kPriority)
      stream.priority = ClampPriority(ReadAttribute<int>(value));
    stream.attributes.Set(id, value);
  }
  TellAttribute(stream, id, value);
  return Error::kSuccess;
}

Error GetStreamAttribute(const Stream& stream, int id, void* value) {
  if (value == nullptr || !IsOneOf(kOfStreams, id)) {
    return Error::kInvalidValue;
  }
  if (id == kPriority) {
    WriteAttribute(stream.priority.load(), value);
  } else {
    stream.attributes.Get(id, value);
  }
  return Error::kSuccess;
}

Error CopyStreamAttributes(const Stream& from, Stream& to) {
  if (&from == &to) return Error::kSuccess;
  const std::lock_guard lock(to.mutex);
  to.attributes = from.attributes;
  to.priority = from.priority.load();
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
