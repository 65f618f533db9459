// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/rnn_shape.h"

#include <algorithm>

namespace dltap::opmodel {

int GatesOf(RnnCell cell) {
  switch (cell) {
    case RnnCell::kNone:
      return 0;
    case RnnCell::kRelu:
    case RnnCell::kTanh:
      return 1;
    case RnnCell::kLstm:
      return 4;
    case RnnCell::kGru:
      return 3;
  }
  return 0;
}

std::optional<RnnShape> RnnShapeOf(const Operation& op) {
  const int gates = GatesOf(op.cell);
  if (gates == 0 || op[Dim::kSeq] <= 0 || op[Dim::kBatch] <= 0 ||
      op[Dim::kHidden] <= 0) {
    return std::nullopt;
  }
  const int64_t proj = std::max<int64_t>(0, op[Dim::kProj]);
  const int64_t recurrent = proj > 0 ? proj : op[Dim::kHidden];
  return RnnShape{
      .gates = gates,
      .seq = op[Dim::kSeq],
      .batch = op[Dim::kBatch],
      .input = std::max<int64_t>(0, op[Dim::kInput]),
      .hidden = op[Dim::kHidden],
      .proj = proj,
      .recurrent = recurrent,
      .layers = std::max<int64_t>(1, op[Dim::kLayers]),
      .directions = std::max<int64_t>(1, op[Dim::kDirections]),
  };
}

}  // namespace dltap::opmodel
