// SPDX-License-Identifier: Apache-2.0
// Trains a small word-level language model: embedding, two LSTM layers (cuDNN
// RNN v8), linear decoder (cuBLAS).
#include <vector>

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/device_array.h"
#include "tests/workloads/cuda/kernels.h"
#include "tests/workloads/cuda/rnn.h"
#include "tests/workloads/cuda/training.h"

namespace workloads {
namespace {

constexpr int kSeq = 35;
constexpr int kHidden = 256;
constexpr int kLayers = 2;
constexpr int kWords = 4000;
constexpr float kRate = 0.1f;

std::vector<int> Words(int count, int shift) {
  std::vector<int> words(count);
  for (int i = 0; i < count; ++i) words[i] = (i + shift) * 7919 % kWords;
  return words;
}

class Lstm : public Model {
 public:
  Lstm(int batch, cudaStream_t stream)
      : tokens_(batch * kSeq),
        rnn_(stream, {.seq = kSeq,
                      .batch = batch,
                      .hidden = kHidden,
                      .layers = kLayers}),
        host_words_(Words(tokens_, 0)),
        host_next_(Words(tokens_, 1)),
        words_(tokens_),
        next_(tokens_),
        table_(SmallNumbers<float>(size_t{kWords} * kHidden, 0.1f)),
        d_table_(table_.size()),
        x_(size_t{1} * tokens_ * kHidden),
        d_y_(x_.size()),
        decoder_(SmallNumbers<float>(size_t{kWords} * kHidden, 0.1f)),
        d_decoder_(decoder_.size()),
        logits_(size_t{1} * tokens_ * kWords),
        loss_(1) {
    CHECK(cublasCreate(&cublas_));
    CHECK(cublasSetStream(cublas_, stream));
  }
  ~Lstm() override { cublasDestroy(cublas_); }

  void Enqueue(cudaStream_t stream) override {
    host_words_.CopyTo(words_, stream);
    host_next_.CopyTo(next_, stream);
    CHECK(cudaMemsetAsync(loss_.data(), 0, sizeof(float), stream));
    CHECK(cudaMemsetAsync(d_table_.data(), 0, d_table_.size() * sizeof(float),
                          stream));
    const Rows rows = {tokens_, kHidden};
    EmbeddingForward(table_.data(), words_.data(), x_.data(), rows, stream);
    const float* y = rnn_.Forward(x_.data());
    Decode(y, stream);
    const float* dx = rnn_.Backward(x_.data(), d_y_.data(), stream);
    EmbeddingBackward(dx, words_.data(), d_table_.data(), rows, stream);
    rnn_.Update(kRate, stream);
    SgdUpdate(decoder_.data(), d_decoder_.data(), kWords * kHidden, kRate,
              stream);
    SgdUpdate(table_.data(), d_table_.data(), kWords * kHidden, kRate, stream);
  }
  const float* loss() const override { return loss_.data(); }

 private:
  // Column-major: logits [words, tokens] = W^T [words, hidden] y [hidden,
  // tokens].
  void Decode(const float* y, cudaStream_t stream) {
    const float one = 1, zero = 0;
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, kWords, tokens_,
                      kHidden, &one, decoder_.data(), kHidden, y, kHidden,
                      &zero, logits_.data(), kWords));
    CrossEntropy(logits_.data(), next_.data(), loss_.data(), {tokens_, kWords},
                 stream);
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_T, kHidden, kWords,
                      tokens_, &one, y, kHidden, logits_.data(), kWords, &zero,
                      d_decoder_.data(), kHidden));
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, kHidden, tokens_,
                      kWords, &one, decoder_.data(), kHidden, logits_.data(),
                      kWords, &zero, d_y_.data(), kHidden));
  }

  int tokens_;
  Rnn rnn_;
  cublasHandle_t cublas_ = nullptr;
  PinnedArray<int> host_words_, host_next_;
  DeviceArray<int> words_, next_;
  DeviceArray<float> table_, d_table_, x_, d_y_;
  DeviceArray<float> decoder_, d_decoder_, logits_, loss_;
};

StepCalls Calls() {
  return {.functions = {{"cudnnRNNForward", 1},
                        {"cudnnRNNBackwardData_v8", 1},
                        {"cudnnRNNBackwardWeights_v8", 1},
                        {"cublasSgemm_v2", 3},
                        {"cudaMemcpyAsync", 2},
                        {"cudaMemsetAsync", 3}},
          .classes = {{"rnn", 3}, {"gemm", 3}},
          .kernels = {{"embedding_forward", 1},
                      {"embedding_backward", 1},
                      {"cross_entropy", 1},
                      {"fused_sgd_update", 3}},
          .copies = 2};
}

void Run(const Options& options) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Lstm model(options.batch, stream);
    Train(model, options, stream);
  }
  CHECK(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace workloads

int main(int argc, char** argv) {
  const auto options = workloads::ParseOptions(argc, argv, 16);
  if (options.expect) {
    workloads::PrintExpectation("lstm", options, workloads::Calls());
  } else {
    workloads::Run(options);
  }
}
