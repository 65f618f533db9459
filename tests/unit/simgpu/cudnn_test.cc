// SPDX-License-Identifier: Apache-2.0
// The legacy and the recurrent API of the simulated cuDNN.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cudnn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/kernel_log.h"

namespace dltap::simgpu {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CudnnTest : public ::testing::Test {
 protected:
  CudnnTest() {
    KernelLog::Get();
    EXPECT_EQ(cudnnCreate(&handle_), CUDNN_STATUS_SUCCESS);
    KernelLog::Get().Take();
  }
  ~CudnnTest() override { cudnnDestroy(handle_); }

  static cudnnTensorDescriptor_t Tensor(int n, int c, int h, int w) {
    cudnnTensorDescriptor_t tensor = nullptr;
    cudnnCreateTensorDescriptor(&tensor);
    cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n,
                               c, h, w);
    return tensor;
  }

  cudnnHandle_t handle_ = nullptr;
};

// Programs compare it with the release they were built with.
TEST_F(CudnnTest, VersionIsNotOlderThanItsHeader) {
  EXPECT_GE(cudnnGetVersion(), CUDNN_VERSION);
  int major = 0;
  int minor = 0;
  EXPECT_EQ(CUDNN_STATUS_SUCCESS, cudnnGetProperty(MAJOR_VERSION, &major));
  EXPECT_EQ(CUDNN_STATUS_SUCCESS, cudnnGetProperty(MINOR_VERSION, &minor));
  EXPECT_EQ(cudnnGetVersion() / 100, static_cast<size_t>(100 * major + minor));
}

// Given statistics need no pass of their own: 2 accesses, not 3.
TEST_F(CudnnTest, InferenceNormalisesInOnePass) {
  const cudnnTensorDescriptor_t x = Tensor(64, 256, 56, 56);
  const cudnnTensorDescriptor_t statistics = Tensor(1, 256, 1, 1);
  const float one = 1;
  const auto run = [&](auto call) {
    EXPECT_EQ(call(), CUDNN_STATUS_SUCCESS);
    return static_cast<double>(SumOfNs(KernelLog::Get().Take()));
  };
  constexpr auto kMode = CUDNN_BATCHNORM_SPATIAL;
  const double inference_ns = run([&] {
    return cudnnBatchNormalizationForwardInference(
        handle_, kMode, &one, &one, x, nullptr, x, nullptr, statistics, nullptr,
        nullptr, nullptr, nullptr, 1e-5);
  });
  const double training_ns = run([&] {
    return cudnnBatchNormalizationForwardTraining(
        handle_, kMode, &one, &one, x, nullptr, x, nullptr, statistics, nullptr,
        nullptr, 0.1, nullptr, nullptr, 1e-5, nullptr, nullptr);
  });
  EXPECT_NEAR(training_ns / inference_ns, 1.5, 0.05);
}

