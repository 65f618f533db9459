// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Prediction MakePrediction() {
  return {.gpu = opmodel::FindGpu("t4"),
          .rows = {{.line = 2,
                    .op = "gemm",
                    .modelled_ms = 1.25,
                    .device_ms = 1.125,
                    .bound = opmodel::Bound::kCompute,
                    .measured_ms = 1.0,
                    .error_ratio = 0.25},
                   {.line = 3,
                    .op = "softmax",
                    .modelled_ms = 0.5,
                    .device_ms = 0.25,
                    .bound = opmodel::Bound::kMemory,
                    .measured_ms = std::nullopt,
                    .error_ratio = std::nullopt}},
          .ops = {{.op = "gemm",
                   .rows = 1,
                   .measured_rows = 1,
                   .mean_error_ratio = 0.25,
                   .median_error_ratio = 0.25},
                  {.op = "softmax",
                   .rows = 1,
                   .measured_rows = 0,
                   .mean_error_ratio = std::nullopt,
                   .median_error_ratio = std::nullopt}}};
}

TEST(RenderPredictionTest, JsonIsTheContract) {
  EXPECT_EQ(RenderPredictionJson(MakePrediction()),
            R"({"schema":"dltap.predict","version":1,"gpu":"t4","rows":[
{"line":2,"op":"gemm","modelled_ms":1.25,"device_ms":1.125,"bound":"compute","measured_ms":1,"error_percent":25},
{"line":3,"op":"softmax","modelled_ms":0.5,"device_ms":0.25,"bound":"memory","measured_ms":null,"error_percent":null}],"ops":[
{"op":"gemm","rows":1,"measured_rows":1,"mean_error_percent":25,"median_error_percent":25},
{"op":"softmax","rows":1,"measured_rows":0,"mean_error_percent":null,"median_error_percent":null}]}
)");
}

TEST(RenderPredictionTest, JsonOfNoRowsHasEmptyLists) {
  EXPECT_EQ(RenderPredictionJson(
                {.gpu = opmodel::FindGpu("l4"), .rows = {}, .ops = {}}),
            "{\"schema\":\"dltap.predict\",\"version\":1,\"gpu\":\"l4\","
            "\"rows\":[],\"ops\":[]}\n");
}

TEST(RenderPredictionTest, TextEndsWithErrorsPerOperation) {
  const std::string text = RenderPredictionText(MakePrediction());
  EXPECT_THAT(text, HasSubstr("t4 (Tesla T4), 2 rows"));
  EXPECT_THAT(text, HasSubstr("median err %"));
  EXPECT_THAT(text, HasSubstr("25.0"));
}

TEST(RenderPredictionTest, TextWithoutMeasurementsHasNoErrors) {
  Prediction prediction = MakePrediction();
  prediction.rows.erase(prediction.rows.begin());
  EXPECT_THAT(RenderPredictionText(prediction), Not(HasSubstr("median")));
}

}  // namespace
}  // namespace dltap::analyzer
