// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_ROW_CHANGE_H_
#define DLTAP_ANALYZER_COMPARE_ROW_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/compare/change.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

enum class Presence : uint8_t { kBoth, kNew, kGone };
std::string_view Name(Presence presence);

// A class, a layer, a kernel: its GPU time and how often it is there. Of a
// function, its CPU time; of a phase or a cause, no count.
struct RowChange {
  std::string name;
  std::optional<LayerClass> layer_class;
  Presence presence = Presence::kBoth;
  Change ns;
  Change count;
};

enum class DifferenceBy : uint8_t {
  kClass,
  kLayer,
  kKernel,
  kOp,
  kPhase,
  kIdle,
  kApi,
  kCount
};
std::string_view Name(DifferenceBy by);  // "class"

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_ROW_CHANGE_H_
