// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/text_report.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "analyzer/reports/detail_tables.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/step_lines.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr ReportBy kAll[] = {
    ReportBy::kClass,    ReportBy::kApi,     ReportBy::kKernel,
    ReportBy::kOp,       ReportBy::kStep,    ReportBy::kEvidence,
    ReportBy::kRoofline, ReportBy::kLongLow, ReportBy::kCollective,
    ReportBy::kMemory,   ReportBy::kPath,    ReportBy::kWhatIf,
    ReportBy::kLayer};

std::string Report(const std::string& text, ReportBy by = ReportBy::kClass,
                   const ReportOptions& options = {}) {
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  return TextReport(summary, FiguresOf(summary), by, options);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Long(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(TextReportTest, EveryLineFitsThePage) {
  const std::string trace =
      "process pid=1 program=" + Long("train_", 60) + "\n" +
      "device 0 name=gpu\n"
      "call t=0..5us thread=0 " +
      Long("aVeryLongFunction", 12) + "\n" +
      "kernel t=0..40us device=0 stream=7 name=" + Long("kernel_", 50) + "\n" +
      "kernel t=50..90us device=0 stream=7 name=\"" + Long("\u00e9\u20ac", 80) +
      "\"\n";
  for (const ReportBy by : kAll) {
    std::istringstream lines(Report(trace, by));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), kUsualPageWidth) << line;
      EXPECT_EQ(Printable(line), line);
    }
  }
}

TEST(TextReportTest, FirstLineTellsTheCommand) {
  const std::string report = Report(
      "process pid=1 program=python\nargument text=/usr/bin/python\n"
      "argument text=train.py\nargument text=\"a\\x0a\\xff\"\n"
      "device 0 name=gpu\nkernel t=0..40us device=0 name=k\n",
      ReportBy::kClass);
  EXPECT_TRUE(
      report.starts_with("python train.py 'a \uFFFD' · 1 process · gpu"))
      << report;
}

TEST(TextReportTest, FirstLineTellsOfGpusThatAreNotInUse) {
  const std::string work =
      "device 0 name=gpu uuid=01\ndevice 1 name=gpu uuid=02\n"
      "kernel t=0..40us device=0 stream=7 name=k\n";
  EXPECT_TRUE(
      Has(Report("process pid=1\n" + work), "1 of 2 visible GPUs in use"));
  EXPECT_FALSE(Has(Report("process pid=1\n" + work +
                          "kernel t=0..40us device=1 stream=8 name=k\n"),
                   "visible"));
  // Other ranks have theirs.
  EXPECT_FALSE(Has(Report("process pid=1 rank=0\n" + work), "visible"));
}

TEST(TextReportTest, ControlBytesOfNamesAreMadeVisible) {
  const std::string trace =
      "process pid=1 program=\"x\\x1b[31m\"\n"
      "device 0 name=\"g\\x07pu\"\n"
      "kernel t=0..40us device=0 stream=7 name=\"k\\x1b[2J\"\n";
  for (const ReportBy by : kAll) {
    const std::string report = Report(trace, by);
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
    EXPECT_EQ(report.find('\x07'), std::string::npos);
  }
}

// 1 us of 1 ms is below the 0.5 % at which rows are folded.
constexpr char kSmallRows[] =
    "device 0 name=gpu\n"
    "kernel t=0..1000us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
    "kernel t=1000..1001us device=0 stream=7 name=softmax_warp_forward\n"
    "kernel t=1001..1002us device=0 stream=7 name=my_secret_thing\n";

TEST(TextReportTest, SmallRowsFoldButUnattributedNever) {
  const std::string report = Report(kSmallRows);
  EXPECT_TRUE(Has(report, "(1 more)")) << report;
  EXPECT_FALSE(Has(report, "SOFTMAX")) << report;
  EXPECT_TRUE(Has(report, "UNATTRIBUTED")) << report;
  ReportOptions options;
  options.wide = true;
  const std::string wide = Report(kSmallRows, ReportBy::kClass, options);
  EXPECT_FALSE(Has(wide, "more)")) << wide;
  EXPECT_TRUE(Has(wide, "SOFTMAX")) << wide;
}

TEST(TextReportTest, AnUpdateThatIsMostOfAllHidesNoPass) {
  const std::string report = Report(
      "device 0 name=gpu\n"
      "call t=0..1us thread=0 cudnnConvolutionForward\n"
      "launchapi t=0..1us thread=0 corr=1\n"
      "kernel t=10..1010us device=0 stream=7 corr=1 name=fprop\n"
      "kernel t=1010..9010us device=0 stream=7 "
      "name=multi_tensor_apply_kernel_adam\n");
  const size_t row = report.find("\ntotal") + 1;
  const std::string line = report.substr(row, report.find('\n', row) - row);
  EXPECT_TRUE(Has(line, "1.00 / 0.00")) << report;
  EXPECT_FALSE(Has(line, "update")) << report;
}

