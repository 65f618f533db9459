// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_MANGLED_NAME_H_
#define DLTAP_SHIM_TAP_TAGGING_MANGLED_NAME_H_

#include <cstddef>
#include <cstring>

#include "opmodel/operation.h"

// Steps through a mangled name (Itanium C++ ABI, 5.1), as far as kernels need
// it. Texts end with '\0'; `at` moves behind what was taken.
namespace dltap::shim::tagging {

inline bool Skip(const char*& at, const char* prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(at, prefix, length) != 0) return false;
  at += length;
  return true;
}

inline bool EndsWith(const char* text, const char* ending) {
  const size_t length = strlen(text);
  const size_t wanted = strlen(ending);
  return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

inline size_t TakeNumber(const char*& at) {
  size_t number = 0;
  for (; *at >= '0' && *at <= '9' && number < 4096; ++at) {
    number = 10 * number + static_cast<size_t>(*at - '0');
  }
  return number;
}

// "13pytorch_flash". Begin nullptr: there is none.
struct Identifier {
  const char* begin = nullptr;
  size_t length = 0;

  bool Is(const char* text) const {
    return begin != nullptr && strlen(text) == length &&
           memcmp(begin, text, length) == 0;
  }
  bool BeginsWith(const char* text) const {
    return begin != nullptr && strlen(text) <= length &&
           memcmp(begin, text, strlen(text)) == 0;
  }
};

inline Identifier TakeIdentifier(const char*& at) {
  const size_t length = TakeNumber(at);
  if (length == 0 || strnlen(at, length) < length) return {};
  const Identifier identifier = {at, length};
  at += length;
  return identifier;
}

// An element's type among template arguments; kUnknown: another one.
inline opmodel::DType TakeElementType(const char*& at) {
  if (Skip(at, "f")) return opmodel::DType::kF32;
  if (Skip(at, "d")) return opmodel::DType::kF64;
  if (Skip(at, "N3c104HalfE")) return opmodel::DType::kF16;
  if (Skip(at, "N3c108BFloat16E")) return opmodel::DType::kBf16;
  return opmodel::DType::kUnknown;
}

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_MANGLED_NAME_H_
