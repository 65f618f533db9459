// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layer_forms.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "analyzer/attribution/launch_shape.h"

namespace dltap::analyzer {

void LayerForms::Set(const Activity& lead, const opmodel::Operation* op,
                     LayerUnit& unit) {
  size_t name = 0;
  if (op == nullptr && !IsLayerProduct(unit.layer_class) && !unit.pointwise) {
    name = kinds_.Of(lead.name);
  }
  const LayerClass family =
      unit.pointwise ? LayerClass::kElementwise : unit.layer_class;
  unit.kind = Number({family, name, 0});
  const size_t sizes =
      op != nullptr
          ? absl::HashOf(op->kind, op->dims, op->storage, op->math)
          : absl::HashOf(lead.name.value(), ShapeOf(process_, lead).grid);
  unit.form = Number({family, name, sizes});
}

void LayerForms::AddName(const Activity& activity, LayerUnit& unit) {
  const size_t name = kinds_.Of(activity.name);
  if (name == 0 || std::find(unit.names.begin(), unit.names.end(), name) !=
                       unit.names.end()) {
    return;
  }
  unit.names.push_back(name);
}

uint32_t LayerForms::Number(const Key& key) {
  const auto next = static_cast<uint32_t>(numbers_.size());
  return numbers_.try_emplace(key, next).first->second;
}

}  // namespace dltap::analyzer
