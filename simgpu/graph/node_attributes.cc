// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/node_attributes.h"

#include <algorithm>

#include "simgpu/stream/sm_work.h"

namespace dltap::simgpu {
namespace {

// "Valid for ..." in the documentation of cudaLaunchAttributeID.
constexpr int kOfNodes[] = {
    kAccessPolicyWindow, kCooperative,
    kClusterDimension,   kClusterSchedulingPolicy,
    kPriority,           kMemSyncDomainMap,
    kMemSyncDomain,      kPreferredClusterDimension,
    kDeviceUpdatable,    kPreferredCarveout,
};

// The whole grid is made of clusters.
bool ClusterDivides(const Dim3& cluster, const Dim3& grid) {
  return cluster.count() > 0 && grid.x % cluster.x == 0 &&
         grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

Error SetKnown(GraphNode& node, KernelWork& kernel, int id, const void* value) {
  switch (id) {
    case kCooperative:
      kernel.cooperative = ReadAttribute<int>(value) != 0;
      break;
    case kPriority:
      node.priority = ClampPriority(ReadAttribute<int>(value));
      break;
    case kClusterDimension:
      if (!ClusterDivides(ReadAttribute<Dim3>(value), kernel.grid)) {
        return Error::kInvalidValue;
      }
      kernel.cluster = ReadAttribute<Dim3>(value);
      break;
    default: break;
  }
  return Error::kSuccess;
}

}  // namespace

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
    case kCooperative: WriteAttribute(int{kernel->cooperative}, value); break;
    case kPriority: WriteAttribute(node.priority, value); break;
    case kClusterDimension: WriteAttribute(kernel->cluster, value); break;
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

}  // namespace dltap::simgpu