TEST(TextReportTest, ARequestRefusedTwiceIsOneLine) {
  const std::string report = Report(
      "device 0 name=gpu memory=85899345920\n"
      "kernel t=0..1us device=0 stream=7 name=k\n"
      "call t=100000..100001us thread=0 cudaMalloc failed devPtr=0 "
      "size=85899345920\n"
      "call t=100002..100003us thread=0 cudaMalloc failed devPtr=0 "
      "size=85899345920\n",
      ReportBy::kMemory);
  EXPECT_TRUE(Has(report, "asked for 2 times")) << report;
  // That line, and the warning above.
  const std::string failed = "81,920.0 MiB failed";
  EXPECT_EQ(report.rfind(failed, report.rfind(failed) - 1),
            report.find(failed));
}

TEST(TextReportTest, WhereTensorflowsNamesTellDirectionsTheyAreNamed) {
  const auto report_of = [](const std::string& framework) {
    return Report(
        "process pid=1 framework=\"" + framework +
        "\"\n"
        "device 0 name=gpu\n"
        "kernel t=0..40us device=0 "
        "name=\"void tensorflow::BiasGradNHWC_SharedAtomics()\"\n"
        "kernel t=40..100us device=0 name=Mul_GPU_DT_FLOAT_DT_FLOAT_kernel\n");
  };
  EXPECT_TRUE(Has(report_of("tensorflow 2.20.0"), "--tf-names"));
  EXPECT_FALSE(Has(report_of("torch 2.11.0"), "--tf-names"));
}

TEST(TextReportTest, AnEmptyTableIsSaidToBeOne) {
  EXPECT_TRUE(Has(Report(kSmallRows, ReportBy::kEvidence),
                  "nothing tells of a kernel other than its name does"));
  EXPECT_TRUE(Has(Report(kSmallRows, ReportBy::kCollective),
                  "nothing was communicated"));
}

TEST(TextReportTest, WordsOfTheJsonAreSpokenAsPeopleDo) {
  EXPECT_EQ(Spoken("warm_up"), "warm-up");
  EXPECT_EQ(Spoken("feature_maps"), "feature maps");
}

TEST(TextReportTest, UnknownFlopsAreAQuestionMark) {
  const std::string report = Report(kSmallRows, ReportBy::kClass);
  const size_t row = report.find("\nGEMM") + 1;
  const std::string line = report.substr(row, report.find('\n', row) - row);
  EXPECT_TRUE(Has(line, " ? ")) << line;
}

TEST(TextReportTest, OfACutFileEventsOfAnyTimeMayBeMissing) {
  const std::string kernel =
      "device 0 name=gpu\nkernel t=0..10us device=0 stream=7 name=softmax\n";
  const std::string process = "process pid=1 incomplete\n";
  EXPECT_TRUE(
      Has(Report("format kineto\n" + process + "loss import_cut 1\n" + kernel),
          "events of any time may be missing"));
  EXPECT_TRUE(Has(Report(process + kernel), "what happened last may be"));
}

TEST(TextReportTest, StepsThatMayBeLayersAreSaidToBe) {
  const auto report_of = [](const std::string& more) {
    std::string trace = "format kineto\ndevice 0 name=gpu\n" + more;
    for (int i = 0; i < 8; ++i) {
      for (const auto& [at, name] : {std::pair(1000 * i, "sgemm"),
                                     std::pair(1000 * i + 100, "softmax")}) {
        const auto us = [at](int after) {
          return std::to_string(at + after) + "us";
        };
        const std::string corr = std::to_string(at + 1);
        trace += "call t=" + us(0) + ".." + us(4) +
                 " thread=0 cudaLaunchKernel stream=0x0\nlaunchapi t=" + us(0) +
                 ".." + us(4) + " corr=" + corr + "\nkernel t=" + us(5) + ".." +
                 us(50) + " device=0 stream=7 corr=" + corr + " name=" + name +
                 "\n";
      }
    }
    return Report(trace);
  };
  const std::string report = report_of("");
  EXPECT_TRUE(Has(report, "8 steps")) << report;
  EXPECT_TRUE(Has(report, "layers that are alike may count")) << report;
  EXPECT_FALSE(Has(report_of("range t=0us..9000us thread=0 kind=step "
                             "name=ProfilerStep#1\n"),
                   "that are alike may count"));
}

