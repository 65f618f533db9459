// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/narrow_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/analyzer/attribution/passes.h"

namespace dltap::analyzer {
namespace {

constexpr char kProduct[] = "ampere_sgemm_tn";
constexpr char kGather[] =
    "\"void at::native::_scatter_gather_elementwise_kernel<128, 8, "
    "at::native::_cuda_scatter_gather_internal_kernel<false, int> >(int)\"";
constexpr char kScatter[] =
    "\"void at::native::_scatter_gather_elementwise_kernel<128, 8, "
    "at::native::_cuda_scatter_gather_internal_kernel<true, float> >(int)\"";
constexpr char kRows[] =
    "\"void at::native::vectorized_gather_kernel<16, long>(char*)\"";
constexpr char kBag[] =
    "\"void at::native::(anonymous namespace)::"
    "EmbeddingBag_updateOutputKernel_sum_mean<float, long>(long*)\"";
constexpr char kOfRows[] =
    "\"void at::native::embedding_backward_feature_kernel<float>(long)\"";

using Classes = std::vector<LayerClass>;
constexpr LayerClass kEmbedding = LayerClass::kEmbedding;
constexpr LayerClass kElementwise = LayerClass::kElementwise;

TEST(NarrowRowsTest, TheGradientOfRowsTellsAnEmbedding) {
  Passes program;
  program.Forward(kRows).Forward(kGather).Forward(kProduct);
  program.Backward(kProduct).Backward(kOfRows).Backward(kOfRows);
  program.Forward(kGather);  // an evaluation
  EXPECT_EQ(program.ClassesOf(kGather), (Classes{kEmbedding, kEmbedding}));
}

TEST(NarrowRowsTest, AChoiceOfActionsIsAGather) {
  Passes program;
  program.Forward(kRows).Forward(kProduct).Forward(kGather, 2);
  program.Forward(kGather);  // no gradient goes through it
  program.Backward(kScatter).Backward(kProduct).Backward(kOfRows);
  EXPECT_EQ(program.ClassesOf(kGather), (Classes{kElementwise, kElementwise}));
}

TEST(NarrowRowsTest, AnEmbeddingBesideAGatherIsToldByTheOrder) {
  Passes program;
  program.Forward(kGather, 4).Forward(kProduct).Forward(kGather, 2);
  program.Backward(kScatter).Backward(kProduct).Backward(kOfRows);
  EXPECT_EQ(program.ClassesOf(kGather), (Classes{kEmbedding, kElementwise}));
}

// Its gradient has rows of the gradient of its sums.
TEST(NarrowRowsTest, ABagMayHaveASparseGradient) {
  Passes program;
  program.Forward(kGather).Forward(kBag).Forward(kProduct);
  program.Backward(kProduct).Backward(kRows).Backward(kOfRows);
  EXPECT_EQ(program.ClassesOf(kGather), (Classes{kEmbedding}));
}

TEST(NarrowRowsTest, APassForwardBeginsWithIt) {
  Passes program;
  for (int step = 0; step < 2; ++step) {
    program.Forward(kGather).Forward(kProduct);
    program.Backward(kProduct).Backward(kOfRows);
  }
  EXPECT_EQ(program.Attributed().processes[0].activities[4].direction,
            Direction::kForward);
}

}  // namespace
}  // namespace dltap::analyzer
