// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/nvtx_ranges.h"

#include <atomic>
#include <cstring>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "shim/tap/entry/window_range.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_state.h"

namespace dltap::shim::nvtx {
namespace {

constexpr size_t kMaxPayloadBytes = 256;
constexpr size_t kMaxDetails =
    sizeof(trace::NvtxDetailsPayload::details) / sizeof(uint32_t);

constinit std::atomic<uint64_t> g_last_range{0};
constinit std::atomic<Name*> g_without_empty{nullptr};

bool LeavesOutEmpty(const Name* domain) {
  return domain != nullptr &&
         domain == g_without_empty.load(std::memory_order_relaxed);
}

uint32_t TextOf(const Event& event) {
  if (event.registered != nullptr) return TextOf(event.registered);
  if (event.text != nullptr) {
    const size_t length = strnlen(event.text, kMaxTextBytes + 1);
    return InternText(event.text, static_cast<uint32_t>(length));
  }
  if (event.wide_text == nullptr) return 0;
  char text[kMaxWideBytes];
  return InternText(text, Narrow(event.wide_text, text, sizeof(text)));
}

bool IsWindow(const Event& event) {
  if (event.registered != nullptr) {
    const Spelling name = SpellingOf(*event.registered);
    return IsWindowRange(name.text, name.length);
  }
  if (event.text != nullptr) {
    const size_t length = strnlen(event.text, kMaxTextBytes + 1);
    return IsWindowRange(event.text, static_cast<uint32_t>(length));
  }
  if (event.wide_text == nullptr) return false;
  char text[kMaxWideBytes];
  return IsWindowRange(text, Narrow(event.wide_text, text, sizeof(text)));
}

bool IsRecording() {
  return g_process.word.load(std::memory_order_relaxed) >= kFirstSession;
}

// Other registered strings that its payload names, in their order: XLA tells
// the instruction, its lines of source and the computation that it calls. All
// or none. Source of the layout: nvToolsExtPayload.h. A payload without a size
// is left alone, since only its schema would tell how much can be read.
void AppendDetails(const Event& event, uint32_t text) {
  const auto& data = *static_cast<const nvtxPayloadData_t*>(event.payload);
  if (data.payload == nullptr || data.size > kMaxPayloadBytes) return;
  const auto* bytes = static_cast<const uint8_t*>(data.payload);
  trace::NvtxDetailsPayload details = {};
  details.text = text;
  size_t count = 0;
  for (size_t at = 0; at + sizeof(void*) <= data.size; at += sizeof(void*)) {
    const void* word = nullptr;
    memcpy(&word, bytes + at, sizeof(word));
    Name* name = OfOwnHandle(word);
    if (name == nullptr || name == event.registered) continue;
    details.details[count] = TextOfDetail(name);
    if (details.details[count] == 0) return;
    if (++count == kMaxDetails) break;
  }
  if (count == 0) return;
  AppendSpecial(trace::SpecialSlot::kNvtxDetails, &details, sizeof(details));
}

void Append(trace::SpecialSlot kind, const Event& event) {
  if (!IsRecording()) return;
  const trace::NvtxPayload payload = {TextOf(event), TextOf(event.domain),
                                      event.category, event.colour};
  const bool is_push = kind == trace::SpecialSlot::kNvtxPush;
  if (is_push && event.text != nullptr && LeavesOutEmpty(event.domain)) {
    HoldSpecial(kind, &payload, sizeof(payload));
    return;
  }
  if (is_push && event.payload != nullptr) AppendDetails(event, payload.text);
  AppendSpecial(kind, &payload, sizeof(payload));
}

}  // namespace

// Programs built with older headers pass shorter structures: `size` says how
// much is there.
Event FromAttributes(Name* domain, const void* attributes) {
  Event event;
  event.domain = domain;
  const auto* from = static_cast<const nvtxEventAttributes_t*>(attributes);
  if (from == nullptr || from->size < sizeof(nvtxEventAttributes_t)) {
    return event;
  }
  event.category = from->category;
  if (from->colorType == NVTX_COLOR_ARGB) event.colour = from->color;
  switch (from->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: event.text = from->message.ascii; break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      event.wide_text = from->message.unicode;
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      event.registered = OfHandle(from->message.registered);
      break;
    default: break;
  }
  if (from->payloadType == NVTX_PAYLOAD_TYPE_EXT && from->reserved0 > 0) {
    event.payload = reinterpret_cast<const void*>(from->payload.ullValue);
  }
  return event;
}

void LeaveOutEmptyRanges(Name* domain) {
  Name* none = nullptr;
  g_without_empty.compare_exchange_strong(none, domain);
}

void Push(const Event& event) {
  if (HasWindowRange()) WindowRangePushed(event.domain, IsWindow(event));
  Append(trace::SpecialSlot::kNvtxPush, event);
}

void Pop(Name* domain) {
  const bool is_empty = LeavesOutEmpty(domain) && DropHeld();
  if (IsRecording() && !is_empty) {
    const trace::NvtxPayload payload = {0, TextOf(domain), 0, 0};
    AppendSpecial(trace::SpecialSlot::kNvtxPop, &payload, sizeof(payload));
  }
  if (HasWindowRange()) WindowRangePopped(domain);
}

void Mark(const Event& event) { Append(trace::SpecialSlot::kNvtxMark, event); }

uint64_t StartRange(const Event& event, uint64_t id) {
  if (id == 0) id = g_last_range.fetch_add(1, std::memory_order_relaxed) + 1;
  if (HasWindowRange() && IsWindow(event)) WindowRangeStarted(id);
  if (IsRecording()) {
    const trace::NvtxRangePayload payload = {TextOf(event),
                                             TextOf(event.domain), id};
    AppendSpecial(trace::SpecialSlot::kNvtxRangeStart, &payload,
                  sizeof(payload));
  }
  return id;
}

void EndRange(Name* domain, uint64_t range_id) {
  if (IsRecording()) {
    const trace::NvtxRangePayload payload = {0, TextOf(domain), range_id};
    AppendSpecial(trace::SpecialSlot::kNvtxRangeEnd, &payload, sizeof(payload));
  }
  if (HasWindowRange()) WindowRangeEnded(range_id);
}

}  // namespace dltap::shim::nvtx
