// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/rnn_calls.h"
#include "simgpu/cudnn/rnn_layout.h"
#include "simgpu/cudnn/rnn_v6.h"

namespace dltap::simgpu {

cudnnRNNStruct Completed(const cudnnRNNStruct& rnn, cudnnDataType_t type,
                         int input) {
  cudnnRNNStruct completed = rnn;
  completed.type = type;
  completed.input = input;
  return completed;
}

cudnnRNNDataStruct SequencesOf(const cudnnTensorDescriptor_t* steps,
                               int count) {
  cudnnRNNDataStruct data;
  if (steps == nullptr || count <= 0 || steps[0] == nullptr) return data;
  data.type = steps[0]->type;
  data.max_sequence = count;
  data.batch = steps[0]->dims[0];
  data.vector = steps[0]->dims[1];
  // How many are still there at each step: their sum is that of the lengths.
  for (int i = 0; i < count; ++i) {
    data.lengths.push_back(steps[i] == nullptr ? 0 : steps[i]->dims[0]);
  }
  return data;
}

namespace {

template <ApiName kName, typename Body>
cudnnStatus_t OnRnn(cudnnRNNDescriptor_t rnn, Body body) {
  return CudnnEntry(FunctionOf<"cudnn", kName>(), [&] {
    if (rnn == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    body(*rnn);
    return CUDNN_STATUS_SUCCESS;
  });
}

template <ApiName kName>
cudnnStatus_t GiveSpace(cudnnRNNDescriptor_t rnn, int count,
                        const cudnnTensorDescriptor_t* steps, size_t* bytes,
                        size_t RnnSpace::*part) {
  return CudnnEntry(FunctionOf<"cudnn", kName>(), [&] {
    const cudnnRNNDataStruct x = SequencesOf(steps, count);
    if (rnn == nullptr || bytes == nullptr || x.batch == 0) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    *bytes = SpaceOf(Completed(*rnn, x.type, x.vector), x).*part;
    return CUDNN_STATUS_SUCCESS;
  });
}

// {1, rows, columns} and its address, as a filter.
void Give(const std::optional<RnnLayout::Place>& place, cudnnDataType_t type,
          const void* space, cudnnFilterDescriptor_t desc, void** address) {
  if (!place) {
    if (desc != nullptr) *desc = {.type = type};
    if (address != nullptr) *address = nullptr;
    return;
  }
  if (desc != nullptr) {
    *desc = {.type = type, .format = CUDNN_TENSOR_NCHW, .rank = 3};
    desc->dims = {1, static_cast<int>(place->rows),
                  static_cast<int>(place->columns)};
  }
  if (address != nullptr) {
    auto* base = const_cast<char*>(static_cast<const char*>(space));
    *address = base + BytesOf(type, place->offset);
  }
}

using FindPlace = std::optional<RnnLayout::Place> (RnnLayout::*)(int,
                                                                 int) const;

template <ApiName kName>
cudnnStatus_t GiveParams(cudnnRNNDescriptor_t rnn, int pseudo_layer,
                         cudnnTensorDescriptor_t x,
                         cudnnFilterDescriptor_t filter, const void* space,
                         int id, cudnnFilterDescriptor_t desc, void** address,
                         FindPlace find) {
  return CudnnEntry(FunctionOf<"cudnn", kName>(), [&] {
    if (rnn == nullptr || x == nullptr || filter == nullptr) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    const cudnnRNNStruct completed = Completed(*rnn, filter->type, x->dims[1]);
    const RnnLayout layout(completed);
    if (pseudo_layer < 0 || pseudo_layer >= layout.pseudo_layers() || id < 0) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    Give((layout.*find)(pseudo_layer, id), filter->type, space, desc, address);
    return CUDNN_STATUS_SUCCESS;
  });
}

}  // namespace

SIMGPU_API cudnnStatus_t cudnnSetRNNDescriptor_v6(
    cudnnHandle_t, cudnnRNNDescriptor_t rnnDesc, const int hiddenSize,
    const int numLayers, cudnnDropoutDescriptor_t dropoutDesc,
    cudnnRNNInputMode_t inputMode, cudnnDirectionMode_t direction,
    cudnnRNNMode_t cellMode, cudnnRNNAlgo_t algo, cudnnDataType_t mathPrec) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnSetRNNDescriptor_v6">(), [&] {
    if (rnnDesc == nullptr || hiddenSize <= 0 || numLayers <= 0) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    *rnnDesc = {.algorithm = algo,
                .cell = cellMode,
                .direction = direction,
                .input_mode = inputMode,
                .math_precision = mathPrec,
                .hidden = hiddenSize,
                .projection = hiddenSize,
                .layers = numLayers,
                .dropout = dropoutDesc};
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNDescriptor_v6(
    cudnnHandle_t, cudnnRNNDescriptor_t rnnDesc, int* hiddenSize,
    int* numLayers, cudnnDropoutDescriptor_t* dropoutDesc,
    cudnnRNNInputMode_t* inputMode, cudnnDirectionMode_t* direction,
    cudnnRNNMode_t* cellMode, cudnnRNNAlgo_t* algo, cudnnDataType_t* mathPrec) {
  return OnRnn<"cudnnGetRNNDescriptor_v6">(rnnDesc,
                                           [&](const cudnnRNNStruct& rnn) {
                                             *hiddenSize = rnn.hidden;
                                             *numLayers = rnn.layers;
                                             *dropoutDesc = rnn.dropout;
                                             *inputMode = rnn.input_mode;
                                             *direction = rnn.direction;
                                             *cellMode = rnn.cell;
                                             *algo = rnn.algorithm;
                                             *mathPrec = rnn.math_precision;
                                           });
}

SIMGPU_API cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc,
                                                   cudnnMathType_t mType) {
  return OnRnn<"cudnnSetRNNMatrixMathType">(
      rnnDesc, [&](cudnnRNNStruct& rnn) { rnn.math_type = mType; });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc,
                                                   cudnnMathType_t* mType) {
  return OnRnn<"cudnnGetRNNMatrixMathType">(
      rnnDesc, [&](const cudnnRNNStruct& rnn) { *mType = rnn.math_type; });
}

SIMGPU_API cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc,
                                             cudnnRNNBiasMode_t biasMode) {
  return OnRnn<"cudnnSetRNNBiasMode">(
      rnnDesc, [&](cudnnRNNStruct& rnn) { rnn.bias = biasMode; });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc,
                                             cudnnRNNBiasMode_t* biasMode) {
  return OnRnn<"cudnnGetRNNBiasMode">(
      rnnDesc, [&](const cudnnRNNStruct& rnn) { *biasMode = rnn.bias; });
}

