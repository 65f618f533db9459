// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_TYPES_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_TYPES_H_

#include <array>
#include <cstdint>

#include "opmodel/operation.h"

namespace dltap::shim::tagging {

// The shape of one tensor, as cuDNN orders it: batch, channels, spatial.
struct TensorShape {
  static constexpr int kMaxDims = 8;

  std::array<int64_t, kMaxDims> dims;
  uint8_t rank;  // 0: not known
  opmodel::DType type;

  // From the end: Dim(-1) is the innermost. 0 when there is no such axis.
  int64_t operator[](int axis) const {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? dims[axis] : 0;
  }
  int64_t elements() const {
    if (rank == 0) return 0;
    int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= dims[i];
    return product;
  }
  // Descriptors may say anything until they are finalized. What no memory holds
  // becomes a shape that is not known, so that products of axes fit.
  void RuleOutNonsense() {
    constexpr int64_t kMostElements = int64_t{1} << 56;
    int64_t product = 1;
    for (int i = 0; i < rank; ++i) {
      if (dims[i] <= 0 || dims[i] > kMostElements / product) {
        rank = 0;
        return;
      }
      product *= dims[i];
    }
  }
};

// cudnnDataType_t, by value: those of cuDNN 9 are a superset of older ones.
using specs::DTypeOfCudnn;

// cudnnRNNMode_t.
opmodel::RnnCell RnnCellOfCudnn(int mode);

// What the multiplications are done in, given storage and compute type. cuDNN
// may use TF32 for FP32 data unless it is told otherwise.
opmodel::DType MathTypeOfCudnn(opmodel::DType storage, opmodel::DType compute);

// Fills batch, channels, spatial and filter dims of a convolution of any
// direction from its input-side, filter and output-side tensors.
void FillConvolution(const TensorShape& x, const TensorShape& w,
                     const TensorShape& y, opmodel::Operation* op);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_TYPES_H_
