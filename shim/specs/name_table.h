// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_NAME_TABLE_H_
#define DLTAP_SHIM_SPECS_NAME_TABLE_H_

#include <cstdint>

namespace dltap::specs {

// FNV-1a. The generator fills tables by the same function
// (shim/specs/generate/entry_points/text.py, name_hash).
constexpr uint32_t HashName(const char* name) {
  uint32_t hash = 0x811C9DC5;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<uint8_t>(*name)) * 0x01000193;
  }
  return hash;
}

// (strcmp may belong to a sanitizer that is not ready yet when the tap's dlsym
// looks a name up.)
constexpr bool IsSameName(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// Value whose name is `name` in a generated open-addressing table (size a power
// of two, 0xFFFF marks an empty slot, at least one is empty); -1: none.
template <int kSlots, typename NameOfValue>
int FindName(const uint16_t (&slots)[kSlots], const char* name,
             NameOfValue name_of) {
  static_assert((kSlots & (kSlots - 1)) == 0);
  uint32_t slot = HashName(name) % kSlots;
  for (; slots[slot] != 0xFFFF; slot = (slot + 1) % kSlots) {
    if (IsSameName(name_of(slots[slot]), name)) return slots[slot];
  }
  return -1;
}

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_NAME_TABLE_H_
