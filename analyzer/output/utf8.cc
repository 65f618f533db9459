// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {

size_t CharacterLength(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (at + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((text[at + k] & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, what lies beyond the last plane.
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool is_code_point =
      (lead != 0xE0 || second >= 0xA0) && (lead != 0xED || second < 0xA0) &&
      (lead != 0xF0 || second >= 0x90) && (lead != 0xF4 || second < 0x90);
  return is_code_point ? length : 0;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text, i);
    length == 0 ? valid += "\uFFFD" : valid.append(text, i, length);
    i += length == 0 ? 1 : length;
  }
  return valid;
}

}  // namespace dltap::analyzer
