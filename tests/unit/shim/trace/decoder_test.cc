// SPDX-License-Identifier: Apache-2.0
#include "shim/trace/decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/trace_bytes.h"

namespace dltap::trace {
namespace {

// Reads everything there is, whatever it says; what a hostile file must
// survive. Blocks that held only whole records count as good.
struct Outcome {
  int good_blocks = 0;
  int corrupt = 0;
  bool truncated = false;
};

Outcome ReadAll(Bytes file) {
  Outcome outcome;
  FileHeader header;
  if (ReadFileHeader(file, &header) != HeaderStatus::kOk) return outcome;
  BlockReader blocks(file, header.header_bytes);
  Block block;
  while (true) {
    const DecodeStatus status = blocks.Next(&block);
    if (status == DecodeStatus::kEndOfTrace) return outcome;
    if (status == DecodeStatus::kTruncated) {
      outcome.truncated = true;
      return outcome;
    }
    if (status == DecodeStatus::kCorrupt) {
      ++outcome.corrupt;
      continue;
    }
    ++outcome.good_blocks;
    CallReader calls(block.payload);
    for (CallView call; calls.Next(&call) == DecodeStatus::kOk;) {
    }
    RecordReader records(block.payload);
    std::string_view text;
    for (RecordView r; records.Next(&r) == DecodeStatus::kOk;) {
      TailReader tail = r.tail();
      while (tail.String(&text)) {
      }
    }
  }
}

std::vector<uint8_t> SmallTrace() {
  const uint64_t payload[] = {1, 2, 3, 4, 5};
  return TraceBytes()
      .Text(1, "sgemm")
      .Calls(0, 0,
             {{.begin_ticks = 10,
               .duration_ticks = 5,
               .entry_point = 16,
               .flags = 1,
               .payload = payload,
               .payload_bytes = 40},
              {.begin_ticks = 8,
               .duration_ticks = 1ull << 40,
               .entry_point = 17,
               .flags = 0}})
      .Text(2, "conv")
      .bytes();
}

TEST(DecoderTest, CallsComeBackAsWritten) {
  const uint64_t payload[] = {1, 2, 3, 4, 5};
  TraceBytes trace;
  trace.Calls(3, 7,
              {{.begin_ticks = 100,
                .duration_ticks = 50,
                .entry_point = 16,
                .flags = kCallPushed | 2,
                .payload = payload,
                .payload_bytes = 40},
               {.begin_ticks = 90,
                .duration_ticks = 0x1'0000'0000,
                .entry_point = 17,
                .flags = 0,
                .payload = payload,
                .payload_bytes = 16}});
  BlockReader blocks(trace.bytes(), sizeof(FileHeader));
  Block block;
  ASSERT_EQ(blocks.Next(&block), DecodeStatus::kOk);
  EXPECT_EQ(block.header.thread_index, 3);
  EXPECT_EQ(block.header.first_slot, 7);
  CallReader calls(block.payload);
  CallView call;
  ASSERT_EQ(calls.Next(&call), DecodeStatus::kOk);
  EXPECT_EQ(call.begin_ticks, 100);
  EXPECT_EQ(call.duration_ticks, 50);
  EXPECT_EQ(call.flags & kCallDepthMask, 2);
  ASSERT_EQ(call.payload.size(), 48);
  EXPECT_EQ(std::memcmp(call.payload.data(), payload, 40), 0);
  ASSERT_EQ(calls.Next(&call), DecodeStatus::kOk);
  EXPECT_EQ(call.duration_ticks, 0x1'0000'0000);
  EXPECT_EQ(call.payload.size(), 16);
  EXPECT_EQ(calls.Next(&call), DecodeStatus::kEndOfTrace);
  EXPECT_EQ(blocks.Next(&block), DecodeStatus::kEndOfTrace);
}

TEST(DecoderTest, LongestPayloadFillsFourSlots) {
  std::vector<uint8_t> payload(kMaxCallPayloadBytes, 0xAB);
  CallSlot slots[kMaxSlotsPerCall];
  EXPECT_EQ(EncodeCall({.begin_ticks = 1,
                        .duration_ticks = ~0ull,
                        .entry_point = 16,
                        .flags = 0,
                        .payload = payload.data(),
                        .payload_bytes = kMaxCallPayloadBytes},
                       slots),
            kMaxSlotsPerCall);
  CallReader calls({reinterpret_cast<const uint8_t*>(slots), sizeof(slots)});
  CallView call;
  ASSERT_EQ(calls.Next(&call), DecodeStatus::kOk);
  EXPECT_EQ(call.duration_ticks, ~0ull);
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), call.payload.begin(),
                         call.payload.end()));
}

