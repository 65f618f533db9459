// SPDX-License-Identifier: Apache-2.0
// Sends and receives of one rank, several of which may share a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/collectives/collective_run.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;

// The middle one of `ranks` in a row.
std::string Middle(int ranks) {
  return "process pid=41 host=a rank=1\n"
         "device 0 name=gpu\n"
         "call t=0..3us ncclCommInitRank comm=1 nranks=" +
         std::to_string(ranks) + " rank=1 clique=5\n";
}

// One kernel for what is between ncclGroupStart and ncclGroupEnd: "Send 2".
std::string Group(int at_us, std::initializer_list<const char*> messages) {
  const auto span = [&at_us] {
    at_us += 2;
    return "t=" + std::to_string(at_us - 2) + ".." + std::to_string(at_us - 1) +
           "us ";
  };
  std::string text = "call " + span() + "ncclGroupStart\n";
  for (const std::string message : messages) {
    text += "call " + span() + "nccl" + message.substr(0, 4) +
            " comm=1 count=10 datatype=7 peer=" + message.substr(5) + "\n";
  }
  const std::string corr = " corr=" + std::to_string(at_us);
  const std::string at = std::to_string(at_us);
  return text + "call t=" + at + ".." + std::to_string(at_us + 3) +
         "us ncclGroupEnd\nlaunchapi t=" + std::to_string(at_us + 1) + ".." +
         std::to_string(at_us + 2) + "us" + corr + " ext=" + at +
         "us\nkernel t=" + std::to_string(at_us + 5) + ".." +
         std::to_string(at_us + 6) + "us device=0 stream=9" + corr +
         " name=ncclDevKernel_SendRecv\n";
}

std::vector<CollectiveRun> Found(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return FindCollectives(model, Attribute(model)).runs;
}

TEST(MessagesTest, NeighboursInARowOfThreeAreNoAllToAll) {
  const auto found =
      Found(Middle(3) + Group(10, {"Send 0", "Recv 0", "Send 2", "Recv 2"}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, CollectiveKind::kSendReceive);
  EXPECT_THAT(found[0].peers, ElementsAre(0, 2));
}

TEST(MessagesTest, WithItselfOfThreeOrWithThreeOthersItIsAllToAll) {
  const auto three =
      Found(Middle(3) + Group(10, {"Send 0", "Recv 0", "Send 1", "Recv 1",
                                   "Send 2", "Recv 2"}));
  ASSERT_EQ(three.size(), 1u);
  EXPECT_EQ(three[0].kind, CollectiveKind::kAllToAll);
  const auto four =
      Found(Middle(4) + Group(10, {"Send 0", "Recv 0", "Send 2", "Recv 2",
                                   "Send 3", "Recv 3"}));
  ASSERT_EQ(four.size(), 1u);
  EXPECT_EQ(four[0].kind, CollectiveKind::kAllToAll);
}

// The peer may have a kernel for each: it receives three times.
TEST(MessagesTest, ThoseThatShareAKernelCountToo) {
  const auto found = Found(
      Middle(3) + Group(10, {"Send 2"}) + Group(100, {"Send 2", "Recv 2"}) +
      Group(200, {"Send 2"}) + Group(300, {"Recv 2"}) + Group(400, {"Send 0"}));
  std::vector<int64_t> numbers;
  for (const CollectiveRun& run : found) numbers.push_back(run.nth);
  EXPECT_THAT(numbers, ElementsAre(0, -1, 2, 1, 0));
}

// As a stage passes a batch on while it takes the next one.
TEST(MessagesTest, ReceivedFromOneAndSentToAnotherCountsOnceEach) {
  const auto found = Found(Middle(4) + Group(10, {"Recv 0", "Send 2"}) +
                           Group(100, {"Send 0"}) + Group(200, {"Recv 2"}) +
                           Group(300, {"Recv 0"}) + Group(400, {"Send 2"}));
  std::vector<int64_t> numbers;
  for (const CollectiveRun& run : found) numbers.push_back(run.nth);
  EXPECT_THAT(numbers, ElementsAre(-1, 0, 0, 1, 1));
}

// The peer may receive each by itself.
TEST(MessagesTest, SeveralToOnePeerInAKernelCountEach) {
  const auto found = Found(Middle(3) + Group(10, {"Send 2", "Send 2"}) +
                           Group(100, {"Send 2"}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].nth, 0);
  EXPECT_EQ(found[1].nth, 2);
}

}  // namespace
}  // namespace dltap::analyzer
