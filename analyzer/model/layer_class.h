// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_
#define DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_

#include <cstdint>
#include <string_view>

#include "shim/specs/words.h"

namespace dltap::analyzer {

using specs::Direction;
using specs::LayerClass;

// How a device activity was joined to the host call that caused it.
enum class JoinedBy : uint8_t {
  kCorrelation,
  kGraphNode,
  kCallOrder,
  kNone,
  kCount
};

// What the class of an activity rests on, strongest first.
enum class ClassFrom : uint8_t {
  kApiArguments,
  kCudnnGraph,
  kAnnotation,
  kLaunchSite,
  kKernelName,
  kComposite,
  kNone,
  kCount
};

// As in the JSON report: "copy_h2d", "call_order".
using specs::Name;
std::string_view Name(JoinedBy j);
std::string_view Name(ClassFrom f);

constexpr bool IsCopyOrMemset(LayerClass c) {
  return c >= LayerClass::kCopyH2d && c <= LayerClass::kMemset;
}
// What a network is made of, other than work element by element: it stands once
// in each pass.
constexpr bool IsOfALayer(LayerClass c) {
  switch (c) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kEmbedding:
    case LayerClass::kNorm:
    case LayerClass::kPool:
    case LayerClass::kSoftmax: return true;
    default: return false;
  }
}
constexpr bool IsBackward(Direction d) {
  return d >= Direction::kBackwardData && d <= Direction::kRecompute;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_