TEST(DecoderTest, StringsAndArraysFollowTheStruct) {
  EntryPointRecord entry = {};
  entry.id = 16;
  entry.arg_count = 1;
  const ArgRecord arg = {4, 8, static_cast<uint8_t>(specs::ArgKind::kHandle),
                         static_cast<uint8_t>(specs::Meaning::kKernel)};
  TraceBytes trace;
  trace.Put(BlockKind::kDefinitions, entry, Piece::Raw(&arg, sizeof(arg)),
            Piece::String("cudaMalloc", 10), Piece::String("", 0));
  BlockReader blocks(trace.bytes(), sizeof(FileHeader));
  Block block;
  ASSERT_EQ(blocks.Next(&block), DecodeStatus::kOk);
  RecordReader records(block.payload);
  RecordView record;
  ASSERT_EQ(records.Next(&record), DecodeStatus::kOk);
  EXPECT_EQ(record.kind(), RecordKind::kEntryPoint);
  TailReader tail = record.tail();
  ArgRecord read;
  std::string_view symbol, library;
  ASSERT_TRUE(tail.Read(&read, sizeof(read)));
  ASSERT_TRUE(tail.String(&symbol));
  ASSERT_TRUE(tail.String(&library));
  EXPECT_EQ(read.offset, 4);
  EXPECT_EQ(symbol, "cudaMalloc");
  EXPECT_EQ(library, "");
}

TEST(DecoderTest, StructOfAnOlderWriterIsCompletedWithZeros) {
  OverheadRecord old = {};
  old.header = {static_cast<uint16_t>(RecordKind::kOverhead), 16, 16};
  old.per_call_ps = 9;
  old.calls = 77;  // beyond what the old writer knew
  RecordReader records({reinterpret_cast<const uint8_t*>(&old), 16});
  RecordView record;
  ASSERT_EQ(records.Next(&record), DecodeStatus::kOk);
  EXPECT_EQ(record.As<OverheadRecord>().per_call_ps, 9);
  EXPECT_EQ(record.As<OverheadRecord>().calls, 0);
}

struct Longer {
  static constexpr auto kKind = static_cast<RecordKind>(999);
  RecordHeader header;
  uint64_t more[5];
};

TEST(DecoderTest, UnknownRecordsAndLongerStructsAreSkippedBySize) {
  uint8_t buffer[256];
  RecordBuffer out(buffer, sizeof(buffer));
  ASSERT_TRUE(out.Append(Longer{}));
  TextRecord text = {};
  text.id = 5;
  ASSERT_TRUE(out.Append(text, Piece::String("x", 1)));
  RecordReader records({out.data(), out.size()});
  RecordView record;
  ASSERT_EQ(records.Next(&record), DecodeStatus::kOk);
  ASSERT_EQ(records.Next(&record), DecodeStatus::kOk);
  EXPECT_EQ(record.As<TextRecord>().id, 5);
}

TEST(DecoderTest, FullBufferRefusesARecordWhole) {
  uint8_t buffer[40];
  RecordBuffer out(buffer, sizeof(buffer));
  TextRecord text = {};
  EXPECT_TRUE(out.Append(text, Piece::String("ab", 2)));
  EXPECT_EQ(out.size(), 24);
  EXPECT_FALSE(out.Append(text, Piece::String("ab", 2)));
  EXPECT_EQ(out.size(), 24);
}

