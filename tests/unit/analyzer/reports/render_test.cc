// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/render.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::analyzer {
namespace {

Table OneRow(const Cell& name, const Cell& value) {
  Table table;
  table.columns = {{{"name"}, "name", false}, {{"GPU", "ms"}, "gpu_ms"}};
  table.rows = {{name, value}};
  return table;
}

TEST(RenderTextTest, AlignsNumbersUnderTheirHeader) {
  EXPECT_EQ(RenderText(OneRow("gemm", Number{1234.5, 2})),
            "           GPU\n"
            "name        ms\n"
            "gemm  1,234.50\n");
}

TEST(RenderTextTest, UnknownIsAQuestionMarkAndBlankIsNothing) {
  EXPECT_NE(RenderText(OneRow("a", Unknown{})).find('?'), std::string::npos);
  EXPECT_TRUE(RenderText(OneRow("a", Blank{})).ends_with("\na\n"));
}

TEST(RenderTextTest, LongNamesKeepBothEnds) {
  const std::string name = "begin" + std::string(300, 'x') + "end";
  const std::string text = RenderText(OneRow(name, int64_t{1}));
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_EQ(DisplayWidth(last), kUsualPageWidth + 1);  // and the line's end
  EXPECT_TRUE(last.starts_with("beginxx"));
  EXPECT_NE(last.find("xx..."), std::string::npos);
  EXPECT_NE(last.find("xend "), std::string::npos);
}

TEST(RenderTextTest, CutsBetweenCodePoints) {
  std::string name;
  for (int i = 0; i < 150; ++i) name += "\u00e9";
  const std::string text = RenderText(OneRow(name, int64_t{1}));
  EXPECT_EQ(Printable(name), name);
  EXPECT_EQ(text.find("\uFFFD"), std::string::npos);
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const std::string line = last.substr(0, last.size() - 1);
  EXPECT_EQ(Printable(line), line);
  EXPECT_EQ(DisplayWidth(line), kUsualPageWidth);
}

TEST(RenderCsvTest, QuotesAndDisarmsFormulas) {
  EXPECT_EQ(RenderCsv(OneRow("a,\"b\"", Number{0.5, 1})),
            "name,gpu_ms\n\"a,\"\"b\"\"\",0.5\n");
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) {
    EXPECT_EQ(RenderCsv(OneRow(formula, Unknown{})),
              "name,gpu_ms\n\"'" + std::string(formula) + "\",\n");
  }
}

TEST(PrintableTest, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\x1b[2Jb\x7f"), "a\uFFFD[2Jb\uFFFD");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\uFFFD\uFFFD31m");
  EXPECT_EQ(Printable("\xff\xe2\x82"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Printable("\u20ac \U0001F600"), "\u20ac \U0001F600");
}

TEST(PrintableTest, IsValidUtf8WhateverTheBytes) {
  for (const char* bytes : {"\xed\xa0\x80", "\xe0\x80\x80"}) {
    EXPECT_EQ(Printable(bytes), "\uFFFD\uFFFD\uFFFD") << bytes;
  }
  for (const char* bytes : {"\xf4\x90\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_EQ(Printable(bytes), "\uFFFD\uFFFD\uFFFD\uFFFD") << bytes;
  }
}

TEST(PrintableTest, KeepsTextOnOneLineInItsOrder) {
  EXPECT_EQ(Printable("a\u2028b\u2029c").find("\u2028"), std::string::npos);
  EXPECT_EQ(Printable("\u2029").find("\u2029"), std::string::npos);
  EXPECT_EQ(Printable("\u202Egnp.py").find("\u202E"), std::string::npos);
  EXPECT_EQ(Printable("\u2027 \u202F \u00A0"), "\u2027 \u202F \u00A0");
}

TEST(FixedTest, GroupsThousandsAndHasNoMinusZero) {
  EXPECT_EQ(Fixed(1035, 1), "1,035.0");
  EXPECT_EQ(Fixed(-0.001, 2), "0.00");
  EXPECT_EQ(Fixed(-1234567.5, 1), "-1,234,567.5");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
  EXPECT_EQ(WithThousands(-999), "-999");
}

}  // namespace
}  // namespace dltap::analyzer
