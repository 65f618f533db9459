// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/nvtx_records.h"

#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "simgpu/base/clock.h"
#include "simgpu/base/interned_name.h"
#include "simgpu/cupti/client.h"
#include "simgpu/cupti/thread_ids.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint32_t> g_last_marker{0};

// Open pushed ranges of this thread by domain.
thread_local std::map<const char*, std::vector<uint32_t>> t_pushed;

bool Wanted(CUpti_ActivityKind kind) {
  return Client::Get().selection().HasKind(kind);
}

template <typename Record>
void Add(const Record& record) {
  Client::Get().delivery().Add(PendingRecord::Of(SimNow(), record));
}

void AddMarker(uint32_t id, const NvtxEvent& event, CUpti_ActivityFlag flags) {
  if (!Wanted(CUPTI_ACTIVITY_KIND_MARKER)) return;
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = flags;
  record.timestamp = static_cast<uint64_t>(SimNow());
  record.id = id;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = static_cast<uint32_t>(getpid());
  record.objectId.pt.threadId = ClientThreadId();
  record.name = event.name;
  record.domain = event.domain;
  Add(record);
}

void FillPayload(CUpti_ActivityMarkerData2& record,
                 const nvtxEventAttributes_t& from) {
  switch (from.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_UINT64;
      record.payload.metricValueUint64 = from.payload.ullValue;
      break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_UINT64;
      record.payload.metricValueUint64 = from.payload.uiValue;
      break;
    case NVTX_PAYLOAD_TYPE_INT64:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_INT64;
      record.payload.metricValueInt64 = from.payload.llValue;
      break;
    case NVTX_PAYLOAD_TYPE_INT32:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_INT64;
      record.payload.metricValueInt64 = from.payload.iValue;
      break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_DOUBLE;
      record.payload.metricValueDouble = from.payload.dValue;
      break;
    case NVTX_PAYLOAD_TYPE_FLOAT:
      record.payloadKind = CUPTI_METRIC_VALUE_KIND_DOUBLE;
      record.payload.metricValueDouble = from.payload.fValue;
      break;
    default: record.payloadKind = CUPTI_METRIC_VALUE_KIND_FORCE_INT; break;
  }
}

void AddData(uint32_t id, const NvtxEvent& event) {
  if (event.attributes == nullptr || !Wanted(CUPTI_ACTIVITY_KIND_MARKER) ||
      !Wanted(CUPTI_ACTIVITY_KIND_MARKER_DATA)) {
    return;
  }
  const nvtxEventAttributes_t& from = *event.attributes;
  const bool has_color = from.colorType == NVTX_COLOR_ARGB;
  CUpti_ActivityMarkerData2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER_DATA;
  record.flags = has_color ? CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB
                           : CUPTI_ACTIVITY_FLAG_MARKER_COLOR_NONE;
  record.id = id;
  FillPayload(record, from);
  record.color = has_color ? from.color : 0;
  record.category = from.category;
  Add(record);
}

uint32_t Begin(const NvtxEvent& event, CUpti_ActivityFlag flags) {
  const uint32_t id = g_last_marker.fetch_add(1) + 1;
  AddMarker(id, event, flags);
  AddData(id, event);
  return id;
}

void End(uint32_t id, const char* domain) {
  AddMarker(id, {.domain = domain}, CUPTI_ACTIVITY_FLAG_MARKER_END);
}

void AppendUtf8(uint32_t code, std::string& text) {
  constexpr uint32_t kContinuation = 0x80;
  constexpr uint32_t kSixBits = 0x3f;
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[more] | code >> (6 * more));
  while (more-- > 0) {
    text += static_cast<char>(kContinuation | (code >> (6 * more) & kSixBits));
  }
}

}  // namespace

const char* NvtxText(const char* text) {
  return text == nullptr ? nullptr : InternName(text);
}

const char* NvtxText(const wchar_t* text) {
  if (text == nullptr) return nullptr;
  std::string narrow;
  for (; *text != L'\0'; ++text) {
    AppendUtf8(static_cast<uint32_t>(*text), narrow);
  }
  return InternName(narrow.c_str());
}

NvtxEvent EventOf(const char* domain, const nvtxEventAttributes_t* attributes) {
  NvtxEvent event{.domain = domain, .attributes = attributes};
  if (attributes == nullptr) return event;
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      event.name = NvtxText(attributes->message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      event.name = NvtxText(attributes->message.unicode);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      event.name =
          reinterpret_cast<const char*>(attributes->message.registered);
      break;
    default: break;
  }
  return event;
}

void Mark(const NvtxEvent& event) {
  Begin(event, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS);
}

nvtxRangeId_t StartRange(const NvtxEvent& event) {
  return Begin(event, CUPTI_ACTIVITY_FLAG_MARKER_START);
}

void EndRange(const char* domain, nvtxRangeId_t id) {
  End(static_cast<uint32_t>(id), domain);
}

int PushRange(const NvtxEvent& event) {
  auto& open = t_pushed[event.domain];
  open.push_back(Begin(event, CUPTI_ACTIVITY_FLAG_MARKER_START));
  return static_cast<int>(open.size()) - 1;
}

int PopRange(const char* domain) {
  auto& open = t_pushed[domain];
  if (open.empty()) return -1;
  End(open.back(), domain);
  open.pop_back();
  return static_cast<int>(open.size());
}

void NameObject(CUpti_ActivityObjectKind kind,
                const CUpti_ActivityObjectKindId& id, const char* name) {
  if (!Wanted(CUPTI_ACTIVITY_KIND_NAME)) return;
  CUpti_ActivityName record{};
  record.kind = CUPTI_ACTIVITY_KIND_NAME;
  record.objectKind = kind;
  record.objectId = id;
  record.name = name;
  Add(record);
}

}  // namespace dltap::simgpu
