// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/scaling.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

using opmodel::CollectiveKind;

// Of one bucket: a ring over all ranks is as slow as its slowest link.
double AllReduceNs(double bytes, int gpus, const opmodel::GpuSpec& gpu,
                   const ScalingOptions& options) {
  const opmodel::Link& link =
      gpus > options.gpus_per_node ? *options.network : *options.link;
  return opmodel::TimeOfCollective(CollectiveKind::kAllReduce, bytes, gpus,
                                   link, gpu)
      .ns;
}

ScalingRow RowFor(int gpus, const Scaling& scaling, const opmodel::GpuSpec& gpu,
                  const ScalingOptions& options) {
  const StepParts& step = scaling.step;
  ScalingRow row{};
  row.gpus = gpus;
  double end_ns = 0;  // of the last collective, since backward began
  double last_ns = 0;
  for (const GradientBucket& bucket : scaling.buckets) {
    last_ns = gpus > 1 ? AllReduceNs(bucket.bytes, gpus, gpu, options) : 0;
    row.comm_ns += last_ns;
    end_ns = std::max(end_ns, bucket.ready_ns) + last_ns;
  }
  const double io_ns = options.shared_input ? step.io_ns * gpus : step.io_ns;
  const double compute_ns = step.sum_ns() - step.io_ns + io_ns;
  row.hidden_ns = compute_ns + last_ns;
  row.exposed_comm_ns = std::max(0.0, end_ns - step.backward_ns);
  row.exposed_ns = compute_ns + row.exposed_comm_ns;
  row.serial_ns = compute_ns + row.comm_ns;
  row.speedup = gpus * step.sum_ns() / row.exposed_ns;
  row.efficiency = row.speedup / gpus;
  constexpr double kRounding = 1;  // ns
  row.is_hidden = row.exposed_ns <= row.hidden_ns + kRounding;
  return row;
}

}  // namespace

double StepParts::sum_ns() const {
  return io_ns + h2d_ns + forward_ns + backward_ns + update_ns + other_ns;
}

std::vector<GradientBucket> EvenBuckets(double gradient_bytes,
                                        double bucket_bytes,
                                        double backward_ns) {
  std::vector<GradientBucket> buckets;
  const auto n = std::max<int64_t>(
      1, std::llround(std::ceil(gradient_bytes / bucket_bytes)));
  double sent = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double bytes = std::min(bucket_bytes, gradient_bytes - sent);
    sent += bytes;
    buckets.push_back({backward_ns * sent / gradient_bytes, bytes});
  }
  return buckets;
}

Scaling PredictScaling(const StepParts& step, const opmodel::GpuSpec& gpu,
                       const ScalingOptions& options) {
  Scaling out;
  out.step = step;
  out.buckets = EvenBuckets(options.gradient_bytes, options.bucket_bytes,
                            step.backward_ns);
  for (const int gpus : options.gpus) {
    out.rows.push_back(RowFor(gpus, out, gpu, options));
  }
  return out;
}

}  // namespace dltap::analyzer
