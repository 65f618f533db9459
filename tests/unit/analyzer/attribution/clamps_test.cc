// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/clamps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kClamp[] = "launch_clamp_scalar";
constexpr char kProduct[] = "ampere_sgemm_tn";
constexpr char kTimes[] = "elementwise_mul";

// Launches, one after the other.
class Program {
 public:
  Program& Forward(const std::string& name, int blocks = 8) {
    return Add(0, name, blocks);
  }
  Program& Backward(const std::string& name, int blocks = 8) {
    return Add(1, name, blocks);
  }
  Program& SelectionBackward() {
    return Backward("compare_scalar_kernel").Backward("where_kernel_impl");
  }

  // Of the clamps, in order.
  std::vector<LayerClass> Clamps() const {
    const TraceModel model = TraceFromText(
        "device 0 name=gpu\nthread 0 tid=1 name=python\n"
        "thread 1 tid=2 name=pt_autograd_0\n" +
        text_);
    const Attribution attribution = Attribute(model);
    std::vector<LayerClass> classes;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != kClamp) continue;
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
constexpr LayerClass kActivation = LayerClass::kActivation;
constexpr LayerClass kElementwise = LayerClass::kElementwise;

TEST(ClampsTest, TheGradientTellsARelu) {
  Program program;
  program.Forward(kProduct).Forward(kClamp);                    // relu
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);    // a ratio's
  program.Forward(kProduct).Forward("reduce").Forward(kClamp);  // relu
  program.Backward("threshold_kernel_impl").SelectionBackward();
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(),
            (Classes{kActivation, kElementwise, kActivation}));
}

TEST(ClampsTest, AClampOfAProductMayHaveTheGradientOfAClamp) {
  Program program;
  program.Forward(kProduct).Forward(kClamp).SelectionBackward();
  EXPECT_EQ(program.Clamps(), (Classes{kElementwise}));
}

// Noise, a teacher's output, a variance: no gradient goes through them.
TEST(ClampsTest, AClampWithoutGradientTakesNoRelus) {
  Program program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward("softplus_kernel").Forward(kClamp);
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(), (Classes{kActivation, kElementwise}));
}

// After equal kernels, each by its own gradient.
TEST(ClampsTest, AReluAndAClampMayFollowEqualProducts) {
  Program program;
  program.Forward(kProduct).Forward(kClamp).Forward(kProduct).Forward(kClamp);
  program.SelectionBackward().Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(), (Classes{kActivation, kElementwise}));
}

// Lengths are clamped from below, with a gradient and without; so is the relu
// of a model that only follows another one.
TEST(ClampsTest, ClampsWithoutGradientsTakeNoneOfOtherSizes) {
  Program program;
  for (int i = 0; i < 2; ++i) program.Forward("cudnn::bn_fw").Forward(kClamp);
  for (int i = 0; i < 2; ++i) program.Forward("reduce", 1).Forward(kClamp, 1);
  program.Backward("compare_scalar_kernel", 1).Backward("where_kernel_impl", 1);
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(),
            (Classes{kActivation, kActivation, kElementwise, kElementwise}));
}

// A gradient that is laid out otherwise has another grid.
TEST(ClampsTest, AReluIsKnownWhateverItsGradientsGrid) {
  Program program;
  program.Forward(kProduct).Forward(kClamp, 20);
  program.Forward("gather").Forward(kClamp, 1);  // of lengths
  program.Backward("threshold_kernel_impl", 80);
  EXPECT_EQ(program.Clamps(), (Classes{kActivation, kElementwise}));
}

// An evaluation: the same kernels, without gradients.
TEST(ClampsTest, OneGradientSettlesThoseOfItsPlace) {
  Program program;
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);
  program.Backward("threshold_kernel_impl");
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);
  EXPECT_EQ(program.Clamps(), (Classes{kActivation, kActivation}));
}

TEST(ClampsTest, WithoutGradientsWhatLiesBeforeTells) {
  Program program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward(kProduct);
  program.Forward("CUDAFunctor_add").Forward(kClamp);  // of two branches
  program.Forward("round_kernel").Forward(kClamp);     // to a range of bytes
  program.Forward("CUDAFunctor_add").Forward(kClamp);  // of noise
  EXPECT_EQ(program.Clamps(),
            (Classes{kActivation, kActivation, kElementwise, kElementwise}));
}

// Distances by a product, entropies: no activation has a root after it.
TEST(ClampsTest, AClampBeforeARootOrALogarithmGuardsItsDomain) {
  Program program;
  program.Forward(kProduct).Forward(kClamp).Forward("sqrt_kernel_cuda");
  program.Forward(kProduct).Forward(kClamp).Forward("log_kernel_cuda");
  program.Forward(kProduct).Forward(kClamp).Forward(kTimes);
  EXPECT_EQ(program.Clamps(),
            (Classes{kElementwise, kElementwise, kActivation}));
}

// Relus after equal products say nothing of it.
TEST(ClampsTest, AGuardIsNoneOfTheRelusOfItsPlace) {
  Program program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward(kProduct).Forward(kClamp).Forward("sqrt_kernel_cuda");
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(), (Classes{kActivation, kElementwise}));
}

// A spectral norm's iterations clamp in as small grids as a hinge loss.
TEST(ClampsTest, AHingeIsOfALayer) {
  Program program;
  for (int i = 0; i < 2; ++i) {
    program.Forward(kProduct).Forward("reduce_kernel").Forward(kClamp);
    program.Forward(kProduct).Forward("CUDAFunctorOnOther_add");
    program.Forward(kClamp);
  }
  program.Backward("threshold_kernel_impl").Backward("threshold_kernel_impl");
  EXPECT_EQ(program.Clamps(),
            (Classes{kElementwise, kActivation, kElementwise, kActivation}));
}

}  // namespace
}  // namespace dltap::analyzer