// Values are not computed: nothing is clipped.
SIMGPU_API cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t,
                                         cudnnRNNDescriptor_t rnnDesc,
                                         cudnnRNNClipMode_t,
                                         cudnnNanPropagation_t, double,
                                         double) {
  return OnRnn<"cudnnRNNSetClip">(rnnDesc, [](cudnnRNNStruct&) {});
}

SIMGPU_API cudnnStatus_t cudnnRNNGetClip(cudnnHandle_t,
                                         cudnnRNNDescriptor_t rnnDesc,
                                         cudnnRNNClipMode_t* clipMode,
                                         cudnnNanPropagation_t* clipNanOpt,
                                         double* lclip, double* rclip) {
  return OnRnn<"cudnnRNNGetClip">(rnnDesc, [&](cudnnRNNStruct&) {
    *clipMode = CUDNN_RNN_CLIP_NONE;
    *clipNanOpt = CUDNN_NOT_PROPAGATE_NAN;
    *lclip = *rclip = 0;
  });
}

// The width of the state that is fed back; cuDNN takes no other output.
SIMGPU_API cudnnStatus_t
cudnnSetRNNProjectionLayers(cudnnHandle_t, cudnnRNNDescriptor_t rnnDesc,
                            const int recProjSize, const int) {
  return OnRnn<"cudnnSetRNNProjectionLayers">(
      rnnDesc, [&](cudnnRNNStruct& rnn) { rnn.projection = recProjSize; });
}

SIMGPU_API cudnnStatus_t
cudnnGetRNNProjectionLayers(cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc,
                            int* recProjSize, int* outProjSize) {
  return OnRnn<"cudnnGetRNNProjectionLayers">(rnnDesc,
                                              [&](const cudnnRNNStruct& rnn) {
                                                *recProjSize = rnn.projection;
                                                *outProjSize = 0;
                                              });
}

SIMGPU_API cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc,
                                                unsigned paddingMode) {
  return OnRnn<"cudnnSetRNNPaddingMode">(
      rnnDesc, [&](cudnnRNNStruct& rnn) { rnn.flags = paddingMode; });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc,
                                                unsigned* paddingMode) {
  return OnRnn<"cudnnGetRNNPaddingMode">(
      rnnDesc, [&](const cudnnRNNStruct& rnn) { *paddingMode = rnn.flags; });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNWorkspaceSize(
    cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
    const cudnnTensorDescriptor_t* xDesc, size_t* sizeInBytes) {
  return GiveSpace<"cudnnGetRNNWorkspaceSize">(rnnDesc, seqLength, xDesc,
                                               sizeInBytes, &RnnSpace::work);
}

SIMGPU_API cudnnStatus_t cudnnGetRNNTrainingReserveSize(
    cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc, const int seqLength,
    const cudnnTensorDescriptor_t* xDesc, size_t* sizeInBytes) {
  return GiveSpace<"cudnnGetRNNTrainingReserveSize">(
      rnnDesc, seqLength, xDesc, sizeInBytes, &RnnSpace::reserve);
}

SIMGPU_API cudnnStatus_t
cudnnGetRNNParamsSize(cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc,
                      const cudnnTensorDescriptor_t xDesc, size_t* sizeInBytes,
                      cudnnDataType_t dataType) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnGetRNNParamsSize">(), [&] {
    if (rnnDesc == nullptr || xDesc == nullptr || sizeInBytes == nullptr) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    const cudnnRNNStruct rnn = Completed(*rnnDesc, dataType, xDesc->dims[1]);
    *sizeInBytes =
        static_cast<size_t>(BytesOf(dataType, RnnLayout(rnn).elements()));
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnGetRNNLinLayerMatrixParams(
    cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer,
    const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
    const void* w, const int linLayerID,
    cudnnFilterDescriptor_t linLayerMatDesc, void** linLayerMat) {
  return GiveParams<"cudnnGetRNNLinLayerMatrixParams">(
      rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerMatDesc,
      linLayerMat, &RnnLayout::Matrix);
}

SIMGPU_API cudnnStatus_t cudnnGetRNNLinLayerBiasParams(
    cudnnHandle_t, const cudnnRNNDescriptor_t rnnDesc, const int pseudoLayer,
    const cudnnTensorDescriptor_t xDesc, const cudnnFilterDescriptor_t wDesc,
    const void* w, const int linLayerID,
    cudnnFilterDescriptor_t linLayerBiasDesc, void** linLayerBias) {
  return GiveParams<"cudnnGetRNNLinLayerBiasParams">(
      rnnDesc, pseudoLayer, xDesc, wDesc, w, linLayerID, linLayerBiasDesc,
      linLayerBias, &RnnLayout::Bias);
}

}  // namespace dltap::simgpu
