// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/advice/advice_of_text.h"

namespace dltap::analyzer {
namespace {

constexpr int kSteps = 20;
constexpr int kStepUs = 1000;

struct Upload {
  std::string source = "pageable";
  int us = 400;
  bool hidden = false;  // beside the kernel of the step before
  int mb = 10;
  std::string framework = "\"torch 2.11.0\"";
  bool down = false;  // a download
  int small = 0;      // so many more of 2 KB and 5 us each
};

// Steps of a copy of some MB and a GEMM of 500 us after it.
std::string Training(const Upload& upload) {
  std::string text =
      "process pid=1 framework=" + upload.framework + "\n" + std::string(kH100);
  for (int i = 0; i < kSteps; ++i) {
    const int at = kStepUs * (i + 1);
    const int corr = 10 * (i + 1);
    const int begin = upload.hidden ? at - 950 : at;
    const int end = upload.hidden ? at : at + upload.us;
    text += Line("range t=", at - 2, "..", at + kStepUs - 3,
                 "us thread=0 kind=step name=\"step ", i, "\"") +
            Line("call t=", begin - 1, "..", begin + 1,
                 "us thread=0 cudaMemcpyAsync") +
            Line("launchapi t=", begin - 1, "..", begin,
                 "us thread=0 corr=", corr) +
            Line("memcpy t=", begin, "..", begin + upload.us,
                 "us device=0 stream=9 corr=", corr,
                 upload.down ? " kind=dtoh src=device dst="
                             : " kind=htod dst=device src=",
                 upload.source, " bytes=", upload.mb * 1'000'000) +
            Line("call t=", at + 2, "..", at + 5,
                 "us thread=0 cublasSgemm_v2 m=512 n=512 k=512") +
            Line("launchapi t=", at + 3, "..", at + 4,
                 "us thread=0 corr=", corr + 1, " ext=", at + 2, "us") +
            Line("kernel t=", end, "..", end + 500,
                 "us device=0 stream=7 corr=", corr + 1, " name=sgemm");
    for (int k = 0; k < upload.small; ++k) {
      text +=
          Line("memcpy t=", end + 500 + 5 * k, "..", end + 505 + 5 * k,
               "us device=0 stream=7 kind=htod dst=device src=", upload.source,
               " bytes=2048");
    }
  }
  return text;
}

TEST(CopiesAdviceTest, PageableMemoryIsToBePinned) {
  const AdviceList list = AdviceOf(Training({}));
  const auto advice = Given(list, "pageable");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->act.find("pin_memory=True"), std::string::npos);
  EXPECT_EQ(advice->evidence.steps_seen, advice->evidence.steps);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 1);
  // 10 MB over a link of 64 GB/s, at 92 %: 170 us of 400.
  EXPECT_NEAR(advice->gain_ns, 228'000, 4'000);
  EXPECT_EQ(advice->basis, GainBasis::kModel);
}

// At 25 GB/s the driver copies into its own pinned buffer: nobody needs longer.
TEST(CopiesAdviceTest, PinningTakesNoLongerThanTheDriversOwnCopies) {
  const auto advice = Given(AdviceOf(Training({})), "pageable");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_low_ns, 0.85 * 228'000, 4'000);
}

TEST(CopiesAdviceTest, OnlyPinnedMemoryIsCopiedBesideKernels) {
  Upload upload;
  const auto pageable = Given(AdviceOf(Training(upload)), "copy_overlap");
  upload.source = "pinned";
  const auto pinned = Given(AdviceOf(Training(upload)), "copy_overlap");
  ASSERT_NE(pageable, nullptr);
  ASSERT_NE(pinned, nullptr);
  EXPECT_NE(pageable->act.find("from pinned memory"), std::string::npos);
  EXPECT_EQ(pinned->act.find("from pinned memory"), std::string::npos);
}

// It has no option that pins what a program feeds.
TEST(CopiesAdviceTest, TensorflowIsToPrefetchAndNotToPin) {
  Upload upload;
  upload.framework = "\"tensorflow 2.21.0\"";
  const AdviceList list = AdviceOf(Training(upload));
  EXPECT_EQ(Given(list, "pageable"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "pageable"), "");
  const auto advice = Given(list, "copy_overlap");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->act.find("prefetch_to_device"), std::string::npos);
  EXPECT_NEAR(advice->gain_low_ns, 200'000, 1'000);
  EXPECT_NEAR(advice->gain_high_ns, 400'000, 1'000);
}

TEST(CopiesAdviceTest, OtherFrameworksGetNoOptionOfTorch) {
  Upload upload;
  upload.framework = "\"jax 0.10.2\"";
  const auto advice = Given(AdviceOf(Training(upload)), "pageable");
  EXPECT_EQ(advice->act.find("pin_memory"), std::string::npos);
}

