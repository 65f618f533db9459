// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_LAUNCH_SHAPE_TABLE_H_
#define DLTAP_ANALYZER_IMPORTERS_LAUNCH_SHAPE_TABLE_H_

#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Keeps each distinct launch shape of a process once.
class LaunchShapeTable {
 public:
  // The position of `shape` in `shapes`, which it joins when it is new.
  uint32_t Find(std::vector<LaunchShape>& shapes, const LaunchShape& shape) {
    const auto [it, is_new] = ids_.try_emplace(
        Key(shape.grid, shape.block, shape.static_shared_bytes,
            shape.dynamic_shared_bytes, shape.registers_per_thread),
        static_cast<uint32_t>(shapes.size()));
    if (is_new) shapes.push_back(shape);
    return it->second;
  }

 private:
  using Key = std::tuple<std::array<uint32_t, 3>, std::array<uint32_t, 3>,
                         uint32_t, uint32_t, uint16_t>;
  absl::flat_hash_map<Key, uint32_t> ids_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_LAUNCH_SHAPE_TABLE_H_
