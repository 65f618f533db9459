// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_rnn_v6.h"

#include <cudnn.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using opmodel::RnnCell;

// A layer as cudnnSetRNNDescriptor_v6 set it, as the fake getters know it.
struct Layer {
  int hidden = 512;
  int layers = 2;
  int projection = 512;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  cudnnDirectionMode_t direction = CUDNN_BIDIRECTIONAL;
};
struct StepTensor {
  int batch;
  int width;
};

cudnnStatus_t GetLayer(void*, void* rnn, int* hidden, int* layers,
                       cudnnDropoutDescriptor_t*, cudnnRNNInputMode_t* input,
                       cudnnDirectionMode_t* direction, cudnnRNNMode_t* mode,
                       cudnnRNNAlgo_t*, cudnnDataType_t*) {
  const auto& layer = *static_cast<const Layer*>(rnn);
  *hidden = layer.hidden;
  *layers = layer.layers;
  *input = layer.input;
  *direction = layer.direction;
  *mode = CUDNN_LSTM;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t GetProjection(void*, void* rnn, int* recurrent, int* output) {
  *recurrent = static_cast<const Layer*>(rnn)->projection;
  *output = 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t GetTensor(cudnnTensorDescriptor_t tensor, int,
                        cudnnDataType_t* type, int* rank, int dims[], int[]) {
  const auto& step = *reinterpret_cast<const StepTensor*>(tensor);
  *type = CUDNN_DATA_FLOAT;
  *rank = 3;
  dims[0] = step.batch;
  dims[1] = step.width;
  dims[2] = 1;
  return CUDNN_STATUS_SUCCESS;
}

class CudnnRnnV6Test : public ::testing::Test {
 protected:
  CudnnRnnV6Test() {
    ForgetRealFunctions();  // of the test before
    Put("cudnnGetTensorNdDescriptor", GetTensor);
    Put("cudnnGetRNNProjectionLayers", GetProjection);
  }
  template <typename Function>
  void Put(const char* name, Function* function) {
    runtime_.real[name] = reinterpret_cast<void*>(function);
  }

  template <typename Hook>
  Operation Packed(std::vector<StepTensor> steps) {
    std::vector<StepTensor*> inputs;
    for (StepTensor& step : steps) inputs.push_back(&step);
    uint32_t id = 0;
    Hook::Pack(reinterpret_cast<uint8_t*>(&id), nullptr, &layer_,
               static_cast<int32_t>(steps.size()), inputs.data());
    const std::vector<Operation>& nodes = runtime_.operations[id];
    return nodes.size() == 1 ? nodes[0] : Operation{};
  }

  FakeTaggingRuntime runtime_;
  Layer layer_;
};

TEST_F(CudnnRnnV6Test, AnLstmOfCudnn8IsReadBack) {
  Put("cudnnGetRNNDescriptor_v6", GetLayer);
  const Operation op =
      Packed<hooks::CudnnRnnV6Forward>({{20, 256}, {20, 256}, {20, 256}});
  EXPECT_EQ(op.kind, OpKind::kRnnForward);
  EXPECT_EQ(op.cell, RnnCell::kLstm);
  EXPECT_EQ(op.storage, DType::kF32);
  EXPECT_EQ(op[Dim::kSeq], 3);
  EXPECT_EQ(op[Dim::kBatch], 20);
  EXPECT_EQ(op[Dim::kInput], 256);
  EXPECT_EQ(op[Dim::kHidden], 512);
  EXPECT_EQ(op[Dim::kProj], 0);
  EXPECT_EQ(op[Dim::kLayers], 2);
  EXPECT_EQ(op[Dim::kDirections], 2);
  EXPECT_EQ(op[Dim::kRows], 0);
}

TEST_F(CudnnRnnV6Test, Cudnn7HasAnotherGetter) {
  Put("cudnnGetRNNDescriptor", GetLayer);
  layer_.direction = CUDNN_UNIDIRECTIONAL;
  layer_.projection = 128;
  const Operation op = Packed<hooks::CudnnRnnV6BackwardData>({{4, 8}});
  EXPECT_EQ(op.kind, OpKind::kRnnBackwardData);
  EXPECT_EQ(op[Dim::kHidden], 512);
  EXPECT_EQ(op[Dim::kProj], 128);
  EXPECT_EQ(op[Dim::kDirections], 1);
}

TEST_F(CudnnRnnV6Test, SequencesOfDifferentLengthsCountTheirSteps) {
  Put("cudnnGetRNNDescriptor_v6", GetLayer);
  const Operation op =
      Packed<hooks::CudnnRnnV6BackwardWeights>({{8, 16}, {8, 16}, {3, 16}});
  EXPECT_EQ(op.kind, OpKind::kRnnBackwardWeight);
  EXPECT_EQ(op[Dim::kRows], 19);
}

cudnnStatus_t GetData(cudnnRNNDataDescriptor_t, cudnnDataType_t* type,
                      cudnnRNNDataLayout_t*, int* seq, int* batch, int* vector,
                      int requested, int lengths[], void*) {
  *type = CUDNN_DATA_HALF;
  *seq = 7;
  *batch = 2;
  *vector = 24;
  for (int i = 0; i < requested; ++i) lengths[i] = 7 - i;
  return CUDNN_STATUS_SUCCESS;
}

TEST_F(CudnnRnnV6Test, TheFormWithADescriptorOfSequencesIsReadBack) {
  Put("cudnnGetRNNDescriptor_v6", GetLayer);
  Put("cudnnGetRNNDataDescriptor", GetData);
  uint32_t id = 0;
  hooks::CudnnRnnExBackwardData::Pack(reinterpret_cast<uint8_t*>(&id), nullptr,
                                      &layer_, nullptr);
  ASSERT_EQ(runtime_.operations[id].size(), 1);
  const Operation& op = runtime_.operations[id][0];
  EXPECT_EQ(op.kind, OpKind::kRnnBackwardData);
  EXPECT_EQ(op.storage, DType::kF16);
  EXPECT_EQ(op[Dim::kSeq], 7);
  EXPECT_EQ(op[Dim::kBatch], 2);
  EXPECT_EQ(op[Dim::kInput], 24);
  EXPECT_EQ(op[Dim::kHidden], 512);
  EXPECT_EQ(op[Dim::kRows], 13);
}

TEST_F(CudnnRnnV6Test, AnInputWithoutAMatrixHasNoWidth) {
  Put("cudnnGetRNNDescriptor_v6", GetLayer);
  layer_.input = CUDNN_SKIP_INPUT;
  EXPECT_EQ(Packed<hooks::CudnnRnnV6Forward>({{4, 512}})[Dim::kInput], 0);
}

TEST_F(CudnnRnnV6Test, WithoutAGetterTheLayerIsUnknown) {
  const Operation op = Packed<hooks::CudnnRnnV6Forward>({{4, 512}});
  EXPECT_EQ(op[Dim::kHidden], 0);
  EXPECT_EQ(op[Dim::kBatch], 4);
}

}  // namespace
}  // namespace dltap::shim::tagging
