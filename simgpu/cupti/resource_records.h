// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_RESOURCE_RECORDS_H_
#define DLTAP_SIMGPU_CUPTI_RESOURCE_RECORDS_H_

#include <optional>
#include <vector>

#include "simgpu/cupti/record_layout.h"

namespace dltap::simgpu {

// Records that describe things, not work: devices, contexts, streams.

// Records of what exists already (cuptiActivityEnableAndDump); empty for kinds
// that describe events.
std::vector<PendingRecord> Inventory(CUpti_ActivityKind kind);

// nullopt: this event has no record.
std::optional<PendingRecord> ToResourceRecord(
    const ResourceActivityRecord& resource);

// Of a module that was loaded: CUPTI_ACTIVITY_KIND_FUNCTION for each kernel
// that its image names; CUPTI_ACTIVITY_KIND_JIT.
std::vector<PendingRecord> FunctionRecords(
    const ResourceActivityRecord& resource);
PendingRecord JitRecord(const ModuleFacts& module);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_RESOURCE_RECORDS_H_
