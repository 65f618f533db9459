// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_COUNT_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_COUNT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/reports/render.h"

namespace dltap::analyzer {

// "1 process", "2 processes".
inline std::string Count(uint64_t n, std::string_view noun) {
  return WithThousands(static_cast<int64_t>(n)) + " " + std::string(noun) +
         (n == 1                                        ? ""
          : noun.ends_with("s") || noun.ends_with("ch") ? "es"
                                                        : "s");
}

inline std::string Join(const std::vector<std::string>& parts,
                        std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_COUNT_TEXT_H_
