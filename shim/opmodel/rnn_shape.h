// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_OPMODEL_RNN_SHAPE_H_
#define DLTAP_SHIM_OPMODEL_RNN_SHAPE_H_

#include <optional>

#include "shim/opmodel/operation.h"

namespace dltap::opmodel {

// Gate matrices of a cell: LSTM 4 (input, forget, cell, output), GRU 3 (reset,
// update, new), vanilla 1; 0 for kNone.
int GatesOf(RnnCell cell);

// The dimensions of an RNN operation with defaults filled in.
struct RnnShape {
  int gates;
  int64_t seq;
  int64_t batch;
  int64_t input;  // 0: skip input, no matrix in layer 0
  int64_t hidden;
  int64_t proj;       // 0: no projection
  int64_t recurrent;  // size of the state fed back: proj, else hidden
  int64_t layers;
  int64_t directions;

  // Layer 0 reads x; later layers read both directions of the one below.
  int64_t LayerInput(int64_t layer) const {
    return layer == 0 ? input : directions * recurrent;
  }
};

// nullopt when the cell or a needed dimension is unknown. An input of size 0 is
// added to the state without a matrix (cuDNN's CUDNN_SKIP_INPUT).
std::optional<RnnShape> RnnShapeOf(const Operation& op);

}  // namespace dltap::opmodel

#endif  // DLTAP_SHIM_OPMODEL_RNN_SHAPE_H_
