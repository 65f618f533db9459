// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FORMS_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FORMS_H_

#include <cstdint>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/kernel_kind.h"
#include "analyzer/metrics/layers/layer_unit.h"
#include "analyzer/metrics/layers/row_access.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Numbers what units do: equal ones of any sizes, and of the same sizes. Holds
// references.
class LayerForms {
 public:
  LayerForms(const TraceModel& model, const Process& process)
      : model_(model), process_(process), kinds_(model.texts) {}

  // Sets the kind and the form of a unit that begins with `lead`. `op` is
  // that of its call or operator; null: none.
  void Set(const Activity& lead, const opmodel::Operation* op, LayerUnit& unit);
  // Notes the name of one more activity of an elementwise unit.
  void AddName(const Activity& activity, LayerUnit& unit);
  // Whether it changes the type of numbers and nothing else.
  bool IsCast(const Activity& activity);
  // What an activity does with rows by index.
  RowAccess RowsOf(const Activity& activity);
  // Notes it of one more activity.
  void AddRows(const Activity& activity, LayerUnit& unit);

 private:
  // The class, the kind of the kernel's name, sizes.
  using Key = std::tuple<LayerClass, size_t, size_t>;

  uint32_t Number(const Key& key);

  const TraceModel& model_;
  const Process& process_;
  absl::flat_hash_map<TextId, RowAccess> rows_;  // by kernel's name
  absl::flat_hash_map<TextId, bool> casts_;      // the same
  absl::flat_hash_map<Key, uint32_t> numbers_;
  KernelKinds kinds_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_FORMS_H_
