// SPDX-License-Identifier: Apache-2.0
// Trains a small image classifier: three times convolution, batch norm, ReLU
// and max pooling (cuDNN), then a linear layer (cuBLAS).
#include <memory>
#include <vector>

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/conv_block.h"
#include "tests/workloads/cuda/device_array.h"
#include "tests/workloads/cuda/kernels.h"
#include "tests/workloads/cuda/training.h"

namespace workloads {
namespace {

constexpr int kChannels[] = {3, 32, 64, 128};
constexpr int kLayers = 3;
constexpr int kSide = 64;
constexpr int kClasses = 10;
constexpr int kFeatures = kChannels[kLayers] * 8 * 8;  // side halved 3 times
constexpr float kRate = 0.01f;

std::vector<int> Labels(int batch) {
  std::vector<int> labels(batch);
  for (int i = 0; i < batch; ++i) labels[i] = i % kClasses;
  return labels;
}

class Cnn : public Model {
 public:
  Cnn(int batch, cudaStream_t stream)
      : batch_(batch),
        host_images_(
            SmallNumbers<float>(size_t{3} * kSide * kSide * batch, 1.0f)),
        host_labels_(Labels(batch)),
        images_(size_t{3} * kSide * kSide * batch),
        labels_(batch),
        weights_(SmallNumbers<float>(kFeatures * kClasses, 0.01f)),
        d_weights_(kFeatures * kClasses),
        logits_(batch * kClasses),
        d_features_(size_t{kFeatures} * batch),
        loss_(1) {
    CHECK(cudnnCreate(&cudnn_));
    CHECK(cudnnSetStream(cudnn_, stream));
    CHECK(cublasCreate(&cublas_));
    CHECK(cublasSetStream(cublas_, stream));
    for (int i = 0; i < kLayers; ++i) {
      blocks_.push_back(std::make_unique<ConvBlock>(
          cudnn_, ConvBlock::Shape{.batch = batch,
                                   .channels_in = kChannels[i],
                                   .channels_out = kChannels[i + 1],
                                   .side = kSide >> i}));
    }
  }
  ~Cnn() override {
    blocks_.clear();
    cublasDestroy(cublas_);
    cudnnDestroy(cudnn_);
  }

  void Enqueue(cudaStream_t stream) override {
    host_images_.CopyTo(images_, stream);
    host_labels_.CopyTo(labels_, stream);
    CHECK(cudaMemsetAsync(loss_.data(), 0, sizeof(float), stream));
    const float* x = images_.data();
    for (auto& block : blocks_) x = block->Forward(x, stream);
    Classify(x, stream);
    const float* dy = d_features_.data();
    for (int i = kLayers - 1; i >= 0; --i) {
      const float* input = i == 0 ? images_.data() : blocks_[i - 1]->output();
      dy = blocks_[i]->Backward(input, dy, /*needs_dx=*/i > 0, stream);
    }
    for (auto& block : blocks_) block->Update(kRate, stream);
    SgdUpdate(weights_.data(), d_weights_.data(), kFeatures * kClasses, kRate,
              stream);
  }
  const float* loss() const override { return loss_.data(); }

 private:
  // Linear layer, loss, and the linear layer's gradients. Column-major:
  // logits [classes, batch] = W^T [classes, features] x [features, batch].
  void Classify(const float* x, cudaStream_t stream) {
    const float one = 1, zero = 0;
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, kClasses, batch_,
                      kFeatures, &one, weights_.data(), kFeatures, x, kFeatures,
                      &zero, logits_.data(), kClasses));
    CrossEntropy(logits_.data(), labels_.data(), loss_.data(),
                 {batch_, kClasses}, stream);
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_T, kFeatures, kClasses,
                      batch_, &one, x, kFeatures, logits_.data(), kClasses,
                      &zero, d_weights_.data(), kFeatures));
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, kFeatures, batch_,
                      kClasses, &one, weights_.data(), kFeatures,
                      logits_.data(), kClasses, &zero, d_features_.data(),
                      kFeatures));
  }

  int batch_;
  cudnnHandle_t cudnn_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  std::vector<std::unique_ptr<ConvBlock>> blocks_;
  PinnedArray<float> host_images_;
  PinnedArray<int> host_labels_;
  DeviceArray<float> images_;
  DeviceArray<int> labels_;
  DeviceArray<float> weights_;
  DeviceArray<float> d_weights_;
  DeviceArray<float> logits_;
  DeviceArray<float> d_features_;
  DeviceArray<float> loss_;
};

StepCalls Calls() {
  constexpr int kL = kLayers;
  return {.functions = {{"cudnnConvolutionForward", kL},
                        {"cudnnConvolutionBackwardData", kL - 1},
                        {"cudnnConvolutionBackwardFilter", kL},
                        {"cudnnBatchNormalizationForwardTraining", kL},
                        {"cudnnBatchNormalizationBackward", kL},
                        {"cudnnPoolingForward", kL},
                        {"cudnnPoolingBackward", kL},
                        {"cublasSgemm_v2", 3},
                        {"cudaMemcpyAsync", 2},
                        {"cudaMemsetAsync", 1}},
          .classes = {{"conv", 3 * kL - 1},
                      {"norm", 2 * kL},
                      {"pool", 2 * kL},
                      {"gemm", 3}},
          .kernels = {{"relu_forward", kL},
                      {"relu_backward", kL},
                      {"cross_entropy", 1},
                      {"fused_sgd_update", 3 * kL + 1}},
          .copies = 2};
}

void Run(const Options& options) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Cnn model(options.batch, stream);
    Train(model, options, stream);
  }
  CHECK(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace workloads

int main(int argc, char** argv) {
  const auto options = workloads::ParseOptions(argc, argv, 32);
  if (options.expect) {
    workloads::PrintExpectation("cnn", options, workloads::Calls());
  } else {
    workloads::Run(options);
  }
}
