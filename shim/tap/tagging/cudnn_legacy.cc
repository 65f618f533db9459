// SPDX-License-Identifier: Apache-2.0
// Calls of the legacy cuDNN API: their shapes lie in descriptors, which the
// vendor's getters read back: two to four of them beside a call of several
// microseconds. Shadowing the setters would cost as much and can go stale.
#include "shim/tap/tagging/cudnn_legacy.h"

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

[[gnu::section("dltap_at_load")]] constinit RealFunction<
    decltype(&::cudnnGetTensorNdDescriptor)>
    g_get_tensor("cudnnGetTensorNdDescriptor");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    decltype(&::cudnnGetFilterNdDescriptor)>
    g_get_filter("cudnnGetFilterNdDescriptor");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    cudnnStatus_t (*)(void*, cudnnMathType_t*)>
    g_get_conv_math("cudnnGetConvolutionMathType");
[[gnu::section(
    "dltap_at_load")]] constinit RealFunction<cudnnStatus_t (*)(void*, int*)>
    g_get_conv_groups("cudnnGetConvolutionGroupCount");
[[gnu::section("dltap_at_load")]] constinit RealFunction<
    decltype(&::cudnnGetRNNDescriptor_v8)>
    g_get_rnn("cudnnGetRNNDescriptor_v8");

TensorShape Shape(cudnnDataType_t type, int rank, const int* dims) {
  TensorShape shape{};
  shape.type = DTypeOfCudnn(type);
  shape.rank = static_cast<uint8_t>(
      rank < TensorShape::kMaxDims ? rank : TensorShape::kMaxDims);
  for (int i = 0; i < shape.rank; ++i) shape.dims[i] = dims[i];
  shape.RuleOutNonsense();
  return shape;
}

TensorShape TensorOf(void* descriptor) {
  const auto get = g_get_tensor.Get();
  cudnnDataType_t type{};
  int rank = 0;
  int dims[CUDNN_DIM_MAX] = {}, strides[CUDNN_DIM_MAX];
  if (descriptor == nullptr || get == nullptr ||
      get(static_cast<cudnnTensorDescriptor_t>(descriptor), CUDNN_DIM_MAX,
          &type, &rank, dims, strides) != CUDNN_STATUS_SUCCESS) {
    return TensorShape{};
  }
  return Shape(type, rank, dims);
}

TensorShape FilterOf(void* descriptor) {
  const auto get = g_get_filter.Get();
  cudnnDataType_t type{};
  cudnnTensorFormat_t format{};
  int rank = 0;
  int dims[CUDNN_DIM_MAX] = {};
  if (descriptor == nullptr || get == nullptr ||
      get(static_cast<cudnnFilterDescriptor_t>(descriptor), CUDNN_DIM_MAX,
          &type, &format, &rank, dims) != CUDNN_STATUS_SUCCESS) {
    return TensorShape{};
  }
  return Shape(type, rank, dims);
}

// CUDNN_FMA_MATH is the only mode that rules out TF32 for FP32 data.
DType MathOf(void* convolution, DType storage) {
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  if (const auto get = g_get_conv_math.Get()) get(convolution, &math);
  if (storage != DType::kF32) return storage;
  return math == CUDNN_FMA_MATH ? DType::kF32 : DType::kTf32;
}

void Store(uint8_t* at, const Operation& op) {
  const uint32_t id = DefineOperation(op);
  memcpy(at, &id, sizeof(id));
}

void PackConvolution(uint8_t* at, OpKind kind, void* x, void* w, void* conv,
                     void* y) {
  const TensorShape in = TensorOf(x);
  Operation op;
  op.kind = kind;
  op.storage = in.type;
  op.math = MathOf(conv, in.type);
  FillConvolution(in, FilterOf(w), TensorOf(y), &op);
  int groups = 0;
  const auto get = g_get_conv_groups.Get();
  if (get != nullptr && get(conv, &groups) == CUDNN_STATUS_SUCCESS &&
      groups > 0) {
    op[Dim::kGroups] = groups;
  }
  Store(at, op);
}

// These read the gradient of what came out beside what they are given.
bool ReadsGradient(OpKind kind) {
  return kind == OpKind::kSoftmaxBackward || kind == OpKind::kNormBackward ||
         kind == OpKind::kActivationBackward;
}

// Everything whose cost is the elements it reads and writes.
void PackElements(uint8_t* at, OpKind kind, void* in, void* out) {
  const TensorShape from = TensorOf(in);
  Operation op;
  op.kind = kind;
  op.storage = from.type;
  op.math = from.type;
  op[Dim::kElementsIn] = (ReadsGradient(kind) ? 2 : 1) * from.elements();
  op[Dim::kElementsOut] = TensorOf(out).elements();
  const bool rows =
      kind == OpKind::kSoftmaxForward || kind == OpKind::kSoftmaxBackward;
  if (rows) op[Dim::kRows] = from[0];
  Store(at, op);
}

