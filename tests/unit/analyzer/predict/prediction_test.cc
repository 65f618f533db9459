// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/prediction.h"

#include <gtest/gtest.h>

#include "opmodel/modelled_time.h"

namespace dltap::analyzer {
namespace {

Prediction PredictText(const char* text, const char* gpu = "t4") {
  return Predict(*ParseOpsCsv(text, "ops.csv"), *opmodel::FindGpu(gpu));
}

TEST(PredictionTest, RowsKeepTheFilesOrder) {
  const Prediction prediction = PredictText(
      "op,b,h,m,n,k\nsoftmax,64,64,,,\ngemm,,,4096,4096,4096\n"
      "softmax,65536,4096,,,\n");
  ASSERT_EQ(prediction.rows.size(), 3u);
  EXPECT_EQ(prediction.rows[0].op, "softmax");
  EXPECT_EQ(prediction.rows[0].bound, opmodel::Bound::kLatency);
  EXPECT_EQ(prediction.rows[1].bound, opmodel::Bound::kCompute);
  EXPECT_EQ(prediction.rows[2].bound, opmodel::Bound::kMemory);
}

TEST(PredictionTest, TimeOfALibraryCallIsTheModelsPlusOneLaunchLatency) {
  const std::vector<OpsRow> rows =
      *ParseOpsCsv("op,m,n,k\ngemm,512,512,512\n", "ops.csv");
  const opmodel::GpuSpec& gpu = *opmodel::FindGpu("l4");
  const double device_ns = opmodel::TimeOf(rows[0].operation, gpu)->ns;
  EXPECT_DOUBLE_EQ(Predict(rows, gpu).rows[0].modelled_ms,
                   (device_ns + opmodel::kLaunchLatencyNs) / 1e6);
}

// On an idle GPU a framework's operator reaches the device later than a
// library's call; what the device does is the same.
TEST(PredictionTest, FrameworkOperatorsSpendTimeOnTheHost) {
  const auto host_ms = [](const char* text) {
    const PredictedRow row = PredictText(text).rows[0];
    return row.modelled_ms - row.device_ms;
  };
  EXPECT_NEAR(host_ms("op,m,n,k\ngemm,64,64,64\n"), 0.005, 1e-9);
  EXPECT_NEAR(host_ms("op,b,h\nrelu,64,64\n"), 0.016, 1e-9);
  EXPECT_NEAR(host_ms("op,b,h\nelementwise,64,64\n"), 0.016, 1e-9);
  EXPECT_NEAR(host_ms("op,b,h\nsoftmax,64,64\n"), 0.022, 1e-9);
  EXPECT_NEAR(host_ms("op,b,h\nln,64,64\n"), 0.033, 1e-9);
  EXPECT_NEAR(host_ms("op,b,m,n,k\nlinear,1,64,64,64\n"), 0.033, 1e-9);
}

TEST(PredictionTest, ErrorsAreMeanAndMedianOfAbsoluteValues) {
  const double modelled =
      PredictText("op,b,h\nsoftmax,4096,1024\n").rows[0].modelled_ms;
  std::vector<OpsRow> rows = *ParseOpsCsv(
      "op,b,h\nsoftmax,4096,1024\nsoftmax,4096,1024\n"
      "softmax,4096,1024\nsoftmax,4096,1024\n",
      "ops.csv");
  rows[0].measured_ms = modelled;        // 0 %
  rows[1].measured_ms = modelled * 2;    // -50 %
  rows[2].measured_ms = modelled / 1.1;  // +10 %; the last is not measured
  const Prediction prediction = Predict(rows, *opmodel::FindGpu("t4"));
  ASSERT_EQ(prediction.ops.size(), 1u);
  EXPECT_EQ(prediction.ops[0].rows, 4);
  EXPECT_EQ(prediction.ops[0].measured_rows, 3);
  EXPECT_NEAR(*prediction.ops[0].mean_error_ratio, 0.2, 1e-9);
  EXPECT_NEAR(*prediction.ops[0].median_error_ratio, 0.1, 1e-9);
  EXPECT_NEAR(*prediction.rows[1].error_ratio, -0.5, 1e-9);
  EXPECT_FALSE(prediction.rows[3].error_ratio.has_value());
}

TEST(PredictionTest, NothingMeasuredHasNoError) {
  const Prediction prediction = PredictText("op,b,h\nsoftmax,4,8\n");
  EXPECT_FALSE(prediction.ops[0].mean_error_ratio.has_value());
  EXPECT_FALSE(prediction.ops[0].median_error_ratio.has_value());
}

}  // namespace
}  // namespace dltap::analyzer
