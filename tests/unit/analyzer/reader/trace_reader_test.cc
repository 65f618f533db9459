// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::BlockKind;
using trace::Piece;
using trace::TraceBytes;

// 1 tick is 10 ns; the activity clock runs 5 ms ahead of the monotonic one.
trace::AnchorRecord Anchor(uint64_t monotonic_ns) {
  trace::AnchorRecord anchor = {};
  anchor.ticks = monotonic_ns / 10;
  anchor.monotonic_ns = monotonic_ns;
  anchor.realtime_ns = monotonic_ns + 1'000'000'000;
  anchor.activity_ns = monotonic_ns + 5'000'000;
  return anchor;
}

TraceBytes Clocked(uint64_t pid = 42, uint32_t segment = 0) {
  TraceBytes trace(pid, segment);
  trace.Put(BlockKind::kSamples, Anchor(1'000'000));
  trace.Put(BlockKind::kSamples, Anchor(2'000'000));
  return trace;
}

uint64_t TicksAt(uint64_t ns) { return 100'000 + ns / 10; }
uint64_t ActivityAt(uint64_t ns) { return 6'000'000 + ns; }

class TraceReaderTest : public ::testing::Test {
 protected:
  TraceModel Read(const std::vector<std::string>& paths) {
    absl::StatusOr<TraceModel> model = ReadTrace(paths, &problems_);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : TraceModel();
  }
  TraceModel Read(TraceBytes& trace) {
    return Read({dir_.Write("a.dltap", trace.bytes())});
  }
  uint64_t LossOf(const Process& process, std::string_view cause) {
    for (const Loss& loss : process.losses) {
      if (loss.cause == cause) return loss.count;
    }
    ADD_FAILURE() << "no row for " << cause;
    return 0;
  }

  TempDir dir_;
  std::vector<std::string> problems_;
};

TEST_F(TraceReaderTest, CallsAndKernelsShareOneTimeLine) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaLaunchKernel",
              {{"func", 0, 8, specs::ArgKind::kPointer, Meaning::kKernel}});
  trace.Text(1, "sgemm").Text(2, "my_kernel");
  trace::KernelFunctionRecord function = {};
  function.function = 0x1000;
  function.text = 2;
  trace.Put(BlockKind::kDefinitions, function);
  const uint64_t stub = 0x1000;
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 200,
                .entry_point = 16,
                .flags = 0,
                .payload = &stub,
                .payload_bytes = 8}});
  trace::StreamRecord stream = {};
  stream.id = 3;
  stream.stream = 7;
  stream.context = 1;
  trace.Put(BlockKind::kDefinitions, stream);
  trace::KernelVariantRecord variant = {};
  variant.id = 5;
  variant.text = 1;
  variant.grid[0] = 8;
  variant.block[0] = 128;
  trace.Put(BlockKind::kDefinitions, variant);
  trace::KernelRecord kernel = {};
  kernel.start_ns = ActivityAt(3000);
  kernel.duration_ns = 1500;
  kernel.correlation = 0x1'0000'0007;
  kernel.stream = 3;
  kernel.variant = 5;
  trace.Put(BlockKind::kActivities, kernel);
  const TraceModel model = Read(trace);
  const Process& process = model.processes[0];
  ASSERT_EQ(process.calls.size(), 1);
  EXPECT_EQ(process.calls[0].begin_ns, 0);
  EXPECT_EQ(process.calls[0].end_ns, 2000);
  EXPECT_EQ(model.texts[process.calls[0].function], "my_kernel");
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_EQ(process.activities[0].begin_ns, 3000);
  EXPECT_EQ(process.activities[0].end_ns, 4500);
  EXPECT_EQ(process.activities[0].correlation, 0x1'0000'0007);
  EXPECT_EQ(model.texts[process.activities[0].name], "sgemm");
  EXPECT_EQ(process.streams[process.activities[0].stream.value()].number, 7);
  EXPECT_FALSE(process.complete);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(TraceReaderTest, SimulatedClockMayCountFrom1970) {
  constexpr uint64_t kNow = 4'000'000'000'000'000'000;  // the year 2096
  TraceBytes trace(42, 0, trace::ClockKind::kActivity);
  trace::AnchorRecord anchor = {};
  anchor.ticks = anchor.activity_ns = kNow;
  anchor.monotonic_ns = 77;
  anchor.realtime_ns = kNow + 5000;
  trace.Put(BlockKind::kSamples, anchor);
  trace.Entry(16, "cudaMalloc");
  trace.Calls(0, 0,
              {{.begin_ticks = kNow + 10,
                .duration_ticks = 5,
                .entry_point = 16,
                .flags = 0}});
  trace::KernelRecord kernel = {};
  kernel.start_ns = kNow + 40;
  kernel.duration_ns = 7;
  trace.Put(BlockKind::kActivities, kernel);
  const TraceModel model = Read(trace);
  const Process& process = model.processes[0];
  EXPECT_EQ(process.calls[0].end_ns, 5);
  EXPECT_EQ(process.activities[0].begin_ns, 30);
  EXPECT_EQ(process.activities[0].end_ns, 37);
}

