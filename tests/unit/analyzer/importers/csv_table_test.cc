// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  return std::string(CsvTable::Parse(text, "f.csv").status().message());
}

TEST(CsvTableTest, ReadsHeaderAndRowsWithTheirLines) {
  const CsvTable table = *CsvTable::Parse("op,m\ngemm,1\nbmm,2\n", "f.csv");
  EXPECT_THAT(table.header(), ElementsAre("op", "m"));
  ASSERT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table.rows()[1].line, 3);
  EXPECT_THAT(table.rows()[1].fields, ElementsAre("bmm", "2"));
  EXPECT_EQ(table.ColumnIndex("m"), 1);
  EXPECT_EQ(table.ColumnIndex("n"), -1);
}

TEST(CsvTableTest, QuotedFieldsKeepCommasQuotesAndNewlines) {
  const CsvTable table =
      *CsvTable::Parse("a,b\n\"x,\"\"y\"\"\n<z>\",2\n3,4\n", "f.csv");
  EXPECT_EQ(table.rows()[0].fields[0], "x,\"y\"\n<z>");
  EXPECT_EQ(table.rows()[1].line, 4);
}

TEST(CsvTableTest, AcceptsWindowsLinesMarkAndNoFinalNewline) {
  const CsvTable table = *CsvTable::Parse("\xEF\xBB\xBFop,m\r\ngemm,1", "f");
  EXPECT_THAT(table.header(), ElementsAre("op", "m"));
  EXPECT_THAT(table.rows()[0].fields, ElementsAre("gemm", "1"));
}

TEST(CsvTableTest, BlankLinesAreSkippedButCounted) {
  const CsvTable table = *CsvTable::Parse("op\n\n\ngemm\n", "f.csv");
  ASSERT_EQ(table.rows().size(), 1u);
  EXPECT_EQ(table.rows()[0].line, 4);
}

TEST(CsvTableTest, RaggedRowNamesItsLine) {
  EXPECT_THAT(ErrorOf("a,b\n1,2\n1,2,3\n"),
              HasSubstr("f.csv:3: 3 fields where the header has 2"));
}

TEST(CsvTableTest, OpenQuoteNamesTheLineWhereItsRowBegins) {
  EXPECT_THAT(ErrorOf("a,b\n\"1,2\n3,4\n"), HasSubstr("f.csv:2: quote"));
}

TEST(CsvTableTest, EmptyFileIsAnError) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("file is empty"));
  EXPECT_THAT(ErrorOf("\n\n"), HasSubstr("file is empty"));
}

TEST(CsvTableTest, EveryTruncationIsATableOrAnError) {
  const std::string text = "op,\"m, n\"\r\n\"ge\"\"mm\",1\nbmm,2\n";
  for (size_t length = 0; length <= text.size(); ++length) {
    const auto table =
        CsvTable::Parse(std::string_view(text).substr(0, length), "f.csv");
    if (!table.ok()) {
      EXPECT_THAT(table.status().message(), HasSubstr("f.csv:"));
    }
  }
}

}  // namespace
}  // namespace dltap::analyzer
