// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/nvtx_names.h"

#include <atomic>
#include <cstring>

#include "shim/tap/entry/hlo_names.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/tagging/late_table.h"
#include "shim/tap/tagging/pointer_map.h"
#include "shim/trace/checksum.h"

namespace dltap::shim::nvtx {

struct Name {
  std::atomic<uint64_t> defined;  // epoch << 32 | text id
  uint32_t length;
  uint32_t tag;  // tells that a name begins here
  char text[];
};

namespace {

constexpr uint32_t kArenaBytes = 16 << 20;
// Behind the first three quarters there is only room for what is short, such as
// the names of ranges.
constexpr uint32_t kLongBytes = 512;
// A compiler's longest dump of one computation.
constexpr uint32_t kMaxRegisteredBytes = 16 << 20;

struct Arena {
  alignas(Name) uint8_t bytes[kArenaBytes];
  PointerMap<2, 14> names;    // hash of a text -> its Name
  PointerMap<2, 14> foreign;  // handle of another's -> Name
};
constinit LateTable<Arena> g_arena;
constinit std::atomic<uint32_t> g_arena_used{0};

uint32_t TagAt(const void* at) {
  const uint64_t address = reinterpret_cast<uint64_t>(at);
  return static_cast<uint32_t>(address * 0x9E3779B97F4A7C15ull >> 32) | 1;
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
  name->tag = TagAt(name);
  memcpy(name->text, text, length);
  return name;
}

// Apart for its frame, which short texts need not have room for.
[[gnu::noinline]] Name* StoreLong(const char* text, uint32_t length) {
  char names[kMaxTextBytes];
  const uint32_t bytes = CopyOperationNames(text, length, names, sizeof(names));
  if (bytes != 0) return Store(names, bytes);
  CountLoss(trace::LossKind::kTextTruncated);
  return Store(text, kMaxTextBytes);
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

template <typename Define>
uint32_t TextOf(Name* name, Define define) {
  if (name == nullptr) return 0;
  const uint64_t session = DefinitionEpoch();
  const uint64_t defined = name->defined.load(std::memory_order_acquire);
  if (defined >> 32 == session) return static_cast<uint32_t>(defined);
  const uint32_t id = define(name->text, name->length);
  if (id != 0) {
    name->defined.store(session << 32 | id, std::memory_order_release);
  }
  return id;
}

}  // namespace

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

uint32_t TextOf(Name* name) { return TextOf(name, InternText); }

// Details come in masses when a compiler's first program runs; it runs again.
uint32_t TextOfDetail(Name* name) {
  return TextOf(name, [](const char* text, uint32_t length) {
    return TextsCrowd() ? 0 : TryDefineText(text, length);
  });
}

Spelling SpellingOf(const Name& name) { return {name.text, name.length}; }

Name* OfOwnHandle(const void* handle) {
  Arena* arena = g_arena.Find();
  if (arena == nullptr) return nullptr;
  const auto* at = static_cast<const uint8_t*>(handle);
  const bool is_inside = at >= arena->bytes &&
                         at + sizeof(Name) <= arena->bytes + kArenaBytes &&
                         reinterpret_cast<uint64_t>(at) % alignof(Name) == 0;
  if (!is_inside) return nullptr;
  auto* name = reinterpret_cast<Name*>(arena->bytes + (at - arena->bytes));
  return name->tag == TagAt(name) ? name : nullptr;
}

Name* OfHandle(const void* handle) {
  if (Name* name = OfOwnHandle(handle); name != nullptr) return name;
  Arena* arena = g_arena.Find();
  if (arena == nullptr) return nullptr;
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
