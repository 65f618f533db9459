// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_TEXT_POOL_H_
#define DLTAP_ANALYZER_MODEL_TEXT_POOL_H_

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/model/strong_id.h"

namespace dltap::analyzer {

using TextId = StrongId<struct TextTag>;

// Each distinct text once. Views stay valid while the pool lives.
class TextPool {
 public:
  TextId Intern(std::string_view text);
  std::string_view operator[](TextId id) const {
    return id.known() ? texts_[id.value()] : std::string_view();
  }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, TextId> ids_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_TEXT_POOL_H_
