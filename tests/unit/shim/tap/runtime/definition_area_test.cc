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

  TempDir temp_;
  RingFile file_;
};

TEST_F(DefinitionAreaTest, ADefinitionIsEncodedWhereItStays) {
  trace::TextRecord record = {};
  record.id = 7;
  const std::string text(20'000, 'x');
  ASSERT_TRUE(file_.AppendDefinition(
      record, trace::Piece::String(text.data(), text.size())));
  const auto taken = file_.TakeDefinitions();
  trace::TextRecord read;
  memcpy(&read, taken.data(), sizeof(read));
  EXPECT_EQ(read.id, 7u);
  EXPECT_EQ(read.header.bytes, taken.size());
  EXPECT_EQ(taken[sizeof(read) + sizeof(uint32_t)], 'x');
  EXPECT_FALSE(file_.DefinitionsCrowd());
  while (!file_.DefinitionsCrowd()) {
    ASSERT_TRUE(file_.AppendDefinition(
        record, trace::Piece::String(text.data(), text.size())));
  }
}

trace::TextRecord TextWithId(uint32_t id) {
  trace::TextRecord record = {};
  record.id = id;
  return record;
}

// The ids of the texts that can be taken now.
std::vector<uint32_t> TakenIds(RingFile& file) {
  std::vector<uint32_t> ids;
  for (auto taken = file.TakeDefinitions(); !taken.empty();
       taken = file.TakeDefinitions()) {
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
  EXPECT_TRUE(file_.AppendDefinitions(bytes));
  EXPECT_EQ(file_.TakeDefinitions().size(), sizeof(bytes));
  uint64_t appended = 1;
  while (file_.AppendDefinitions(bytes)) ++appended;
  EXPECT_EQ(appended, RingFile::kDefinitionBytes / sizeof(bytes));
  EXPECT_EQ(LossCount(LossKind::kDefinitionLost), 1u);
  file_.DropDefinitions();
  EXPECT_FALSE(file_.AppendDefinitions(bytes));
  EXPECT_EQ(TakenIds(file_).size(), appended - 1);
  file_.DropDefinitions();
  EXPECT_TRUE(file_.AppendDefinitions(bytes));
  EXPECT_EQ(TakenIds(file_).size(), 1u);
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
  // As a thread does that is stopped before it writes what it defines.
  uint8_t* TakeRoom(uint32_t bytes) {
    uint8_t* at =
        bytes_ + header().definitions_offset + header().definitions_head;
    header().definitions_head += bytes;
    const trace::RecordHeader unwritten = {0, sizeof(unwritten), bytes};
    memcpy(at, &unwritten, sizeof(unwritten));
    return at;
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 20;
  uint8_t* bytes_;
};

TEST_F(DefinitionAreaTest, AThreadThatIsStoppedWhileItDefinesHoldsUpNobody) {
  View view(file_.path());
  EXPECT_TRUE(file_.AppendDefinition(TextWithId(1)));
  uint8_t* stopped = view.TakeRoom(sizeof(trace::TextRecord));
  EXPECT_TRUE(file_.AppendDefinition(TextWithId(3)));
  EXPECT_THAT(TakenIds(file_), ElementsAre(1, 3));
  file_.DropDefinitions();
  // Readers of a killed process's ring find what comes of it.
  EXPECT_EQ(view.header().definitions_tail, sizeof(trace::TextRecord));
  EXPECT_TRUE(file_.AppendDefinition(TextWithId(4)));
  EXPECT_THAT(TakenIds(file_), ElementsAre(4));

  const trace::TextRecord late = TextWithId(2);
  memcpy(stopped + sizeof(late.header), &late.id, sizeof(late.id));
  const auto header = trace::HeaderOf(late);
  memcpy(stopped, &header, sizeof(header));
  EXPECT_THAT(TakenIds(file_), ElementsAre(2));
  EXPECT_THAT(TakenIds(file_), IsEmpty());
  file_.DropDefinitions();
  EXPECT_EQ(view.header().definitions_tail, 0u);
  EXPECT_EQ(view.header().definitions_head, 0u);
}

// Room whose header is not there yet says not even how much it is.
TEST_F(DefinitionAreaTest, RoomThatWasTakenJustNowIsWaitedFor) {
  View view(file_.path());
  view.header().definitions_head = sizeof(trace::TextRecord);
  EXPECT_TRUE(file_.AppendDefinition(TextWithId(2)));
  EXPECT_THAT(TakenIds(file_), IsEmpty());
  file_.DropDefinitions();
  view.header().definitions_head = 0;
  view.TakeRoom(sizeof(trace::TextRecord));
  view.header().definitions_head = 2 * sizeof(trace::TextRecord);
  EXPECT_THAT(TakenIds(file_), ElementsAre(2));
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
        while (!file_.TryDefinition(
            TextWithId(t * kEach + i),
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
    for (const uint32_t id : TakenIds(file_)) ids.push_back(id);
    file_.DropDefinitions();
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