TEST_F(TraceReaderTest, DurationsBeyond32BitsAreKept) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaDeviceSynchronize");
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 0x2'0000'0000,
                .entry_point = 16,
                .flags = 0}});
  trace::KernelRecord kernel = {};
  kernel.start_ns = ActivityAt(0);
  kernel.duration_ns = trace::kDurationEscape;
  const uint64_t duration_ns = 10'000'000'000;
  trace.Put(BlockKind::kActivities, kernel, Piece::Raw(&duration_ns, 8));
  const TraceModel model = Read(trace);
  const Process& process = model.processes[0];
  EXPECT_EQ(process.calls[0].end_ns, 0x2'0000'0000 * 10);
  EXPECT_EQ(process.activities[0].end_ns, duration_ns);
}

// A special slot, of SpecialSlot `kind`.
template <typename Payload>
trace::CallFields SpecialAt(uint64_t ns, uint16_t kind,
                            const Payload* payload) {
  return {.begin_ticks = TicksAt(ns),
          .duration_ticks = 0,
          .entry_point = kind,
          .flags = 0,
          .payload = payload,
          .payload_bytes = sizeof(Payload)};
}

TEST_F(TraceReaderTest, NvtxPushAndPopBecomeRanges) {
  TraceBytes trace = Clocked();
  trace.Text(1, "step").Text(2, "forward");
  const trace::NvtxPayload step = {1, 0, 0, 0};
  const trace::NvtxPayload forward = {2, 0, 0, 0};
  const trace::NvtxPayload none = {};
  trace.Calls(0, 0,
              {SpecialAt(0, 1, &step), SpecialAt(100, 1, &forward),
               SpecialAt(200, 2, &none), SpecialAt(300, 2, &none),
               SpecialAt(400, 2, &none), SpecialAt(500, 1, &step)});
  const TraceModel model = Read(trace);
  const std::vector<Range>& ranges = model.processes[0].ranges;
  ASSERT_EQ(ranges.size(), 3);
  EXPECT_EQ(model.texts[ranges[0].name], "step");
  EXPECT_EQ(ranges[0].end_ns, 300);
  EXPECT_EQ(model.texts[ranges[1].name], "forward");
  EXPECT_EQ(ranges[1].begin_ns, 100);
  EXPECT_EQ(ranges[2].begin_ns, 500);
  EXPECT_EQ(ranges[2].end_ns, 500);
}

TEST_F(TraceReaderTest, DetailsAreOfThePushThatFollows) {
  TraceBytes trace = Clocked();
  trace.Text(1, "thunk").Text(2, "fusion.1 = ...").Text(3, "").Text(4, "{}");
  const trace::NvtxPayload thunk = {1, 0, 0, 0};
  const trace::NvtxPayload none = {};
  const trace::NvtxDetailsPayload details = {1, {2, 3, 4}};
  const trace::NvtxDetailsPayload of_a_lost_one = {9, {2, 3, 4}};
  trace.Calls(0, 0,
              {SpecialAt(0, 14, &details), SpecialAt(0, 1, &thunk),
               SpecialAt(50, 2, &none), SpecialAt(100, 1, &thunk),
               SpecialAt(150, 2, &none), SpecialAt(200, 14, &of_a_lost_one),
               SpecialAt(200, 1, &thunk), SpecialAt(250, 2, &none)});
  const TraceModel model = Read(trace);
  const std::vector<Range>& ranges = model.processes[0].ranges;
  ASSERT_EQ(ranges.size(), 3);
  EXPECT_EQ(model.texts[ranges[0].detail], "fusion.1 = ...\n{}");
  EXPECT_EQ(model.texts[ranges[1].detail], "");
  EXPECT_EQ(model.texts[ranges[2].detail], "");
}

