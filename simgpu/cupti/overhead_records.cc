// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/overhead_records.h"

#include <unistd.h>

#include "simgpu/cupti/toolkit.h"

namespace dltap::simgpu {
namespace {

struct KindRow {
  CUpti_ActivityOverheadKind kind;
  uint32_t since;  // API version whose header first has it, of those looked at
};

constexpr KindRow kKinds[] = {
    {CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER, 0},
    {CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, 0},
    {CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, 0},
    {CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, 0},
    {CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING, 20},
    {CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, 20},
    {CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, 26},
};

bool IsKnown(CUpti_ActivityOverheadKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row.since <= CuptiApiVersion();
  }
  return false;
}

}  // namespace

std::optional<PendingRecord> ToRecord(const Overhead& overhead) {
  if (!IsKnown(overhead.kind)) return std::nullopt;
  CUpti_ActivityOverhead3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadKind = overhead.kind;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = static_cast<uint32_t>(getpid());
  record.objectId.pt.threadId = overhead.thread_id;
  record.start = static_cast<uint64_t>(overhead.begin_ns);
  record.end = static_cast<uint64_t>(overhead.end_ns);
  record.correlationId = overhead.correlation_id;
  return PendingRecord::Of(overhead.end_ns, record);
}

}  // namespace dltap::simgpu
