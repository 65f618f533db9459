// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_legacy.h"

#include <cudnn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "shim/tap/entry/hook_call.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using opmodel::RnnCell;

// A legacy descriptor as the fake getters know it.
struct Descriptor {
  cudnnDataType_t type;
  std::vector<int> dims;
};
struct ConvolutionDescriptor {
  cudnnMathType_t math;
  int groups;
};

cudnnStatus_t GetTensor(cudnnTensorDescriptor_t tensor, int,
                        cudnnDataType_t* type, int* rank, int dims[], int[]) {
  const auto& descriptor = *reinterpret_cast<const Descriptor*>(tensor);
  *type = descriptor.type;
  *rank = static_cast<int>(descriptor.dims.size());
  std::copy(descriptor.dims.begin(), descriptor.dims.end(), dims);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t GetFilter(cudnnFilterDescriptor_t filter, int requested,
                        cudnnDataType_t* type, cudnnTensorFormat_t*, int* rank,
                        int dims[]) {
  return GetTensor(reinterpret_cast<cudnnTensorDescriptor_t>(filter), requested,
                   type, rank, dims, nullptr);
}
cudnnStatus_t GetMath(ConvolutionDescriptor* conv, cudnnMathType_t* math) {
  *math = conv->math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t GetGroups(ConvolutionDescriptor* conv, int* groups) {
  *groups = conv->groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t GetRnn(cudnnRNNDescriptor_t, cudnnRNNAlgo_t*,
                     cudnnRNNMode_t* cell, cudnnRNNBiasMode_t*,
                     cudnnDirectionMode_t* direction, cudnnRNNInputMode_t*,
                     cudnnDataType_t* type, cudnnDataType_t*,
                     cudnnMathType_t* math, int32_t* input, int32_t* hidden,
                     int32_t* proj, int32_t* layers, cudnnDropoutDescriptor_t*,
                     uint32_t*) {
  *cell = CUDNN_LSTM;
  *direction = CUDNN_BIDIRECTIONAL;
  *type = CUDNN_DATA_HALF;
  *math = CUDNN_TENSOR_OP_MATH;
  *input = 256;
  *hidden = 512;
  *proj = 512;
  *layers = 2;
  return CUDNN_STATUS_SUCCESS;
}
// Like cuDNN, it refuses to have no room for a value.
cudnnStatus_t GetRnnData(cudnnRNNDataDescriptor_t, cudnnDataType_t* type,
                         cudnnRNNDataLayout_t* layout, int* seq, int* batch,
                         int* vector, int requested, int lengths[],
                         void* padding) {
  constexpr int kBatch = 20;
  if (type == nullptr || layout == nullptr || seq == nullptr ||
      batch == nullptr || vector == nullptr || padding == nullptr ||
      requested < 0 || requested > kBatch ||
      (requested > 0 && lengths == nullptr)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *seq = 35;
  *batch = kBatch;
  std::fill_n(lengths, requested, 30);
  return CUDNN_STATUS_SUCCESS;
}

class CudnnLegacyTest : public ::testing::Test {
 protected:
  CudnnLegacyTest() {
    const auto put = [&](const char* name, auto* function) {
      runtime_.real[name] = reinterpret_cast<void*>(function);
    };
    put("cudnnGetTensorNdDescriptor", GetTensor);
    put("cudnnGetFilterNdDescriptor", GetFilter);
    put("cudnnGetConvolutionMathType", GetMath);
    put("cudnnGetConvolutionGroupCount", GetGroups);
    put("cudnnGetRNNDescriptor_v8", GetRnn);
    put("cudnnGetRNNDataDescriptor", GetRnnData);
  }

  // The operation that a hook's Pack() refers to.
  template <typename Hook, typename... Args>
  Operation Packed(Args*... arguments) {
    uint32_t id = 0;
    Hook::Pack(reinterpret_cast<uint8_t*>(&id), arguments...);
    EXPECT_EQ(runtime_.operations[id].size(), 1u);
    return runtime_.operations[id].empty() ? Operation{}
                                           : runtime_.operations[id][0];
  }

  FakeTaggingRuntime runtime_;
  Descriptor x_{CUDNN_DATA_FLOAT, {16, 64, 56, 56}};
  Descriptor w_{CUDNN_DATA_FLOAT, {128, 16, 3, 3}};
  Descriptor y_{CUDNN_DATA_FLOAT, {16, 128, 28, 28}};
  ConvolutionDescriptor conv_{CUDNN_DEFAULT_MATH, 4};
};

TEST_F(CudnnLegacyTest, ReadsGroupedConvolutionInEachDirection) {
  const Operation ops[] = {
      Packed<hooks::CudnnConvForward>(&x_, &w_, &conv_, &y_),
      Packed<hooks::CudnnConvBackwardData>(&w_, &y_, &conv_, &x_),
      Packed<hooks::CudnnConvBackwardFilter>(&x_, &y_, &conv_, &w_)};
  EXPECT_EQ(ops[0].kind, OpKind::kConvForward);
  EXPECT_EQ(ops[1].kind, OpKind::kConvBackwardData);
  EXPECT_EQ(ops[2].kind, OpKind::kConvBackwardWeight);
  for (const Operation& op : ops) {
    EXPECT_EQ(op[Dim::kBatch], 16);
    EXPECT_EQ(op[Dim::kChannelsIn], 64);
    EXPECT_EQ(op[Dim::kHeightIn], 56);
    EXPECT_EQ(op[Dim::kChannelsOut], 128);
    EXPECT_EQ(op[Dim::kFilterHeight], 3);
    EXPECT_EQ(op[Dim::kHeightOut], 28);
    EXPECT_EQ(op[Dim::kGroups], 4);
    EXPECT_EQ(op.storage, DType::kF32);
    EXPECT_EQ(op.math, DType::kTf32);
  }
}

TEST_F(CudnnLegacyTest, FmaMathRulesOutTensorCores) {
  conv_.math = CUDNN_FMA_MATH;
  EXPECT_EQ(Packed<hooks::CudnnConvForward>(&x_, &w_, &conv_, &y_).math,
            DType::kF32);
}

TEST_F(CudnnLegacyTest, OneDimensionalConvolutionHasHeightOne) {
  x_.dims = {8, 64, 1000};
  w_.dims = {64, 64, 5};
  y_.dims = {8, 64, 996};
  conv_.groups = 1;
  const Operation op = Packed<hooks::CudnnConvForward>(&x_, &w_, &conv_, &y_);
  EXPECT_EQ(op[Dim::kWidthIn], 1000);
  EXPECT_EQ(op[Dim::kHeightIn], 1);
  EXPECT_EQ(op[Dim::kFilterWidth], 5);
  EXPECT_EQ(op[Dim::kWidthOut], 996);
}

TEST_F(CudnnLegacyTest, ReadsRnn) {
  int rnn = 0, data = 0;
  const Operation op = Packed<hooks::CudnnRnnForward>(&rnn, &data);
  EXPECT_EQ(op.kind, OpKind::kRnnForward);
  EXPECT_EQ(op.cell, RnnCell::kLstm);
  EXPECT_EQ(op.storage, DType::kF16);
  EXPECT_EQ(op[Dim::kSeq], 35);
  EXPECT_EQ(op[Dim::kBatch], 20);
  EXPECT_EQ(op[Dim::kRows], 20 * 30);
  EXPECT_EQ(op[Dim::kInput], 256);
  EXPECT_EQ(op[Dim::kHidden], 512);
  EXPECT_EQ(op[Dim::kProj], 0);  // as wide as the hidden state: none
  EXPECT_EQ(op[Dim::kLayers], 2);
  EXPECT_EQ(op[Dim::kDirections], 2);
}

TEST_F(CudnnLegacyTest, PoolingCountsElements) {
  const Operation op = Packed<hooks::CudnnPoolForward>(&x_, &y_);
  EXPECT_EQ(op.kind, OpKind::kPoolForward);
  EXPECT_EQ(op[Dim::kElementsIn], 16 * 64 * 56 * 56);
  EXPECT_EQ(op[Dim::kElementsOut], 16 * 128 * 28 * 28);
}

TEST_F(CudnnLegacyTest, BackwardPassesReadTheGradientToo) {
  constexpr int64_t kElements = 16 * 64 * 56 * 56;
  const Operation ops[] = {Packed<hooks::CudnnActivationBackward>(&x_, &x_),
                           Packed<hooks::CudnnSoftmaxBackward>(&x_, &x_),
                           Packed<hooks::CudnnNormBackward>(&x_, &x_)};
  for (const Operation& op : ops) {
    EXPECT_EQ(op[Dim::kElementsIn], 2 * kElements);
    EXPECT_EQ(op[Dim::kElementsOut], kElements);
  }
}

TEST_F(CudnnLegacyTest, NullDescriptorsGiveAnOperationWithoutDims) {
  uint32_t id = 0;
  hooks::CudnnPoolForward::Pack(reinterpret_cast<uint8_t*>(&id), nullptr,
                                nullptr);
  ASSERT_EQ(runtime_.operations[id].size(), 1u);
  EXPECT_EQ(runtime_.operations[id][0].kind, OpKind::kPoolForward);
  EXPECT_EQ(runtime_.operations[id][0][Dim::kElementsIn], 0);
}

// The getters would read them.
TEST_F(CudnnLegacyTest, AFailedCallsDescriptorsAreNotTouched) {
  void* const no_object = reinterpret_cast<void*>(8);
  uint32_t id = 7;
  CallPack<hooks::CudnnPoolForward, 4>(reinterpret_cast<uint8_t*>(&id), false,
                                       no_object, no_object);
  EXPECT_EQ(id, 0u);
  EXPECT_TRUE(runtime_.operations.empty());
}

}  // namespace
}  // namespace dltap::shim::tagging
