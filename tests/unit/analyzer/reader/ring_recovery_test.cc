// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "analyzer/reader/live_ring.h"
#include "analyzer/reader/trace_reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"

namespace dltap::analyzer {
namespace {

using trace::CallFields;
using trace::TraceBytes;

constexpr uint32_t kCapacity = 4;

CallFields CallNumber(uint64_t n) {
  return {.begin_ticks = 100 * n,
          .duration_ticks = 10,
          .entry_point = 16,
          .flags = 0};
}

// A ring file as a killed process leaves it: one ring of four slots, and a
// definition area. Slots of one call each, so slot n holds call n.
class RingBytes {
 public:
  RingBytes() : bytes_(4096) {
    header_.file.pid = 42;
    header_.file.clock = static_cast<uint8_t>(trace::ClockKind::kMonotonic);
    Seal(header_.file, trace::FileKind::kRing);
    header_.ring_count = 2;  // the second is unused
    header_.ring_header_bytes = sizeof(trace::RingHeader);
    header_.rings_offset = sizeof(trace::RingFileHeader);
    header_.definitions_offset = 1024;
    header_.definitions_capacity = 1024;
    ring_.data_offset = 2048;
    ring_.capacity_slots = kCapacity;
    ring_.state = static_cast<uint32_t>(trace::RingState::kInUse);
  }
  RingBytes& Fill(uint64_t tail, uint64_t head) {
    ring_.tail = tail;
    ring_.head = head;
    for (uint64_t n = tail; n < head; ++n) {
      trace::CallSlot slot;
      EncodeCall(CallNumber(n), &slot);
      Store(ring_.data_offset + (n - ring_.base) % kCapacity * sizeof(slot),
            slot);
    }
    return *this;
  }
  RingBytes& Define(uint32_t id, std::string_view text) {
    trace::RecordBuffer area(DefinitionsEnd(), 256);
    trace::TextRecord record = {};
    record.id = id;
    area.Append(record, trace::Piece::String(text.data(), text.size()));
    header_.definitions_head += area.size();
    return *this;
  }
  // Room of a thread that was killed before it was done; `told`: how much.
  RingBytes& TakeRoom(uint32_t bytes, bool told = true) {
    const trace::RecordHeader header = {0, sizeof(header), bytes};
    if (told) std::memcpy(DefinitionsEnd(), &header, sizeof(header));
    header_.definitions_head += bytes;
    return *this;
  }
  std::vector<uint8_t>& Finish() {
    Store(0, header_);
    Store(header_.rings_offset, ring_);
    return bytes_;
  }
  trace::RingHeader& ring() { return ring_; }
  trace::RingFileHeader& header() { return header_; }

 private:
  template <typename T>
  void Store(size_t offset, const T& value) {
    std::memcpy(&bytes_[offset], &value, sizeof(value));
  }
  uint8_t* DefinitionsEnd() {
    return &bytes_[header_.definitions_offset + header_.definitions_head];
  }

  std::vector<uint8_t> bytes_;
  trace::RingFileHeader header_ = {};
  trace::RingHeader ring_ = {};
};

class RingRecoveryTest : public ::testing::Test {
 protected:
  // A data file that holds calls [0, drained), and the ring beside it.
  std::vector<uint64_t> CallsAfterKill(uint64_t drained, RingBytes& ring) {
    return CallsOf(drained, ring.Finish());
  }
  std::vector<uint64_t> CallsOf(uint64_t drained,
                                const std::vector<uint8_t>& ring) {
    TraceBytes data(42, 0, trace::ClockKind::kMonotonic);
    data.Entry(16, "cudaMalloc");
    std::vector<CallFields> calls;
    for (uint64_t n = 0; n < drained; ++n) calls.push_back(CallNumber(n));
    if (drained > 0) data.Calls(0, 0, calls);
    const std::string path = dir_.Write("a.dltap", data.bytes());
    dir_.Write("a.dltap.ring", ring);
    std::vector<std::string> problems;
    const auto model = ReadTrace({path}, &problems);
    EXPECT_TRUE(model.ok()) << model.status();
    if (!model.ok()) return {};
    model_ = *model;
    std::vector<uint64_t> numbers;
    for (const Call& call : model->processes[0].calls) {
      numbers.push_back(call.begin_ticks / 100);
    }
    return numbers;
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (uint32_t i = 0; i < model_.texts.size(); ++i) {
      texts.emplace_back(model_.texts[TextId(i)]);
    }
    return texts;
  }
  uint64_t LossOf(std::string_view cause) {
    for (const Loss& loss : model_.processes[0].losses) {
      if (loss.cause == cause) return loss.count;
    }
    return ~0ull;
  }

