// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures/pictures.h"

namespace dltap::analyzer {

uint32_t PictureTexts::NumberOf(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<uint32_t>(all_.size());
  all_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

}  // namespace dltap::analyzer
