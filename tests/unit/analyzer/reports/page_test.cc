// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PageTest : public ::testing::Test {
 protected:
  ~PageTest() override { SetPage({}); }
};

TEST_F(PageTest, WidthIsThatOfATerminal) {
  EXPECT_EQ(DisplayWidth("conv"), 4u);
  EXPECT_EQ(DisplayWidth("±·"), 2u);
  EXPECT_EQ(DisplayWidth("層A"), 3u);       // two columns wide
  EXPECT_EQ(DisplayWidth("e\u0301t"), 2u);  // an accent of its own
  EXPECT_EQ(DisplayWidth("\xff"), 1u);
}

TEST_F(PageTest, CutsLieBetweenCharacters) {
  EXPECT_EQ(ByteOfColumn("abc", 2), 2u);
  EXPECT_EQ(ByteOfColumn("層層", 3), 3u);  // half of the second does not fit
  EXPECT_EQ(ByteOfColumn("層層", 4), 6u);
  EXPECT_EQ(ByteOfColumn("abc", 9), 3u);
}

TEST_F(PageTest, BarsAreAsLongAsTheirShare) {
  EXPECT_EQ(BarText(1, 4), "████");
  EXPECT_EQ(BarText(0.5, 4), "██");
  EXPECT_EQ(BarText(0.53125, 4), "██▏");
  EXPECT_EQ(BarText(0, 4), "");
  EXPECT_EQ(BarText(7, 2), "██");
}

TEST_F(PageTest, AsciiHasALetterForEachSign) {
  EXPECT_EQ(AsAscii("1 ± 2 · ██▌▏"), "1 +- 2 | ###");
  EXPECT_EQ(AsAscii("層é"), "???");
}

Table TableWithBar() {
  Table table;
  table.columns = {{{"class"}, "class", false},
                   {{"share", "%"}, "share"},
                   {{"calls"}, "calls", true, true},
                   {{}, "bar", false}};
  table.rows = {{std::string("CONV"), Number{75, 1}, int64_t{7}, Bar{0.75}},
                {std::string("total"), Number{100, 1}, int64_t{9}, Blank{}}};
  return table;
}

TEST_F(PageTest, BarsStandWhereThereIsRoom) {
  SetPage({30, true});
  EXPECT_THAT(RenderText(TableWithBar()),
              HasSubstr("CONV    75.0      7  ███"));
  SetPage({30, false});
  EXPECT_THAT(RenderText(TableWithBar()), Not(HasSubstr("█")));
  SetPage({24, true});
  EXPECT_THAT(RenderText(TableWithBar()), Not(HasSubstr("█")));
  EXPECT_THAT(RenderText(TableWithBar()), HasSubstr("CONV    75.0      7\n"));
}

TEST_F(PageTest, ColumnsThatHaveNoRoomAreNamed) {
  SetPage({19, true});
  EXPECT_THAT(RenderText(TableWithBar()), Not(HasSubstr("no room")));
  SetPage({18, true});
  EXPECT_EQ(RenderText(TableWithBar()),
            "       share\n"
            "class      %\n"
            "CONV    75.0\n"
            "total  100.0\n"
            "(no room for calls: --width)\n");
}

}  // namespace
}  // namespace dltap::analyzer