TEST(TextReportTest, HeadTellsWhatLimitsTheStepAndLittleElse) {
  const std::string trace =
      "device 0 name=gpu\n"
      "call t=0..4us thread=0 cudaMalloc ptr=0x9 size=1048576\n"
      "call t=5..8us thread=0 cudaLaunchKernel stream=0x0\n"
      "launchapi t=5..8us thread=0 corr=1\n"
      "kernel t=10..5010us device=0 stream=7 corr=1 "
      "name=ampere_sgemm_128x64_nn\n";
  const std::string report = Report(trace);
  EXPECT_TRUE(Has(report, "  critical path: GEMM 5.00 ms\n")) << report;
  EXPECT_TRUE(Has(report, "  step if faster: GEMM 2 x -50.0 %\n")) << report;
  EXPECT_FALSE(Has(report, "at a launch")) << report;
  EXPECT_FALSE(Has(report, "memory ")) << report;
  ReportOptions options;
  options.wide = true;
  EXPECT_TRUE(Has(Report(trace, ReportBy::kClass, options), "at a launch"));
}

std::string Adds(const std::string& type) {
  return "device 0 name=gpu\nkernel t=0..10us device=0 stream=7 name=softmax\n"
         "kernel t=10..40us device=0 stream=7 name=\"void at::native::"
         "vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<" +
         type + ">, std::array<char*, 3ul> >(int)\"\n";
}

TEST(TextReportTest, DoublePrecisionIsSaidAtOnce) {
  const std::string report = Report(Adds("double"));
  EXPECT_TRUE(Has(report,
                  "  FP64: 75.0 % of the GPU time computes in double "
                  "precision (ELEMENTWISE)\n"))
      << report;
  EXPECT_FALSE(Has(Report(Adds("float")), "FP64"));
}

TEST(TextReportTest, AnEndThatWasCutTellsHowFarItsRecordsReach) {
  const std::string trace =
      " host=a\ndevice 0 name=gpu\n"
      "call t=0..5us thread=0 cudaGetDevice\n"
      "kernel t=0..10us device=0 stream=7 name=gemm\n"
      "call t=80005..80010us thread=0 cudaGetDevice\n"
      "not_observed t=10..80010us device=0 cause=after_watermark\n";
  const std::string report = Report("process pid=1 incomplete" + trace);
  EXPECT_TRUE(Has(report, "without its end record")) << report;
  EXPECT_TRUE(Has(report, "80.00 ms")) << report;
  EXPECT_FALSE(Has(Report("process pid=1" + trace), "its end record"));
}

TEST(TextReportTest, OneGpuOfTwoProcessesTellsWhoseTurnItWas) {
  const auto process = [](int pid, int begin_us, int end_us) {
    return "process pid=" + std::to_string(pid) +
           " host=a\ndevice 0 name=gpu uuid=aa\nkernel t=" +
           std::to_string(begin_us) + ".." + std::to_string(end_us) +
           "us device=0 stream=7 name=gemm\n";
  };
  const std::string report = Report(process(1, 0, 30) + process(2, 20, 100));
  EXPECT_TRUE(Has(report,
                  "gpu0 is shared: a:1 uses it for 30.0 % of the time, only "
                  "others for 70.0 %"))
      << report;
  EXPECT_TRUE(Has(report, "a:2 uses it for 80.0 %")) << report;
  EXPECT_FALSE(Has(Report(process(1, 0, 30)), "is shared"));
}

TEST(TextReportTest, NoGpuWorkIsSaid) {
  const std::string report = Report("call t=0..5us cudaGetDevice\n");
  EXPECT_TRUE(Has(report, "holds no GPU work")) << report;
  EXPECT_TRUE(Has(report, "cudaGetDevice")) << report;
}

TEST(TextReportTest, TwoProcessesHaveATableByDevice) {
  const std::string report = Report(
      "process pid=1 host=a rank=0\n"
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=gemm\n"
      "process pid=2 host=b rank=1\n"
      "device 0 name=gpu\n"
      "kernel t=0..20us device=0 stream=7 name=gemm\n");
  EXPECT_TRUE(Has(report, "2 processes")) << report;
  EXPECT_TRUE(Has(report, "2 x gpu")) << report;
  const TraceModel model = TraceFromText(kSmallRows);
  const Summary one = Summarise(model, Attribute(model));
  EXPECT_EQ(DeviceTable(FiguresOf(one)).rows.size(), 1);
}

}  // namespace
}  // namespace dltap::analyzer
