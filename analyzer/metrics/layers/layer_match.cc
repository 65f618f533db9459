// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_match.h"

#include <cstddef>

namespace dltap::analyzer {

std::string_view Name(LayerMatch match) {
  constexpr std::string_view kNames[] = {"weight", "sequence", "order", "none"};
  return kNames[static_cast<size_t>(match)];
}

}  // namespace dltap::analyzer