TEST(DecoderTest, TruncationAtEveryByteIsNeverCorruption) {
  const std::vector<uint8_t> whole = SmallTrace();
  const int blocks = ReadAll(whole).good_blocks;
  ASSERT_EQ(blocks, 3);
  int last_good = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + size);
    const Outcome outcome = ReadAll(cut);
    EXPECT_EQ(outcome.corrupt, 0) << size;
    EXPECT_GE(outcome.good_blocks, last_good) << size;
    last_good = outcome.good_blocks;
  }
}

// The file was extended ahead of its content before the writer died.
TEST(DecoderTest, TornBlockBeforeAZeroTailIsTruncated) {
  const std::vector<uint8_t> whole = SmallTrace();
  for (size_t size = sizeof(FileHeader); size < whole.size(); ++size) {
    std::vector<uint8_t> torn(whole.begin(), whole.begin() + size);
    torn.resize(whole.size() + 4096);
    const Outcome outcome = ReadAll(torn);
    EXPECT_EQ(outcome.corrupt, 0) << size;
  }
}

TEST(DecoderTest, EveryFlippedBitIsNoticedAndTheOtherBlocksAreRead) {
  const std::vector<uint8_t> whole = SmallTrace();
  for (size_t bit = sizeof(FileHeader) * 8; bit < whole.size() * 8; ++bit) {
    std::vector<uint8_t> bad = whole;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    const Outcome outcome = ReadAll(bad);
    EXPECT_EQ(outcome.good_blocks, 2) << bit;
    EXPECT_EQ(outcome.corrupt + outcome.truncated, 1) << bit;
  }
}

TEST(DecoderTest, FlippedHeaderBitsAreNotBelieved) {
  const std::vector<uint8_t> whole = SmallTrace();
  for (size_t bit = 0; bit < sizeof(FileHeader) * 8; ++bit) {
    std::vector<uint8_t> bad = whole;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    FileHeader header;
    EXPECT_NE(ReadFileHeader(bad, &header), HeaderStatus::kOk) << bit;
  }
}

TEST(DecoderTest, NewerMajorVersionIsTold) {
  FileHeader header = {};
  Seal(header, FileKind::kData);
  header.major_version = kMajorVersion + 1;
  FileHeader read;
  EXPECT_EQ(
      ReadFileHeader(
          {reinterpret_cast<const uint8_t*>(&header), sizeof(header)}, &read),
      HeaderStatus::kNewerMajor);
}

// Every 8 bytes claim to begin a large block: reading takes linear time.
TEST(DecoderTest, FileFullOfMagicsIsReadInBoundedTime) {
  TraceBytes trace;
  BlockHeader fake = {};
  fake.magic = kBlockMagic;
  fake.payload_bytes = 1 << 20;
  std::vector<uint8_t>& bytes = trace.bytes();
  while (bytes.size() < (8 << 20)) {
    trace.Add({reinterpret_cast<const uint8_t*>(&fake), sizeof(fake)});
  }
  EXPECT_EQ(ReadAll(bytes).good_blocks, 0);
}

TEST(DecoderTest, ImpossibleSlotCountsEndTheBlock) {
  for (const uint8_t slots : {0, 6, 255}) {
    CallSlot slot = {};
    slot.slots = slots;
    CallReader calls({reinterpret_cast<const uint8_t*>(&slot), sizeof(slot)});
    CallView call;
    EXPECT_EQ(calls.Next(&call), DecodeStatus::kCorrupt) << int{slots};
  }
  CallSlot escaped = {};
  escaped.slots = 1;
  escaped.duration_ticks = kDurationEscape;
  CallReader calls(
      {reinterpret_cast<const uint8_t*>(&escaped), sizeof(escaped)});
  CallView call;
  EXPECT_EQ(calls.Next(&call), DecodeStatus::kCorrupt);
}

}  // namespace
}  // namespace dltap::trace
