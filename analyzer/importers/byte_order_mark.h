// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_BYTE_ORDER_MARK_H_
#define DLTAP_ANALYZER_IMPORTERS_BYTE_ORDER_MARK_H_

#include <string_view>

namespace dltap::analyzer {

// Editors and shells of Windows write it before UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  return text;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_BYTE_ORDER_MARK_H_