// XLA's copies wait for what was called before them, whatever the stream.
TEST(CopiesAdviceTest, JaxIsToPutTheNextBatchBeforeTheStepIsCalled) {
  Upload upload;
  upload.framework = "\"jax 0.10.2\"";
  for (const char* source : {"pageable", "pinned"}) {
    upload.source = source;
    const auto advice = Given(AdviceOf(Training(upload)), "copy_overlap");
    ASSERT_NE(advice, nullptr) << source;
    EXPECT_NE(advice->act.find("jax.device_put(next batch) before this step"),
              std::string::npos);
    EXPECT_EQ(advice->act.find("stream"), std::string::npos);
  }
}

TEST(CopiesAdviceTest, PinnedMemoryIsNotToBePinned) {
  Upload upload;
  upload.source = "pinned";
  upload.us = 170;
  const AdviceList list = AdviceOf(Training(upload));
  EXPECT_EQ(Given(list, "pageable"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "pageable"), "");
}

TEST(CopiesAdviceTest, ExposedCopiesCanHideBehindTheKernels) {
  Upload upload;
  upload.source = "pinned";
  const auto advice = Given(AdviceOf(Training(upload)), "copy_overlap");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_high_ns, 400'000, 1'000);
}

// The kernel runs beside 450 us of the next copy, and for 50 us alone; that of
// the last of 20 steps for 500.
TEST(CopiesAdviceTest, KernelsThatRunBesideACopyHideNoMoreOfIt) {
  Upload upload;
  upload.source = "pinned";
  upload.us = 900;
  upload.hidden = true;
  upload.mb = 50;
  const auto advice = Given(AdviceOf(Training(upload)), "copy_overlap");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->gain_high_ns, 72'500, 1'000);
}

// Both are after the time of the same copies: the second gains the rest.
TEST(CopiesAdviceTest, TheSecondAdviceGainsWhatTheFirstLeaves) {
  const AdviceList list = AdviceOf(Training({}));
  const auto first = Given(list, "pageable");
  const auto second = Given(list, "copy_overlap");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  const double gain_ns = first->gain_high_ns + second->gain_high_ns;
  EXPECT_FALSE(first->more);
  EXPECT_TRUE(second->more);
  EXPECT_LE(gain_ns, 400'000 * 1.06);
}

TEST(CopiesAdviceTest, HiddenCopiesCostNothing) {
  Upload upload;
  upload.hidden = true;
  const AdviceList list = AdviceOf(Training(upload));
  EXPECT_EQ(list.given.size(), 0U);
}

TEST(CopiesAdviceTest, OfAnUnknownGpuNoLinkIsKnown) {
  std::string text = Training({});
  text.replace(text.find("NVIDIA H100 80GB HBM3"), 21, "some GPU of its own  ");
  EXPECT_EQ(Given(AdviceOf(text), "pageable"), nullptr);
}

// All of the copy and of the gaps after it go at best; at worst the results
// are needed, and half of the copy hides behind the kernel.
TEST(CopiesAdviceTest, ResultsThatEveryStepCopiesToTheHost) {
  Upload download;
  download.down = true;
  const AdviceList list = AdviceOf(Training(download));
  const auto advice = Given(list, "download");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->layer_class, LayerClass::kCopyD2h);
  EXPECT_NEAR(advice->gain_low_ns, 200'000, 1'000);
  EXPECT_GE(advice->gain_high_ns, 399'000);
  EXPECT_EQ(Given(list, "pageable"), nullptr);
  EXPECT_EQ(Given(list, "copy_overlap"), nullptr);
}

TEST(CopiesAdviceTest, FewOrHiddenResultsAreLeftAlone) {
  Upload download;
  download.down = true;
  download.mb = 0;
  EXPECT_EQ(Given(AdviceOf(Training(download)), "download"), nullptr);
  download.mb = 10;
  download.hidden = true;
  EXPECT_EQ(Given(AdviceOf(Training(download)), "download"), nullptr);
}

TEST(CopiesAdviceTest, SmallTensorsAreToBeMadeOnTheGpu) {
  Upload upload;
  upload.hidden = true;
  upload.small = 16;
  const AdviceList list = AdviceOf(Training(upload));
  const auto advice = Given(list, "small_uploads");
  ASSERT_NE(advice, nullptr);
  EXPECT_DOUBLE_EQ(advice->evidence.count, 16);
  EXPECT_NEAR(advice->gain_low_ns, 40'000, 1'000);
  EXPECT_GE(advice->gain_high_ns, 80'000);
  EXPECT_EQ(Given(list, "copy_overlap"), nullptr);
  EXPECT_EQ(WhyHeldBack(list, "copy_overlap"), "");
}

}  // namespace
}  // namespace dltap::analyzer
