// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_TEXT_TABLE_H_
#define DLTAP_ANALYZER_OUTPUT_TEXT_TABLE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

// Distinct texts with numbers from 0, as tables spell them: UTF-8 without NUL,
// whatever comes. What is none becomes U+FFFD; what becomes equal by that is
// one text.
class TextTable {
 public:
  uint32_t Add(std::string_view text);
  std::span<const std::string> texts() const { return texts_; }
  void Clear();

 private:
  // Looks a std::string_view up without a copy.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint32_t, TextHash, std::equal_to<>>
      numbers_;  // of texts as they came, too
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_TEXT_TABLE_H_
