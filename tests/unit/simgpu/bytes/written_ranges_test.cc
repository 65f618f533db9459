// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/written_ranges.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::simgpu {
namespace {

constexpr WriteStamp kFirst{.number = 1};
constexpr WriteStamp kSecond{.number = 2};

// "0..16:1 16..32:- ", the number of each part's write.
std::string PartsOf(const WrittenRanges& ranges, uintptr_t begin,
                    uintptr_t end) {
  std::string text;
  ranges.ForEachPart(
      begin, end, [&](uintptr_t from, uintptr_t to, const WriteStamp* stamp) {
        text += std::to_string(from) + ".." + std::to_string(to) + ":" +
                (stamp == nullptr ? "-" : std::to_string(stamp->number)) + " ";
      });
  return text;
}

TEST(WrittenRangesTest, PartsCoverWhatIsAskedFor) {
  WrittenRanges ranges;
  ranges.Add(1000, 1010, kFirst);
  ranges.Add(1020, 1040, kSecond);
  EXPECT_EQ("990..1000:- 1000..1010:1 1010..1020:- 1020..1025:2 ",
            PartsOf(ranges, 990, 1025));
  EXPECT_EQ("1005..1008:1 ", PartsOf(ranges, 1005, 1008));
  EXPECT_EQ("1040..1050:- ", PartsOf(ranges, 1040, 1050));
  EXPECT_EQ("", PartsOf(ranges, 1000, 1000));
}

TEST(WrittenRangesTest, ALaterWriteReplacesPartOfAnEarlierOne) {
  WrittenRanges ranges;
  ranges.Add(1000, 1030, kFirst);
  ranges.Add(1010, 1020, kSecond);
  EXPECT_EQ("1000..1010:1 1010..1020:2 1020..1030:1 ",
            PartsOf(ranges, 1000, 1030));
}

TEST(WrittenRangesTest, WritesSideBySideAreOneUpToABlock) {
  WrittenRanges ranges;
  ranges.Add(1000, 1010, kFirst);
  ranges.Add(1010, 1024, kFirst);
  ranges.Add(1024, 1030, kFirst);  // 4 x 256: another block
  EXPECT_EQ("1000..1024:1 1024..1030:1 ", PartsOf(ranges, 1000, 1030));
}

TEST(WrittenRangesTest, AWriteOfUnknownLengthTakesWhatWasWrittenThere) {
  WrittenRanges ranges;
  ranges.Add(1000, 1010, kFirst);
  ranges.Add(1010, 1024, kSecond);
  ranges.Add(1024, 1030, kSecond);
  ranges.Add(1040, 1050, kFirst);
  ranges.RemoveFrom(1004);
  EXPECT_EQ("1000..1004:1 1004..1024:- 1024..1030:2 1030..1040:- 1040..1050:1 ",
            PartsOf(ranges, 1000, 1050));
}

TEST(WrittenRangesTest, AWriteWhereNothingIsKnownTakesNothing) {
  WrittenRanges ranges;
  ranges.Add(1000, 1010, kFirst);
  for (const uintptr_t address : {0u, 999u, 1010u, 2000u}) {
    ranges.RemoveFrom(address);
  }
  EXPECT_EQ("1000..1010:1 ", PartsOf(ranges, 1000, 1010));
}

}  // namespace
}  // namespace dltap::simgpu
