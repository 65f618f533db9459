// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/nvtx_ranges.h"

#include <atomic>
#include <cstring>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "shim/tap/entry/hlo_names.h"
#include "shim/tap/entry/window_range.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/tagging/late_table.h"
#include "shim/tap/tagging/pointer_map.h"
#include "shim/trace/checksum.h"

namespace dltap::shim::nvtx {

struct Name {
  std::atomic<uint64_t> defined;  // epoch << 32 | text id
  uint32_t length;
  char text[];
};

namespace {

constexpr uint32_t kArenaBytes = 16 << 20;
// Behind the first three quarters there is only room for what is short, such as
// the names of ranges.
constexpr uint32_t kLongBytes = 512;
constexpr uint32_t kMaxWideBytes = 1024;
// A compiler's longest dump of one computation.
constexpr uint32_t kMaxRegisteredBytes = 16 << 20;
constexpr size_t kMaxPayloadBytes = 256;

struct Arena {
  alignas(Name) uint8_t bytes[kArenaBytes];
  PointerMap<2, 14> names;    // hash of a text -> its Name
  PointerMap<2, 14> foreign;  // handle of another's -> Name
};
// Names are never freed, since programs keep handles in statics.
constinit LateTable<Arena> g_arena;
constinit std::atomic<uint32_t> g_arena_used{0};
constinit std::atomic<uint64_t> g_last_range{0};

// UTF-8 of a wide string, cut at the capacity. Returns its length.
uint32_t Narrow(const wchar_t* wide, char* out, uint32_t capacity) {
  uint32_t length = 0;
  for (; *wide != 0 && length + 4 <= capacity; ++wide) {
    const auto c = static_cast<uint32_t>(*wide);
    if (c < 0x80) {
      out[length++] = static_cast<char>(c);
    } else if (c < 0x800) {
      out[length++] = static_cast<char>(0xC0 | (c >> 6));
      out[length++] = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      out[length++] = static_cast<char>(0xE0 | (c >> 12));
      out[length++] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      out[length++] = static_cast<char>(0x80 | (c & 0x3F));
    } else {
      out[length++] = static_cast<char>(0xF0 | (c >> 18));
      out[length++] = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
      out[length++] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      out[length++] = static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return length;
}

Name* Store(const char* text, uint32_t length) {
  const uint32_t bytes =
      (static_cast<uint32_t>(sizeof(Name)) + length + 7) & ~7u;
  Arena* arena = g_arena.Make();
  if (bytes > kLongBytes &&
      g_arena_used.load(std::memory_order_relaxed) > kArenaBytes / 4 * 3) {
    CountLoss(trace::LossKind::kObjectTableFull);
    return nullptr;
  }
  const uint32_t at = g_arena_used.fetch_add(bytes, std::memory_order_relaxed);
  if (arena == nullptr || at + bytes > kArenaBytes) {
    CountLoss(trace::LossKind::kObjectTableFull);
    g_arena_used.store(kArenaBytes, std::memory_order_relaxed);
    return nullptr;
  }
  auto* name = reinterpret_cast<Name*>(arena->bytes + at);
  name->length = length;
  memcpy(name->text, text, length);
  return name;
}

// Apart for its frame, which short texts need not have room for.
[[gnu::noinline]] Name* StoreLong(const char* text, uint32_t length) {
  char names[kMaxTextBytes];
  uint32_t left_out = 0;
  const uint32_t bytes =
      CopyOperationNames(text, length, names, sizeof(names), &left_out);
  if (bytes == 0 || left_out > 0) CountLoss(trace::LossKind::kTextTruncated);
  return bytes != 0 ? Store(names, bytes) : Store(text, kMaxTextBytes);
}

Name* KeepBytes(const char* text, uint32_t length) {
  Arena* arena = g_arena.Make();
  if (arena == nullptr) return Store(text, 0);
  const uint64_t hash = XXH3_64bits(text, length);
  if (const uint64_t known = arena->names.Find(hash); known != 0) {
    return reinterpret_cast<Name*>(known);
  }
  Name* name =
      length <= kMaxTextBytes ? Store(text, length) : StoreLong(text, length);
  // Where there is no place, the next one is kept again.
  if (name != nullptr) {
    arena->names.Insert(hash, reinterpret_cast<uint64_t>(name));
  }
  return name;
}

// The name's text id in the running session and epoch.
uint32_t TextOf(Name* name) {
  if (name == nullptr) return 0;
  const uint64_t session = DefinitionEpoch();
  const uint64_t defined = name->defined.load(std::memory_order_acquire);
  if (defined >> 32 == session) return static_cast<uint32_t>(defined);
  const uint32_t id = InternText(name->text, name->length);
  if (id != 0) {
    name->defined.store(session << 32 | id, std::memory_order_release);
  }
  return id;
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

// Details come in masses when a compiler's first program runs; it runs again.
uint32_t TextOfDetail(Name* name) {
  if (name == nullptr) return 0;
  const uint64_t defined = name->defined.load(std::memory_order_acquire);
  if (defined >> 32 != DefinitionEpoch() && TextsCrowd()) return 0;
  return TextOf(name);
}

bool IsWindow(const Event& event) {
  if (event.registered != nullptr) {
    return IsWindowRange(event.registered->text, event.registered->length);
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

void AppendDetails(const Event& event, uint32_t text) {
  trace::NvtxDetailsPayload payload = {};
  payload.text = text;
  for (int i = 0; i < Event::kMaxDetails; ++i) {
    payload.details[i] = TextOfDetail(event.details[i]);
  }
  AppendSpecial(trace::SpecialSlot::kNvtxDetails, &payload, sizeof(payload));
}

void Append(trace::SpecialSlot kind, const Event& event) {
  if (!IsRecording()) return;
  const trace::NvtxPayload payload = {TextOf(event), TextOf(event.domain),
                                      event.category, event.colour};
  if (kind == trace::SpecialSlot::kNvtxPush && event.details[0] != nullptr) {
    AppendDetails(event, payload.text);
  }
  AppendSpecial(kind, &payload, sizeof(payload));
}

// Source of the layout: nvToolsExtPayload.h. A payload without a size is left
// alone, since only its schema would tell how much can be read.
void AddDetails(const nvtxPayloadData_t& payload, Event& event) {
  if (payload.payload == nullptr || payload.size > kMaxPayloadBytes) return;
  const auto* bytes = static_cast<const uint8_t*>(payload.payload);
  int count = 0;
  for (size_t at = 0; at + sizeof(void*) <= payload.size; at += sizeof(void*)) {
    const void* word = nullptr;
    memcpy(&word, bytes + at, sizeof(word));
    Name* name = OfHandle(word);
    if (name == nullptr || name == event.registered) continue;
    event.details[count++] = name;
    if (count == Event::kMaxDetails) return;
  }
}

}  // namespace

Name* OfHandle(const void* handle) {
  Arena* arena = g_arena.Find();
  if (arena == nullptr) return nullptr;
  const auto* at = static_cast<const uint8_t*>(handle);
  if (at >= arena->bytes && at < arena->bytes + kArenaBytes) {
    return reinterpret_cast<Name*>(arena->bytes + (at - arena->bytes));
  }
  const uint64_t known =
      arena->foreign.Find(reinterpret_cast<uint64_t>(handle));
  return reinterpret_cast<Name*>(known);
}

void KnowHandle(const void* handle, Name* name) {
  if (handle == nullptr || name == nullptr) return;
  Arena* arena = g_arena.Find();  // the name is in it
  if (arena == nullptr ||
      !arena->foreign.Insert(reinterpret_cast<uint64_t>(handle),
                             reinterpret_cast<uint64_t>(name))) {
    CountLoss(trace::LossKind::kObjectTableFull);
  }
}

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
    const auto* payload =
        reinterpret_cast<const nvtxPayloadData_t*>(from->payload.ullValue);
    if (payload != nullptr) AddDetails(*payload, event);
  }
  return event;
}

void Push(const Event& event) {
  if (HasWindowRange()) WindowRangePushed(event.domain, IsWindow(event));
  Append(trace::SpecialSlot::kNvtxPush, event);
}

void Pop(Name* domain) {
  if (IsRecording()) {
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

void PrepareNames() { g_arena.Make(); }

Name* Keep(const char* text) {
  if (text == nullptr) return nullptr;
  return KeepBytes(text,
                   static_cast<uint32_t>(strnlen(text, kMaxRegisteredBytes)));
}

Name* KeepWide(const wchar_t* text) {
  if (text == nullptr) return nullptr;
  char narrow[kMaxWideBytes];
  return KeepBytes(narrow, Narrow(text, narrow, sizeof(narrow)));
}

Name* KeepDomain(const char* name) {
  if (name == nullptr) return nullptr;
  return Store(name, static_cast<uint32_t>(strnlen(name, kMaxTextBytes)));
}

Name* KeepDomainWide(const wchar_t* name) {
  if (name == nullptr) return nullptr;
  char narrow[kMaxWideBytes];
  return Store(narrow, Narrow(name, narrow, sizeof(narrow)));
}

}  // namespace dltap::shim::nvtx