TEST_F(TraceReaderTest, OperationsKeepTheirShapes) {
  TraceBytes trace = Clocked();
  trace.Entry(
      16, "cudnnBackendExecute",
      {{"operation", 0, 4, specs::ArgKind::kUint, Meaning::kOperation}});
  trace::OperationRecord operation = {};
  operation.id = 9;
  operation.node_count = 1;
  struct {
    trace::OperationNode node;
    trace::DimRecord dim;
  } node = {{static_cast<uint16_t>(opmodel::OpKind::kConvForward),
             0,
             static_cast<uint8_t>(opmodel::DType::kF16),
             0,
             1,
             {}},
            {static_cast<uint8_t>(opmodel::Dim::kBatch), {}, 32}};
  static_assert(sizeof(node) == 24);
  trace.Put(BlockKind::kDefinitions, operation,
            Piece::Raw(&node, sizeof(node)));
  const uint32_t id = 9;
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0,
                .payload = &id,
                .payload_bytes = 4}});
  const TraceModel model = Read(trace);
  const Call& call = model.processes[0].calls[0];
  ASSERT_TRUE(call.operation.known());
  const OperationNodes& nodes = model.operations[call.operation.value()];
  ASSERT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes[0].kind, opmodel::OpKind::kConvForward);
  EXPECT_EQ(nodes[0][opmodel::Dim::kBatch], 32);
}

TEST_F(TraceReaderTest, AnOperationIsOfTheLaunchThatToldIt) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaLaunchKernel",
              {{"func", 0, 8, specs::ArgKind::kPointer, Meaning::kKernel}});
  trace::OperationRecord operation = {};
  operation.id = 9;
  operation.node_count = 1;
  const trace::OperationNode node = {
      static_cast<uint16_t>(opmodel::OpKind::kAttentionForward),
      0,
      0,
      0,
      0,
      {}};
  trace.Put(BlockKind::kDefinitions, operation,
            Piece::Raw(&node, sizeof(node)));
  const uint64_t kernel = 0x1000;
  const trace::OperationPayload told = {kernel, 9, 0};
  const auto tell = [&](uint64_t ns) {
    return trace::CallFields{
        .begin_ticks = TicksAt(ns),
        .duration_ticks = 0,
        .entry_point = static_cast<uint16_t>(trace::SpecialSlot::kOperation),
        .flags = 0,
        .payload = &told,
        .payload_bytes = sizeof(told)};
  };
  const auto launch = [&](uint64_t ns) {
    return trace::CallFields{.begin_ticks = TicksAt(ns),
                             .duration_ticks = 5,
                             .entry_point = 16,
                             .flags = 0,
                             .payload = &kernel,
                             .payload_bytes = sizeof(kernel)};
  };
  // The second launch's record got lost, and so did what the third told.
  trace.Calls(0, 0, {tell(60), launch(0), tell(160), launch(200)});
  const TraceModel model = Read(trace);
  const std::vector<Call>& calls = model.processes[0].calls;
  ASSERT_EQ(calls.size(), 2);
  EXPECT_TRUE(calls[0].operation.known());
  EXPECT_FALSE(calls[1].operation.known());
}

TEST_F(TraceReaderTest, BadBlockCostsOnlyItself) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaMalloc");
  const size_t before = trace.bytes().size();
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0}});
  trace.bytes()[before + 40] ^= 1;
  trace.Calls(0, 1,
              {{.begin_ticks = TicksAt(100),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0}});
  const TraceModel model = Read(trace);
  EXPECT_EQ(model.processes[0].calls.size(), 1);
  EXPECT_EQ(LossOf(model.processes[0], "corrupt_block"), 1);
  EXPECT_EQ(LossOf(model.processes[0], "missing_slots"), 1);
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("bad block at byte " +
                                               std::to_string(before))));
}

TEST_F(TraceReaderTest, IdsWithoutDefinitionAreKeptAndCounted) {
  TraceBytes trace = Clocked();
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 77,
                .flags = 0},
               {.begin_ticks = TicksAt(50),
                .duration_ticks = 1,
                .entry_point = 0,
                .flags = 0}});
  const TraceModel model = Read(trace);
  ASSERT_EQ(model.processes[0].calls.size(), 2);
  EXPECT_EQ(
      model.entry_points[model.processes[0].calls[0].entry.value()].symbol,
      "unknown");
  EXPECT_EQ(LossOf(model.processes[0], "dangling_id"), 1);
}

