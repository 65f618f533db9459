// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/activity_stage.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

using trace::LossKind;
using trace::RecordKind;
using trace::RecordView;

CopyKind CopyKindOf(uint8_t kind) {
  switch (static_cast<trace::CopyKind>(kind)) {
    case trace::CopyKind::kHtoD:
    case trace::CopyKind::kHtoA: return CopyKind::kHostToDevice;
    case trace::CopyKind::kDtoH:
    case trace::CopyKind::kAtoH: return CopyKind::kDeviceToHost;
    case trace::CopyKind::kAtoA:
    case trace::CopyKind::kAtoD:
    case trace::CopyKind::kDtoA:
    case trace::CopyKind::kDtoD: return CopyKind::kDeviceToDevice;
    case trace::CopyKind::kHtoH: return CopyKind::kHostToHost;
    case trace::CopyKind::kPtoP: return CopyKind::kPeer;
    case trace::CopyKind::kUnknown: break;
  }
  return CopyKind::kUnknown;
}

MemoryKind MemoryKindOf(uint8_t kind) {
  switch (static_cast<trace::MemoryKind>(kind)) {
    case trace::MemoryKind::kPageable: return MemoryKind::kPageable;
    case trace::MemoryKind::kPinned: return MemoryKind::kPinned;
    case trace::MemoryKind::kDevice:
    case trace::MemoryKind::kDeviceStatic: return MemoryKind::kDevice;
    case trace::MemoryKind::kArray: return MemoryKind::kArray;
    case trace::MemoryKind::kManaged:
    case trace::MemoryKind::kManagedStatic: return MemoryKind::kManaged;
    case trace::MemoryKind::kUnknown: break;
  }
  return MemoryKind::kUnknown;
}

}  // namespace

bool ActivityStage::Add(const RecordView& record) {
  switch (record.kind()) {
    case RecordKind::kKernel: AddKernel(record); return true;
    case RecordKind::kMemcpy: AddMemcpy(record); return true;
    case RecordKind::kMemset: AddMemset(record); return true;
    case RecordKind::kLaunchApi: AddLaunch(record); return true;
    case RecordKind::kGraphNode: AddGraphNode(record); return true;
    case RecordKind::kSync: return true;  // calls say the same
    default: return false;
  }
}

template <typename Record>
void ActivityStage::SetSpan(const RecordView& view, const Record& record,
                            int64_t* begin_ns, int64_t* end_ns) {
  uint64_t duration_ns = record.duration_ns;
  if (record.duration_ns == trace::kDurationEscape) {
    view.tail().Read(&duration_ns, sizeof(duration_ns));
  }
  *begin_ns = timeline_.FromActivity(record.start_ns);
  *end_ns = std::max(*begin_ns,
                     timeline_.FromActivity(record.start_ns + duration_ns));
  if (!timeline_.knows_activity()) losses_.Add(LossKind::kUnmappedTime);
}

template <typename Record>
Activity ActivityStage::Begin(const RecordView& view, const Record& record,
                              ActivityKind kind) {
  Activity activity{};
  SetSpan(view, record, &activity.begin_ns, &activity.end_ns);
  const StreamRef stream = definitions_.StreamOf(record.stream);
  activity.device = stream.device;
  activity.stream = stream.stream;
  activity.correlation = record.correlation;
  activity.graph = record.graph;
  activity.graph_node = record.graph_node;
  activity.kind = kind;
  return activity;
}

void ActivityStage::AddKernel(const RecordView& view) {
  const auto record = view.As<trace::KernelRecord>();
  Activity activity = Begin(view, record, ActivityKind::kKernel);
  const KernelVariant variant = definitions_.Variant(record.variant);
  activity.name = variant.name;
  activity.shape = variant.shape;
  process_.activities.push_back(activity);
}

void ActivityStage::AddMemcpy(const RecordView& view) {
  const auto record = view.As<trace::MemcpyRecord>();
  Activity activity = Begin(view, record, ActivityKind::kMemcpy);
  activity.bytes = record.bytes;
  activity.copy = CopyKindOf(record.copy_kind);
  activity.source = MemoryKindOf(record.source);
  activity.target = MemoryKindOf(record.target);
  process_.activities.push_back(activity);
}

void ActivityStage::AddMemset(const RecordView& view) {
  const auto record = view.As<trace::MemsetRecord>();
  Activity activity = Begin(view, record, ActivityKind::kMemset);
  activity.bytes = record.bytes;
  activity.target = MemoryKindOf(record.memory_kind);
  process_.activities.push_back(activity);
}

void ActivityStage::AddLaunch(const RecordView& view) {
  const auto record = view.As<trace::LaunchApiRecord>();
  LaunchRecord launch{};
  SetSpan(view, record, &launch.begin_ns, &launch.end_ns);
  launch.correlation = record.correlation;
  launch.external = record.external;
  launch.thread = definitions_.ThreadOf(record.thread);
  launch.api = record.api;
  process_.launches.push_back(launch);
}

void ActivityStage::AddGraphNode(const RecordView& view) {
  const auto record = view.As<trace::GraphNodeRecord>();
  GraphNodeOrigin origin{};
  origin.node = record.node;
  origin.original_node = record.original_node;
  origin.thread = definitions_.ThreadOf(record.thread);
  origin.call_begin_ticks = record.call_begin_ticks;
  process_.graph_nodes.push_back(origin);
}

}  // namespace dltap::analyzer
