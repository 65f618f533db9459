// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_SCALING_H_
#define DLTAP_ANALYZER_PREDICT_SCALING_H_

#include <vector>

#include "opmodel/collective_time.h"
#include "opmodel/gpu_table.h"

// Data-parallel training of one GPU's step on more GPUs: synchronous SGD as a
// graph of layers (Shi et al., "A DAG Model of Synchronous Stochastic Gradient
// Descent in Distributed Deep Learning", 2018), with the batch of each GPU
// kept.
namespace dltap::analyzer {

// A mean step of one GPU, as its phases: exposed times, which add up to it.
struct StepParts {
  double io_ns = 0;
  double h2d_ns = 0;
  double forward_ns = 0;
  double backward_ns = 0;
  double update_ns = 0;
  double other_ns = 0;

  double sum_ns() const;
};

// Gradients that are all-reduced in one collective, in the order of backward.
struct GradientBucket {
  double ready_ns;  // since the backward pass began
  double bytes;
};

struct ScalingOptions {
  double gradient_bytes = 0;
  double bucket_bytes = 0;    // as DistributedDataParallel's bucket_cap_mb
  bool shared_input = false;  // one store feeds all GPUs: io grows with them
  int gpus_per_node = 8;      // beyond, rings cross `network`
  const opmodel::Link* link = nullptr;     // inside a node
  const opmodel::Link* network = nullptr;  // between nodes
  std::vector<int> gpus;                   // numbers to predict for
};

// The step on `gpus` GPUs. `hidden_ns` and `exposed_ns` are the two formulas
// of the model: all collectives but the last hide behind backward; or each
// begins when its gradients are there and the one before has ended.
// `serial_ns`: no overlap at all. hidden <= exposed <= serial.
struct ScalingRow {
  int gpus;
  double comm_ns;     // all collectives
  double hidden_ns;   // step
  double exposed_ns;  // step
  double serial_ns;   // step
  double exposed_comm_ns;
  double speedup;     // of throughput over one GPU, by exposed_ns
  double efficiency;  // speedup / gpus
  bool is_hidden;     // the first formula holds: nothing but the last shows
};

struct Scaling {
  StepParts step;
  std::vector<GradientBucket> buckets;
  std::vector<ScalingRow> rows;
};

// Gradients fill buckets evenly over the backward pass (assumed: a trace does
// not show when each is ready); the last bucket holds the rest.
std::vector<GradientBucket> EvenBuckets(double gradient_bytes,
                                        double bucket_bytes,
                                        double backward_ns);

// All options must be set; `step` has a backward pass.
Scaling PredictScaling(const StepParts& step, const opmodel::GpuSpec& gpu,
                       const ScalingOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_SCALING_H_
