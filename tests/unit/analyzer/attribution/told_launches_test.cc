// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

struct Kernel {
  std::string name;
  bool is_told = false;
  int stream = 7;
};

const Kernel kForward = {"pytorch_flash::flash_fwd_splitkv_kernel", true};
const Kernel kCombine = {"pytorch_flash::flash_fwd_splitkv_combine_kernel"};
const Kernel kPrepare = {"pytorch_flash::flash_bwd_dot_do_o_kernel"};
const Kernel kBackward = {"pytorch_flash::flash_bwd_dq_dk_dv_loop", true};
const Kernel kConvert = {"pytorch_flash::flash_bwd_convert_dq_kernel"};
const Kernel kOther = {"gelu"};

// The work of each kernel, of 10 us: by the place of its told launch; -1: none.
// Its time is asserted to be that of all its kernels.
std::vector<int> WorksOf(const std::vector<Kernel>& kernels) {
  std::string text =
      "operation 1 attention_forward storage=bf16 math=bf16 batch=2 heads=4 "
      "kv_heads=4 seq_q=300 seq_kv=300 head_dim=64\ndevice 0\n";
  int at = 0;
  for (const Kernel& kernel : kernels) {
    at += 20;
    absl::StrAppend(&text, "call t=", at, "..", at + 1,
                    "us thread=0 cudaLaunchKernel",
                    kernel.is_told ? " operation=1" : "", "\n");
    absl::StrAppend(&text, "launchapi t=", at, "..", at + 1,
                    "us thread=0 corr=", at, "\n");
    absl::StrAppend(&text, "kernel t=", at + 2, "..", at + 12,
                    "us device=0 stream=", kernel.stream, " corr=", at,
                    " name=", kernel.name, "\n");
  }
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  const ProcessAttribution& result = attribution.processes[0];
  std::vector<int> works;
  std::vector<int64_t> ns(result.works.size());
  for (const Attributed& activity : result.activities) {
    works.push_back(activity.work.known() ? int(activity.work.value()) : -1);
    if (activity.work.known()) ns[activity.work.value()] += 10'000;
  }
  for (size_t i = 0; i < ns.size(); ++i) {
    EXPECT_EQ(result.works[i].kernel_ns, ns[i]);
  }
  return works;
}

TEST(ToldLaunchesTest, WhatPreparesAndEndsAnAttentionSharesItsWork) {
  EXPECT_EQ(WorksOf({kForward, kCombine, kForward, kCombine}),
            (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(
      WorksOf({kPrepare, kBackward, kConvert, kPrepare, kBackward, kConvert}),
      (std::vector<int>{0, 0, 0, 1, 1, 1}));
}

TEST(ToldLaunchesTest, OperandsMayBePutInOrderBefore) {
  const Kernel transpose = {"transpose_kernel"};
  const Kernel fill = {"fill_kernel"};
  EXPECT_EQ(WorksOf({kPrepare, transpose, fill, kBackward, kConvert}),
            (std::vector<int>{0, -1, -1, 0, 0}));
  EXPECT_EQ(WorksOf({kBackward, transpose, kConvert}),
            (std::vector<int>{0, -1, -1}));
}

TEST(ToldLaunchesTest, WhatStandsApartIsOfNoWork) {
  EXPECT_EQ(WorksOf({kForward, kOther, kCombine}),
            (std::vector<int>{0, -1, -1}));
  EXPECT_EQ(WorksOf({kPrepare, kOther, kBackward}),
            (std::vector<int>{-1, -1, 0}));
  EXPECT_EQ(WorksOf({kCombine, kForward}), (std::vector<int>{-1, 0}));
  EXPECT_EQ(WorksOf({kPrepare, kConvert}), (std::vector<int>{-1, -1}));
}

TEST(ToldLaunchesTest, StreamsAreLookedAtOneByOne) {
  Kernel elsewhere = kCombine;
  elsewhere.stream = 8;
  Kernel between = kOther;
  between.stream = 8;
  EXPECT_EQ(WorksOf({kForward, elsewhere, between, kCombine}),
            (std::vector<int>{0, -1, -1, 0}));
}

}  // namespace
}  // namespace dltap::analyzer
