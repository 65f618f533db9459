// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_rnn_v6.h"

#include <cudnn.h>

#include <cstring>

#include "opmodel/operation.h"
#include "shim/tap/tagging/cudnn_rnn_data.h"
#include "shim/tap/tagging/cudnn_types.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim {
namespace tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Prototypes: cudnn_adv_infer.h of cuDNN 8.9. cuDNN 7 has the first without
// its suffix.
using GetLayer = cudnnStatus_t (*)(void* handle, void* rnn, int* hidden,
                                   int* layers, cudnnDropoutDescriptor_t*,
                                   cudnnRNNInputMode_t*, cudnnDirectionMode_t*,
                                   cudnnRNNMode_t*, cudnnRNNAlgo_t*,
                                   cudnnDataType_t* math);
[[gnu::section("dltap_at_load")]] constinit RealFunction<GetLayer> g_get_layer(
    "cudnnGetRNNDescriptor_v6");
[[gnu::section("dltap_at_load")]] constinit RealFunction<GetLayer>
    g_get_layer_of_7("cudnnGetRNNDescriptor");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    cudnnStatus_t (*)(void* handle, void* rnn, int* recurrent, int* output)>
    g_get_projection("cudnnGetRNNProjectionLayers");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    cudnnStatus_t (*)(void* rnn, cudnnMathType_t*)>
    g_get_math("cudnnGetRNNMatrixMathType");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    decltype(&::cudnnGetTensorNdDescriptor)>
    g_get_tensor("cudnnGetTensorNdDescriptor");

// Longer sequences count as if none were shorter.
constexpr int32_t kLongestSequence = 1024;

bool FillLayer(void* handle, void* rnn, Operation* op) {
  GetLayer get = g_get_layer.Get();
  if (get == nullptr) get = g_get_layer_of_7.Get();
  int hidden = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout{};
  cudnnRNNInputMode_t input{};
  cudnnDirectionMode_t direction{};
  cudnnRNNMode_t mode{};
  cudnnRNNAlgo_t algo{};
  cudnnDataType_t math{};
  if (get == nullptr ||
      get(handle, rnn, &hidden, &layers, &dropout, &input, &direction, &mode,
          &algo, &math) != CUDNN_STATUS_SUCCESS) {
    return false;
  }
  op->cell = RnnCellOfCudnn(mode);
  (*op)[Dim::kHidden] = hidden;
  (*op)[Dim::kLayers] = layers;
  (*op)[Dim::kDirections] = direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
  int recurrent = 0, output = 0;
  const auto get_projection = g_get_projection.Get();
  if (get_projection != nullptr &&
      get_projection(handle, rnn, &recurrent, &output) ==
          CUDNN_STATUS_SUCCESS &&
      recurrent != hidden) {
    (*op)[Dim::kProj] = recurrent;
  }
  return input != CUDNN_SKIP_INPUT;
}

// {batch, width} of one step; the type in `type`.
struct Step {
  int batch = 0;
  int width = 0;
  cudnnDataType_t type{};
};

Step StepOf(void* inputs, int32_t index) {
  Step step;
  cudnnTensorDescriptor_t descriptor = nullptr;
  memcpy(&descriptor,
         static_cast<const cudnnTensorDescriptor_t*>(inputs) + index,
         sizeof(descriptor));
  const auto get = g_get_tensor.Get();
  int rank = 0;
  int dims[CUDNN_DIM_MAX] = {}, strides[CUDNN_DIM_MAX];
  if (descriptor != nullptr && get != nullptr &&
      get(descriptor, CUDNN_DIM_MAX, &step.type, &rank, dims, strides) ==
          CUDNN_STATUS_SUCCESS) {
    step.batch = dims[0];
    step.width = dims[1];
  }
  return step;
}

// Steps of all sequences together; 0: none is shorter than the others.
int64_t RowsOf(void* inputs, int32_t steps, int batch) {
  if (steps > kLongestSequence) return 0;
  int64_t rows = 0;
  for (int32_t i = 0; i < steps; ++i) rows += StepOf(inputs, i).batch;
  return rows == int64_t{steps} * batch ? 0 : rows;
}

DType MathOf(void* rnn, DType storage) {
  if (storage != DType::kF32) return storage;
  cudnnMathType_t math = CUDNN_FMA_MATH;  // what cuDNN 7 has no word for
  if (const auto get = g_get_math.Get()) get(rnn, &math);
  return math == CUDNN_FMA_MATH ? DType::kF32 : DType::kTf32;
}

void PackRnn(uint8_t* at, OpKind kind, void* handle, void* rnn, int32_t steps,
             void* inputs) {
  Operation op;
  op.kind = kind;
  const bool has_matrix = FillLayer(handle, rnn, &op);
  op[Dim::kSeq] = steps;
  if (inputs != nullptr && steps > 0) {
    const Step first = StepOf(inputs, 0);
    op.storage = DTypeOfCudnn(first.type);
    op.math = MathOf(rnn, op.storage);
    op[Dim::kInput] = has_matrix ? first.width : 0;
    op[Dim::kBatch] = first.batch;
    op[Dim::kRows] = RowsOf(inputs, steps, first.batch);
  }
  const uint32_t id = DefineOperation(op);
  memcpy(at, &id, sizeof(id));
}

void PackRnnEx(uint8_t* at, OpKind kind, void* handle, void* rnn, void* input) {
  Operation op;
  op.kind = kind;
  const bool has_matrix = FillLayer(handle, rnn, &op);
  const RnnInput data = FillRnnData(input, &op);
  op.storage = DTypeOfCudnn(data.type);
  op.math = MathOf(rnn, op.storage);
  op[Dim::kInput] = has_matrix ? data.width : 0;
  const uint32_t id = DefineOperation(op);
  memcpy(at, &id, sizeof(id));
}

}  // namespace
}  // namespace tagging

namespace hooks {

using opmodel::OpKind;

void CudnnRnnV6Forward::Pack(uint8_t* at, void* handle, void* rnn,
                             int32_t steps, void* inputs) {
  tagging::PackRnn(at, OpKind::kRnnForward, handle, rnn, steps, inputs);
}
void CudnnRnnV6BackwardData::Pack(uint8_t* at, void* handle, void* rnn,
                                  int32_t steps, void* inputs) {
  tagging::PackRnn(at, OpKind::kRnnBackwardData, handle, rnn, steps, inputs);
}
void CudnnRnnV6BackwardWeights::Pack(uint8_t* at, void* handle, void* rnn,
                                     int32_t steps, void* inputs) {
  tagging::PackRnn(at, OpKind::kRnnBackwardWeight, handle, rnn, steps, inputs);
}
void CudnnRnnExForward::Pack(uint8_t* at, void* handle, void* rnn,
                             void* input) {
  tagging::PackRnnEx(at, OpKind::kRnnForward, handle, rnn, input);
}
void CudnnRnnExBackwardData::Pack(uint8_t* at, void* handle, void* rnn,
                                  void* input) {
  tagging::PackRnnEx(at, OpKind::kRnnBackwardData, handle, rnn, input);
}
void CudnnRnnExBackwardWeights::Pack(uint8_t* at, void* handle, void* rnn,
                                     void* input) {
  tagging::PackRnnEx(at, OpKind::kRnnBackwardWeight, handle, rnn, input);
}

}  // namespace hooks
}  // namespace dltap::shim
