// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PYTHON_IDENTITY_H_
#define DLTAP_SHIM_TAP_ENTRY_PYTHON_IDENTITY_H_

#include <cstdint>
#include <cstring>

#include "shim/tap/entry/python_layout.h"

// What tells code and classes apart whose places do not: another one may come
// to lie where a dead one did, with all that belongs to it.
namespace dltap::shim {

// Memory of the thread's own frames, which live as long as they run.
template <typename T>
T Own(uintptr_t at, int16_t offset) {
  T value;
  memcpy(&value,
         reinterpret_cast<const void*>(at + static_cast<uintptr_t>(offset)),
         sizeof(value));
  return value;
}

inline uint64_t MixPython(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// Of all that a definition says of a code object: its name, file and lines.
// Some 20 ns.
uint64_t HashCode(const PythonLayout& layout, uintptr_t code);

// Of a class: its name.
uint64_t HashClass(uintptr_t type);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PYTHON_IDENTITY_H_
