// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/ci_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Change Plain(double base, double now) { return ChangeOf({base}, {now}); }

TEST(CiReportTest, WhatHasNoDirectionIsNamedAsAWhole) {
  BaselineRun run;
  run.by_steps = true;
  CiReport report{"h100-sxm", run, run, {}, {}};
  report.changes = {{"step_ms", Plain(3, 4)},
                    {"class.gemm.forward_ms", Plain(1, 1.25)},
                    {"class.gemm.gpu_ms", Plain(2, 2.25)},
                    {"class.copy_d2d.gpu_ms", Plain(0, 0.75)}};
  const std::string text = CiText(report);
  const std::string sentence = text.substr(0, text.find('\n'));
  EXPECT_THAT(sentence, HasSubstr("step +33.3 % (3.00 -> 4.00 ms): "
                                  "class.copy_d2d.gpu_ms +0.75, "
                                  "class.gemm.forward_ms +0.25"));
  EXPECT_THAT(sentence, Not(HasSubstr("gemm.gpu_ms")));
}

}  // namespace
}  // namespace dltap::analyzer
