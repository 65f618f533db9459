// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_ID_MAP_H_
#define DLTAP_ANALYZER_READER_ID_MAP_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

// Values by the ids that a trace gives out. Writers count from small numbers,
// so those are an array; a hostile id costs no more than an honest one.
template <typename Value>
class IdMap {
 public:
  void Set(uint32_t id, Value value) {
    if (id >= kDense) {
      sparse_[id] = std::move(value);
      return;
    }
    if (id >= dense_.size()) dense_.resize(id + 1);
    dense_[id] = {std::move(value), true};
  }
  // nullptr: never set.
  const Value* Find(uint32_t id) const {
    if (id < dense_.size()) {
      return dense_[id].set ? &dense_[id].value : nullptr;
    }
    if (id < kDense) return nullptr;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr uint32_t kDense = 1 << 16;
  struct Entry {
    Value value{};
    bool set = false;
  };
  std::vector<Entry> dense_;
  absl::flat_hash_map<uint32_t, Value> sparse_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_ID_MAP_H_
