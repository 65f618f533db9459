// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PLAIN_TEXT_H_
#define DLTAP_SHIM_TAP_ENTRY_PLAIN_TEXT_H_

#include <cstddef>

// Text without the C library. A look-up may reach our dlsym before a sanitizer
// or an allocator that owns the names strcmp or memcpy is ready to be called,
// so that nothing on that way may call a function of the C library by name.
// (What is compiled for it: the "early" sources of CMakeLists.txt.)
namespace dltap::shim {

constexpr bool IsSame(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr bool BeginsWith(const char* text, const char* prefix) {
  while (*prefix != '\0' && *text == *prefix) ++text, ++prefix;
  return *prefix == '\0';
}

constexpr size_t LengthOf(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

// What follows the last slash.
constexpr const char* FileName(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

// Does a library of that name belong to the prefix "libcublas.so"? Also when a
// package has renamed it: "libcublas-1a2b3c4d.so.13". No name belongs to "".
constexpr bool IsNamed(const char* name, const char* soname_prefix) {
  if (*soname_prefix == '\0') return false;
  for (; *soname_prefix != '\0'; ++name, ++soname_prefix) {
    if (*name == *soname_prefix) continue;
    return *name == '-' && IsSame(soname_prefix, ".so");
  }
  return true;
}

static_assert(IsNamed("libcublas.so.13", "libcublas.so"));
static_assert(IsNamed("libcublas-1a2b.so.13", "libcublas.so"));
static_assert(!IsNamed("libcublasLt.so.13", "libcublas.so"));
static_assert(IsNamed("libnvToolsExt.so.1", "libnvToolsExt"));

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PLAIN_TEXT_H_
