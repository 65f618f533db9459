// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/composite.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kSoftmax[] = "softmax_warp_forward";
constexpr char kSoftmaxBackward[] = "softmax_warp_backward";
constexpr char kScaling[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::AUnaryFunctor<float, at::native::MulFunctor<float> > >(int)\"";
constexpr char kAdding[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::CUDAFunctor_add<float> >(int)\"";

constexpr char kTimes[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::BinaryFunctor<float, at::native::MulFunctor<float> > >(int)\"";
constexpr char kSum[] = "\"void at::native::reduce_kernel<512, 1>(int)\"";
constexpr char kCopying[] =
    "\"void at::native::elementwise_kernel<128, 2, "
    "at::native::direct_copy_kernel_cuda(int)::{lambda()#1}>(int)\"";

// Writes calls and kernels one after the other, 10 us each.
class Program {
 public:
  // A product of `kernels` kernels.
  Program& Product(int batch, int m, int n, int k, int a = 0, int kernels = 1) {
    const int at = Next();
    absl::StrAppend(&text_, "call t=", at, "..", at + 2, "us thread=", thread_,
                    " cublasGemmStridedBatchedEx m=", m, " n=", n, " k=", k,
                    " batchCount=", batch);
    if (a != 0) absl::StrAppend(&text_, " A=", a);
    absl::StrAppend(&text_, "\n");
    for (int i = 0; i < kernels; ++i) {
      const int corr = ++corr_;
      absl::StrAppend(&text_, "launchapi t=", at, "..", at + 1,
                      "us thread=", thread_, " corr=", corr, " ext=", at,
                      "us\n");
      Row(at + i, corr, "some_kernel");
    }
    return *this;
  }
  Program& Kernel(const std::string& name) {
    const int at = Next();
    absl::StrAppend(&text_, "call t=", at, "..", at + 2, "us thread=", thread_,
                    " cudaLaunchKernel\nlaunchapi t=", at, "..", at + 1,
                    "us thread=", thread_, " corr=", ++corr_, " ext=", at,
                    "us\n");
    Row(at, corr_, name);
    return *this;
  }
  Program& Copy() {
    const int at = Next();
    absl::StrAppend(&text_, "memcpy t=", at + 3, "..", at + 4,
                    "us device=0 stream=", stream_, " corr=", ++corr_,
                    " kind=htod bytes=8\n");
    return *this;
  }
  Program& InBackward() {
    thread_ = 1;
    return *this;
  }
  Program& OnMain() {
    thread_ = 0;
    return *this;
  }
  Program& OnStream(int stream) {
    stream_ = stream;
    return *this;
  }

  std::vector<LayerClass> Classes() const {
    const TraceModel model = TraceFromText(
        "device 0 name=gpu\nthread 0 tid=1 name=python\n"
        "thread 1 tid=2 name=pt_autograd_0\n" +
        text_);
    const Attribution attribution = Attribute(model);
    std::vector<LayerClass> classes;
    for (const Attributed& at : attribution.processes[0].activities) {
      classes.push_back(at.layer_class);
    }
    return classes;
  }
  size_t Count(LayerClass layer_class) const {
    size_t count = 0;
    for (const LayerClass at : Classes()) count += at == layer_class ? 1 : 0;
    return count;
  }

 private:
  int Next() { return 10 * ++events_; }
  void Row(int at, int corr, const std::string& name) {
    absl::StrAppend(&text_, "kernel t=", at + 3, "..", at + 4,
                    "us device=0 stream=", stream_, " corr=", corr,
                    " name=", name, "\n");
  }

  std::string text_;
  int events_ = 0;
  int corr_ = 0;
  int stream_ = 7;
  int thread_ = 0;
};

// A softmax of one warp a row, or two: `blocks` of `rows` rows of threads.
std::string Softmax(int log2, int blocks, int rows,
                    const std::string& pass = "forward",
                    const std::string& is_log = "false") {
  return absl::StrCat("\"void softmax_warp_", pass, "<float, float, float, ",
                      log2, ", ", is_log, ", false>(int)\" grid=", blocks,
                      ",1,1 block=32,", rows, ",1");
}

constexpr LayerClass kAttention = LayerClass::kAttention;
constexpr LayerClass kGemm = LayerClass::kGemm;
constexpr LayerClass kRnn = LayerClass::kRnn;

TEST(CompositeAttentionTest, ASplitProductIsOneProduct) {
  Program program;
  program.Product(12, 64, 48, 32, 0, 2).Kernel(kSoftmax);
  program.Product(12, 32, 48, 64, 0, 2).Product(1, 64, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 5);
  EXPECT_EQ(program.Count(kGemm), 1);
}

TEST(CompositeAttentionTest, MaskScaleAndDropoutBetweenBelongToIt) {
  Program program;
  program.Kernel(kScaling).Product(12, 64, 48, 32);
  program.Kernel("masked_fill").Kernel(kSoftmax).Kernel("fused_dropout");
  program.Product(12, 32, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 6);
}

TEST(CompositeAttentionTest, GradientsOnBothSidesOfASoftmaxsGradient) {
  Program program;
  program.Product(1, 256, 48, 256);
  program.Product(12, 64, 48, 32).Product(12, 32, 64, 48);  // dP, dV
  program.Kernel(kSoftmaxBackward).Kernel(kScaling);
  program.Product(12, 32, 48, 64).Product(12, 32, 64, 48);  // dQ, dK
  program.Product(1, 256, 48, 256);
  EXPECT_EQ(program.Count(kAttention), 6);
  EXPECT_EQ(program.Count(kGemm), 2);
}

// XLA writes softmax and gradient alike, and orders the four as it likes.
TEST(CompositeAttentionTest, ProductsTellThePassOfAFusedSoftmax) {
  Program program;
  program.InBackward().Product(12, 64, 48, 32);  // dP
  program.Kernel("fusion_34");
  program.Product(12, 32, 48, 64).Product(12, 32, 64, 48);  // dQ, dK
  EXPECT_EQ(program.Count(kAttention), 4);
}

// A copy of one number, the mask's, is no end of an attention.
TEST(CompositeAttentionTest, AMaskIsMadeBeforeOrBetween) {
  const std::string where =
      "\"void at::native::elementwise_kernel<128, 4, "
      "at::native::where_kernel_impl(int)::{lambda()#1}>(int)\"";
  Program before;
  before.Kernel(where).Kernel(kScaling).Kernel(kCopying).Kernel(kScaling);
  before.Product(12, 64, 48, 32).Kernel(kAdding).Kernel(kSoftmax);
  before.Product(12, 32, 48, 64);
  EXPECT_EQ(before.Count(kAttention), 7);
  Program between;
  between.Product(12, 64, 48, 32).Copy().Kernel(where).Kernel(kSoftmax);
  between.Product(12, 32, 48, 64);
  EXPECT_EQ(between.Count(kAttention), 4);
}

TEST(CompositeAttentionTest, AMaskOfTruthsBecomesNumbersForAFusedKernel) {
  const std::string select =
      "\"void at::native::elementwise_kernel<128, 4, "
      "at::native::where_kernel_impl(int)::{lambda()#1}>(int)\"";
  Program program;
  program.Kernel(select).Product(1, 256, 48, 256).Kernel(select);
  program.Kernel("fmha_cutlassF_f32_aligned_64x64_rf_sm80");
  EXPECT_EQ(program.Count(kAttention), 2);
}

// DeBERTa: 16 x 48 x 48 scores by content, and two of 32 distances, which are
// gathered and added. The gradients come in reverse order.
TEST(CompositeAttentionTest, ScoresMayBeSumsWithRelativePositions) {
  Program program;
  program.Kernel(kScaling).Product(16, 48, 48, 16).Product(1, 64, 32, 64);
  program.Product(16, 32, 48, 16).Kernel(kCopying).Kernel(kAdding);
  program.Product(16, 32, 48, 16).Kernel(kCopying).Kernel(kAdding);
  program.Kernel(Softmax(6, 96, 4)).Product(16, 16, 48, 48);
  EXPECT_EQ(program.Count(kAttention), 8);
  program.InBackward().Product(1, 64, 192, 64);
  program.Product(16, 48, 48, 16).Product(16, 16, 48, 48);  // dP, dV
  program.Kernel(Softmax(6, 96, 4, "backward"));
  for (int term = 0; term < 2; ++term) {
    program.Kernel(kCopying).Product(16, 16, 48, 32).Product(16, 32, 16, 48);
  }
  program.Product(16, 16, 48, 48).Product(16, 48, 16, 48);  // dQ, dK
  program.Product(1, 64, 192, 64);
  EXPECT_EQ(program.Count(kAttention), 8 + 9);
  EXPECT_EQ(program.Count(kGemm), 3);
}

// SAM: rows of queries times tables of heights and widths, batched by these.
TEST(CompositeAttentionTest, TermsOfScoresAreBatchedOtherwise) {
  Program program;  // 4 heads of 8 x 8 places
  program.Product(8, 8, 32, 16).Product(8, 8, 32, 16);
  program.Product(4, 64, 64, 16).Kernel(kAdding).Kernel(kAdding);
  program.Kernel(Softmax(6, 32, 4)).Product(4, 16, 64, 64);
  EXPECT_EQ(program.Count(kAttention), 7);
  program.InBackward();
  program.Product(4, 64, 64, 16).Product(4, 16, 64, 64);  // dP, dV
  program.Kernel(Softmax(6, 32, 4, "backward"));
  program.Product(4, 16, 64, 64).Product(4, 64, 16, 64);  // dQ, dK
  for (int term = 0; term < 2; ++term) {
    program.Kernel(kSum).Product(8, 16, 32, 8).Product(8, 8, 16, 32);
  }
  EXPECT_EQ(program.Count(kAttention), 7 + 11);
}

// Swin 2: a network makes the positions' part of the scores.
TEST(CompositeAttentionTest, GradientsOfATableOfPositionsMayLieBetween) {
  const auto attention = [](const std::string& softmax) {
    Program program;
    program.InBackward().Product(12, 64, 48, 32).Product(12, 32, 64, 48);
    program.Kernel(softmax);
    for (int i = 0; i < 20; ++i) program.Kernel(kSum);
    program.Product(1, 8, 2, 512).Product(12, 32, 48, 64);
    program.Product(12, 32, 64, 48).Product(1, 256, 48, 256);
    return program.Count(kAttention);
  };
  EXPECT_EQ(attention(Softmax(6, 72, 4, "backward")), 25);
  EXPECT_EQ(attention(kSoftmaxBackward), 0);
}

// Conformer: the table of positions has its gradient among the attention's.
TEST(CompositeAttentionTest, WhatSortsForATableOfPositionsIsTheTables) {
  Program program;
  program.InBackward()
      .Product(8, 128, 128, 64)
      .Product(8, 64, 128, 128)
      .Kernel(kSoftmaxBackward)
      .Kernel("\"void cub::DeviceRadixSortOnesweepKernel<long>(long)\"")
      .Kernel(
          "\"void at::native::(anonymous namespace)::compute_grad_weight"
          "<float, long>(long*)\"")
      .Product(8, 128, 64, 128)
      .Product(8, 128, 64, 128);
  EXPECT_EQ(program.Count(LayerClass::kEmbedding), 2);
  EXPECT_EQ(program.Count(LayerClass::kAttention), 5);
}

TEST(CompositeAttentionTest, TheNextAttentionsGradientsAreItsOwn) {
  Program program;
  for (int layer = 0; layer < 2; ++layer) {
    program.Product(16, 48, 48, 16).Kernel(Softmax(6, 96, 4));
    program.Product(16, 16, 48, 48);
  }
  program.InBackward();
  for (int layer = 0; layer < 2; ++layer) {
    program.Product(16, 48, 48, 16).Product(16, 16, 48, 48);
    program.Kernel(Softmax(6, 96, 4, "backward"));
    program.Product(16, 16, 48, 48).Product(16, 48, 16, 48);
  }
  EXPECT_EQ(program.Count(kAttention), 2 * 3 + 2 * 5);
}

constexpr char kPower[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::pow_tensor_scalar_kernel_impl<float, float>(int)"
    "::{lambda(float)#1}>(int)\"";
constexpr char kMean[] =
    "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::MeanOps<float, float, float, float> > >(int)\"";
constexpr char kAddingOne[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::CUDAFunctorOnSelf_add<float> >(int)\"";
constexpr char kRoot[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::rsqrt_kernel_cuda(int)::{lambda()#1}>(int)\"";
constexpr LayerClass kNorm = LayerClass::kNorm;

Program MeanSquareNorm() {
  Program program;
  program.Product(1, 64, 192, 64).Kernel(kCopying).Kernel(kPower);
  program.Kernel(kMean).Kernel(kAddingOne).Kernel(kRoot).Kernel(kTimes);
  return program.Kernel(kCopying).Kernel(kTimes);
}

TEST(CompositeNormTest, ANormByTheMeanSquareIsOne) {
  Program program = MeanSquareNorm();
  program.Kernel(kTimes).Product(1, 64, 192, 64);  // a gate, or a rotation
  EXPECT_EQ(program.Count(kNorm), 6);
  EXPECT_EQ(program.Classes().back(), kGemm);
}

TEST(CompositeNormTest, ItsWeightMayBeNextToOne) {
  Program program;
  program.Kernel(kTimes).Kernel(kMean).Kernel(kAddingOne).Kernel(kRoot);
  program.Kernel(kTimes).Kernel(kAddingOne).Kernel(kTimes);
  EXPECT_EQ(program.Count(kNorm), 7);
}

TEST(CompositeNormTest, ItsGradientsEndWithTheirSum) {
  Program program = MeanSquareNorm();
  program.InBackward().Product(1, 64, 192, 64).Kernel(kTimes).Kernel(kTimes);
  program.Kernel(kSum).Kernel(kTimes).Kernel(kTimes).Kernel(kSum);
  program.Kernel(kAdding);  // the gradient beside the norm
  program.Kernel(kPower).Kernel(kScaling).Kernel(kTimes).Kernel(kScaling);
  program.Kernel(kScaling).Kernel(kTimes).Kernel(kAdding);
  program.Kernel(kAdding).Product(1, 64, 192, 64);
  EXPECT_EQ(program.Count(kNorm), 6 + 14);
}

TEST(CompositeNormTest, AMeanOfSquaresWithoutARootIsALoss) {
  Program program;
  program.Product(1, 64, 192, 64).Kernel(kPower).Kernel(kMean);
  program.InBackward().Kernel(kScaling).Kernel(kPower).Kernel(kScaling);
  program.Kernel(kTimes).Product(1, 64, 192, 64);
  EXPECT_EQ(program.Count(kNorm), 0);
}

// Adafactor divides by roots of means of squares.
TEST(CompositeNormTest, AnUpdatesRootsAreNone) {
  Program program;
  program.Product(1, 64, 192, 64).InBackward().Product(1, 64, 192, 64);
  program.OnMain().Kernel(kPower).Kernel(kMean).Kernel(kAddingOne);
  program.Kernel(kRoot).Kernel(kTimes);
  EXPECT_EQ(program.Count(kNorm), 0);
}

// PyTorch's kernels where an operand is broadcast.
std::string Strided(const std::string& functor) {
  return "\"void at::native::elementwise_kernel<128, 2, "
         "at::native::gpu_kernel_impl_nocast<at::native::" +
         functor + " > >(int)\"";
}
const std::string kLess = Strided("CUDAFunctor_add<float>");
const std::string kByRow = Strided("BinaryFunctor<float, MulFunctor<float> >");
const std::string kDivided =
    Strided("BinaryFunctor<float, DivFunctor<float> >");
constexpr char kVariance[] =
    "\"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::WelfordOps<float, float, int, std::pair<float, float> > > "
    ">(int)\"";
constexpr char kSquareRoot[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::sqrt_kernel_cuda(int)::{lambda()#1}>(int)\"";
constexpr char kNegation[] =
    "\"void at::native::vectorized_elementwise_kernel<4, "
    "at::native::neg_kernel_cuda(int)::{lambda()#1}>(int)\"";

TEST(CompositeNormTest, AMeanAndADeviationMakeOne) {
  Program program;
  program.Product(1, 64, 192, 64).Kernel(kMean).Kernel(kVariance);
  program.Kernel(kLess).Kernel(kByRow).Kernel(kAddingOne).Kernel(kSquareRoot);
  program.Kernel(kDivided).Kernel(kLess).Product(1, 64, 192, 64);
  EXPECT_EQ(program.Count(kNorm), 8);
}

TEST(CompositeNormTest, AMeanOfSquaresOfDifferencesIsAVariance) {
  Program program;
  program.Product(1, 64, 192, 64).Kernel(kMean).Kernel(kLess).Kernel(kPower);
  program.Kernel(kMean).Kernel(kLess).Kernel(kAddingOne).Kernel(kRoot);
  program.Kernel(kByRow).Kernel(kByRow).Kernel(kLess);
  program.Kernel(kAdding);  // a residual
  EXPECT_EQ(program.Count(kNorm), 10);
}

TEST(CompositeNormTest, ADeviationNeedsNoRoot) {
  Program program;
  program.Kernel(kMean).Kernel(kLess).Kernel(kByRow).Kernel(kVariance);
  program.Kernel(kAddingOne).Kernel(kDivided).Kernel(kLess);
  EXPECT_EQ(program.Count(kNorm), 7);
}

TEST(CompositeNormTest, ADeviationThatDividesNothingIsNone) {
  Program program;
  program.Product(1, 64, 192, 64).Kernel(kMean).Kernel(kLess);
  program.Kernel(kVariance).Kernel(kAddingOne).Kernel(kSquareRoot);
  program.Kernel(kScaling).Kernel(kMean);
  EXPECT_EQ(program.Count(kNorm), 0);
}

TEST(CompositeNormTest, GradientsOfAMeanEndWithItsSum) {
  Program program;
  program.Product(1, 64, 192, 64).InBackward().Product(1, 64, 192, 64);
  program.Kernel(kSum).Kernel(kTimes).Kernel(kTimes).Kernel(kSum);
  program.Kernel(kDivided).Kernel(kDivided).Kernel(kNegation).Kernel(kTimes);
  program.Kernel(kDivided).Kernel(kSum).Kernel(kScaling).Kernel(kDivided);
  program.Kernel(kNegation).Kernel(kSum).Kernel(kScaling).Kernel(kTimes);
  program.Kernel(kSum).Kernel(kAdding).Kernel(kAdding).Kernel(kScaling);
  program.Kernel(kAdding).Product(1, 64, 192, 64);
  EXPECT_EQ(program.Count(kNorm), 21);
}

TEST(CompositeAttentionTest, GroupedQueriesAreBatchedOtherwise) {
  Program program;
  program.Product(8, 64, 4 * 48, 32).Kernel(kSoftmax);
  program.Product(32, 32, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 3);
}

TEST(CompositeAttentionTest, AProjectionBetweenStaysAProduct) {
  Program program;
  program.Product(12, 64, 48, 32).Kernel(kSoftmax).Product(1, 384, 48, 384);
  program.Product(12, 32, 48, 64);
  EXPECT_EQ(program.Classes(), (std::vector<LayerClass>{kAttention, kAttention,
                                                        kGemm, kAttention}));
}

TEST(CompositeAttentionTest, ProductsThatDoNotFitAreNone) {
  Program program;  // a router, and experts of another shape
  program.Product(4, 256, 48, 128).Kernel(kSoftmax).Product(4, 128, 48, 96);
  EXPECT_EQ(program.Count(kAttention), 0);
}

TEST(CompositeAttentionTest, ASoftmaxOfTheScoresSizeIsAttentions) {
  Program program;  // 12 x 48 rows of 64
  program.Product(12, 64, 48, 32).Kernel(Softmax(6, 72, 4));
  program.Product(12, 32, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 3);
}

TEST(CompositeAttentionTest, SinksMayBeAppendedToTheScores) {
  Program program;  // 12 x 48 rows of 65
  program.Product(12, 64, 48, 32).Kernel(Softmax(7, 72, 4));
  program.Product(12, 32, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 3);
}

// Eight experts of 16 tokens, whose products give and take what the next needs;
// 128 tokens choose among the experts of the block behind.
TEST(CompositeAttentionTest, ARouterBetweenExpertsIsNoAttention) {
  Program forward;
  forward.Product(8, 64, 16, 32).Product(8, 32, 16, 64);
  forward.Kernel(Softmax(3, 4, 16));
  forward.Product(8, 64, 16, 32).Product(8, 32, 16, 64);
  EXPECT_EQ(forward.Count(kAttention), 0);
  Program backward;
  backward.InBackward().Product(8, 64, 16, 32).Product(8, 32, 64, 16);
  backward.Kernel(Softmax(3, 4, 16, "backward"));
  backward.Product(8, 32, 16, 64).Product(8, 64, 32, 16);
  EXPECT_EQ(backward.Count(kAttention), 0);
}

TEST(CompositeAttentionTest, TheSoftmaxOfALossIsNoAttentions) {
  Program program;
  program.Product(12, 64, 48, 32).Kernel(Softmax(6, 72, 4, "forward", "true"));
  program.Product(12, 32, 48, 64);
  EXPECT_EQ(program.Count(kAttention), 0);
}

TEST(CompositeAttentionTest, StreamsAreLookedAtOneByOne) {
  Program program;
  program.OnStream(7).Product(12, 64, 48, 32);
  program.OnStream(8).Product(6, 80, 40, 32);
  program.OnStream(7).Kernel(kSoftmax).OnStream(8).Kernel(kSoftmax);
  program.OnStream(7).Product(12, 32, 48, 64);
  program.OnStream(8).Product(6, 32, 40, 80);
  EXPECT_EQ(program.Count(kAttention), 6);
}

// i, f, g, o of one step; the input and the state meet their weights.
void LstmStep(Program& program, int weights, int more_weights) {
  program.Product(1, 512, 16, 64, weights);
  program.Product(1, 512, 16, 128, more_weights).Kernel(kAdding);
  program.Kernel("sigmoid_kernel").Kernel("\"at::native::tanh_kernel\"");
  program.Kernel(kAdding);
}

// The gradients of memory-efficient attention want the sums of O dO.
TEST(CompositeAttentionTest, TheSumsBeforeItsGradientsBelongToIt) {
  const std::vector<LayerClass> classes =
      Program()
          .Kernel(kTimes)
          .Kernel(kSum)
          .Kernel(kCopying)
          .Kernel("fmha_cutlassB_f32_aligned_64x64")
          .Classes();
  EXPECT_EQ(classes,
            (std::vector<LayerClass>{kAttention, kAttention,
                                     LayerClass::kLayout, kAttention}));
}

TEST(CompositeAttentionTest, AMaskMadeBetweenTwoScalingsBelongsToIt) {
  EXPECT_EQ(Program()
                .Kernel(kScaling)
                .Kernel("triu_tril_kernel")
                .Kernel("where_kernel_impl")
                .Kernel(kScaling)
                .Product(4, 64, 64, 16)
                .Kernel(kSoftmax)
                .Product(4, 16, 64, 64)
                .Count(kAttention),
            7);
}

TEST(CompositeRecurrentTest, GatesThatRepeatWithTheirWeightsAreACell) {
  Program program;
  for (int step = 0; step < 8; ++step) LstmStep(program, 1000, 2000);
  program.Product(1, 50, 16, 128, 3000);
  EXPECT_EQ(program.Count(kRnn), 8 * 6);
  EXPECT_EQ(program.Count(kGemm), 1);
}

TEST(CompositeRecurrentTest, WhatFollowsTheLastStepIsNoneOfTheCell) {
  Program program;
  for (int step = 0; step < 8; ++step) LstmStep(program, 1000, 2000);
  program.Kernel(kCopying).Kernel(kTimes).Product(1, 50, 128, 128, 3000);
  EXPECT_EQ(program.Count(kRnn), 8 * 6);
}

TEST(CompositeRecurrentTest, SevenStepsAreTooFew) {
  Program program;
  for (int step = 0; step < 7; ++step) LstmStep(program, 1000, 2000);
  EXPECT_EQ(program.Count(kRnn), 0);
}

TEST(CompositeRecurrentTest, LayersOfOtherWeightsAreNoCell) {
  Program program;
  for (int layer = 0; layer < 20; ++layer) {
    LstmStep(program, 1000 + layer, 2000 + layer);
  }
  EXPECT_EQ(program.Count(kRnn), 0);
}

TEST(CompositeRecurrentTest, AStateThroughTanhIsACell) {
  Program cell;
  Program layers;
  for (int step = 0; step < 20; ++step) {
    cell.Product(1, 128, 16, 128, 1000).Kernel("\"at::native::tanh_kernel\"");
    layers.Product(1, 128, 16, 128, 1000 + step)
        .Kernel("\"at::native::tanh_kernel\"");
  }
  EXPECT_EQ(cell.Count(kRnn), 40);
  EXPECT_EQ(layers.Count(kRnn), 0);
}

// The same layers for one part of a batch after the other.
TEST(CompositeRecurrentTest, LayersInALoopAreNoCell) {
  Program two;
  Program one;
  Program ends;  // without an activation
  Program cell;
  for (int part = 0; part < 20; ++part) {
    for (const int weights : {1000, 2000}) {
      two.Product(1, 128, 16, 128, weights).Kernel("relu_kernel");
    }
    one.Product(1, 128, 16, 128, 1000).Kernel("relu_kernel");
    ends.Product(1, 128, 16, 128, 1000).Kernel("relu_kernel");
    ends.Product(1, 128, 16, 128, 2000);
    cell.Product(1, 128, 16, 128, 1000).Product(1, 128, 16, 128, 2000);
    cell.Kernel(kAdding).Kernel("relu_kernel");
  }
  EXPECT_EQ(two.Count(kRnn), 0);
  EXPECT_EQ(one.Count(kRnn), 0);
  EXPECT_EQ(ends.Count(kRnn), 0);
  EXPECT_EQ(cell.Count(kRnn), 80);
}

TEST(CompositeRecurrentTest, TheSearchForAFixedPointIsNoCell) {
  Program search;
  for (int step = 0; step < 20; ++step) {
    search.Product(1, 128, 16, 128, 1000).Kernel(kAdding);
    search.Kernel("\"at::native::tanh_kernel\"").Kernel("layer_norm_kernel");
  }
  EXPECT_EQ(search.Count(kRnn), 0);
}

constexpr char kFusedCell[] = "\"kernel::gru_cell_forward<float>\"";
constexpr char kFusedGradients[] = "\"kernel::gru_cell_backward<float>\"";

// A cell whose state has the gates' width, and a head that is as wide.
TEST(CompositeRecurrentTest, AHeadOfTheGatesShapeIsNoPartOfTheCell) {
  Program program;
  for (int step = 0; step < 10; ++step) {
    program.Product(1, 768, 16, 256, 1000).Product(1, 768, 16, 256, 2000);
    program.Kernel(kFusedCell).Product(1, 768, 16, 256, 3000);
  }
  EXPECT_EQ(program.Count(kRnn), 10 * 3);
  program.InBackward();
  for (int step = 0; step < 10; ++step) {
    program.Product(1, 256, 16, 768, 3000).Product(1, 256, 768, 16, 40 + step);
    program.Kernel(kFusedGradients).Product(1, 256, 768, 16, 60 + step);
    // The first step has no state before it.
    if (step < 9) program.Product(1, 256, 16, 768, 2000);
    program.Product(1, 256, 768, 16, 60 + step).Kernel(kSum);
  }
  EXPECT_EQ(program.Count(kRnn), 10 * 3 + 9 * 5 + 4);
  EXPECT_EQ(program.Count(kGemm), 10 + 10 * 2);
}

// Three steps, with an attention's products of other weights between.
TEST(CompositeRecurrentTest, AFusedCellIsOneHoweverOftenItRuns) {
  Program program;
  for (int step = 0; step < 3; ++step) {
    program.Product(1, 256, 16, 256, 4000).Kernel(kScaling);
    program.Product(1, 768, 16, 128, 1000).Product(1, 768, 16, 256, 2000);
    program.Kernel(kFusedCell).Kernel(kAdding);
    program.Product(1, 32, 16, 256, 3000);
  }
  EXPECT_EQ(program.Count(kRnn), 3 * 3);
  program.InBackward();
  for (int step = 0; step < 3; ++step) {
    program.Product(1, 256, 16, 32, 3000).Product(1, 256, 32, 16, 40 + step);
    program.Kernel(kFusedGradients);
    program.Product(1, 128, 16, 768, 1000).Product(1, 128, 768, 16, 60 + step);
    program.Product(1, 256, 16, 768, 2000).Product(1, 256, 768, 16, 60 + step);
    program.Kernel(kSum).Product(1, 256, 16, 256, 4000);
    program.Product(1, 256, 256, 16, 70 + step);
  }
  EXPECT_EQ(program.Count(kRnn), 3 * 3 + 3 * 6);
  EXPECT_EQ(program.Count(kGemm), 3 * 2 + 3 * 4);
}

// The states are also stacked: their gradients are copied from there.
TEST(CompositeRecurrentTest, GradientsOfAFusedCellsStateAddUpOutsideIt) {
  Program program;
  for (int step = 0; step < 10; ++step) {
    program.Product(1, 768, 16, 128, 1000).Product(1, 768, 16, 256, 2000);
    program.Kernel(kFusedCell);
  }
  EXPECT_EQ(program.Count(kRnn), 10 * 3);
  program.InBackward();
  for (int step = 0; step < 10; ++step) {
    program.Kernel("\"at::native::FillFunctor<float>\"")
        .Kernel("\"at::native::direct_copy_kernel_cuda<float>\"");
    if (step > 0) program.Kernel(kAdding);
    program.Kernel(kFusedGradients);
    program.Product(1, 128, 16, 768, 1000).Product(1, 128, 768, 16, 60 + step);
    program.Product(1, 256, 16, 768, 2000).Product(1, 256, 768, 16, 60 + step);
    program.Kernel(kAdding);  // a weight's, of all steps
  }
  EXPECT_EQ(program.Count(kRnn), 10 * 3 + 10 * 6);
}

TEST(CompositeRecurrentTest, AnElmanCellMayHaveAHeadBesideIt) {
  for (const int known : {1, 0}) {  // addresses
    Program cell;
    Program layers;  // tanh(x) of one goes into the next
    for (int step = 0; step < 10; ++step) {
      cell.Product(1, 128, 16, 64, 1000 * known);
      cell.Product(1, 128, 16, 128, 2000 * known);
      cell.Kernel(kAdding).Kernel("\"at::native::tanh_kernel\"");
      cell.Product(1, 32, 16, 128, 3000 * known);
      for (const int weights : {1000, 2000}) {
        layers.Product(1, 128, 16, 128, weights * known).Kernel(kAdding);
        layers.Kernel("\"at::native::tanh_kernel\"");
      }
      layers.Product(1, 32, 16, 128, 3000 * known);
    }
    EXPECT_EQ(cell.Count(kRnn), 40) << known;
    EXPECT_EQ(cell.Count(kGemm), 10) << known;
    EXPECT_EQ(layers.Count(kRnn), 0) << known;
  }
}

TEST(CompositeRecurrentTest, ACellsProductsMayBeNormed) {
  for (const int known : {1, 0}) {  // addresses
    Program cell;
    Program layers;  // tanh(a) * sigmoid(b) of two halves, between norms
    for (int step = 0; step < 10; ++step) {
      cell.Product(1, 512, 16, 64, 1000 * known).Kernel("layer_norm_kernel");
      cell.Product(1, 512, 16, 128, 2000 * known).Kernel("layer_norm_kernel");
      cell.Kernel(kAdding)
          .Kernel("sigmoid_kernel")
          .Kernel("at::native::tanh_kernel");
      const int weights = known * (1000 + step);
      layers.Product(1, 256, 16, 128, weights)
          .Kernel("at::native::tanh_kernel");
      layers.Kernel("sigmoid_kernel").Product(1, 128, 16, 128, weights);
      layers.Kernel("layer_norm_kernel");
    }
    EXPECT_EQ(cell.Count(kRnn), 10 * 5) << known;
    EXPECT_EQ(layers.Count(kRnn), 0) << known;
  }
}

TEST(CompositeRecurrentTest, GradientsOfACellWithoutGatesMayPassANorm) {
  Program program;
  for (int step = 0; step < 10; ++step) {
    program.Product(1, 128, 16, 64, 1000).Product(1, 128, 16, 128, 2000);
    program.Kernel(kAdding)
        .Kernel("layer_norm_kernel")
        .Kernel("at::native::tanh_kernel");
  }
  program.InBackward();
  for (int step = 0; step < 10; ++step) {
    program.Kernel("at::native::tanh_backward_kernel")
        .Kernel("layer_norm_grad");
    program.Product(1, 128, 16, 128, 2000);
    program.Product(1, 128, 128, 16, 50 + step);
    program.Product(1, 64, 128, 16, 50 + step).Kernel(kAdding);
  }
  EXPECT_EQ(program.Count(kRnn), 10 * 4 + 10 * 5);
  EXPECT_EQ(program.Count(kGemm), 0);
}

TEST(CompositeRecurrentTest, ATransformerDecodingIsNoCell) {
  Program program;
  for (int token = 0; token < 20; ++token) {
    program.Product(1, 256, 1, 256, 1000).Kernel("rms_norm_kernel");
    program.Product(1, 256, 1, 256, 2000).Kernel("silu_kernel");
  }
  EXPECT_EQ(program.Count(kRnn), 0);
}

}  // namespace
}  // namespace dltap::analyzer
