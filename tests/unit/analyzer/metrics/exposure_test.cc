// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/exposure.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

const ClassRow& RowOf(const Figures& figures, LayerClass layer_class) {
  for (const ClassRow& row : figures.classes) {
    if (row.layer_class == layer_class) return row;
  }
  std::abort();
}

// The example of METRICS.md.
constexpr char kAllAtOnce[] =
    "device 0 name=gpu\n"
    "kernel t=0..50us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
    "kernel t=20..90us device=0 stream=9 "
    "name=ncclDevKernel_AllReduce_Sum_f32_RING_LL\n"
    "memcpy t=30..100us device=0 stream=10 kind=htod bytes=1024\n"
    "memcpy t=95..120us device=0 stream=11 kind=dtoh bytes=1024\n";

TEST(ExposureTest, WhatMovesDataIsHiddenByWhatIsOfMoreUse) {
  const Summary summary = SummaryOf(kAllAtOnce);
  const Figures figures = FiguresOf(summary);
  const Exposures& exposures = figures.program.exposures;
  EXPECT_EQ(exposures.comm.exposed_ns, 40'000);
  EXPECT_EQ(exposures.comm.hidden_ns, 30'000);
  EXPECT_EQ(exposures.copies.exposed_ns, 30'000);
  EXPECT_EQ(exposures.copies.hidden_ns, 60'000);
  const ClassRow& h2d = RowOf(figures, LayerClass::kCopyH2d);
  EXPECT_EQ(h2d.figures.sums.exposed_ns, 10'000);
  EXPECT_EQ(h2d.figures.sums.hidden_ns(), 60'000);
  const ClassRow& d2h = RowOf(figures, LayerClass::kCopyD2h);
  EXPECT_EQ(d2h.figures.sums.exposed_ns, 25'000);
  EXPECT_EQ(d2h.figures.sums.hidden_ns(), 0);
  EXPECT_FALSE(RowOf(figures, LayerClass::kGemm).figures.step_mean.exposed_ns);
}

TEST(ExposureTest, DevicesAddUp) {
  const std::string process =
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=ncclDevKernel_AllGather_RING\n";
  const Summary summary = SummaryOf("process pid=1 rank=0\n" + process +
                                    "process pid=2 rank=1\n" + process);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.program.exposures.comm.exposed_ns, 20'000);
  EXPECT_EQ(figures.devices[0].sums->comm_hidden_ns(), 0);
}

}  // namespace
}  // namespace dltap::analyzer
