// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_event.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(ParseMicrosecondsTest, KeepsEveryNanosecondOfADate) {
  EXPECT_EQ(ParseMicroseconds("1725375309123456.789"), 1725375309123456789);
  EXPECT_EQ(ParseMicroseconds("17253753091234.567"), 17253753091234567);
  EXPECT_EQ(ParseMicroseconds("1725375309123456"), 1725375309123456000);
}

TEST(ParseMicrosecondsTest, ReadsFractionsOfAnyLength) {
  EXPECT_EQ(ParseMicroseconds("0.5"), 500);
  EXPECT_EQ(ParseMicroseconds("7.25"), 7250);
  EXPECT_EQ(ParseMicroseconds("7.0019"), 7001);
  EXPECT_EQ(ParseMicroseconds("7."), 7000);
  EXPECT_EQ(ParseMicroseconds("-0.5"), -500);
  EXPECT_EQ(ParseMicroseconds("\"12.5\""), 12500);
  EXPECT_EQ(ParseMicroseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(ParseMicroseconds("-25E-1"), -2500);
  EXPECT_EQ(ParseMicroseconds("9000000000000000000e-9"), 9'000'000'000'000);
  EXPECT_EQ(ParseMicroseconds("3000000000000000.999"),
            3'000'000'000'000'000'999);
}

TEST(ParseMicrosecondsTest, RefusesWhatIsNoTime) {
  for (const char* token : {"", "\"", "\"\"", "-", ".", "null", "1x", "1.x",
                            "1.2345x", "1e", "1e300", "nan", "inf"}) {
    EXPECT_EQ(ParseMicroseconds(token), std::nullopt) << token;
  }
}

TEST(ParseMicrosecondsTest, RefusesTimesWhoseNanosecondsOverflow) {
  EXPECT_EQ(ParseMicroseconds("9223372036854775807"), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("-9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("99999999999999999999999"), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("3000000000000001"), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("-3000000000000001.5"), std::nullopt);
}

}  // namespace
}  // namespace dltap::analyzer