class ConvolutionTest : public CudnnTest {
 protected:
  ConvolutionTest() : x_(Tensor(32, 64, 56, 56)), y_(Tensor(32, 64, 56, 56)) {
    cudnnCreateFilterDescriptor(&w_);
    cudnnSetFilter4dDescriptor(w_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 64, 64,
                               3, 3);
    cudnnCreateConvolutionDescriptor(&conv_);
    cudnnSetConvolution2dDescriptor(conv_, 1, 1, 1, 1, 1, 1,
                                    CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
    cudnnSetConvolutionMathType(conv_, CUDNN_FMA_MATH);
  }

  std::vector<cudnnConvolutionFwdAlgoPerf_t> Ranked() {
    std::vector<cudnnConvolutionFwdAlgoPerf_t> perf(8);
    int found = 0;
    EXPECT_EQ(cudnnGetConvolutionForwardAlgorithm_v7(handle_, x_, w_, conv_, y_,
                                                     8, &found, perf.data()),
              CUDNN_STATUS_SUCCESS);
    perf.resize(static_cast<size_t>(found));
    return perf;
  }

  std::vector<LoggedKernel> Forward(cudnnConvolutionFwdAlgo_t algorithm) {
    const float one = 1;
    EXPECT_EQ(
        cudnnConvolutionForward(handle_, &one, x_, nullptr, w_, nullptr, conv_,
                                algorithm, nullptr, 0, &one, y_, nullptr),
        CUDNN_STATUS_SUCCESS);
    return KernelLog::Get().Take();
  }

  cudnnTensorDescriptor_t x_;
  cudnnTensorDescriptor_t y_;
  cudnnFilterDescriptor_t w_ = nullptr;
  cudnnConvolutionDescriptor_t conv_ = nullptr;
};

TEST_F(ConvolutionTest, AlgorithmsAreRankedByTheTimeTheyTake) {
  const auto ranked = Ranked();
  ASSERT_GE(ranked.size(), 3u);
  float before_ms = 0;
  for (const auto& perf : ranked) {
    EXPECT_GE(perf.time, before_ms);
    EXPECT_NEAR(SumOfNs(Forward(perf.algo)) / 1e6, perf.time,
                0.01 * perf.time + 1e-5);
    before_ms = perf.time;
  }
}

TEST_F(ConvolutionTest, WorkspaceIsTheOneThatTheRankingNames) {
  for (const auto& perf : Ranked()) {
    size_t bytes = 0;
    EXPECT_EQ(cudnnGetConvolutionForwardWorkspaceSize(handle_, x_, w_, conv_,
                                                      y_, perf.algo, &bytes),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(bytes, perf.memory);
  }
}

TEST_F(ConvolutionTest, NonfusedWinogradIsFourKernels) {
  const auto kernels = Forward(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_THAT(kernels[0].name, HasSubstr("winogradForwardData4x4"));
}

// Their time is that of tensor cores, or of FP32: so must the name be.
TEST_F(ConvolutionTest, KernelsOfGroupsSayWhatTheyComputeIn) {
  cudnnSetFilter4dDescriptor(w_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 64, 16, 3,
                             3);
  cudnnSetConvolutionGroupCount(conv_, 4);
  for (const auto math : {CUDNN_DEFAULT_MATH, CUDNN_FMA_MATH}) {
    cudnnSetConvolutionMathType(conv_, math);
    const auto kernels = Forward(Ranked().front().algo);
    ASSERT_THAT(kernels, SizeIs(1));
    EXPECT_EQ(kernels[0].name.find("tf32") != std::string::npos,
              math == CUDNN_DEFAULT_MATH)
        << kernels[0].name;
    EXPECT_THAT(kernels[0].name, Not(HasSubstr("__half")));
  }
}

TEST_F(ConvolutionTest, FindRunsEachAlgorithm) {
  cudnnConvolutionFwdAlgoPerf_t perf[8];
  int found = 0;
  EXPECT_EQ(cudnnFindConvolutionForwardAlgorithm(handle_, x_, w_, conv_, y_, 8,
                                                 &found, perf),
            CUDNN_STATUS_SUCCESS);
  EXPECT_GE(KernelLog::Get().Take().size(), static_cast<size_t>(found));
}

TEST_F(ConvolutionTest, NullDescriptorIsRefused) {
  const float one = 1;
  EXPECT_EQ(
      cudnnConvolutionForward(handle_, &one, nullptr, nullptr, w_, nullptr,
                              conv_, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                              nullptr, 0, &one, y_, nullptr),
      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
}

TEST_F(CudnnTest, PoolingStreamsItsTensors) {
  cudnnPoolingDescriptor_t pooling = nullptr;
  cudnnCreatePoolingDescriptor(&pooling);
  const auto x = Tensor(64, 256, 112, 112);
  const auto y = Tensor(64, 256, 56, 56);
  const float one = 1;
  EXPECT_EQ(
      cudnnPoolingForward(handle_, pooling, &one, x, nullptr, &one, y, nullptr),
      CUDNN_STATUS_SUCCESS);
  const auto kernels = KernelLog::Get().Take();
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_THAT(kernels[0].name, HasSubstr("pooling_fw"));
  // 1.03 GB at no more than 3.4 TB/s.
  EXPECT_GT(kernels[0].ns, 64LL * 256 * (112 * 112 + 56 * 56) * 4 / 3'400);
}

class RnnTest : public CudnnTest {
 protected:
  void Describe(cudnnDirectionMode_t direction, int projection, int layers,
                cudnnMathType_t math = CUDNN_DEFAULT_MATH) {
    cudnnCreateRNNDescriptor(&rnn_);
    EXPECT_EQ(
        cudnnSetRNNDescriptor_v8(
            rnn_, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
            direction, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
            math, kInput, kHidden, projection, layers, nullptr, 0),
        CUDNN_STATUS_SUCCESS);
  }

  // Kernels of a forward pass whose names have that word.
  int Forward(const char* word) {
    cudnnRNNDataDescriptor_t x = nullptr;
    cudnnCreateRNNDataDescriptor(&x);
    const int lengths[] = {kSteps, kSteps};
    cudnnSetRNNDataDescriptor(x, CUDNN_DATA_FLOAT,
                              CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, kSteps,
                              2, kInput, lengths, nullptr);
    EXPECT_EQ(
        cudnnRNNForward(handle_, rnn_, CUDNN_FWD_MODE_TRAINING, nullptr, x,
                        nullptr, x, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, 0, nullptr, 0, nullptr, 0, nullptr),
        CUDNN_STATUS_SUCCESS);
    int found = 0;
    for (const LoggedKernel& kernel : KernelLog::Get().Take()) {
      found += kernel.name.find(word) != std::string::npos;
    }
    return found;
  }

  // Bytes from the start of the weight space; -1: there is no such parameter.
  int64_t OffsetOf(int layer, int id, bool bias) {
    static char space[1];
    void* matrix = nullptr;
    void* vector = nullptr;
    EXPECT_EQ(cudnnGetRNNWeightParams(handle_, rnn_, layer, 0, space, id,
                                      nullptr, &matrix, nullptr, &vector),
              CUDNN_STATUS_SUCCESS);
    void* const found = bias ? vector : matrix;
    return found == nullptr ? -1 : static_cast<char*>(found) - space;
  }

  size_t SpaceBytes() {
    size_t bytes = 0;
    cudnnGetRNNWeightSpaceSize(handle_, rnn_, &bytes);
    return bytes;
  }

  static constexpr int kInput = 3;
  static constexpr int kHidden = 5;
  static constexpr int kSteps = 7;
  cudnnRNNDescriptor_t rnn_ = nullptr;
};

TEST_F(RnnTest, MatricesComeBeforeBiasesAndGatesAreAdjacent) {
  Describe(CUDNN_UNIDIRECTIONAL, kHidden, 2);
  constexpr int kFirst = 4 * kHidden * (kInput + kHidden);
  constexpr int kSecond = 4 * kHidden * (kHidden + kHidden);
  EXPECT_EQ(OffsetOf(0, 0, false), 0);
  EXPECT_EQ(OffsetOf(0, 1, false), 4 * kHidden * kInput);
  EXPECT_EQ(OffsetOf(0, 4, false), 4 * 4 * kHidden * kInput);
  EXPECT_EQ(OffsetOf(1, 0, false), 4 * kFirst);
  EXPECT_EQ(OffsetOf(0, 0, true), 4 * (kFirst + kSecond));
  EXPECT_EQ(OffsetOf(1, 7, true), 4 * (kFirst + kSecond + 15 * kHidden));
  EXPECT_EQ(SpaceBytes(), 4u * (kFirst + kSecond + 16 * kHidden));
}

TEST_F(RnnTest, ProjectionFollowsTheRecurrentMatricesAndHasNoBias) {
  Describe(CUDNN_UNIDIRECTIONAL, 2, 1);
  EXPECT_EQ(OffsetOf(0, 8, false), 4 * 4 * kHidden * (kInput + 2));
  EXPECT_EQ(OffsetOf(0, 8, true), -1);
  EXPECT_EQ(SpaceBytes(),
            4u * (4 * kHidden * (kInput + 2) + 2 * kHidden + 8 * kHidden));
}

TEST_F(RnnTest, ForwardIsAChainOverTimeSteps) {
  Describe(CUDNN_BIDIRECTIONAL, kHidden, 2);
  EXPECT_EQ(Forward("LSTM_elementWise_fp"), kSteps * 2 * 2);
}

TEST_F(RnnTest, DefaultMathOfFp32IsTf32) {
  Describe(CUDNN_UNIDIRECTIONAL, kHidden, 1);
  EXPECT_EQ(Forward("tf32"), 1 + kSteps);
}

TEST_F(RnnTest, FmaMathKeepsFp32OffTheTensorCores) {
  Describe(CUDNN_UNIDIRECTIONAL, kHidden, 1, CUDNN_FMA_MATH);
  EXPECT_EQ(Forward("tf32"), 0);
}

TEST_F(RnnTest, DataReadBackOnlyWithRoomForEachValue) {
  cudnnRNNDataDescriptor_t x = nullptr;
  cudnnCreateRNNDataDescriptor(&x);
  const int lengths[] = {7, 4};
  float padding = 0.25F;
  cudnnSetRNNDataDescriptor(x, CUDNN_DATA_FLOAT,
                            CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 7, 2,
                            kInput, lengths, &padding);
  cudnnDataType_t type{};
  cudnnRNNDataLayout_t layout{};
  int seq = 0, batch = 0, vector = 0;
  int read[2] = {};
  EXPECT_NE(cudnnGetRNNDataDescriptor(x, &type, &layout, &seq, &batch, &vector,
                                      2, read, nullptr),
            CUDNN_STATUS_SUCCESS);
  padding = 0;
  ASSERT_EQ(cudnnGetRNNDataDescriptor(x, &type, &layout, &seq, &batch, &vector,
                                      2, read, &padding),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(batch, 2);
  EXPECT_EQ(padding, 0.25F);
  EXPECT_THAT(read, ::testing::ElementsAre(7, 4));
}

TEST_F(CudnnTest, TensorReadsBackAsSet) {
  const auto tensor = Tensor(2, 3, 4, 5);
  int rank = 0;
  int dims[4] = {};
  int strides[4] = {};
  cudnnDataType_t type = CUDNN_DATA_HALF;
  EXPECT_EQ(cudnnGetTensorNdDescriptor(tensor, 4, &type, &rank, dims, strides),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(type, CUDNN_DATA_FLOAT);
  EXPECT_EQ(rank, 4);
  EXPECT_THAT(dims, ::testing::ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(strides, ::testing::ElementsAre(60, 20, 5, 1));
}

}  // namespace
}  // namespace dltap::simgpu
