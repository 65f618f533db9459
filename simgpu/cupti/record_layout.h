// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_RECORD_LAYOUT_H_
#define DLTAP_SIMGPU_CUPTI_RECORD_LAYOUT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simgpu/base/activity.h"
#include "simgpu/cupti/cupti_header.h"
#include "simgpu/cupti/record_table.h"

namespace dltap::simgpu {

// An activity record in the newest layout (record_table.h), waiting for its
// work to end.
struct PendingRecord {
  int64_t complete_ns;  // of the simulation's clock: may be delivered then
  uint32_t bytes;       // of it that the simulated version has
  uint32_t thread_id;   // the system's, of the thread that caused it
  alignas(8) std::array<std::byte, kMaxRecordBytes> layout;

  template <typename Record>
  static PendingRecord Of(int64_t complete_ns, const Record& record) {
    static_assert(sizeof(Record) <= kMaxRecordBytes);
    PendingRecord pending;
    pending.complete_ns = complete_ns;
    pending.bytes = static_cast<uint32_t>(RecordBytes(record.kind));
    pending.thread_id = 0;
    std::memcpy(pending.layout.data(), &record, sizeof record);
    const size_t rest = pending.bytes > sizeof record  // of a newer release
                            ? pending.bytes - sizeof record
                            : 0;
    std::memset(pending.layout.data() + sizeof record, 0, rest);
    return pending;
  }
};

constexpr uint32_t kNoStream = 0xffffffff;
uint8_t MemoryKindOf(MemoryKind kind);  // CUpti_ActivityMemoryKind

// What the client has chosen of a kernel's record.
struct KernelRecordStyle {
  bool serial_kind;  // CUPTI_ACTIVITY_KIND_KERNEL, not CONCURRENT_KERNEL
  bool latencies;    // cuptiActivityEnableLatencyTimestamps
};
PendingRecord ToRecord(const KernelActivityRecord& kernel,
                       const KernelRecordStyle& style);
PendingRecord ToRecord(const CopyActivityRecord& copy);
PendingRecord ToPeerRecord(const CopyActivityRecord& copy);
PendingRecord ToRecord(const MemsetActivityRecord& memset);
// `with_time`: cuptiActivityEnableCudaEventDeviceTimestamps
PendingRecord ToRecord(const EventActivityRecord& event, bool with_time);

// One launch of a graph, whose nodes have no records of their own. `place`:
// begin of the first and end of the last.
PendingRecord ToGraphRecord(const WorkPlace& place);
PendingRecord ToRecord(const SynchronizationActivityRecord& sync);
PendingRecord ToRecord(const ApiActivity& call, uint32_t thread_id);
PendingRecord ToExternalRecord(const ApiActivity& call,
                               CUpti_ExternalCorrelationKind kind, uint64_t id);

// Applies `convert` to each time in the record. With `convert_length` the end
// of its span is as far behind its begin as that says.
using ConvertTime = uint64_t (*)(uint64_t sim_ns);
void ConvertTimes(PendingRecord& record, ConvertTime convert,
                  ConvertTime convert_length = nullptr);

// A record of device work that CUPTI lost track of has neither start nor end.
void ClearTimes(PendingRecord& record);

// True for what a device did: kernels, copies, memsets.
bool IsDeviceWork(const PendingRecord& record);

// When its work ends, before ConvertTimes(); 0: it has no end.
int64_t EndOf(const PendingRecord& record);

// A record that is handed over while its work runs has no end.
void ClearEnd(PendingRecord& record);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_RECORD_LAYOUT_H_
