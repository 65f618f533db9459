// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layer_forms.h"

#include "absl/hash/hash.h"
#include "analyzer/attribution/launch_shape.h"
#include "analyzer/metrics/kernel_kind.h"

namespace dltap::analyzer {

void LayerForms::Set(const Activity& lead, const Work* work, LayerUnit& unit) {
  size_t name = 0;
  if (work == nullptr && !IsLayerProduct(unit.layer_class) && !unit.pointwise) {
    name = KindOfName(lead.name);
  }
  const LayerClass family =
      unit.pointwise ? LayerClass::kElementwise : unit.layer_class;
  unit.kind = Number({family, name, 0});
  const size_t sizes =
      work != nullptr
          ? absl::HashOf(work->leading.kind, work->leading.dims,
                         work->leading.storage, work->leading.math)
          : absl::HashOf(lead.name.value(), ShapeOf(process_, lead).grid);
  unit.form = Number({family, name, sizes});
}

uint32_t LayerForms::Number(const Key& key) {
  const auto next = static_cast<uint32_t>(numbers_.size());
  return numbers_.try_emplace(key, next).first->second;
}

size_t LayerForms::KindOfName(TextId name) {
  if (!name.known()) return 0;
  const auto [it, is_new] = kind_of_name_.try_emplace(name.value(), 0);
  if (is_new) {
    it->second =
        kinds_.try_emplace(KernelKind(model_.texts[name]), kinds_.size() + 1)
            .first->second;
  }
  return it->second;
}

}  // namespace dltap::analyzer
