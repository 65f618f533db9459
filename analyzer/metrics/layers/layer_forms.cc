// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_forms.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/names/name_rules.h"

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

bool LayerForms::IsCast(const Activity& activity) {
  if (activity.kind != ActivityKind::kKernel) return false;
  const auto [it, is_new] = casts_.try_emplace(activity.name);
  if (is_new) {
    it->second = analyzer::IsCast(Demangle(model_.texts[activity.name]));
  }
  return it->second;
}

RowAccess LayerForms::RowsOf(const Activity& activity) {
  if (activity.kind != ActivityKind::kKernel) return RowAccess::kNone;
  const auto [it, is_new] = rows_.try_emplace(activity.name);
  if (is_new) it->second = RowAccessOf(model_.texts[activity.name]);
  return it->second;
}

void LayerForms::AddRows(const Activity& activity, LayerUnit& unit) {
  const RowAccess rows = RowsOf(activity);
  unit.reads_rows |=
      rows == RowAccess::kRead ||
      (rows == RowAccess::kReadElements && unit.side == UnitSide::kForward);
  unit.adds_rows |= rows == RowAccess::kAdd;
  unit.sums_rows |= rows == RowAccess::kSum;
}

uint32_t LayerForms::Number(const Key& key) {
  const auto next = static_cast<uint32_t>(numbers_.size());
  return numbers_.try_emplace(key, next).first->second;
}

}  // namespace dltap::analyzer
