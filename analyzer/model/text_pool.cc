// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/text_pool.h"

namespace dltap::analyzer {

TextId TextPool::Intern(std::string_view text) {
  if (auto it = ids_.find(text); it != ids_.end()) return it->second;
  const TextId id(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

}  // namespace dltap::analyzer