  TempDir dir_;
  TraceModel model_;
};

TEST_F(RingRecoveryTest, CommittedSlotsFollowTheDrainedOnes) {
  RingBytes ring;
  EXPECT_THAT(CallsAfterKill(2, ring.Fill(2, 4)),
              ::testing::ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(model_.processes[0].complete);
}

TEST_F(RingRecoveryTest, WrappedSlotsComeInOrder) {
  RingBytes ring;
  EXPECT_THAT(CallsAfterKill(3, ring.Fill(3, 7)),
              ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

// Copied as call 1 to 4, but 5 and 6 had already taken the places of 1 and 2,
// which are drained.
TEST_F(RingRecoveryTest, WhatWasDrainedWhileTheRingWasCopiedIsLeftOut) {
  RingBytes before;
  RingBytes after;
  std::vector<uint8_t> copy = before.Fill(1, 5).Finish();
  const std::vector<uint8_t> now = after.Fill(3, 7).Define(1, "x").Finish();
  std::copy(now.begin() + 2048, now.end(), copy.begin() + 2048);
  LeaveOutDrained(copy, now);
  EXPECT_THAT(CallsOf(3, copy), ::testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(CallsOf(1, copy), ::testing::ElementsAre(0, 3, 4));
}

// Killed between the write of a block and the move of the tail.
TEST_F(RingRecoveryTest, SlotsInBothFilesCountOnce) {
  RingBytes ring;
  EXPECT_THAT(CallsAfterKill(3, ring.Fill(1, 5)),
              ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(RingRecoveryTest, LargerRingGoesOnCounting) {
  RingBytes ring;
  ring.ring().base = 100;
  EXPECT_THAT(CallsAfterKill(0, ring.Fill(100, 102)),
              ::testing::ElementsAre(100, 101));
  EXPECT_EQ(LossOf("missing_slots"), 100);
}

// A copy of the data file, whose process went on and left its ring elsewhere.
TEST_F(RingRecoveryTest, ARingThatIsAheadOfACopyIsNotItsEnd) {
  TempDir elsewhere;
  const std::string name = elsewhere.path() + "/dltap-a.dltap.ring";
  TraceBytes data(42, 0, trace::ClockKind::kMonotonic);
  data.Entry(16, "cudaMalloc");
  data.Put(trace::BlockKind::kDefinitions, trace::RingNameRecord{},
           trace::Piece::String(name.data(), name.size()));
  data.Calls(0, 0, {CallNumber(0), CallNumber(1)});
  const std::string path = dir_.Write("a.dltap", data.bytes());
  for (const uint64_t drained : {2, 3}) {
    RingBytes ring;
    elsewhere.Write("dltap-a.dltap.ring",
                    ring.Fill(drained, drained + 2).Finish());
    std::vector<std::string> problems;
    const auto model = ReadTrace({path}, &problems);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *model;
    EXPECT_EQ(model_.processes[0].calls.size(), drained == 2 ? 4 : 2);
    EXPECT_EQ(LossOf("missing_slots"), 0);
    EXPECT_EQ(LossOf("ring_missing"), 0);
    EXPECT_FALSE(model_.processes[0].complete);
  }
}

TEST_F(RingRecoveryTest, RingWithoutAnythingDrainedIsRead) {
  RingBytes ring;
  EXPECT_THAT(CallsAfterKill(0, ring.Fill(0, 1)), ::testing::ElementsAre(0));
}

TEST_F(RingRecoveryTest, UndrainedDefinitionsAreUsed) {
  RingBytes ring;
  ring.Define(7, "late").Fill(0, 1);
  CallsAfterKill(0, ring);
  EXPECT_EQ(model_.texts.size(), 1);
  EXPECT_EQ(model_.texts[TextId(0)], "late");
}

TEST_F(RingRecoveryTest, WhatAThreadWasDefiningHidesNoOtherDefinition) {
  RingBytes ring;
  ring.Define(7, "a").TakeRoom(48).TakeRoom(24).Define(8, "b").Fill(0, 1);
  CallsAfterKill(0, ring.TakeRoom(16));
  EXPECT_THAT(Texts(), ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(LossOf("unknown_record"), 0);
}

TEST_F(RingRecoveryTest, RoomOfUnknownSizeHidesNoneEither) {
  RingBytes ring;
  ring.Define(7, "a").TakeRoom(48, false).TakeRoom(24, false).Define(8, "b");
  CallsAfterKill(0, ring.Fill(0, 1).TakeRoom(16, false));
  EXPECT_THAT(Texts(), ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(LossOf("unknown_record"), 0);
}

TEST_F(RingRecoveryTest, CallThatNeverReturnedIsTold) {
  RingBytes ring;
  ring.Fill(0, 1).ring().open_call = (uint64_t{7} << 16) | 16;
  CallsAfterKill(0, ring);
  const std::vector<OpenCall>& open = model_.processes[0].open_calls;
  ASSERT_EQ(open.size(), 1);
  EXPECT_EQ(open[0].begin_ns, 7 << 16);
  EXPECT_EQ(model_.entry_points[open[0].entry.value()].symbol, "cudaMalloc");
}

TEST_F(RingRecoveryTest, NonsenseInHeadersIsNotFollowed) {
  RingBytes ring;
  ring.Fill(0, 2);
  ring.ring().head = ~0ull;
  CallsAfterKill(0, ring);
  RingBytes far;
  far.Fill(0, 2).ring().data_offset = ~0ull - 16;
  CallsAfterKill(0, far);
  RingBytes many;
  many.Fill(0, 2).header().ring_count = 0xFFFFFFFF;
  CallsAfterKill(0, many);
  RingBytes area;
  area.Define(1, "x").header().definitions_offset = ~0ull;
  CallsAfterKill(0, area);
}

}  // namespace
}  // namespace dltap::analyzer