TEST_F(TraceReaderTest, KernelsAfterTheWatermarkAreNotObserved) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaLaunchKernel");
  trace::DeviceRecord device = {};
  std::memcpy(device.uuid, "dltapsim", 8);
  trace.Put(BlockKind::kDefinitions, device, Piece::String("GPU", 3));
  trace::LevelRecord level = {};
  level.ticks = TicksAt(0);
  level.level = static_cast<uint8_t>(trace::Level::kKernels);
  trace.Put(BlockKind::kSamples, level, Piece::String("", 0));
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 900,
                .entry_point = 16,
                .flags = 0}});
  trace::WatermarkRecord watermark = {};
  watermark.complete_until_ns = ActivityAt(4000);
  trace.Put(BlockKind::kSamples, watermark);
  const TraceModel model = Read(trace);
  EXPECT_TRUE(model.simulated);
  const std::vector<NotObserved>& spans = model.processes[0].not_observed;
  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(spans[0].begin_ns, 4000);
  EXPECT_EQ(spans[0].end_ns, 9000);
  EXPECT_EQ(spans[0].cause, NotObservedCause::kAfterWatermark);
}

TEST_F(TraceReaderTest, ProcessesOfADirectoryMergeOnRealTime) {
  TraceBytes first = Clocked(1);
  first.Entry(16, "cudaMalloc");
  first.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0}});
  TraceBytes second = Clocked(2);
  second.Entry(20, "cudaMalloc");
  second.Calls(0, 0,
               {{.begin_ticks = TicksAt(700),
                 .duration_ticks = 1,
                 .entry_point = 20,
                 .flags = 0}});
  dir_.Write("a.dltap", first.bytes());
  dir_.Write("b.dltap", second.bytes());
  dir_.Write("notes.txt", std::string_view("not ours"));
  const TraceModel model = Read({dir_.path()});
  ASSERT_EQ(model.processes.size(), 2);
  EXPECT_EQ(model.processes[0].calls[0].begin_ns, 0);
  EXPECT_EQ(model.processes[1].calls[0].begin_ns, 700);
  EXPECT_EQ(model.entry_points.size(), 1);
  EXPECT_EQ(model.files.size(), 2);
}

TEST_F(TraceReaderTest, SegmentsOfAProcessAreOne) {
  TraceBytes first = Clocked(1, 0);
  first.Entry(16, "cudaMalloc");
  first.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0}});
  TraceBytes second = Clocked(1, 1);
  second.Calls(0, 1,
               {{.begin_ticks = TicksAt(100),
                 .duration_ticks = 1,
                 .entry_point = 16,
                 .flags = 0}});
  // Named so that the order of names is not the order of segments.
  dir_.Write("z.dltap", first.bytes());
  dir_.Write("y.dltap", second.bytes());
  const TraceModel model = Read({dir_.path()});
  ASSERT_EQ(model.processes.size(), 1);
  EXPECT_EQ(model.processes[0].calls.size(), 2);
  EXPECT_EQ(LossOf(model.processes[0], "missing_slots"), 0);
}

TEST_F(TraceReaderTest, FileNamedTwiceCountsOnce) {
  trace::KernelRecord kernel = {};
  kernel.start_ns = ActivityAt(0);
  kernel.duration_ns = 10;
  TraceBytes trace = Clocked();
  trace.Put(BlockKind::kActivities, kernel);
  const std::string path = dir_.Write("a.dltap", trace.bytes());
  EXPECT_EQ(Read({dir_.path(), path}).processes[0].activities.size(), 1);
}

TEST_F(TraceReaderTest, RankComesFromTheEnvironment) {
  TraceBytes trace = Clocked();
  trace::ProcessRecord process = {};
  process.pid = 99;
  constexpr std::string_view kVariables("RANK=3\0WORLD_SIZE=8\0", 20);
  trace.Put(BlockKind::kDefinitions, process, Piece::String("node1", 5),
            Piece::String("", 0), Piece::String("train.py", 8),
            Piece::String("", 0),
            Piece::String(kVariables.data(), kVariables.size()));
  const TraceModel model = Read(trace);
  EXPECT_EQ(model.processes[0].rank, 3);
  EXPECT_EQ(model.processes[0].world_size, 8);
  EXPECT_EQ(model.processes[0].host, "node1");
  EXPECT_EQ(model.processes[0].program, "train.py");
}

TEST_F(TraceReaderTest, SaysWhatIsWrongWithAFile) {
  const auto error = [this](const std::string& path) {
    return ReadTrace({path}, &problems_).status();
  };
  EXPECT_EQ(error(dir_.path() + "/none").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(error(dir_.path()).message()),
              HasSubstr("holds no trace"));
  const absl::Status empty =
      error(dir_.Write("empty.dltap", std::string_view("")));
  EXPECT_EQ(empty.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(empty.message()), HasSubstr("is empty"));
  EXPECT_THAT(
      std::string(
          error(dir_.Write("x.dltap", std::string_view("garbage"))).message()),
      HasSubstr("not a dltap trace"));
  TraceBytes newer;
  newer.bytes()[8] = 9;
  const absl::Status status = error(dir_.Write("n.dltap", newer.bytes()));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("use a newer dltap"));
}

