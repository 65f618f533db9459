// SPDX-License-Identifier: Apache-2.0
// Definitions that threads commit, and the collector takes.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/ring_file.h"
#include "shim/trace/decoder.h"
#include "shim/trace/encoder.h"
#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::LossKind;

class DefinitionAreaTest : public testing::Test {
 protected:
  DefinitionAreaTest() {
    EXPECT_EQ(file_.Create((temp_.path() + "/x.ring").c_str(), {}, "x.dltap"),
              0);
    ResetLosses();
  }
  ~DefinitionAreaTest() override { file_.Unlink(); }

  DefinitionArea& area() { return file_.definitions(); }

  TempDir temp_;
  RingFile file_;
};

TEST_F(DefinitionAreaTest, ADefinitionIsEncodedWhereItStays) {
  trace::TextRecord record = {};
  record.id = 7;
  const std::string text(20'000, 'x');
  ASSERT_TRUE(
      area().Append(record, trace::Piece::String(text.data(), text.size())));
  const auto taken = area().Take();
  trace::TextRecord read;
  memcpy(&read, taken.data(), sizeof(read));
  EXPECT_EQ(read.id, 7u);
  EXPECT_EQ(read.header.bytes, taken.size());
  EXPECT_EQ(taken[sizeof(read) + sizeof(uint32_t)], 'x');
  EXPECT_FALSE(area().Crowds());
  while (!area().Crowds()) {
    ASSERT_TRUE(
        area().Append(record, trace::Piece::String(text.data(), text.size())));
  }
}

trace::TextRecord TextWithId(uint32_t id) {
  trace::TextRecord record = {};
  record.id = id;
  return record;
}

// The ids of the texts that can be taken now.
std::vector<uint32_t> TakenIds(DefinitionArea& area) {
  std::vector<uint32_t> ids;
  for (auto taken = area.Take(); !taken.empty(); taken = area.Take()) {
    trace::RecordReader records(taken);
    for (trace::RecordView record;
         records.Next(&record) == trace::DecodeStatus::kOk;) {
      ids.push_back(record.As<trace::TextRecord>().id);
    }
  }
  return ids;
}

TEST_F(DefinitionAreaTest, DefinitionsAreCommittedWholeOrNotAtAll) {
  uint8_t bytes[4096] = {};
  const trace::RecordHeader header = {
      static_cast<uint16_t>(trace::RecordKind::kText), 16, sizeof(bytes)};
  memcpy(bytes, &header, sizeof(header));
  EXPECT_TRUE(area().AppendAll(bytes));
  EXPECT_EQ(area().Take().size(), sizeof(bytes));
  uint64_t appended = 1;
  while (area().AppendAll(bytes)) ++appended;
  EXPECT_EQ(appended, DefinitionArea::kBytes / sizeof(bytes));
  EXPECT_EQ(LossCount(LossKind::kDefinitionLost), 1u);
  area().Drop();
  EXPECT_FALSE(area().AppendAll(bytes));
  EXPECT_EQ(TakenIds(area()).size(), appended - 1);
  area().Drop();
  EXPECT_TRUE(area().AppendAll(bytes));
  EXPECT_EQ(TakenIds(area()).size(), 1u);
}

// The file as another process sees it.
class View {
 public:
  explicit View(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR);
    bytes_ = static_cast<uint8_t*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    close(fd);
  }
  ~View() { munmap(bytes_, kBytes); }

  trace::RingFileHeader& header() {
    return *reinterpret_cast<trace::RingFileHeader*>(bytes_);
  }
  // As a thread does that is stopped before it tells how much it has taken.
  uint8_t* TakeUntold(uint32_t bytes) {
    uint8_t* at =
        bytes_ + header().definitions_offset + header().definitions_head;
    header().definitions_head += bytes;
    return at;
  }
  static void Tell(uint8_t* at, uint32_t bytes) {
    const trace::RecordHeader unwritten = {0, sizeof(unwritten), bytes};
    memcpy(at, &unwritten, sizeof(unwritten));
  }
  // The same of one that is stopped before it writes what it defines.
  uint8_t* TakeRoom(uint32_t bytes) {
    uint8_t* at = TakeUntold(bytes);
    Tell(at, bytes);
    return at;
  }
  static void Commit(uint8_t* at, const trace::TextRecord& record) {
    memcpy(at + sizeof(record.header), &record.id, sizeof(record.id));
    const trace::RecordHeader header = trace::HeaderOf(record);
    memcpy(at, &header, sizeof(header));
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 20;
  uint8_t* bytes_;
};

TEST_F(DefinitionAreaTest, AThreadThatIsStoppedWhileItDefinesHoldsUpNobody) {
  View view(file_.path());
  EXPECT_TRUE(area().Append(TextWithId(1)));
  uint8_t* stopped = view.TakeRoom(sizeof(trace::TextRecord));
  EXPECT_TRUE(area().Append(TextWithId(3)));
  EXPECT_THAT(TakenIds(area()), ElementsAre(1, 3));
  area().Drop();
  // Readers of a killed process's ring find what comes of it.
  EXPECT_EQ(view.header().definitions_tail, sizeof(trace::TextRecord));
  EXPECT_TRUE(area().Append(TextWithId(4)));
  EXPECT_THAT(TakenIds(area()), ElementsAre(4));

  View::Commit(stopped, TextWithId(2));
  EXPECT_THAT(TakenIds(area()), ElementsAre(2));
  EXPECT_THAT(TakenIds(area()), IsEmpty());
  area().Drop();
  EXPECT_EQ(view.header().definitions_tail, 0u);
  EXPECT_EQ(view.header().definitions_head, 0u);
}

constexpr uint32_t kTextBytes = sizeof(trace::TextRecord);

// Room whose header is not there yet says not even how much it is.
TEST_F(DefinitionAreaTest, OneThatIsStoppedBeforeItTellsHowMuchDoesNotEither) {
  View view(file_.path());
  uint8_t* first = view.TakeUntold(kTextBytes);
  uint8_t* second = view.TakeUntold(3 * kTextBytes);
  uint8_t* third = view.TakeUntold(kTextBytes);
  EXPECT_THAT(TakenIds(area()), IsEmpty());
  EXPECT_TRUE(area().Append(TextWithId(4)));
  EXPECT_THAT(TakenIds(area()), ElementsAre(4));
  area().Drop();
  EXPECT_EQ(view.header().definitions_tail, 0u);

  View::Tell(second, 3 * kTextBytes);
  EXPECT_THAT(TakenIds(area()), IsEmpty());
  View::Commit(third, TextWithId(3));
  EXPECT_THAT(TakenIds(area()), ElementsAre(3));
  area().Drop();
  View::Commit(first, TextWithId(1));
  EXPECT_THAT(TakenIds(area()), ElementsAre(1));
  area().Drop();
  EXPECT_EQ(view.header().definitions_tail, kTextBytes);
  // Of several at once the first commits all.
  View::Commit(second + kTextBytes, TextWithId(22));
  View::Commit(second + 2 * kTextBytes, TextWithId(23));
  View::Commit(second, TextWithId(21));
  EXPECT_THAT(TakenIds(area()), ElementsAre(21, 22, 23));
  area().Drop();
  EXPECT_EQ(view.header().definitions_head, 0u);
}

TEST_F(DefinitionAreaTest, MoreStoppedThreadsThanItKnowsLoseNothing) {
  constexpr uint32_t kThreads = 200;
  View view(file_.path());
  std::vector<uint8_t*> stopped;
  std::vector<uint32_t> ids;
  for (uint32_t i = 0; i < kThreads; ++i) {
    stopped.push_back(view.TakeUntold(kTextBytes));
    EXPECT_TRUE(area().Append(TextWithId(i)));
    for (const uint32_t id : TakenIds(area())) ids.push_back(id);
  }
  for (uint32_t i = 0; i < kThreads; i += 2) {
    View::Commit(stopped[i], TextWithId(kThreads + i));
    View::Commit(stopped[i + 1], TextWithId(kThreads + i + 1));
    for (const uint32_t id : TakenIds(area())) ids.push_back(id);
  }
  area().Drop();
  EXPECT_EQ(view.header().definitions_head, 0u);
  std::ranges::sort(ids);
  ASSERT_EQ(ids.size(), 2 * kThreads);
  for (uint32_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], i);
}

// All on one CPU, where threads are stopped anywhere.
TEST_F(DefinitionAreaTest, ThreadsThatDefineAtOnceLoseNothing) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kEach = 20'000;
  cpu_set_t before;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_getaffinity(0, sizeof(before), &before);
  sched_setaffinity(0, sizeof(one), &one);
  std::atomic<uint32_t> full = 0;
  std::atomic<uint32_t> running = kThreads;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string text(100, 'x');
      for (uint32_t i = 0; i < kEach; ++i) {
        while (
            !area().TryAppend(TextWithId(t * kEach + i),
                              trace::Piece::String(text.data(), text.size()))) {
          ++full;
          std::this_thread::yield();
        }
      }
      --running;
    });
  }
  std::vector<uint32_t> ids;
  for (bool ends = false; !ends;) {
    ends = running == 0;
    for (const uint32_t id : TakenIds(area())) ids.push_back(id);
    area().Drop();
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  sched_setaffinity(0, sizeof(before), &before);
  std::ranges::sort(ids);
  ASSERT_EQ(ids.size(), kThreads * kEach);
  for (uint32_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
}

}  // namespace
}  // namespace dltap::shim
