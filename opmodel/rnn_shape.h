// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_RNN_SHAPE_H_
#define DLTAP_OPMODEL_RNN_SHAPE_H_

#include <optional>

#include "opmodel/operation.h"

namespace dltap::opmodel {

// Gate matrices of a cell: LSTM 4 (input, forget, cell, output), GRU 3 (reset,
// update, new), vanilla 1; 0 for kNone.
int GatesOf(RnnCell cell);

// The dimensions of an RNN operation with defaults filled in.
struct RnnShape {
  int gates;
  int64_t seq;
  int64_t layers;
  int64_t directions;
  // As doubles: their products outgrow 64 bits.
  double batch;
  double input;  // 0: skip input, no matrix in layer 0
  double hidden;
  double proj;       // 0: no projection
  double recurrent;  // size of the state fed back: proj, else hidden
  double rows;       // steps of all sequences together

  // Layer 0 reads x; later layers read both directions of the one below.
  double LayerInput(int64_t layer) const {
    return layer == 0 ? input : static_cast<double>(directions) * recurrent;
  }
};

// nullopt when the cell or a needed dimension is unknown. An input of size 0 is
// added to the state without a matrix (cuDNN's CUDNN_SKIP_INPUT).
std::optional<RnnShape> RnnShapeOf(const Operation& op);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_RNN_SHAPE_H_