TEST_F(TraceReaderTest, PipesOfATracesNameAreNotWaitedFor) {
  ASSERT_EQ(mkfifo((dir_.path() + "/x.dltap").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((dir_.path() + "/x.dltap.ring").c_str(), 0600), 0);
  EXPECT_FALSE(ReadTrace({dir_.path()}, &problems_).ok());
  EXPECT_THAT(problems_, Each(HasSubstr("not a regular file")));
}

TEST_F(TraceReaderTest, TruncatedAtAnyByteReadsWhatIsThere) {
  TraceBytes trace = Clocked();
  trace.Entry(16, "cudaMalloc").Text(1, "name");
  trace.Calls(0, 0,
              {{.begin_ticks = TicksAt(0),
                .duration_ticks = 1,
                .entry_point = 16,
                .flags = 0}});
  for (size_t size = 0; size < trace.bytes().size(); ++size) {
    const std::string path = dir_.Write(
        "t.dltap", std::span<const uint8_t>(trace.bytes()).first(size));
    const auto model = ReadTrace({path}, &problems_);
    EXPECT_EQ(model.ok(), size >= sizeof(trace::FileHeader)) << size;
  }
}

TEST_F(TraceReaderTest, CommandLineIsTakenApart) {
  constexpr std::string_view kBytes("/bin/python\0 a\xff\0\0b\0\0\0\0", 22);
  trace::CommandRecord record = {};
  record.whole_bytes = kBytes.size();
  TraceBytes trace = Clocked();
  trace.Put(BlockKind::kDefinitions, record,
            Piece::String(kBytes.data(), kBytes.size()));
  const Process process = Read(trace).processes[0];
  EXPECT_THAT(process.command, ElementsAre("/bin/python", " a\xff", "", "b"));
  EXPECT_FALSE(process.command_is_cut);
  EXPECT_EQ(LossOf(process, "unknown_record"), 0u);
}

TEST_F(TraceReaderTest, CutCommandLineKeepsWhatThereIs) {
  trace::CommandRecord record = {};
  record.whole_bytes = 9000;
  TraceBytes trace = Clocked();
  trace.Put(BlockKind::kDefinitions, record, Piece::String("a\0b", 3));
  const Process process = Read(trace).processes[0];
  EXPECT_THAT(process.command, ElementsAre("a", "b"));
  EXPECT_TRUE(process.command_is_cut);
}

TEST_F(TraceReaderTest, LastLibrariesCount) {
  const uint64_t version = 13000;
  trace::LibrariesRecord record = {};
  TraceBytes trace = Clocked();
  record.library_count = 1;
  trace.Put(BlockKind::kDefinitions, record, Piece::String("nccl", 4),
            Piece::Raw(&version, sizeof(version)), Piece::String("", 0));
  // More is promised than is there.
  record.library_count = 0xFFFFFFFF;
  trace.Put(BlockKind::kDefinitions, record, Piece::String("cuda", 4),
            Piece::Raw(&version, sizeof(version)), Piece::String("x", 1));
  const Process process = Read(trace).processes[0];
  ASSERT_EQ(process.libraries.size(), 1u);
  EXPECT_EQ(process.libraries[0].library, "cuda");
  EXPECT_EQ(process.libraries[0].number, 13000u);
  EXPECT_EQ(process.libraries[0].text, "x");
  EXPECT_EQ(LossOf(process, "unknown_record"), 0u);
}

TEST_F(TraceReaderTest, FrameworksAmongTheLibrariesAreTheProcesss) {
  const uint64_t unknown = 0;
  trace::LibrariesRecord record = {};
  record.library_count = 2;
  TraceBytes trace = Clocked();
  trace.Put(BlockKind::kDefinitions, record, Piece::String("torch", 5),
            Piece::Raw(&unknown, sizeof(unknown)),
            Piece::String("2.11.0+cu130", 12), Piece::String("jax", 3),
            Piece::Raw(&unknown, sizeof(unknown)), Piece::String("", 0));
  const Process process = Read(trace).processes[0];
  EXPECT_TRUE(process.libraries.empty());
  EXPECT_EQ(process.framework, "torch 2.11.0+cu130, jax");
}

}  // namespace
}  // namespace dltap::analyzer
