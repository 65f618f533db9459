// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/launch_attributes.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "simgpu/graph/graph.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

enum AttributeId : int {
  kAccessPolicyWindow = 1,
  kCooperative = 2,
  kSynchronizationPolicy = 3,
  kClusterDimension = 4,
  kClusterSchedulingPolicy = 5,
  kPriority = 8,
  kMemSyncDomainMap = 9,
  kMemSyncDomain = 10,
  kPreferredClusterDimension = 11,
  kDeviceUpdatable = 13,
  kPreferredCarveout = 14,
};

// "Valid for ..." in the documentation of cudaLaunchAttributeID.
constexpr int kOfNodes[] = {
    kAccessPolicyWindow, kCooperative,
    kClusterDimension,   kClusterSchedulingPolicy,
    kPriority,           kMemSyncDomainMap,
    kMemSyncDomain,      kPreferredClusterDimension,
    kDeviceUpdatable,    kPreferredCarveout,
};
constexpr int kOfStreams[] = {kAccessPolicyWindow, kSynchronizationPolicy,
                              kPriority, kMemSyncDomainMap, kMemSyncDomain};

template <size_t kCount>
bool IsOneOf(const int (&ids)[kCount], int id) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

int ReadInt(const void* value) {
  int number = 0;
  std::memcpy(&number, value, sizeof(number));
  return number;
}

Dim3 ReadDim3(const void* value) {
  Dim3 dimension;
  std::memcpy(&dimension, value, sizeof(dimension));
  return dimension;
}

template <typename T>
void WriteValue(const T& value, void* out) {
  static_assert(sizeof(T) <= AttributeSet::kValueBytes);
  std::memset(out, 0, AttributeSet::kValueBytes);
  std::memcpy(out, &value, sizeof(value));
}

int ClampPriority(int priority) {
  return std::clamp(priority, kGreatestPriority, kLeastPriority);
}

// The whole grid is made of clusters.
bool ClusterDivides(const Dim3& cluster, const Dim3& grid) {
  return cluster.count() > 0 && grid.x % cluster.x == 0 &&
         grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

Error SetKnown(GraphNode& node, KernelWork& kernel, int id, const void* value) {
  switch (id) {
    case kCooperative: kernel.cooperative = ReadInt(value) != 0; break;
    case kPriority: node.priority = ClampPriority(ReadInt(value)); break;
    case kClusterDimension:
      if (!ClusterDivides(ReadDim3(value), kernel.grid)) {
        return Error::kInvalidValue;
      }
      kernel.cluster = ReadDim3(value);
      break;
    default: break;
  }
  return Error::kSuccess;
}

}  // namespace

void AttributeSet::Set(int id, const void* value) {
  std::memcpy(values_[id].data(), value, kValueBytes);
}

void AttributeSet::Get(int id, void* value) const {
  const auto found = values_.find(id);
  if (found == values_.end()) {
    std::memset(value, 0, kValueBytes);
  } else {
    std::memcpy(value, found->second.data(), kValueBytes);
  }
}

Error SetNodeAttribute(GraphNode& node, int id, const void* value) {
  auto* kernel = std::get_if<KernelWork>(&node.work);
  if (kernel == nullptr || value == nullptr || !IsOneOf(kOfNodes, id)) {
    return Error::kInvalidValue;
  }
  const Error error = SetKnown(node, *kernel, id, value);
  if (error == Error::kSuccess) node.attributes.Set(id, value);
  return error;
}

Error GetNodeAttribute(const GraphNode& node, int id, void* value) {
  const auto* kernel = std::get_if<KernelWork>(&node.work);
  if (kernel == nullptr || value == nullptr || !IsOneOf(kOfNodes, id)) {
    return Error::kInvalidValue;
  }
  switch (id) {
    case kCooperative: WriteValue(int{kernel->cooperative}, value); break;
    case kPriority: WriteValue(node.priority, value); break;
    case kClusterDimension: WriteValue(kernel->cluster, value); break;
    default: node.attributes.Get(id, value);
  }
  return Error::kSuccess;
}

Error CopyNodeAttributes(const GraphNode& from, GraphNode& to) {
  const auto* source = std::get_if<KernelWork>(&from.work);
  auto* target = std::get_if<KernelWork>(&to.work);
  if (source == nullptr || target == nullptr) return Error::kInvalidValue;
  to.attributes = from.attributes;
  to.priority = from.priority;
  target->cooperative = source->cooperative;
  target->cluster = source->cluster;
  return Error::kSuccess;
}

static void TellAttribute(Stream& stream, int id, const void* value) {
  if (!ActivityWanted(kResourceActivity)) return;
  const StreamAttributeFacts facts{id, value};
  GetActivitySink().OnResource({.event = ResourceEvent::kStreamAttributeChanged,
                                .context = stream.device->primary_context,
                                .handle = &stream,
                                .original_graph = nullptr,
                                .node = nullptr,
                                .original_node = nullptr,
                                .node_type = 0,
                                .stream_attribute = &facts});
}

Error SetStreamAttribute(Stream& stream, int id, const void* value) {
  if (value == nullptr || !IsOneOf(kOfStreams, id)) {
    return Error::kInvalidValue;
  }
  {
    const std::lock_guard lock(stream.mutex);
    if (id == kPriority) stream.priority = ClampPriority(ReadInt(value));
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
    WriteValue(stream.priority.load(), value);
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
