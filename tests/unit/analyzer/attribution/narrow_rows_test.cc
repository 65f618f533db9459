// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/narrow_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

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
constexpr char kOfRows[] =
    "\"void at::native::embedding_backward_feature_kernel<float>(long)\"";

// Launches, one after the other.
class Program {
 public:
  Program& Forward(const std::string& name, int blocks = 1) {
    return Add(0, name, blocks);
  }
  Program& Backward(const std::string& name) { return Add(1, name, 1); }

  Attribution Attributed() const {
    return Attribute(
        TraceFromText("device 0 name=gpu\nthread 0 tid=1 name=python\n"
                      "thread 1 tid=2 name=pt_autograd_0\n" +
                      text_));
  }
  // Of the gathers, in order.
  std::vector<LayerClass> Gathers() const {
    const Attribution attribution = Attributed();
    std::vector<LayerClass> classes;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != kGather) continue;
      classes.push_back(attribution.processes[0].activities[i].layer_class);
    }
    return classes;
  }

 private:
  Program& Add(int thread, const std::string& name, int blocks) {
    const size_t at = 10 * (names_.size() + 1);
    absl::StrAppend(&text_, "call t=", at, "..", at + 2, "us thread=", thread,
                    " cudaLaunchKernel launches=", name, "\nlaunchapi t=", at,
                    "..", at + 1, "us thread=", thread, " corr=", at,
                    "\nkernel t=", at + 3, "..", at + 4,
                    "us device=0 corr=", at, " grid=", blocks,
                    ",1,1 block=128,1,1 name=", name, "\n");
    names_.push_back(name);
    return *this;
  }

  std::string text_;
  std::vector<std::string> names_;
};

using Classes = std::vector<LayerClass>;
constexpr LayerClass kEmbedding = LayerClass::kEmbedding;
constexpr LayerClass kElementwise = LayerClass::kElementwise;

TEST(NarrowRowsTest, TheGradientOfRowsTellsAnEmbedding) {
  Program program;
  program.Forward(kRows).Forward(kGather).Forward(kProduct);
  program.Backward(kProduct).Backward(kOfRows).Backward(kOfRows);
  program.Forward(kGather);  // an evaluation
  EXPECT_EQ(program.Gathers(), (Classes{kEmbedding, kEmbedding}));
}

TEST(NarrowRowsTest, AChoiceOfActionsIsAGather) {
  Program program;
  program.Forward(kRows).Forward(kProduct).Forward(kGather, 2);
  program.Forward(kGather);  // no gradient goes through it
  program.Backward(kScatter).Backward(kProduct).Backward(kOfRows);
  EXPECT_EQ(program.Gathers(), (Classes{kElementwise, kElementwise}));
}

TEST(NarrowRowsTest, AnEmbeddingBesideAGatherIsToldByTheOrder) {
  Program program;
  program.Forward(kGather, 4).Forward(kProduct).Forward(kGather, 2);
  program.Backward(kScatter).Backward(kProduct).Backward(kOfRows);
  EXPECT_EQ(program.Gathers(), (Classes{kEmbedding, kElementwise}));
}

TEST(NarrowRowsTest, APassForwardBeginsWithIt) {
  Program program;
  for (int step = 0; step < 2; ++step) {
    program.Forward(kGather).Forward(kProduct);
    program.Backward(kProduct).Backward(kOfRows);
  }
  EXPECT_EQ(program.Attributed().processes[0].activities[4].direction,
            Direction::kForward);
}

}  // namespace
}  // namespace dltap::analyzer
