// SPDX-License-Identifier: Apache-2.0
#define NVTX_NO_IMPL  // the library's functions, not the header's
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "shim/specs/supplement/cudnn_removed.h"
#include "simgpu/base/counters.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// As CUDA 11.8 declares them.
extern "C" {
cudaError_t cuda11_cudaGraphInstantiate(
    cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* node, char* log,
    size_t bytes) __asm__("cudaGraphInstantiate");
cudaError_t cuda11_cudaGraphExecUpdate(
    cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
    cudaGraphExecUpdateResult* result) __asm__("cudaGraphExecUpdate");
cudaError_t cuda11_cudaGetDriverEntryPoint(
    const char* symbol, void** address,
    unsigned long long flags) __asm__("cudaGetDriverEntryPoint");
}

namespace {

using dltap::simgpu::CountsAsText;

constexpr std::byte kUntouched{0xA5};

TEST(Cuda11Test, TheLibrariesSayWhatTheyAre) {
  int runtime = 0;
  int driver = 0;
  ASSERT_EQ(cudaSuccess, cudaRuntimeGetVersion(&runtime));
  ASSERT_EQ(cudaSuccess, cudaDriverGetVersion(&driver));
  EXPECT_EQ(11070, runtime);
  EXPECT_EQ(11080, driver);
  EXPECT_EQ(8u, cudnnGetVersion() / 1000);
}

TEST(Cuda11Test, PropertiesEndWhereCuda11Ends) {
  std::vector<std::byte> buffer(2048, kUntouched);
  ASSERT_EQ(cudaSuccess,
            cudaGetDeviceProperties(
                reinterpret_cast<cudaDeviceProp*>(buffer.data()), 0));
  while (buffer.back() == kUntouched) buffer.pop_back();
  EXPECT_EQ(728u, buffer.size());  // sizeof(cudaDeviceProp) of CUDA 11.8
}

TEST(Cuda11Test, GraphsAreMadeAndUpdatedByTheOlderCalls) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  std::array<char, 8> log;
  log.fill('x');
  cudaGraphNode_t wrong = node;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaSuccess, cuda11_cudaGraphInstantiate(&exec, graph, &wrong,
                                                     log.data(), log.size()));
  EXPECT_EQ(nullptr, wrong);
  EXPECT_EQ('\0', log[0]);
  auto result = cudaGraphExecUpdateError;
  wrong = node;
  ASSERT_EQ(cudaSuccess,
            cuda11_cudaGraphExecUpdate(exec, graph, &wrong, &result));
  EXPECT_EQ(nullptr, wrong);
  EXPECT_EQ(cudaGraphExecUpdateSuccess, result);
  EXPECT_NE(std::string::npos,
            CountsAsText().find("cudart cudaGraphInstantiate real 1"));
}

TEST(Cuda11Test, DriverEntryPointsHaveNoStatus) {
  void* address = nullptr;
  EXPECT_EQ(cudaSuccess,
            cuda11_cudaGetDriverEntryPoint("cuDeviceGetCount", &address, 0));
  EXPECT_NE(nullptr, address);
}

TEST(Cuda11Test, CudnnAnswersInTheCodesOfItsRelease) {
  const auto refused = cudnnGetRNNParamsSize(nullptr, nullptr, nullptr, nullptr,
                                             CUDNN_DATA_FLOAT);
  EXPECT_EQ(3, refused);  // CUDNN_STATUS_BAD_PARAM of cuDNN 8
  EXPECT_STREQ("CUDNN_STATUS_BAD_PARAM", cudnnGetErrorString(refused));
}

TEST(Cuda11Test, NvtxIsThereAndCounted) {
  nvtxRangeEnd(nvtxRangeStartA("step"));
  EXPECT_NE(std::string::npos, CountsAsText().find("nvtx nvtxRangeStartA"));
}

// An LSTM by the calls that cuDNN 9 removed.
class RnnV6Test : public ::testing::Test {
 protected:
  static constexpr int kSteps = 5;
  static constexpr int kBatch = 4;
  static constexpr int kInput = 16;
  static constexpr int kHidden = 32;

