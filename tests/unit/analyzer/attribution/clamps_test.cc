// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/clamps.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/analyzer/attribution/passes.h"

namespace dltap::analyzer {
namespace {

constexpr char kClamp[] = "launch_clamp_scalar";
constexpr char kProduct[] = "ampere_sgemm_tn";
constexpr char kTimes[] = "elementwise_mul";

using Classes = std::vector<LayerClass>;
constexpr LayerClass kActivation = LayerClass::kActivation;
constexpr LayerClass kElementwise = LayerClass::kElementwise;

TEST(ClampsTest, TheGradientTellsARelu) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp);                    // relu
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);    // a ratio's
  program.Forward(kProduct).Forward("reduce").Forward(kClamp);  // relu
  program.Backward("threshold_kernel_impl").SelectionBackward();
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp),
            (Classes{kActivation, kElementwise, kActivation}));
}

TEST(ClampsTest, AClampOfAProductMayHaveTheGradientOfAClamp) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp).SelectionBackward();
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kElementwise}));
}

// Noise, a teacher's output, a variance: no gradient goes through them.
TEST(ClampsTest, AClampWithoutGradientTakesNoRelus) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward("softplus_kernel").Forward(kClamp);
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kActivation, kElementwise}));
}

// After equal kernels, each by its own gradient.
TEST(ClampsTest, AReluAndAClampMayFollowEqualProducts) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp).Forward(kProduct).Forward(kClamp);
  program.SelectionBackward().Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kActivation, kElementwise}));
}

// Lengths are clamped from below, with a gradient and without; so is the relu
// of a model that only follows another one.
TEST(ClampsTest, ClampsWithoutGradientsTakeNoneOfOtherSizes) {
  Passes program;
  for (int i = 0; i < 2; ++i) program.Forward("cudnn::bn_fw").Forward(kClamp);
  for (int i = 0; i < 2; ++i) program.Forward("reduce", 1).Forward(kClamp, 1);
  program.Backward("compare_scalar_kernel", 1).Backward("where_kernel_impl", 1);
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp),
            (Classes{kActivation, kActivation, kElementwise, kElementwise}));
}

// A gradient that is laid out otherwise has another grid.
TEST(ClampsTest, AReluIsKnownWhateverItsGradientsGrid) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp, 20);
  program.Forward("gather").Forward(kClamp, 1);  // of lengths
  program.Backward("threshold_kernel_impl", 80);
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kActivation, kElementwise}));
}

// An evaluation: the same kernels, without gradients.
TEST(ClampsTest, OneGradientSettlesThoseOfItsPlace) {
  Passes program;
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);
  program.Backward("threshold_kernel_impl");
  program.Forward(kProduct).Forward(kTimes).Forward(kClamp);
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kActivation, kActivation}));
}

TEST(ClampsTest, WithoutGradientsWhatLiesBeforeTells) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward(kProduct);
  program.Forward("CUDAFunctor_add").Forward(kClamp);  // of two branches
  program.Forward("round_kernel").Forward(kClamp);     // to a range of bytes
  program.Forward("CUDAFunctor_add").Forward(kClamp);  // of noise
  EXPECT_EQ(program.ClassesOf(kClamp),
            (Classes{kActivation, kActivation, kElementwise, kElementwise}));
}

// By which an input is moved (an attack, Langevin steps).
TEST(ClampsTest, AClampOfAGradientIsNoActivation) {
  Passes program;
  program.Forward(kProduct).Backward(kProduct).Forward(kClamp);
  program.Forward(kProduct).Backward(kProduct);
  program.Backward("CUDAFunctor_add").Forward(kClamp);
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kElementwise, kElementwise}));
}

// Distances by a product, entropies: no activation has a root after it.
TEST(ClampsTest, AClampBeforeARootOrALogarithmGuardsItsDomain) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp).Forward("sqrt_kernel_cuda");
  program.Forward(kProduct).Forward(kClamp).Forward("log_kernel_cuda");
  program.Forward(kProduct).Forward(kClamp).Forward(kTimes);
  EXPECT_EQ(program.ClassesOf(kClamp),
            (Classes{kElementwise, kElementwise, kActivation}));
}

// Relus after equal products say nothing of it.
TEST(ClampsTest, AGuardIsNoneOfTheRelusOfItsPlace) {
  Passes program;
  program.Forward(kProduct).Forward(kClamp);
  program.Forward(kProduct).Forward(kClamp).Forward("sqrt_kernel_cuda");
  program.Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp), (Classes{kActivation, kElementwise}));
}

// A spectral norm's iterations clamp in as small grids as a hinge loss.
TEST(ClampsTest, AHingeIsOfALayer) {
  Passes program;
  for (int i = 0; i < 2; ++i) {
    program.Forward(kProduct).Forward("reduce_kernel").Forward(kClamp);
    program.Forward(kProduct).Forward("CUDAFunctorOnOther_add");
    program.Forward(kClamp);
  }
  program.Backward("threshold_kernel_impl").Backward("threshold_kernel_impl");
  EXPECT_EQ(program.ClassesOf(kClamp),
            (Classes{kElementwise, kActivation, kElementwise, kActivation}));
}

}  // namespace
}  // namespace dltap::analyzer
