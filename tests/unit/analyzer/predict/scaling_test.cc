// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/scaling.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

constexpr double kMs = 1e6;
constexpr double kMb = 1e6;

const opmodel::GpuSpec& H100() { return *opmodel::FindGpu("h100-sxm"); }

StepParts Step() {
  return {.io_ns = 2 * kMs,
          .h2d_ns = 0,
          .forward_ns = 10 * kMs,
          .backward_ns = 20 * kMs,
          .update_ns = 3 * kMs,
          .other_ns = 0};
}

ScalingOptions Over(const char* link, double megabytes) {
  ScalingOptions options;
  options.gradient_bytes = megabytes * kMb;
  options.bucket_bytes = 25 * kMb;
  options.link = opmodel::FindLink(link);
  options.network = opmodel::FindLink("ib");
  options.gpus = {1, 2, 4, 8, 16};
  return options;
}

TEST(ScalingTest, BucketsFillEvenlyOverBackwardAndTheLastHoldsTheRest) {
  const auto buckets = EvenBuckets(60 * kMb, 25 * kMb, 12 * kMs);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_DOUBLE_EQ(buckets[0].ready_ns, 5 * kMs);
  EXPECT_DOUBLE_EQ(buckets[2].bytes, 10 * kMb);
  EXPECT_DOUBLE_EQ(buckets[2].ready_ns, 12 * kMs);
}

// A fast link: all but the last all-reduce hide behind backward.
TEST(ScalingTest, HiddenCommunicationLeavesTheLastAllReduce) {
  const Scaling scaling = PredictScaling(Step(), H100(), Over("nvlink", 100));
  const ScalingRow& row = scaling.rows[3];
  EXPECT_TRUE(row.is_hidden);
  const double last =
      opmodel::TimeOfCollective(opmodel::CollectiveKind::kAllReduce, 25 * kMb,
                                8, *opmodel::FindLink("nvlink"), H100())
          .ns;
  EXPECT_NEAR(row.exposed_ns, 35 * kMs + last, 1);
  EXPECT_NEAR(row.speedup, 8 * 35 * kMs / row.exposed_ns, 1e-9);
}

// METRICS.md "Scaling": a slow link. Four all-reduces of 25 MB over 10 GbE
// take longer than backward; all but what hides in it shows.
TEST(ScalingTest, ExposedCommunicationWaitsForTheLink) {
  const Scaling scaling = PredictScaling(Step(), H100(), Over("10GbE", 100));
  const ScalingRow& row = scaling.rows[2];
  EXPECT_FALSE(row.is_hidden);
  // The first begins at 5 ms, then they follow each other.
  EXPECT_NEAR(row.exposed_comm_ns, 5 * kMs + row.comm_ns - 20 * kMs, 1);
  EXPECT_LT(row.hidden_ns, row.exposed_ns);
  EXPECT_LT(row.exposed_ns, row.serial_ns);
}

// ResNet-50, batch 64 a GPU, V100: measured images/s of Shi et al. (HKBU,
// 2020) without overlap (BSP) and with wait-free backpropagation (WFBP).
TEST(ScalingTest, IsNearPublishedThroughput) {
  struct Published {
    int gpus;
    const char* network;
    double serial;
    double overlapped;
  };
  constexpr double kOneGpu = 253.1;
  constexpr double kBatch = 64;
  const double step_ns = kBatch / kOneGpu * 1e9;
  StepParts step;
  step.forward_ns = step_ns / 3;
  step.backward_ns = step_ns * 2 / 3;
  for (const Published& published :
       {Published{8, "10GbE", 1282, 1796}, {32, "100GbE", 7127, 7327}}) {
    ScalingOptions options = Over("pcie", 25.56 * 4);
    options.gpus_per_node = 1;
    options.network = opmodel::FindLink(published.network);
    options.gpus = {published.gpus};
    const auto& gpu = *opmodel::FindGpu("v100-pcie");
    const ScalingRow row = PredictScaling(step, gpu, options).rows[0];
    const double images = published.gpus * kBatch * 1e9;
    EXPECT_NEAR(images / row.serial_ns / published.serial, 1, 0.10);
    EXPECT_NEAR(images / row.exposed_ns / published.overlapped, 1, 0.10);
  }
}

TEST(ScalingTest, OneGpuIsTheTraceItself) {
  const Scaling scaling = PredictScaling(Step(), H100(), Over("nvlink", 100));
  EXPECT_DOUBLE_EQ(scaling.rows[0].exposed_ns, 35 * kMs);
  EXPECT_DOUBLE_EQ(scaling.rows[0].speedup, 1);
}

TEST(ScalingTest, BeyondANodeTheNetworkLimits) {
  const Scaling scaling = PredictScaling(Step(), H100(), Over("nvlink", 100));
  EXPECT_GT(scaling.rows[4].comm_ns, 5 * scaling.rows[3].comm_ns);
}

TEST(ScalingTest, SharedInputGrowsWithTheGpus) {
  ScalingOptions options = Over("nvlink", 100);
  options.shared_input = true;
  const Scaling scaling = PredictScaling(Step(), H100(), options);
  EXPECT_GT(scaling.rows[3].exposed_ns, (35 + 7 * 2) * kMs);
}

}  // namespace
}  // namespace dltap::analyzer
