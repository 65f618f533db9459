// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/calls/op_kinds.h"

#include <cstddef>

#include "shim/specs/words.h"

namespace dltap::analyzer {

using opmodel::OpKind;
using KindWords = specs::Words<OpKind>;

LayerClass ClassOf(OpKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < KindWords::kCount ? KindWords::kClasses[i] : LayerClass::kOther;
}

Direction DirectionOf(OpKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < KindWords::kCount ? KindWords::kDirections[i] : Direction::kNone;
}

OpKind KindOf(LayerClass layer_class, Direction direction) {
  if (layer_class == LayerClass::kOther) return OpKind::kUnknown;
  for (int kind = 1; kind < specs::Words<OpKind>::kCount; ++kind) {
    const OpKind candidate = static_cast<OpKind>(kind);
    if (ClassOf(candidate) == layer_class &&
        DirectionOf(candidate) == direction) {
      return candidate;
    }
  }
  return OpKind::kUnknown;
}

}  // namespace dltap::analyzer
