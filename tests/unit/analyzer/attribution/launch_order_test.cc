// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/join/launch_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dltap::analyzer {
namespace {

constexpr int64_t kTolerance = 20'000;

// One launch per letter, 1 us apart; the letter is its kernel, '?' an unknown
// one, '_' a launch that this side did not see.
std::vector<LaunchSighting> Seen(std::string_view letters,
                                 int64_t clock_offset_ns = 0) {
  std::vector<LaunchSighting> seen;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == '_') continue;
    const TextId kernel =
        letters[i] == '?' ? TextId() : TextId(static_cast<size_t>(letters[i]));
    seen.push_back(
        {static_cast<int64_t>(i) * 1000 + clock_offset_ns, kernel, i});
  }
  return seen;
}

// "0=0 1=1": record=call by the positions in the letters.
std::string Matched(std::string_view records, std::string_view calls,
                    int64_t clock_offset_ns = 0) {
  std::string text;
  for (const LaunchMatch& match :
       MatchInOrder(Seen(records, clock_offset_ns), Seen(calls), kTolerance)) {
    text += (text.empty() ? "" : " ") + std::to_string(match.record_index) +
            "=" + std::to_string(match.call_index);
  }
  return text;
}

TEST(LaunchOrderTest, TheNthRecordIsTheNthCall) {
  EXPECT_EQ(Matched("aaa", "aaa"), "0=0 1=1 2=2");
}

TEST(LaunchOrderTest, AClockNineMicrosecondsOffChangesNothing) {
  EXPECT_EQ(Matched("abcabc", "abcabc", 9'000), "0=0 1=1 2=2 3=3 4=4 5=5");
  EXPECT_EQ(Matched("abcabc", "abcabc", -9'000), "0=0 1=1 2=2 3=3 4=4 5=5");
}

TEST(LaunchOrderTest, AThreadThatWaitedInsideTheCallChangesNothing) {
  const std::vector<LaunchSighting> records = {{70'000, TextId(), 0}};
  const std::vector<LaunchSighting> calls = {{0, TextId(), 0, 75'000}};
  EXPECT_EQ(MatchInOrder(records, calls, kTolerance).size(), 1u);
}

// The handle of an unloaded kernel came back with another one's name.
TEST(LaunchOrderTest, ARecordWithinItsCallNeedsNoName) {
  const std::vector<LaunchSighting> records = {{1'000, TextId(1), 0, 2'000}};
  const auto matches = [&](int64_t call_end_ns) {
    return MatchInOrder(records, {{500, TextId(2), 0, call_end_ns}}, kTolerance)
        .size();
  };
  EXPECT_EQ(matches(2'500), 1u);
  EXPECT_EQ(matches(1'500), 0u);
}

TEST(LaunchOrderTest, ALostRecordLeavesItsCallAlone) {
  EXPECT_EQ(Matched("ab_defgh", "abcdefgh"), "0=0 1=1 3=3 4=4 5=5 6=6 7=7");
}

TEST(LaunchOrderTest, ALostCallLeavesItsRecordAlone) {
  EXPECT_EQ(Matched("abcdefgh", "ab__efgh"), "0=0 1=1 4=4 5=5 6=6 7=7");
}

TEST(LaunchOrderTest, UnknownKernelsFitAny) {
  EXPECT_EQ(Matched("a?c", "abc"), "0=0 1=1 2=2");
}

TEST(LaunchOrderTest, ALongPauseSeparatesEqualKernels) {
  // Only the times tell that the first record belongs to no call.
  auto records = Seen("aa");
  records[1].begin_ns = 1'000'000;
  auto calls = Seen("a");
  calls[0].begin_ns = 1'000'000;
  const auto matches = MatchInOrder(records, calls, kTolerance);
  ASSERT_EQ(matches.size(), 1);
  EXPECT_EQ(matches[0].record_index, 1);
}

TEST(LaunchOrderTest, NothingOnOneSide) {
  EXPECT_EQ(Matched("", "abc"), "");
  EXPECT_EQ(Matched("abc", ""), "");
}

}  // namespace
}  // namespace dltap::analyzer
