// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_RECORD_TABLE_H_
#define DLTAP_SIMGPU_CUPTI_RECORD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// Layouts of activity records by CUPTI version. From 11.0 on each new structure
// begins with the one before it, field by field (checked when compiled), so a
// record is filled as the newest and cut to the length of the version wanted.

// A kernel's of CUDA 13.3 (CUpti_ActivityKernel12).
constexpr size_t kMaxRecordBytes = 232;

// Bytes of a record of this kind; 0: that version does not know the kind.
size_t RecordBytes(CUpti_ActivityKind kind, uint32_t api_version);

// Of the version this process simulates (toolkit.h).
size_t RecordBytes(CUpti_ActivityKind kind);

// Where a record of this kind holds times, each a uint64_t. The first two are
// start and end where `has_span`.
struct RecordTimes {
  std::span<const uint16_t> offsets;
  bool has_span;
};
RecordTimes TimesOf(CUpti_ActivityKind kind);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_RECORD_TABLE_H_
