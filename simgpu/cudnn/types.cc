// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {

using opmodel::DType;

DType DTypeOf(cudnnDataType_t type) {
  const DType known = specs::DTypeOfCudnn(type);
  return known == DType::kUnknown ? DType::kF32 : known;
}

int64_t BytesOf(cudnnDataType_t type, int64_t elements) {
  return (elements * opmodel::BitsOf(DTypeOf(type)) + 7) / 8;
}

DType MathOf(DType storage, cudnnMathType_t type) {
  if (storage != DType::kF32) return storage;
  // From sm_80 on the default math of FP32 is TF32, of convolutions and of
  // recurrent layers.
  return type == CUDNN_FMA_MATH ? DType::kF32 : DType::kTf32;
}

int64_t ElementsOf(const cudnnTensorStruct& tensor) {
  int64_t elements = 1;
  for (int i = 0; i < tensor.rank; ++i) elements *= tensor.dims[i];
  return tensor.rank == 0 ? 0 : elements;
}

void SetPackedStrides(cudnnTensorStruct& tensor, cudnnTensorFormat_t format) {
  int stride = 1;
  if (format == CUDNN_TENSOR_NHWC && tensor.rank > 2) {
    tensor.strides[1] = 1;
    stride = tensor.dims[1];
    for (int i = tensor.rank - 1; i >= 2; --i) {
      tensor.strides[i] = stride;
      stride *= tensor.dims[i];
    }
    tensor.strides[0] = stride;
    return;
  }
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.strides[i] = stride;
    stride *= tensor.dims[i];
  }
}

}  // namespace dltap::simgpu
