// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/ncu_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/importers/localized_number.h"

namespace dltap::analyzer {
namespace {

// ncu --csv --page raw, after a line of the program's and two of ncu's own.
// Rows of a table whose launches are described by five columns.
std::string LaunchPerLine() {
  return "epoch 1 loss 2.30\n"
         "==PROF== Connected to process 1207 (/usr/bin/python3.12)\n"
         "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid Size\",\"CC\","
         "\"gpc__cycles_elapsed.max\",\"gpu__time_duration.sum\","
         "\"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_"
         "active.ratio\","
         "\"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio\","
         "\"smsp__average_warps_issue_stalled_wait_not_issued_per_issue_"
         "active.ratio\"\n"
         R"csv("","","","","","cycle","usecond","inst","inst","inst"
"0","1207","ampere_sgemm_128x64_nn","(64, 8, 1)","8.0","141,027","99.52","0.40","1.20","0.9"
==PROF== Disconnected from process 1207
"1","1207","void norm<float, 4>(float*)","(8, 8, 1)","8.0","9,311","n/a","12.5","2.5","2"
)csv";
}

TEST(NcuCsvTest, ReadsALaunchPerLine) {
  ASSERT_TRUE(LooksLikeNcuCsv(LaunchPerLine()));
  const auto table = ParseNcuCsv(LaunchPerLine(), "raw.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->launches.size(), 2u);
  const KernelCounters& gemm = table->launches[0];
  EXPECT_EQ(gemm.kernel, "ampere_sgemm_128x64_nn");
  EXPECT_DOUBLE_EQ(*gemm.cycles, 141027);
  EXPECT_DOUBLE_EQ(*gemm.duration_ns, 99520);
  EXPECT_EQ(gemm.stalls, (std::map<std::string, double>{
                             {"long_scoreboard", 0.4}, {"wait", 1.2}}));
  EXPECT_EQ(table->launches[1].duration_ns, std::nullopt);
  EXPECT_EQ(table->unreadable_values, 1u);
}

// As a spreadsheet writes it where the comma is the decimal sign.
TEST(NcuCsvTest, ReadsSemicolonsAndTheMicroSign) {
  for (const std::string unit : {"usecond", "us", "\xC2\xB5s", "\xB5s"}) {
    const auto table =
        ParseNcuCsv("ID;Kernel Name;CC;gpu__time_duration.sum\n;;;" + unit +
                        "\n0;\"norm<float; 4>(a, b)\";9,0;12,50\n",
                    "raw.csv");
    ASSERT_TRUE(table.ok()) << table.status();
    ASSERT_EQ(table->launches.size(), 1u);
    EXPECT_EQ(table->launches[0].kernel, "norm<float; 4>(a, b)");
    EXPECT_DOUBLE_EQ(table->launches[0].duration_ns.value_or(0), 12500);
    EXPECT_EQ(table->unreadable_values, 0u);
  }
}

TEST(NcuCsvTest, CountsValuesOfUnknownUnits) {
  const auto table = ParseNcuCsv(
      "ID,Kernel Name,CC,gpu__time_duration.sum\n,,,fortnight\n0,k,9.0,2\n",
      "raw.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->launches[0].duration_ns, std::nullopt);
  EXPECT_EQ(table->unreadable_values, 1u);
}

// One line per metric; grouped and pointed as in German.
constexpr char kMetricPerLine[] =
    R"csv("ID","Process ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"
"0","9","k","8.9","gpu__time_duration.sum","ns","117.344"
"0","9","k","8.9","sm__cycles_elapsed.max","cycle","27.595.520"
"0","9","k","8.9","smsp__pcsamp_warps_issue_stalled_barrier","warp","65,5"
"ID","Process ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"
"0","10","k","8.9","Stall Long Scoreboard","inst","3,0"
)csv";

TEST(NcuCsvTest, ReadsAMetricPerLineInAnotherLocale) {
  const auto table = ParseNcuCsv(kMetricPerLine, "details.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->launches.size(), 2u) << "one launch of each process";
  EXPECT_DOUBLE_EQ(*table->launches[0].duration_ns, 117344);
  EXPECT_DOUBLE_EQ(*table->launches[0].cycles, 27595520);
  EXPECT_DOUBLE_EQ(table->launches[0].stalls.at("barrier"), 65.5);
  EXPECT_DOUBLE_EQ(table->launches[1].stalls.at("long_scoreboard"), 3);
}

TEST(NcuCsvTest, ErrorsNameTheLineOfTheFile) {
  std::string text = LaunchPerLine();
  text += "\"2\",\"1207\"\n";
  const auto table = ParseNcuCsv(text, "raw.csv");
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.status().message().find("raw.csv:8: 2 fields"),
            std::string::npos)
      << table.status();
}

TEST(NcuCsvTest, AFileThatBreaksOffGivesWhatWasWhole) {
  const std::string text = LaunchPerLine();
  const size_t last_line = text.find("\"1\",\"1207\"");
  for (const size_t cut : {size_t{4}, size_t{20}, size_t{45}, size_t{70}}) {
    const auto table = ParseNcuCsv(text.substr(0, last_line + cut), "raw.csv");
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(table->launches.size(), 1u);
    EXPECT_EQ(table->cut_at, last_line);
  }
  EXPECT_EQ(ParseNcuCsv(text, "raw.csv")->cut_at, 0u);
}

// With a metric a line nothing tells whether the last launch has all of them.
TEST(NcuCsvTest, OfALaunchThatMayBreakOffNothingIsTaken) {
  const std::string text = kMetricPerLine;
  const auto table = ParseNcuCsv(
      text + R"csv("0","10","k","8.9","Stall Wait","in)csv", "details.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->launches.size(), 1u);
  EXPECT_DOUBLE_EQ(*table->launches[0].cycles, 27595520);
  EXPECT_EQ(table->cut_at, text.size());
}

TEST(NcuCsvTest, RefusesATableWithoutLaunches) {
  EXPECT_FALSE(ParseNcuCsv("\"ID\",\"Kernel Name\",\"CC\"\n", "e.csv").ok());
  EXPECT_FALSE(ParseNcuCsv("name,value\na,1\n", "other.csv").ok());
  EXPECT_FALSE(LooksLikeNcuCsv("op,m,n,k\ngemm,1,2,3\n"));
}

// As pandas and Python's csv module write such a table again.
constexpr char kQuotedWhereItMust[] =
    "\xEF\xBB\xBF"
    R"csv(ID,Kernel Name,CC,gpc__cycles_elapsed.max,smsp__average_warps_issue_stalled_wait_per_issue_active.ratio
,,,cycle,inst
0,"void f<float, 4>(float*)",8.0,1500,0.25
)csv";

