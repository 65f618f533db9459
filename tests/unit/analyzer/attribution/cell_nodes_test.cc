// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/cell_nodes.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// Operators of a profile, one after the other; each launches one kernel.
class Profile {
 public:
  // Inside what `Within` opened last; with the number of a node, if any.
  Profile& Operator(const std::string& name, int node,
                    const std::string& kernel) {
    const int at = at_ += 10;
    absl::StrAppend(&text_, "range t=", at, "..", at + 8, "us thread=", thread_,
                    " kind=op name=\"", name, "\"");
    if (node >= 0) absl::StrAppend(&text_, " seq=", node);
    if (thread_ == 1) absl::StrAppend(&text_, " backward");
    absl::StrAppend(&text_, "\ncall t=", at + 1, "..", at + 2,
                    "us thread=", thread_, " corr=", at, " cudaLaunchKernel\n",
                    "kernel t=", at + 3, "..", at + 4,
                    "us device=0 stream=7 corr=", at, " name=", kernel, "\n");
    return *this;
  }
  Profile& Within(const std::string& name, int operators, int node = -1) {
    absl::StrAppend(&text_, "range t=", at_ + 5, "..", at_ + 10 * operators + 9,
                    "us thread=", thread_, " kind=op name=\"", name, "\"");
    if (node >= 0) absl::StrAppend(&text_, " seq=", node);
    if (thread_ == 1) absl::StrAppend(&text_, " backward");
    absl::StrAppend(&text_, "\n");
    return *this;
  }
  Profile& InBackward() {
    thread_ = 1;
    return *this;
  }

  size_t Count(LayerClass layer_class) const {
    const TraceModel model = TraceFromText(
        "format kineto\ndevice 0 name=gpu\nthread 0 tid=1 name=python\n"
        "thread 1 tid=2 name=pt_autograd_0\n" +
        text_);
    const Attribution attribution = Attribute(model);
    size_t count = 0;
    for (const Attributed& at : attribution.processes[0].activities) {
      count += at.layer_class == layer_class ? 1 : 0;
    }
    return count;
  }

 private:
  std::string text_;
  int at_ = 0;
  int thread_ = 0;
};

constexpr char kGemmKernel[] = "ampere_sgemm_32x32_tn";
constexpr char kFused[] = "\"kernel::gru_cell_forward<float>\"";
constexpr char kFusedGradient[] = "\"kernel::gru_cell_backward<float>\"";

// Of 10 steps: the cell, and a head beside it. Nodes 3 n, 3 n + 1: the cell's
// products, 3 n + 2: the head's.
void Forward(Profile& profile) {
  for (int step = 0; step < 10; ++step) {
    profile.Within("aten::gru_cell", 3);
    profile.Operator("aten::addmm", 3 * step, kGemmKernel);
    profile.Operator("aten::addmm", 3 * step + 1, kGemmKernel);
    profile.Operator("aten::_thnn_fused_gru_cell", -1, kFused);
    profile.Operator("aten::addmm", 3 * step + 2, kGemmKernel);
  }
}

TEST(CellNodesTest, AHeadBesideWholeCellsIsNoCell) {
  Profile profile;
  Forward(profile);
  EXPECT_EQ(profile.Count(LayerClass::kRnn), 30);
  EXPECT_EQ(profile.Count(LayerClass::kGemm), 10);
}

TEST(CellNodesTest, TheNodesOfACellTellItsGradients) {
  constexpr char kNode[] =
      "autograd::engine::evaluate_function: AddmmBackward0";
  Profile profile;
  Forward(profile);
  profile.InBackward();
  for (int step = 9; step >= 0; --step) {
    profile.Operator(kNode, 3 * step + 2, kGemmKernel);
    profile.Operator("aten::_thnn_fused_gru_cell_backward", -1, kFusedGradient);
    profile.Operator(kNode, 3 * step + 1, kGemmKernel);
    profile.Operator(kNode, 3 * step, kGemmKernel);
  }
  EXPECT_EQ(profile.Count(LayerClass::kRnn), 60);
  EXPECT_EQ(profile.Count(LayerClass::kGemm), 20);
}

TEST(CellNodesTest, GradientsThatSeveralCallsOfALayerAddUpAreNoCell) {
  constexpr char kAdd[] =
      "\"vectorized_elementwise_kernel<4, "
      "at::native::CUDAFunctor_add<float>>\"";
  Profile profile;
  for (int call = 0; call < 4; ++call) {
    profile.Operator("aten::_cudnn_rnn", call, kGemmKernel);
  }
  profile.InBackward();
  for (int call = 3; call >= 0; --call) {
    profile.Within("autograd::engine::evaluate_function: CudnnRnnBackward0", 2,
                   call);
    profile.Operator("aten::_cudnn_rnn_backward", -1, kGemmKernel);
    profile.Operator("aten::add_", -1, kAdd);
  }
  EXPECT_EQ(profile.Count(LayerClass::kRnn), 8);
  EXPECT_EQ(profile.Count(LayerClass::kElementwise), 4);
}

}  // namespace
}  // namespace dltap::analyzer
