// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {

using opmodel::DType;

DType DTypeOf(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return DType::kF64;
    case CUDNN_DATA_FLOAT: return DType::kF32;
    case CUDNN_DATA_HALF: return DType::kF16;
    case CUDNN_DATA_BFLOAT16: return DType::kBf16;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_INT8x4:
    case CUDNN_DATA_INT8x32: return DType::kI8;
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_UINT8x4: return DType::kU8;
    case CUDNN_DATA_INT32: return DType::kI32;
    case CUDNN_DATA_INT64: return DType::kI64;
    case CUDNN_DATA_BOOLEAN: return DType::kBool;
    case CUDNN_DATA_FP8_E4M3: return DType::kF8E4M3;
    case CUDNN_DATA_FP8_E5M2: return DType::kF8E5M2;
    case CUDNN_DATA_FP4_E2M1: return DType::kF4E2M1;
    default: return DType::kF32;
  }
}

int64_t BytesOf(cudnnDataType_t type, int64_t elements) {
  return (elements * opmodel::BitsOf(DTypeOf(type)) + 7) / 8;
}

DType MathOf(DType storage, cudnnMathType_t type) {
  if (storage != DType::kF32) return storage;
  // From sm_80 on the default math of FP32 convolutions is TF32.
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
