// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "simgpu/cudnn/objects.h"
#include "simgpu/cudnn/rnn_calls.h"
#include "simgpu/cudnn/rnn_layout.h"

namespace dltap::simgpu {
namespace {

template <typename T>
void WriteTo(T* out, const T& value) {
  if (out != nullptr) *out = value;
}

// {1, rows, columns}, or rank 0 where there is no such parameter.
void Describe(cudnnTensorDescriptor_t desc, cudnnDataType_t type,
              const std::optional<RnnLayout::Place>& place) {
  if (desc == nullptr) return;
  *desc = {.type = type};
  if (!place) return;
  desc->rank = 3;
  desc->dims = {1, static_cast<int>(place->rows),
                static_cast<int>(place->columns)};
  SetPackedStrides(*desc, CUDNN_TENSOR_NCHW);
}

void* AddressOf(const void* space, cudnnDataType_t type,
                const std::optional<RnnLayout::Place>& place) {
  if (!place) return nullptr;
  auto* base = static_cast<const char*>(space);
  return const_cast<char*>(base) + BytesOf(type, place->offset);
}

}  // namespace

SIMGPU_API cudnnStatus_t cudnnSetRNNDescriptor_v8(
    cudnnRNNDescriptor_t desc, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
    cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
    cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
    cudnnDataType_t math_precision, cudnnMathType_t math_type, int32_t input,
    int32_t hidden, int32_t projection, int32_t layers,
    cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetRNNDescriptor_v8">(), [&] {
    if (desc == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (input < 0 || hidden <= 0 || layers <= 0 || projection > hidden) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    *desc = {.algorithm = algorithm,
             .cell = cell,
             .bias = bias,
             .direction = direction,
             .input_mode = input_mode,
             .type = type,
             .math_precision = math_precision,
             .math_type = math_type,
             .input = input,
             .hidden = hidden,
             .projection = projection,
             .layers = layers,
             .dropout = dropout,
             .flags = flags};
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNDescriptor_v8(
    cudnnRNNDescriptor_t desc, cudnnRNNAlgo_t* algorithm, cudnnRNNMode_t* cell,
    cudnnRNNBiasMode_t* bias, cudnnDirectionMode_t* direction,
    cudnnRNNInputMode_t* input_mode, cudnnDataType_t* type,
    cudnnDataType_t* math_precision, cudnnMathType_t* math_type, int32_t* input,
    int32_t* hidden, int32_t* projection, int32_t* layers,
    cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNDescriptor_v8">(), [&] {
    if (desc == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    WriteTo(algorithm, desc->algorithm);
    WriteTo(cell, desc->cell);
    WriteTo(bias, desc->bias);
    WriteTo(direction, desc->direction);
    WriteTo(input_mode, desc->input_mode);
    WriteTo(type, desc->type);
    WriteTo(math_precision, desc->math_precision);
    WriteTo(math_type, desc->math_type);
    WriteTo(input, desc->input);
    WriteTo(hidden, desc->hidden);
    WriteTo(projection, desc->projection);
    WriteTo(layers, desc->layers);
    WriteTo(dropout, desc->dropout);
    WriteTo(flags, desc->flags);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnSetRNNDataDescriptor(
    cudnnRNNDataDescriptor_t desc, cudnnDataType_t type,
    cudnnRNNDataLayout_t layout, int max_sequence, int batch, int vector,
    const int lengths[], void* padding) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetRNNDataDescriptor">(), [&] {
    if (desc == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *desc = {type, layout, max_sequence, batch, vector, {}, {}};
    if (padding != nullptr) {
      std::memcpy(desc->padding.data(), padding,
                  static_cast<size_t>(BytesOf(type, 1)));
    }
    if (lengths != nullptr && batch > 0) {
      desc->lengths.assign(lengths, lengths + batch);
    }
    return CUDNN_STATUS_SUCCESS;
  });
}

// cuDNN refuses a null pointer for any of the values.
SIMGPU_API cudnnStatus_t cudnnGetRNNDataDescriptor(
    cudnnRNNDataDescriptor_t desc, cudnnDataType_t* type,
    cudnnRNNDataLayout_t* layout, int* max_sequence, int* batch, int* vector,
    int requested, int lengths[], void* padding) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNDataDescriptor">(), [&] {
    const bool has_room = type != nullptr && layout != nullptr &&
                          max_sequence != nullptr && batch != nullptr &&
                          vector != nullptr && padding != nullptr &&
                          (requested == 0 || lengths != nullptr);
    if (desc == nullptr || !has_room) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    if (requested < 0) return CUDNN_STATUS_BAD_PARAM;
    *type = desc->type;
    *layout = desc->layout;
    *max_sequence = desc->max_sequence;
    *batch = desc->batch;
    *vector = desc->vector;
    std::memcpy(padding, desc->padding.data(),
                static_cast<size_t>(BytesOf(desc->type, 1)));
    for (int i = 0; i < std::min(requested, desc->batch); ++i) {
      lengths[i] = desc->lengths.empty()
                       ? desc->max_sequence
                       : desc->lengths[static_cast<size_t>(i)];
    }
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t,
                                                    cudnnRNNDescriptor_t desc,
                                                    size_t* bytes) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNWeightSpaceSize">(), [&] {
    if (desc == nullptr || bytes == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    *bytes =
        static_cast<size_t>(BytesOf(desc->type, RnnLayout(*desc).elements()));
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNWeightParams(
    cudnnHandle_t, cudnnRNNDescriptor_t desc, int32_t pseudo_layer, size_t,
    const void* space, int32_t id, cudnnTensorDescriptor_t matrix_desc,
    void** matrix, cudnnTensorDescriptor_t bias_desc, void** bias) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNWeightParams">(), [&] {
    if (desc == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    const RnnLayout layout(*desc);
    if (pseudo_layer < 0 || pseudo_layer >= layout.pseudo_layers() || id < 0) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    const auto matrix_place = layout.Matrix(pseudo_layer, id);
    const auto bias_place = layout.Bias(pseudo_layer, id);
    Describe(matrix_desc, desc->type, matrix_place);
    Describe(bias_desc, desc->type, bias_place);
    WriteTo(matrix, AddressOf(space, desc->type, matrix_place));
    WriteTo(bias, AddressOf(space, desc->type, bias_place));
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNTempSpaceSizes(
    cudnnHandle_t, cudnnRNNDescriptor_t desc, cudnnForwardMode_t mode,
    cudnnRNNDataDescriptor_t x, size_t* workspace, size_t* reserve) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNTempSpaceSizes">(), [&] {
    if (desc == nullptr || x == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    const RnnSpace space = SpaceOf(*desc, *x);
    WriteTo(workspace, space.work);
    WriteTo(reserve,
            mode == CUDNN_FWD_MODE_TRAINING ? space.reserve : size_t{0});
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace dltap::simgpu
