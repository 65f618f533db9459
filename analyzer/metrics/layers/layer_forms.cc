// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_forms.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "analyzer/attribution/base/launch_shape.h"

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

void LayerForms::AddRows(const Activity& activity, LayerUnit& unit) {
  if (activity.kind != ActivityKind::kKernel) return;
  const auto [it, is_new] = rows_.try_emplace(activity.name);
  if (is_new) it->second = RowsOf(activity.name);
  unit.reads_rows |= it->second == Rows::kRead;
  unit.adds_rows |= it->second == Rows::kAdd;
  unit.sums_rows |= it->second == Rows::kSum;
}

// As PyTorch names them, mangled or not.
LayerForms::Rows LayerForms::RowsOf(TextId name) {
  const std::string_view text = model_.texts[name];
  const auto has = [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (has("vectorized_gather_kernel") || has("indexSelectLargeIndex") ||
      has("indexSelectSmallIndex")) {
    return Rows::kRead;
  }
  if (has("indexFuncLargeIndex") || has("indexFuncSmallIndex") ||
      has("EmbeddingBag_updateOutputKernel")) {
    return Rows::kAdd;
  }
  return has("indexing_backward_kernel") ? Rows::kSum : Rows::kNone;
}

uint32_t LayerForms::Number(const Key& key) {
  const auto next = static_cast<uint32_t>(numbers_.size());
  return numbers_.try_emplace(key, next).first->second;
}

}  // namespace dltap::analyzer
