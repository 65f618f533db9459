// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_PACK_H_
#define DLTAP_SHIM_SPECS_PACK_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dltap::specs {

// Stores of generated Pack() functions: into a record's payload, no checks.

// `value`, whatever scalar it is, in the bytes of Stored.
template <typename Stored, typename Value>
inline void Store(uint8_t* to, Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    std::memcpy(to, &value, sizeof(value));
  } else if constexpr (std::is_floating_point_v<Value>) {
    static_assert(sizeof(Stored) == sizeof(Value));
    std::memcpy(to, &value, sizeof(value));
  } else {
    const Stored stored = static_cast<Stored>(value);
    std::memcpy(to, &stored, sizeof(stored));
  }
}

// kBytes at `from` + `offset`, zeros when `from` is null. Little-endian: an
// enum of four bytes may be kept in its first one or two.
template <int kBytes>
inline void CopyIf(uint8_t* to, const void* from, int offset) {
  if (from == nullptr) {
    std::memset(to, 0, kBytes);
  } else {
    std::memcpy(to, static_cast<const uint8_t*>(from) + offset, kBytes);
  }
}

static_assert(std::endian::native == std::endian::little);

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_PACK_H_
