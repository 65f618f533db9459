// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/question.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] =
    "-- question: Who is late?\n"
    "-- example: dltap query jobs late\n"
    "-- parameter: top integer 5 how many rows\n"
    "-- parameter: part real 0.5 a share\n"
    "-- parameter: run text \"\" of this run only\n"
    "-- uses: collectives steps\n"
    "SELECT {{top}}, {{part}}\n"
    "-- a comment with {{marks}}\n"
    "FROM steps WHERE run = {{run}}\n";

Question Parsed() { return ParseQuestion("late", kText).value(); }

TEST(QuestionTest, HeadIsRead) {
  const Question question = Parsed();
  EXPECT_EQ(question.sentence, "Who is late?");
  ASSERT_EQ(question.parameters.size(), 3U);
  EXPECT_EQ(question.parameters[0].help, "how many rows");
  EXPECT_EQ(question.parameters[2].value, "");
  EXPECT_EQ(question.tables,
            (std::vector<std::string>{"collectives", "steps"}));
}

TEST(QuestionTest, EachFileOfTheProgramIsAQuestion) {
  size_t questions = 0;
  for (const QueryFile& file : QueryFiles()) {
    if (file.name.find('/') != std::string_view::npos) continue;
    const auto question = ParseQuestion(file.name, file.text);
    ASSERT_TRUE(question.ok()) << question.status();
    EXPECT_TRUE(SqlOf(*question, {}).ok()) << file.name;
    ++questions;
  }
  EXPECT_EQ(AllQuestions().size(), questions);
  EXPECT_GT(questions, 0U);
}

TEST(QuestionTest, HeadWithoutAQuestionIsRefused) {
  EXPECT_FALSE(ParseQuestion("x", "SELECT 1").ok());
  EXPECT_FALSE(
      ParseQuestion("x", "-- question: Why?\n-- parameter: top number 1 n\n")
          .ok());
}

TEST(QuestionTest, DefaultsAndSettingsAreLiterals) {
  EXPECT_EQ(SqlOf(Parsed(), {}).value(),
            "SELECT 5, 0.5e0\nFROM steps WHERE run = ''\n\n");
  const auto sql = SqlOf(
      Parsed(), {{"top", "-7"}, {"part", "-1e-3"}, {"run", "it's {{top}}\\"}});
  EXPECT_EQ(sql.value(),
            "SELECT (-7), (-1e-3)\nFROM steps WHERE run = "
            "concat('it', chr(39), 's {{top}}', chr(92))\n\n");
}

TEST(QuestionTest, WhatIsNoValueIsRefused) {
  for (const auto& [name, value] :
       {std::pair("top", "1; DROP TABLE x"), std::pair("top", ""),
        std::pair("top", "1e3"), std::pair("part", "nan"),
        std::pair("part", "0.5 OR 1"), std::pair("nothing", "1")}) {
    EXPECT_FALSE(SqlOf(Parsed(), {{name, value}}).ok()) << name << value;
  }
  EXPECT_THAT(std::string(SqlOf(Parsed(), {{"tpo", "1"}}).status().message()),
              HasSubstr("top"));
}

TEST(QuestionTest, MarkThatNobodyDeclaredIsAnError) {
  const auto question =
      ParseQuestion("x", "-- question: Why?\nSELECT {{nothing}}").value();
  EXPECT_FALSE(SqlOf(question, {}).ok());
}

}  // namespace
}  // namespace dltap::analyzer
