// SPDX-License-Identifier: Apache-2.0
// Trains a small transformer encoder on random tokens, in bfloat16: cuBLASLt
// for all products, own layer norm, and attention either of products and an
// own softmax or by cuDNN (--attention cudnn).
#include <memory>
#include <vector>

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/device_array.h"
#include "tests/workloads/cuda/kernels.h"
#include "tests/workloads/cuda/training.h"
#include "tests/workloads/cuda/transformer_layer.h"

namespace workloads {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kSeq = 128;
constexpr int kHeads = 4;
constexpr int kHeadSize = 64;
constexpr int kWidth = kHeads * kHeadSize;
constexpr int kLayers = 2;
constexpr int kWords = 1000;
constexpr float kRate = 1e-3f;

std::vector<int> Words(int count, int shift) {
  std::vector<int> words(count);
  for (int i = 0; i < count; ++i) words[i] = (i + shift) * 7919 % kWords;
  return words;
}

class Transformer : public Model {
 public:
  Transformer(const Options& options, cudaStream_t stream)
      : rows_(options.batch * kSeq),
        lt_(stream),
        host_words_(Words(rows_, 0)),
        host_next_(Words(rows_, 1)),
        words_(rows_),
        next_(rows_),
        table_(SmallNumbers<Bf16>(size_t{kWords} * kWidth, 0.1f)),
        d_table_(table_.size()),
        table_moments_(2 * table_.size()),
        x_(size_t{kWidth} * rows_),
        dx_(x_.size()),
        norm_({rows_, kWidth}),
        head_(lt_, rows_, kWidth, kWords),
        loss_(1) {
    const Heads heads = {options.batch, kSeq, kHeads, kHeadSize};
    for (int i = 0; i < kLayers; ++i) {
      layers_.push_back(std::make_unique<TransformerLayer>(
          lt_, heads, options.cudnn_attention));
    }
  }

  void Enqueue(cudaStream_t stream) override {
    host_words_.CopyTo(words_, stream);
    host_next_.CopyTo(next_, stream);
    Clear(loss_, stream);
    Clear(d_table_, stream);
    Clear(dx_, stream);
    const Rows rows = {rows_, kWidth};
    EmbeddingForward(table_.data(), words_.data(), x_.data(), rows, stream);
    const Bf16* x = x_.data();
    for (auto& layer : layers_) x = layer->Forward(x);
    const Bf16* normed = norm_.Forward(x, stream);
    head_.Forward(normed);
    CrossEntropy(head_.output(), next_.data(), loss_.data(), {rows_, kWords},
                 stream);
    norm_.Backward(x, head_.Backward(normed, head_.output()), dx_.data(),
                   stream);
    for (int i = kLayers - 1; i >= 0; --i) layers_[i]->Backward(dx_.data());
    EmbeddingBackward(dx_.data(), words_.data(), d_table_.data(), rows, stream);
    Update(stream);
  }
  const float* loss() const override { return loss_.data(); }

 private:
  template <typename T>
  static void Clear(const DeviceArray<T>& array, cudaStream_t stream) {
    CHECK(cudaMemsetAsync(array.data(), 0, array.size() * sizeof(T), stream));
  }

  void Update(cudaStream_t stream) {
    for (auto& layer : layers_) layer->Update(kRate);
    norm_.Update(kRate, stream);
    head_.Update(kRate, stream);
    AdamUpdate(table_.data(), d_table_.data(), table_moments_.data(),
               kWords * kWidth, kRate, stream);
  }

  int rows_;
  LtContext lt_;
  PinnedArray<int> host_words_, host_next_;
  DeviceArray<int> words_, next_;
  DeviceArray<Bf16> table_;
  DeviceArray<float> d_table_, table_moments_;
  DeviceArray<Bf16> x_, dx_;
  std::vector<std::unique_ptr<TransformerLayer>> layers_;
  LayerNorm norm_;
  Linear head_;
  DeviceArray<float> loss_;
};

StepCalls Calls(bool cudnn_attention) {
  constexpr int kL = kLayers;
  const int linear = 3 * (4 * kL + 1);
  const int attention = cudnn_attention ? 0 : 6 * kL;
  StepCalls calls = {.functions = {{"cublasLtMatmul", linear + attention},
                                   {"cudaMemcpyAsync", 2},
                                   {"cudaMemsetAsync", 2 * kL + 4}},
                     .classes = {{"gemm", linear + attention}},
                     .kernels = {{"layer_norm_forward", 2 * kL + 1},
                                 {"layer_norm_backward", 2 * kL + 1},
                                 {"transpose_split_heads", 2 * kL},
                                 {"transpose_merge_heads", 2 * kL},
                                 {"gelu_forward", kL},
                                 {"gelu_backward", kL},
                                 {"add_elementwise", 2 * kL},
                                 {"embedding_forward", 1},
                                 {"embedding_backward", 1},
                                 {"cross_entropy", 1},
                                 {"fused_adam_update", 6 * kL + 3}},
                     .copies = 2};
  if (cudnn_attention) {
    calls.functions["cudnnBackendExecute"] = 2 * kL;
    calls.classes["attention"] = 2 * kL;
  } else {
    calls.kernels["softmax_forward"] = kL;
    calls.kernels["softmax_backward"] = kL;
  }
  return calls;
}

void Run(const Options& options) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Transformer model(options, stream);
    Train(model, options, stream);
  }
  CHECK(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace workloads

int main(int argc, char** argv) {
  const auto options =
      workloads::ParseOptions(argc, argv, 4, /*has_attention=*/true);
  if (options.expect) {
    workloads::PrintExpectation("transformer", options,
                                workloads::Calls(options.cudnn_attention));
  } else {
    workloads::Run(options);
  }
}
