// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_types.h"

#include <cudnn.h>

namespace dltap::shim::tagging {

using opmodel::Dim;
using opmodel::DType;
using opmodel::RnnCell;

RnnCell RnnCellOfCudnn(int mode) {
  switch (mode) {
    case CUDNN_RNN_RELU: return RnnCell::kRelu;
    case CUDNN_RNN_TANH: return RnnCell::kTanh;
    case CUDNN_LSTM: return RnnCell::kLstm;
    case CUDNN_GRU: return RnnCell::kGru;
    default: return RnnCell::kNone;
  }
}

DType MathTypeOfCudnn(DType storage, DType compute) {
  if (storage == DType::kF32 && compute == DType::kF32) return DType::kTf32;
  return storage == DType::kUnknown ? compute : storage;
}

namespace {

// Spatial extents, depth 1 and height 1 for the missing ones.
struct Spatial {
  int64_t depth = 1, height = 1, width = 1;
};

Spatial SpatialOf(const TensorShape& tensor) {
  Spatial spatial;
  if (tensor.rank >= 3) spatial.width = tensor[-1];
  if (tensor.rank >= 4) spatial.height = tensor[-2];
  if (tensor.rank >= 5) spatial.depth = tensor[-3];
  return spatial;
}

}  // namespace

void FillConvolution(const TensorShape& x, const TensorShape& w,
                     const TensorShape& y, opmodel::Operation* op) {
  if (x.rank == 0 || w.rank == 0 || y.rank == 0) return;
  const Spatial in = SpatialOf(x), filter = SpatialOf(w), out = SpatialOf(y);
  (*op)[Dim::kBatch] = x[0];
  (*op)[Dim::kChannelsIn] = x[1];
  (*op)[Dim::kDepthIn] = in.depth;
  (*op)[Dim::kHeightIn] = in.height;
  (*op)[Dim::kWidthIn] = in.width;
  (*op)[Dim::kChannelsOut] = y[1];
  (*op)[Dim::kFilterDepth] = filter.depth;
  (*op)[Dim::kFilterHeight] = filter.height;
  (*op)[Dim::kFilterWidth] = filter.width;
  (*op)[Dim::kDepthOut] = out.depth;
  (*op)[Dim::kHeightOut] = out.height;
  (*op)[Dim::kWidthOut] = out.width;
  // Grouped filters hold only the channels of one group.
  (*op)[Dim::kGroups] = w[1] > 0 && x[1] > w[1] ? x[1] / w[1] : 1;
}

}  // namespace dltap::shim::tagging
