// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_MATCH_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_MATCH_H_

#include <cstdint>
#include <limits>
#include <string_view>

namespace dltap::analyzer {

inline constexpr uint32_t kNoLayer = std::numeric_limits<uint32_t>::max();

// What a backward operation was found by to belong to a layer.
enum class LayerMatch : uint8_t {
  kWeight,    // it shares the address of an operand
  kSequence,  // it has the number of autograd's node
  kOrder,     // the backward pass goes in the reverse order of the forward one
  kNone,
  kCount
};
std::string_view Name(LayerMatch match);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_MATCH_H_
