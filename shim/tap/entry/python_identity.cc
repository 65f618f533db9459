// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_identity.h"

namespace dltap::shim {
namespace {

template <typename T>
uint64_t Word(const uint8_t* from) {
  T value;
  memcpy(&value, from, sizeof(value));
  return value;
}

// Of less than eight bytes.
uint64_t ShortWord(const uint8_t* from, uint64_t bytes) {
  if (bytes >= 4) {
    return Word<uint32_t>(from) | Word<uint32_t>(from + bytes - 4) << 32;
  }
  if (bytes == 0) return 0;
  return from[0] | uint64_t{from[bytes / 2]} << 8 |
         uint64_t{from[bytes - 1]} << 16;
}

// Two sums, of which neither waits for the other; the last word may overlap.
uint64_t HashBytes(uintptr_t at, uint64_t bytes) {
  constexpr uint64_t kWord = sizeof(uint64_t);
  const auto* from = reinterpret_cast<const uint8_t*>(at);
  if (bytes < kWord) return MixPython(bytes, ShortWord(from, bytes));
  const uint8_t* last = from + bytes - kWord;
  uint64_t even = bytes, odd = 0;
  for (; from + kWord <= last; from += 2 * kWord) {
    even = MixPython(even, Word<uint64_t>(from));
    odd = MixPython(odd, Word<uint64_t>(from + kWord));
  }
  if (from < last) even = MixPython(even, Word<uint64_t>(from));
  odd = MixPython(odd, Word<uint64_t>(last));
  return even * 0xC2B2AE3D27D4EB4Fu + odd * 0x165667B19E3779F9u;
}

uint64_t HashText(const PythonLayout& layout, uintptr_t object) {
  if (object == 0) return 0;
  const PythonText text =
      TextOf(layout, object, Own<uint64_t>(object, kPythonTextLength),
             Own<uint32_t>(object, kPythonTextState));
  return HashBytes(text.at, text.length * text.width);
}

}  // namespace

uint64_t HashCode(const PythonLayout& layout, uintptr_t code) {
  const int16_t name =
      layout.qualified_name >= 0 ? layout.qualified_name : layout.name;
  const auto lines = Own<uintptr_t>(code, layout.line_table);
  return Own<uint32_t>(code, layout.first_line) +
         HashText(layout, Own<uintptr_t>(code, name)) * 0x27D4EB2F165667C5u +
         HashText(layout, Own<uintptr_t>(code, layout.filename)) *
             0x85EBCA77C2B2AE63u +
         HashBytes(lines + kPythonBytes,
                   Own<uint64_t>(lines, int16_t{kPythonSize}));
}

uint64_t HashClass(uintptr_t type) {
  const auto name = Own<uintptr_t>(type, int16_t{kPythonTypeName});
  if (name == 0) return 0;
  return HashBytes(name, strlen(reinterpret_cast<const char*>(name)));
}

}  // namespace dltap::shim