void FillRnn(void* descriptor, Operation* op) {
  const auto get = g_get_rnn.Get();
  if (get == nullptr) return;
  cudnnRNNAlgo_t algo{};
  cudnnRNNMode_t mode{};
  cudnnRNNBiasMode_t bias{};
  cudnnDirectionMode_t direction{};
  cudnnRNNInputMode_t input_mode{};
  cudnnDataType_t type{}, precision{};
  cudnnMathType_t math{};
  int32_t input = 0, hidden = 0, proj = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout{};
  uint32_t flags = 0;
  if (get(static_cast<cudnnRNNDescriptor_t>(descriptor), &algo, &mode, &bias,
          &direction, &input_mode, &type, &precision, &math, &input, &hidden,
          &proj, &layers, &dropout, &flags) != CUDNN_STATUS_SUCCESS) {
    return;
  }
  op->cell = RnnCellOfCudnn(mode);
  op->storage = DTypeOfCudnn(type);
  op->math = op->storage == DType::kF32 && math != CUDNN_FMA_MATH ? DType::kTf32
                                                                  : op->storage;
  (*op)[Dim::kInput] = input;
  (*op)[Dim::kHidden] = hidden;
  // cuDNN says "no projection" by a projection as wide as the hidden state.
  (*op)[Dim::kProj] = proj == hidden ? 0 : proj;
  (*op)[Dim::kLayers] = layers;
  (*op)[Dim::kDirections] = direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
}

void PackRnn(uint8_t* at, OpKind kind, void* rnn, void* data) {
  Operation op;
  op.kind = kind;
  FillRnn(rnn, &op);
  FillRnnData(data, &op);
  Store(at, op);
}

}  // namespace
}  // namespace tagging

namespace hooks {

using opmodel::OpKind;

void CudnnConvForward::Pack(uint8_t* at, void* x, void* w, void* conv,
                            void* y) {
  tagging::PackConvolution(at, OpKind::kConvForward, x, w, conv, y);
}
void CudnnConvBackwardData::Pack(uint8_t* at, void* w, void* dy, void* conv,
                                 void* dx) {
  tagging::PackConvolution(at, OpKind::kConvBackwardData, dx, w, conv, dy);
}
void CudnnConvBackwardFilter::Pack(uint8_t* at, void* x, void* dy, void* conv,
                                   void* dw) {
  tagging::PackConvolution(at, OpKind::kConvBackwardWeight, x, dw, conv, dy);
}
void CudnnPoolForward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kPoolForward, x, y);
}
void CudnnPoolBackward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kPoolBackward, y, x);
}
void CudnnSoftmaxForward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kSoftmaxForward, x, y);
}
void CudnnSoftmaxBackward::Pack(uint8_t* at, void* y, void* dx) {
  tagging::PackElements(at, OpKind::kSoftmaxBackward, y, dx);
}
void CudnnActivationForward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kActivationForward, x, y);
}
void CudnnActivationBackward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kActivationBackward, y, x);
}
void CudnnDropoutForward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kDropoutForward, x, y);
}
void CudnnDropoutBackward::Pack(uint8_t* at, void* dy, void* dx) {
  tagging::PackElements(at, OpKind::kDropoutBackward, dy, dx);
}
void CudnnNormForward::Pack(uint8_t* at, void* x, void* y) {
  tagging::PackElements(at, OpKind::kNormForward, x, y);
}
void CudnnNormBackward::Pack(uint8_t* at, void* x, void* dx) {
  tagging::PackElements(at, OpKind::kNormBackward, x, dx);
}
void CudnnPointwise::Pack(uint8_t* at, void* in, void* out) {
  tagging::PackElements(at, OpKind::kPointwise, in, out);
}
void CudnnLayout::Pack(uint8_t* at, void* in, void* out) {
  tagging::PackElements(at, OpKind::kLayout, in, out);
}
void CudnnReduction::Pack(uint8_t* at, void* in, void* out) {
  tagging::PackElements(at, OpKind::kReduction, in, out);
}
void CudnnRnnForward::Pack(uint8_t* at, void* rnn, void* data) {
  tagging::PackRnn(at, OpKind::kRnnForward, rnn, data);
}
void CudnnRnnBackwardData::Pack(uint8_t* at, void* rnn, void* data) {
  tagging::PackRnn(at, OpKind::kRnnBackwardData, rnn, data);
}
void CudnnRnnBackwardWeights::Pack(uint8_t* at, void* rnn, void* data) {
  tagging::PackRnn(at, OpKind::kRnnBackwardWeight, rnn, data);
}

}  // namespace hooks
}  // namespace dltap::shim