TEST(NcuCsvTest, ReadsATableThatAnotherProgramWroteAgain) {
  ASSERT_TRUE(LooksLikeNcuCsv(kQuotedWhereItMust));
  const auto table = ParseNcuCsv(kQuotedWhereItMust, "again.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->launches.size(), 1u);
  EXPECT_EQ(table->launches[0].kernel, "void f<float, 4>(float*)");
  EXPECT_DOUBLE_EQ(*table->launches[0].cycles, 1500);
  EXPECT_DOUBLE_EQ(table->launches[0].stalls.at("wait"), 0.25);
}

TEST(NcuCsvTest, AHeaderThatOnlyMentionsTheKernelsNameIsRefused) {
  const char text[] = "\"ID\",\"a \"\"Kernel Name\"\" b\"\n\"1\",\"2\"\n";
  EXPECT_FALSE(ParseNcuCsv(text, "other.csv").ok());
}

TEST(LocalizedNumberTest, OneUnambiguousNumberProvesTheDecimalSign) {
  EXPECT_EQ(DecimalSignOf("53,261,312"), '.');
  EXPECT_EQ(DecimalSignOf("27.595.520"), ',');
  EXPECT_EQ(DecimalSignOf("65,77"), ',');
  EXPECT_EQ(DecimalSignOf("1.234,5"), ',');
  EXPECT_EQ(DecimalSignOf("0.125"), '.');
  EXPECT_EQ(DecimalSignOf("1,234"), std::nullopt);
  EXPECT_EQ(DecimalSignOf("(8,8,1)"), std::nullopt);
}

TEST(LocalizedNumberTest, ReadsBothLocales) {
  EXPECT_DOUBLE_EQ(*ParseLocalized("1,234.5", '.'), 1234.5);
  EXPECT_DOUBLE_EQ(*ParseLocalized("1.234,5", ','), 1234.5);
  EXPECT_DOUBLE_EQ(*ParseLocalized("+4.0e-05", '.'), 4e-5);
  EXPECT_DOUBLE_EQ(*ParseLocalized("27\u202F595\u00A0520,5", ','), 27595520.5);
  EXPECT_DOUBLE_EQ(*ParseLocalized("27\u2019595'520.5", '.'), 27595520.5);
  EXPECT_EQ(DecimalSignOf("27 595,52"), ',');
  EXPECT_EQ(ParseLocalized("n/a", '.'), std::nullopt);
  EXPECT_EQ(ParseLocalized("1e999", '.'), std::nullopt);
  EXPECT_EQ(ParseLocalized("", '.'), std::nullopt);
}

}  // namespace
}  // namespace dltap::analyzer
