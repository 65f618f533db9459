// SPDX-License-Identifier: Apache-2.0
#include "opmodel/rnn_shape.h"

#include <algorithm>

namespace dltap::opmodel {

int GatesOf(RnnCell cell) {
  switch (cell) {
    case RnnCell::kNone: return 0;
    case RnnCell::kRelu:
    case RnnCell::kTanh: return 1;
    case RnnCell::kLstm: return 4;
    case RnnCell::kGru: return 3;
  }
  return 0;
}

std::optional<RnnShape> RnnShapeOf(const Operation& op) {
  const int gates = GatesOf(op.cell);
  if (gates == 0 || op[Dim::kSeq] <= 0 || op[Dim::kBatch] <= 0 ||
      op[Dim::kHidden] <= 0) {
    return std::nullopt;
  }
  const auto size = [&op](Dim dim) {
    return static_cast<double>(std::max<int64_t>(0, op[dim]));
  };
  const double proj = size(Dim::kProj);
  return RnnShape{
      .gates = gates,
      .seq = op[Dim::kSeq],
      .layers = std::max<int64_t>(1, op[Dim::kLayers]),
      .directions = std::max<int64_t>(1, op[Dim::kDirections]),
      .batch = size(Dim::kBatch),
      .input = size(Dim::kInput),
      .hidden = size(Dim::kHidden),
      .proj = proj,
      .recurrent = proj > 0 ? proj : size(Dim::kHidden),
      .rows = op[Dim::kRows] > 0 ? size(Dim::kRows)
                                 : size(Dim::kSeq) * size(Dim::kBatch),
  };
}

}  // namespace dltap::opmodel