  RnnV6Test() {
    cudnnCreate(&handle_);
    cudnnCreateDropoutDescriptor(&dropout_);
    cudnnCreateRNNDescriptor(&rnn_);
    cudnnSetRNNDescriptor_v6(handle_, rnn_, kHidden, 2, dropout_,
                             CUDNN_LINEAR_INPUT, CUDNN_BIDIRECTIONAL,
                             CUDNN_LSTM, CUDNN_RNN_ALGO_STANDARD,
                             CUDNN_DATA_FLOAT);
    for (auto& step : steps_) {
      const std::array<int, 3> dims = {kBatch, kInput, 1};
      const std::array<int, 3> strides = {kInput, 1, 1};
      cudnnCreateTensorDescriptor(&step);
      cudnnSetTensorNdDescriptor(step, CUDNN_DATA_FLOAT, 3, dims.data(),
                                 strides.data());
    }
    cudnnCreateFilterDescriptor(&filter_);
    const std::array<int, 3> dims = {1, 1, 1};
    cudnnSetFilterNdDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3,
                               dims.data());
  }

  cudnnHandle_t handle_ = nullptr;
  cudnnDropoutDescriptor_t dropout_ = nullptr;
  cudnnRNNDescriptor_t rnn_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  std::array<cudnnTensorDescriptor_t, kSteps> steps_{};
};

TEST_F(RnnV6Test, TheLayerIsReadBack) {
  int hidden = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout{};
  cudnnRNNInputMode_t input{};
  cudnnDirectionMode_t direction{};
  cudnnRNNMode_t mode{};
  cudnnRNNAlgo_t algorithm{};
  cudnnDataType_t math{};
  ASSERT_EQ(
      CUDNN_STATUS_SUCCESS,
      cudnnGetRNNDescriptor_v6(handle_, rnn_, &hidden, &layers, &dropout,
                               &input, &direction, &mode, &algorithm, &math));
  EXPECT_EQ(kHidden, hidden);
  EXPECT_EQ(2, layers);
  EXPECT_EQ(dropout_, dropout);
  EXPECT_EQ(CUDNN_BIDIRECTIONAL, direction);
  EXPECT_EQ(CUDNN_LSTM, mode);
}

// Two pseudo-layers a layer; two matrices and two biases a gate.
TEST_F(RnnV6Test, ParametersAreAsManyAsAnLstmHas) {
  size_t bytes = 0;
  ASSERT_EQ(CUDNN_STATUS_SUCCESS,
            cudnnGetRNNParamsSize(handle_, rnn_, steps_[0], &bytes,
                                  CUDNN_DATA_FLOAT));
  const size_t first = 4 * kHidden * (kInput + kHidden + 2);
  const size_t second = 4 * kHidden * (2 * kHidden + kHidden + 2);
  EXPECT_EQ(4 * 2 * (first + second), bytes);
}

TEST_F(RnnV6Test, GatesAreAdjacent) {
  cudnnFilterDescriptor_t found = nullptr;
  cudnnCreateFilterDescriptor(&found);
  std::vector<char> space(1 << 20);
  std::array<void*, 2> gates{};
  for (int gate = 0; gate < 2; ++gate) {
    ASSERT_EQ(CUDNN_STATUS_SUCCESS,
              cudnnGetRNNLinLayerMatrixParams(handle_, rnn_, 0, steps_[0],
                                              filter_, space.data(), gate,
                                              found, &gates[gate]));
  }
  EXPECT_EQ(space.data(), gates[0]);
  EXPECT_EQ(space.data() + 4 * kHidden * kInput, gates[1]);
}

TEST_F(RnnV6Test, TrainingRunsForwardsAndBackwards) {
  void* memory = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, 1 << 20));
  size_t work = 0, reserve = 0;
  ASSERT_EQ(
      CUDNN_STATUS_SUCCESS,
      cudnnGetRNNWorkspaceSize(handle_, rnn_, kSteps, steps_.data(), &work));
  ASSERT_EQ(CUDNN_STATUS_SUCCESS,
            cudnnGetRNNTrainingReserveSize(handle_, rnn_, kSteps, steps_.data(),
                                           &reserve));
  EXPECT_GT(work, 0u);
  EXPECT_GT(reserve, 0u);
  EXPECT_EQ(
      CUDNN_STATUS_SUCCESS,
      cudnnRNNForwardTraining(handle_, rnn_, kSteps, steps_.data(), memory,
                              nullptr, nullptr, nullptr, nullptr, filter_,
                              memory, steps_.data(), memory, nullptr, nullptr,
                              nullptr, nullptr, memory, work, memory, reserve));
  EXPECT_EQ(
      CUDNN_STATUS_SUCCESS,
      cudnnRNNBackwardWeights(handle_, rnn_, kSteps, steps_.data(), memory,
                              nullptr, nullptr, steps_.data(), memory, memory,
                              work, filter_, memory, memory, reserve));
  EXPECT_EQ(3, cudnnRNNForwardTraining(handle_, rnn_, 0, steps_.data(), memory,
                                       nullptr, nullptr, nullptr, nullptr,
                                       filter_, memory, steps_.data(), memory,
                                       nullptr, nullptr, nullptr, nullptr,
                                       memory, work, memory, reserve));
  cudaFree(memory);
}

}  // namespace
