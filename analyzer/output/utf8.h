// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_UTF8_H_
#define DLTAP_ANALYZER_OUTPUT_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dltap::analyzer {

// Bytes of the character in UTF-8 that begins at `text[at]`; 0 where none
// does. Overlong forms, surrogates and what lies beyond the last plane are no
// characters (RFC 3629).
size_t CharacterLength(std::string_view text, size_t at);

// `text` with U+FFFD for each byte that is none of UTF-8.
std::string ValidUtf8(std::string_view text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_UTF8_H_
