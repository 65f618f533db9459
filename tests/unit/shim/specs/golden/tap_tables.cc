// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#include "tap_tables.h"

#include "shim/specs/name_table.h"

// Distances, not addresses: a table of 2,000 pointers would be relocated, page
// by page, in every process that preloads us.
extern "C" {
[[gnu::visibility("hidden")]] extern const int32_t dltap_wrapper_distances[];
}
__asm__(
    ".pushsection .rodata.dltap_wrapper_distances, \"a\"\n"
    ".balign 4\n"
    ".hidden dltap_wrapper_distances\n"
    ".globl dltap_wrapper_distances\n"
    "dltap_wrapper_distances:\n"
    ".long toyBind - dltap_wrapper_distances\n"
    ".long toyCopy - dltap_wrapper_distances\n"
    ".long toyGetName - dltap_wrapper_distances\n"
    ".long toyLaunch_v2 - dltap_wrapper_distances\n"
    ".long toyMalloc - dltap_wrapper_distances\n"
    ".popsection\n");

namespace dltap::specs {
namespace {

constexpr char kStrings[] =
    "" "\0"
    "dst" "\0"
    "src" "\0"
    "width" "\0"
    "height" "\0"
    "stream" "\0"
    "kind" "\0"
    "config.shared" "\0"
    "config.stream" "\0"
    "function" "\0"
    "scale" "\0"
    "config.grid.x" "\0"
    "block.x" "\0"
    "block.y" "\0"
    "block.z" "\0"
    "operation" "\0"
    "memory" "\0"
    "size" "\0"
    "libtoy" "\0"
    "toyBind" "\0"
    "toyCopy" "\0"
    "toyGetName" "\0"
    "toyLaunch_v2" "\0"
    "toyMalloc" "\0";

constexpr uint32_t kSymbolOffsets[] = {
    144, 152, 160, 171, 184,
};

constexpr ArgField kFields[] = {
    {1, 0, 8, ArgKind::kPointer, Meaning::kPointerDst},
    {5, 8, 8, ArgKind::kPointer, Meaning::kPointerSrc},
    {9, 16, 8, ArgKind::kUint, Meaning::kBytes},
    {15, 24, 8, ArgKind::kUint, Meaning::kBytes},
    {22, 32, 8, ArgKind::kHandle, Meaning::kStream},
    {29, 40, 2, ArgKind::kEnum, Meaning::kCopyKind},
    {34, 0, 8, ArgKind::kUint, Meaning::kNone},
    {48, 8, 8, ArgKind::kHandle, Meaning::kStream},
    {62, 16, 8, ArgKind::kHandle, Meaning::kKernel},
    {71, 24, 8, ArgKind::kFloat, Meaning::kNone},
    {77, 32, 4, ArgKind::kUint, Meaning::kDimGridX},
    {91, 36, 4, ArgKind::kUint, Meaning::kDimBlockX},
    {99, 40, 4, ArgKind::kUint, Meaning::kNone},
    {107, 44, 4, ArgKind::kUint, Meaning::kNone},
    {115, 48, 4, ArgKind::kUint, Meaning::kOperation},
    {125, 0, 8, ArgKind::kPointer, Meaning::kPointerMemory},
    {132, 8, 8, ArgKind::kUint, Meaning::kBytes},
};

constexpr ArgLayout kLayouts[] = {
    {0, 0, 0}, {0, 6, 42}, {0, 0, 0}, {6, 9, 52}, {15, 2, 16},
};

constexpr uint8_t kLibraries[] = {
    2, 2, 2, 2, 2,
};

constexpr uint8_t kRoles[] = {
    3, 1, 2, 1, 1,
};

constexpr uint16_t kOfCounter[] = {
    0, 1, 2, 3, 4,
};

constexpr int16_t kCounterOf[] = {
    0, 1, 2, 3, 4,
};

constexpr uint16_t kSonamePrefixes[] = {
    0, 0, 137, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
};

// Slots hold counter indices.
constexpr uint16_t kWrappedSlots[] = {
    0, 3, 65535, 65535, 65535, 65535, 1, 65535, 65535, 65535,
    2, 65535, 65535, 65535, 65535, 4,
};

}  // namespace

const ArgLayout& LayoutOf(EntryPoint entry) {
  return kLayouts[static_cast<int>(entry)];
}

const ArgField* FieldsOf(const ArgLayout& layout) {
  return kFields + layout.first_field;
}

const char* NameOf(const ArgField& field) { return kStrings + field.name; }

const char* SymbolOf(EntryPoint entry) {
  return kStrings + kSymbolOffsets[static_cast<int>(entry)];
}

Library LibraryOf(EntryPoint entry) {
  return static_cast<Library>(kLibraries[static_cast<int>(entry)]);
}

Role RoleOf(EntryPoint entry) {
  return static_cast<Role>(kRoles[static_cast<int>(entry)]);
}

EntryPoint OfCounter(int counter_index) {
  return static_cast<EntryPoint>(kOfCounter[counter_index]);
}

const char* SonamePrefix(Library library) {
  return kStrings + kSonamePrefixes[static_cast<int>(library)];
}

int FindWrapped(const char* name) {
  const int counter = FindName(kWrappedSlots, name, [](uint16_t value) {
    return kStrings + kSymbolOffsets[kOfCounter[value]];
  });
  return counter < 0 ? -1 : kOfCounter[counter];
}

int CounterOf(EntryPoint entry) {
  return kCounterOf[static_cast<int>(entry)];
}

void* WrapperAddress(EntryPoint entry) {
  const int counter = CounterOf(entry);
  if (counter < 0) return nullptr;
  const auto base = reinterpret_cast<uintptr_t>(dltap_wrapper_distances);
  return reinterpret_cast<void*>(base + dltap_wrapper_distances[counter]);
}

}  // namespace dltap::specs
