// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_WORDS_H_
#define DLTAP_SHIM_SPECS_WORDS_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "vocabulary.h"

// Enumerators of vocabulary.h and their names. Not for the traced process.
namespace dltap::specs {

// "unknown" for a number that a newer trace brought.
template <typename Enum>
constexpr std::string_view NameIn(
    const char* const (&names)[Words<Enum>::kCount], Enum value) {
  const auto i = static_cast<size_t>(value);
  return i < Words<Enum>::kCount ? names[i] : "unknown";
}

template <typename Enum>
constexpr std::optional<Enum> FindIn(
    const char* const (&names)[Words<Enum>::kCount], std::string_view name) {
  for (size_t i = 0; i < Words<Enum>::kCount; ++i) {
    if (!name.empty() && names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <typename Enum>
  requires requires { Words<Enum>::kNames; }
constexpr std::string_view Name(Enum value) {
  return NameIn<Enum>(Words<Enum>::kNames, value);
}

template <typename Enum>
constexpr std::optional<Enum> FromName(std::string_view name) {
  return FindIn<Enum>(Words<Enum>::kNames, name);
}

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_WORDS_H_
