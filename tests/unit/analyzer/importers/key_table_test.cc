// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/key_table.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::analyzer {
namespace {

constexpr std::pair<std::string_view, int> kRows[] = {
    {"ts", 1},       {"cat", 2},
    {"name", 3},     {"stream", 4},
    {"queue_id", 5}, {"registers per thread", 6},
    {"", 7},         {"registers of: thread", 8}};
constexpr KeyTable kTable(kRows);
static_assert(kTable.is_whole());

constexpr std::pair<std::string_view, int> kTooLong[] = {
    {"a text that is longer than any of the keys", 1}};
static_assert(!KeyTable(kTooLong).is_whole());

TEST(KeyTableTest, FindsEachOfItsTexts) {
  for (const auto& [text, value] : kRows) {
    const std::string copy(text);
    ASSERT_NE(kTable.Find(copy), nullptr) << text;
    EXPECT_EQ(*kTable.Find(copy), value) << text;
  }
}

TEST(KeyTableTest, ATextThatDiffersInAnyByteIsNoneOfThem) {
  for (const auto& [text, value] : kRows) {
    for (size_t i = 0; i < text.size(); ++i) {
      std::string other(text);
      other[i] = '#';
      EXPECT_EQ(kTable.Find(other), nullptr) << other;
    }
    EXPECT_EQ(kTable.Find(std::string(text) + "s"), nullptr) << text;
  }
  EXPECT_EQ(kTable.Find(std::string(1000, 'a')), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
