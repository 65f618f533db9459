// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_unit.h"

namespace dltap::analyzer {

bool IsLayerProduct(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kMoe: return true;
    default: return false;
  }
}

bool IsElementwiseLike(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kElementwise:
    case LayerClass::kReduction:
    case LayerClass::kLayout:
    case LayerClass::kOptimizer:
    case LayerClass::kOther:
    case LayerClass::kUnattributed: return true;
    default: return IsCopyOrMemset(layer_class);
  }
}

bool OwnsGlue(LayerClass layer_class) {
  return IsLayerProduct(layer_class) || layer_class == LayerClass::kNorm ||
         layer_class == LayerClass::kPool ||
         layer_class == LayerClass::kEmbedding ||
         layer_class == LayerClass::kLoss;
}

LayerRow LayerRowOf(const Attributed& attributed) {
  if (attributed.autotune) return LayerRow::kAutotune;
  if (attributed.layer_class == LayerClass::kComm) {
    return LayerRow::kCommunication;
  }
  if (attributed.direction == Direction::kUpdate) return LayerRow::kUpdate;
  if (attributed.layer_class == LayerClass::kCopyH2d) return LayerRow::kInput;
  if (attributed.layer_class == LayerClass::kCopyD2h) {
    return LayerRow::kNoLayer;
  }
  return LayerRow::kLayer;
}

UnitSide SideOf(Direction direction) {
  if (direction == Direction::kRecompute) return UnitSide::kRecompute;
  return IsBackward(direction) ? UnitSide::kBackward : UnitSide::kForward;
}

}  // namespace dltap::analyzer
