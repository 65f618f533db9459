// SPDX-License-Identifier: Apache-2.0
#include "opmodel/rnn_chain.h"

#include <algorithm>

#include "opmodel/gemm_time.h"
#include "opmodel/math_rate.h"
#include "opmodel/rnn_shape.h"
#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// A step depends on the one before, so its kernels run one by one: each pays
// for draining, launching and filling. V100 with cuDNN 7 spends 15 to 20 us a
// step on the two kernels of a hidden size at which nothing else takes time.
constexpr double kDependentKernelNs = 7500;

// A skinny GEMM of one step has too few blocks to hide latency, so that walking
// along k takes this many cycles per product however little is computed. All
// from DeepBench's RNN sheets: before Volta (P100, GTX 1080 Ti, TITAN Xp with
// cuDNN 5 and 6) by the width of the kernel that the library picks, where the
// one for 17 to 32 columns has no parallelism along k at all; since Volta
// (V100, cuDNN 7) and on AMD (Vega, MIOpen) independent of the width.
struct SerialWalk {
  double columns;  // up to
  double cycles_per_k;
};
constexpr SerialWalk kBeforeVolta[] = {{16, 60}, {32, 185}, {1e9, 95}};
// M40's kernel for 17 to 32 columns is no worse than its neighbours.
constexpr double kMaxwellCyclesPerK = 100;
constexpr double kVectorCyclesPerK = 60;
constexpr double kTensorCyclesPerK = 38;
constexpr double kAmdCyclesPerK = 300;

// Only the Pascal sheets show backward walking the sums of all gates at once,
// with a little more to overlap.
constexpr double kBackwardWalk = 0.87;

double CyclesPerK(double columns, bool tensor, const GpuSpec& gpu) {
  if (gpu.vendor == Vendor::kAmd) return kAmdCyclesPerK;
  if (gpu.compute_major >= 7) {
    return tensor ? kTensorCyclesPerK : kVectorCyclesPerK;
  }
  for (const SerialWalk& walk : kBeforeVolta) {
    if (columns > walk.columns) continue;
    return IsMaxwell(gpu) ? std::min(walk.cycles_per_k, kMaxwellCyclesPerK)
                          : walk.cycles_per_k;
  }
  return 0;
}

class ChainBuilder {
 public:
  ChainBuilder(const Operation& op, const RnnShape& shape, const GpuSpec& gpu)
      : shape_(shape),
        gpu_(gpu),
        rate_(MathRateOf(op, gpu)),
        bytes_per_element_(BitsOf(op.storage) / 8.0) {}

  RnnKernel Gemm(RnnKernelRole role, double m, double n, double k,
                 GemmKernels kernels = GemmKernels::kBlas) const {
    const GemmShape gemm{.batch = 1,
                         .m = m,
                         .n = n,
                         .k = k,
                         .bytes_per_element = bytes_per_element_,
                         .rate = rate_,
                         .kernels = kernels};
    return {.role = role,
            .time = BestGemmPlan(gemm, gpu_).time,
            .flops = 2 * m * n * k};
  }

  // A GEMM on the chain from step to step.
  RnnKernel StepGemm(RnnKernelRole role, double m, double n, double k) const {
    RnnKernel kernel = Gemm(role, m, n, k, GemmKernels::kRecurrent);
    // Newer libraries give each gate's share of k to blocks of its own.
    const double walked_k = IsPascal(gpu_)
                                ? (k > shape_.hidden ? kBackwardWalk * k : k)
                                : std::min(k, shape_.hidden);
    const double serial_ns =
        walked_k * CyclesPerK(n, rate_.tensor, gpu_) / gpu_.boost_mhz * 1e3;
    if (serial_ns > kernel.time.ns) {
      kernel.time = {.ns = serial_ns, .bound = Bound::kLatency};
    }
    kernel.time.ns += kDependentKernelNs;
    return kernel;
  }

  // Reads the gates' sums and the state, writes the state and the gates that
  // backward needs.
  RnnKernel Cell() const {
    const double elements = shape_.batch * shape_.hidden;
    const double bytes = elements * (2 * shape_.gates + 3) * bytes_per_element_;
    ModelledTime time = StreamingTime(bytes, gpu_);
    time.ns += kDependentKernelNs;
    return {.role = RnnKernelRole::kCell, .time = time, .flops = 0};
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
void AddForward(const ChainBuilder& build, const RnnShape& shape, int64_t layer,
                std::vector<RnnStage>& chain) {
  const double gates = shape.gates * shape.hidden;
  if (shape.LayerInput(layer) > 0) {
    chain.push_back({1,
                     {build.Gemm(RnnKernelRole::kInputGemm, gates, shape.rows,
                                 shape.LayerInput(layer))}});
  }
  RnnStage step{shape.seq,
                {build.StepGemm(RnnKernelRole::kRecurrentGemm, gates,
                                shape.batch, shape.recurrent),
                 build.Cell()}};
  if (shape.proj > 0) {
    step.kernels.push_back(build.StepGemm(
        RnnKernelRole::kProjectionGemm, shape.proj, shape.batch, shape.hidden));
  }
  chain.push_back(std::move(step));
}

// The same in reverse with transposed weights.
void AddBackwardData(const ChainBuilder& build, const RnnShape& shape,
                     int64_t layer, std::vector<RnnStage>& chain) {
  const double gates = shape.gates * shape.hidden;
  RnnStage step{shape.seq, {}};
  if (shape.proj > 0) {
    step.kernels.push_back(build.StepGemm(
        RnnKernelRole::kProjectionGemm, shape.hidden, shape.batch, shape.proj));
  }
  step.kernels.push_back(build.Cell());
  step.kernels.push_back(build.StepGemm(RnnKernelRole::kRecurrentGemm,
                                        shape.recurrent, shape.batch, gates));
  chain.push_back(std::move(step));
  if (shape.LayerInput(layer) > 0) {
    chain.push_back({1,
                     {build.Gemm(RnnKernelRole::kInputGemm,
                                 shape.LayerInput(layer), shape.rows, gates)}});
  }
}

void AddBackwardWeight(const ChainBuilder& build, const RnnShape& shape,
                       int64_t layer, std::vector<RnnStage>& chain) {
  const double gates = shape.gates * shape.hidden;
  const double rows = shape.rows;
  RnnStage stage{
      1,
      {build.Gemm(RnnKernelRole::kWeightGemm, gates, shape.recurrent, rows)}};
  if (shape.LayerInput(layer) > 0) {
    stage.kernels.push_back(build.Gemm(RnnKernelRole::kWeightGemm, gates,
                                       shape.LayerInput(layer), rows));
  }
  if (shape.proj > 0) {
    stage.kernels.push_back(
        build.Gemm(RnnKernelRole::kWeightGemm, shape.proj, shape.hidden, rows));
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
        default: return std::nullopt;
      }
    }
  }
  return chain;
}

}  // namespace dltap::opmodel
