// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_NVTX_RECORDS_H_
#define DLTAP_SIMGPU_CUPTI_NVTX_RECORDS_H_

#include <cstdint>

#include "simgpu/cupti/cupti_header.h"
#include "simgpu/cupti/nvtx_header.h"

namespace dltap::simgpu {

// Markers and names of NVTX as records of CUPTI_ACTIVITY_KIND_MARKER,
// MARKER_DATA and NAME. Texts live for ever; a null domain is the default one.

const char* NvtxText(const char* text);
const char* NvtxText(const wchar_t* text);  // in UTF-8

// A mark or the beginning of a range.
struct NvtxEvent {
  const char* domain = nullptr;
  const char* name = nullptr;
  const nvtxEventAttributes_t* attributes = nullptr;  // null: none
};
NvtxEvent EventOf(const char* domain, const nvtxEventAttributes_t* attributes);

void Mark(const NvtxEvent& event);
nvtxRangeId_t StartRange(const NvtxEvent& event);
void EndRange(const char* domain, nvtxRangeId_t id);
// The range's level, from 0; of a pop without a push negative (nvToolsExt.h).
int PushRange(const NvtxEvent& event);
int PopRange(const char* domain);

void NameObject(CUpti_ActivityObjectKind kind,
                const CUpti_ActivityObjectKindId& id, const char* name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_NVTX_RECORDS_H_
