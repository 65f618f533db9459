// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/rnn_chain.h"

#include "shim/opmodel/gemm_time.h"
#include "shim/opmodel/math_rate.h"
#include "shim/opmodel/rnn_shape.h"
#include "shim/opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(const Operation& op, const RnnShape& shape, const GpuSpec& gpu)
      : shape_(shape),
        gpu_(gpu),
        rate_(MathRateOf(op, gpu)),
        bytes_per_element_(BitsOf(op.storage) / 8.0) {}

  RnnKernel Gemm(RnnKernelRole role, double m, double n, double k) const {
    const GemmShape gemm{.batch = 1,
                         .m = m,
                         .n = n,
                         .k = k,
                         .bytes_per_element = bytes_per_element_,
                         .rate = rate_};
    return {.role = role,
            .time = BestGemmPlan(gemm, gpu_).time,
            .flops = 2 * m * n * k};
  }

  // Reads the gates' sums and the state, writes the state and the gates that
  // backward needs.
  RnnKernel Cell() const {
    const double elements =
        static_cast<double>(shape_.batch * shape_.hidden);
    const double bytes =
        elements * (2 * shape_.gates + 3) * bytes_per_element_;
    return {.role = RnnKernelRole::kCell,
            .time = StreamingTime(bytes, gpu_),
            .flops = 0};
  }

 private:
  const RnnShape& shape_;
  const GpuSpec& gpu_;
  const MathRate rate_;
  const double bytes_per_element_;
};

// Forward of one layer and direction: one GEMM for the inputs of all steps,
// then a GEMM and the cell per step (cuDNN's standard algorithm; Appleyard et
// al., "Optimizing Performance of Recurrent Neural Networks on GPUs", 2016).
void AddForward(const ChainBuilder& build, const RnnShape& shape,
                int64_t layer, std::vector<RnnStage>& chain) {
  const double gates = static_cast<double>(shape.gates * shape.hidden);
  chain.push_back({1,
                   {build.Gemm(RnnKernelRole::kInputGemm, gates,
                               shape.batch * shape.seq,
                               shape.LayerInput(layer))}});
  RnnStage step{shape.seq,
                {build.Gemm(RnnKernelRole::kRecurrentGemm, gates, shape.batch,
                            shape.recurrent),
                 build.Cell()}};
  if (shape.proj > 0) {
    step.kernels.push_back(build.Gemm(RnnKernelRole::kProjectionGemm,
                                      shape.proj, shape.batch, shape.hidden));
  }
  chain.push_back(std::move(step));
}

// The same in reverse with transposed weights.
void AddBackwardData(const ChainBuilder& build, const RnnShape& shape,
                     int64_t layer, std::vector<RnnStage>& chain) {
  const double gates = static_cast<double>(shape.gates * shape.hidden);
  RnnStage step{shape.seq, {}};
  if (shape.proj > 0) {
    step.kernels.push_back(build.Gemm(RnnKernelRole::kProjectionGemm,
                                      shape.hidden, shape.batch, shape.proj));
  }
  step.kernels.push_back(build.Cell());
  step.kernels.push_back(build.Gemm(RnnKernelRole::kRecurrentGemm,
                                    shape.recurrent, shape.batch, gates));
  chain.push_back(std::move(step));
  chain.push_back({1,
                   {build.Gemm(RnnKernelRole::kInputGemm,
                               shape.LayerInput(layer),
                               shape.batch * shape.seq, gates)}});
}

void AddBackwardWeight(const ChainBuilder& build, const RnnShape& shape,
                       int64_t layer, std::vector<RnnStage>& chain) {
  const double gates = static_cast<double>(shape.gates * shape.hidden);
  const double rows = static_cast<double>(shape.batch * shape.seq);
  RnnStage stage{1,
                 {build.Gemm(RnnKernelRole::kWeightGemm, gates,
                             shape.LayerInput(layer), rows),
                  build.Gemm(RnnKernelRole::kWeightGemm, gates,
                             shape.recurrent, rows)}};
  if (shape.proj > 0) {
    stage.kernels.push_back(build.Gemm(RnnKernelRole::kWeightGemm, shape.proj,
                                       shape.hidden, rows));
  }
  chain.push_back(std::move(stage));
}

}  // namespace

std::optional<std::vector<RnnStage>> RnnChainOf(const Operation& op,
                                                const GpuSpec& gpu) {
  const std::optional<RnnShape> shape = RnnShapeOf(op);
  if (!shape || BitsOf(op.storage) == 0) return std::nullopt;
  const ChainBuilder build(op, *shape, gpu);
  std::vector<RnnStage> chain;
  for (int64_t layer = 0; layer < shape->layers; ++layer) {
    for (int64_t d = 0; d < shape->directions; ++d) {
      switch (op.kind) {
        case OpKind::kRnnForward:
          AddForward(build, *shape, layer, chain);
          break;
        case OpKind::kRnnBackwardData:
          AddBackwardData(build, *shape, shape->layers - 1 - layer, chain);
          break;
        case OpKind::kRnnBackwardWeight:
          AddBackwardWeight(build, *shape, shape->layers - 1 - layer, chain);
          break;
        default:
          return std::nullopt;
      }
    }
  }
  return chain;
}

}  // namespace dltap::opmodel
