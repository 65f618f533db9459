// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

constexpr char kOneLaunch[] = R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": "41", "tid": "42",
 "ts": 1725375309123456.789, "dur": 9.5,
 "args": {"External id": 5, "Input Dims": [[8, 3], [3, 5]],
          "Input type": ["float", "float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": "41",
 "tid": "42", "ts": 1725375309123457.789, "dur": 2,
 "args": {"correlation": 9}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
 "ts": 1725375309123460.790, "dur": 4.25,
 "args": {"External id": 5, "correlation": 9, "device": 0, "stream": 7}}
]})";

absl::Status Import(std::string_view json, TraceModel& model) {
  const TempDir dir;
  return ImportKineto(dir.Write("trace.json", json), model);
}

// The first process; ends the test when the import fails.
Process Imported(std::string_view json) {
  TraceModel model;
  const absl::Status status = Import(json, model);
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? model.processes.at(0) : Process{};
}

std::string Kernel(const std::string& members) {
  return R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", )"
         R"("pid": 0, "tid": 7, )" +
         members + "}]}";
}

uint64_t LossOf(const Process& process, std::string_view cause) {
  for (const Loss& loss : process.losses) {
    if (loss.cause == cause) return loss.count;
  }
  return 0;
}

uint64_t AllLosses(const Process& process) {
  uint64_t sum = 0;
  for (const Loss& loss : process.losses) sum += loss.count;
  return sum;
}

TEST(KinetoTest, OneLaunchWithItsOperator) {
  const Process process = Imported(kOneLaunch);
  EXPECT_EQ(process.pid, 41);
  ASSERT_EQ(process.calls.size(), 1);
  EXPECT_EQ(process.calls[0].correlation, 9);
  ASSERT_EQ(process.ranges.size(), 1);
  EXPECT_TRUE(process.ranges[0].operation.known());
  ASSERT_EQ(process.activities.size(), 1);
  const Activity& kernel = process.activities[0];
  EXPECT_EQ(kernel.begin_ns, 1725375309123460790);
  EXPECT_EQ(kernel.end_ns - kernel.begin_ns, 4250);
  EXPECT_EQ(kernel.annotation.value(), 0);
  EXPECT_EQ(process.threads.at(0).tid, 42);
}

TEST(KinetoTest, MembersOfAnEventComeInAnyOrder) {
  std::vector<std::string> members = {
      R"("ph": "X")", R"("cat": "kernel")",
      R"("name": "k", "pid": 0, "tid": 7)", R"("ts": 5, "dur": 2)",
      R"("args": {"stream": 9, "correlation": 3})"};
  std::sort(members.begin(), members.end());
  do {
    std::string event;
    for (const std::string& member : members) {
      event += (event.empty() ? "" : ", ") + member;
    }
    const Process process = Imported(R"({"traceEvents": [{)" + event + "}]}");
    ASSERT_EQ(process.activities.size(), 1u) << event;
    EXPECT_EQ(process.activities[0].correlation, 3u) << event;
  } while (std::next_permutation(members.begin(), members.end()));
}

TEST(KinetoTest, AKernelWithoutExternalIdHasNoOperator) {
  const Process process = Imported(Kernel(R"("ts": 1, "dur": 2)"));
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_FALSE(process.activities[0].annotation.known());
}

TEST(KinetoTest, EventsWithoutUsableTimesAreCountedAsLost) {
  for (const char* times :
       {R"("ts": 1)", R"("ts": 1, "dur": -2)", R"("ts": "x", "dur": 2)",
        R"("ts": 9223372036854775807, "dur": 1)"}) {
    const Process process = Imported(
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0,)"
        R"( "tid": 7, )" +
        std::string(times) +
        R"(}, {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,)"
        R"( "ts": 5, "dur": 2}]})");
    EXPECT_EQ(process.activities.size(), 1) << times;
    EXPECT_EQ(LossOf(process, "import_no_times"), 1) << times;
  }
}

TEST(KinetoTest, BrokenEscapesOfOldProfilersAreTakenAsTheyStand) {
  TraceModel model;
  ASSERT_TRUE(Import(R"({"traceEvents": [{"ph": "X", "cat": "Kernel",
      "name": "C:\qernel", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]})",
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_EQ(model.texts[process.activities[0].name], "C:\\qernel");
}

// As PyTorch 2.11 names some modules with_stack.
TEST(KinetoTest, AQuoteInANameCostsThatEventAlone) {
  const auto kernel = [](const std::string& name, int at) {
    return "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" + name +
           "\", \"pid\": 0, \"tid\": 7,\n    \"ts\": " + std::to_string(at) +
           ", \"dur\": 2,\n    \"args\": {\n      \"device\": 0\n    }\n  }";
  };
  std::string json = "{\"traceEvents\": [\n";
  for (int i = 0; i < 40; ++i) {
    json += kernel(i == 20 ? "lsq_linear.py(0): \"" : "k", 10 * i) +
            (i < 39 ? ",\n" : "\n");
  }
  const Process process = Imported(json + "], \"schemaVersion\": 1}");
  EXPECT_EQ(process.activities.size(), 39);
  EXPECT_EQ(LossOf(process, "import_unreadable"), 1);
  EXPECT_TRUE(process.complete);
}

// What was whole before the cut is there; that something is missing is said.
TEST(KinetoTest, EveryTruncationIsAnErrorOrSaysWhatWasLost) {
  const std::string_view whole(kOneLaunch);
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const TempDir dir;
    TraceModel model;
    std::vector<std::string> problems;
    const absl::Status status = ImportKineto(
        dir.Write("trace.json", whole.substr(0, size)), model, {&problems, {}});
    if (!status.ok()) continue;
    ASSERT_EQ(problems.size(), 1) << size;
    EXPECT_NE(problems[0].find("byte " + std::to_string(size)),
              std::string::npos)
        << problems[0];
    const Process& process = model.processes.at(0);
    EXPECT_EQ(LossOf(process, "import_cut"), 1);
    EXPECT_FALSE(process.complete);
    const size_t events = process.calls.size() + process.ranges.size() +
                          process.activities.size();
    EXPECT_GE(events, most);
    most = events;
  }
  EXPECT_EQ(most, 3);
}

TEST(KinetoTest, AGzipThatBreaksOffGivesWhatWasWhole) {
  std::string json = R"({"traceEvents": [)";
  for (int i = 0; i < 50'000; ++i) {
    json += R"({"ph": "X", "cat": "kernel", "name": "k)" + std::to_string(i) +
            R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(i * 10) +
            R"(, "dur": 2},)";
  }
  json += R"({"ph": "X"}]})";
  const TempDir dir;
  const std::string path = dir.path() + "/trace.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, json.data(), static_cast<unsigned>(json.size()));
  gzclose(file);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  TraceModel model;
  std::vector<std::string> problems;
  ASSERT_TRUE(ImportKineto(path, model, {&problems, {}}).ok());
  EXPECT_GT(model.processes.at(0).activities.size(), 10'000);
  ASSERT_EQ(problems.size(), 1);
  EXPECT_NE(problems[0].find("gzip data ends early"), std::string::npos)
      << problems[0];
}

TEST(KinetoTest, AnArrayOfEventsAloneIsATrace) {
  const std::string_view whole(kOneLaunch);
  const size_t begin = whole.find('[');
  const Process process =
      Imported(whole.substr(begin, whole.rfind(']') + 1 - begin));
  EXPECT_EQ(process.activities.size(), 1);
  EXPECT_EQ(AllLosses(process), 0);
}

// Windows are smaller than these files; each event is read once all the same.
TEST(KinetoTest, AByteOrderMarkIsNoPartOfTheTrace) {
  const std::string json = "\xEF\xBB\xBF" + std::string(kOneLaunch);
  EXPECT_TRUE(LooksLikeKineto(json));
  EXPECT_EQ(Imported(json).activities.size(), 1);
}

TEST(KinetoTest, EscapedKeysAreTheKeysThatTheyStandFor) {
  std::string json = kOneLaunch;
  for (const auto& [key, escaped] :
       {std::pair<std::string, std::string>{R"("traceEvents")",
                                            R"("trace\u0045vents")"},
        {R"("ts")", R"("t\u0073")"},
        {R"("name")", R"("na\u006de")"},
        {R"("correlation")", R"("corre\u006cation")"}}) {
    for (size_t at = 0; (at = json.find(key, at)) != std::string::npos;
         at += escaped.size()) {
      json.replace(at, key.size(), escaped);
    }
  }
  const Process plain = Imported(kOneLaunch);
  const Process process = Imported(json);
  ASSERT_NE(json, kOneLaunch);
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_EQ(process.activities[0].begin_ns, plain.activities[0].begin_ns);
  EXPECT_EQ(process.activities[0].correlation, plain.activities[0].correlation);
  EXPECT_EQ(process.activities[0].name.known(),
            plain.activities[0].name.known());
}

TEST(KinetoTest, EventsOnTheSeamsOfWindowsAreReadOnce) {
  for (const size_t pad : {0, 1, 7, 63, 64, 65}) {
    std::string json = R"({"traceEvents": [)";
    for (int i = 0; i < 20'000; ++i) {
      json += std::string(pad, ' ') +
              R"({"ph": "X", "cat": "kernel", "name": "a]{\"b", "pid": 0, )"
              R"("tid": 7, "ts": 1, "dur": 2, "args": {"External id": )" +
              std::to_string(i) + "}}" + (i < 19'999 ? "," : "");
    }
    const Process process = Imported(json + "]}");
    EXPECT_EQ(process.activities.size(), 20'000) << pad;
    EXPECT_EQ(AllLosses(process), 0) << pad;
  }
}

TEST(KinetoTest, OneBadEventCostsOneEvent) {
  const std::string good =
      R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2})";
  for (const char* bad : {R"({"ph": "X", "cat"})", "7", R"("text")", "[1]"}) {
    const Process process = Imported(R"({"traceEvents": [)" + good + "," + bad +
                                     "," + good + "," + good + "]}");
    EXPECT_EQ(process.activities.size(), 3) << bad;
    EXPECT_EQ(LossOf(process, "import_unreadable"), 1) << bad;
  }
}

TEST(KinetoTest, BytesThatAreNoUtf8AreReplacedAndCounted) {
  TraceModel model;
  ASSERT_TRUE(Import("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", "
                     "\"name\": \"k\xff\", \"ts\": 1, \"dur\": 2}]}",
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_EQ(model.texts[process.activities[0].name], "k?");
  EXPECT_EQ(LossOf(process, "import_repaired"), 1);
}

TEST(KinetoTest, WaitsLoadersAndPythonFramesHaveTheirPlace) {
  const Process process = Imported(R"({"baseTimeNanoseconds": 1000000,
"traceEvents": [
{"ph": "X", "cat": "user_annotation", "ts": 1, "dur": 2, "pid": 1, "tid": 1,
 "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"},
{"ph": "X", "cat": "python_function", "ts": 1, "dur": 9, "pid": 1, "tid": 1,
 "name": "train.py(3): step", "args": {"Python id": 4}},
{"ph": "X", "cat": "cuda_sync", "ts": 5, "dur": 2, "pid": 0, "tid": 7,
 "name": "Event Sync", "args": {"device": 0, "stream": 7, "correlation": 3,
 "wait_on_cuda_event_id": 11}}]})");
  ASSERT_EQ(process.ranges.size(), 2);
  EXPECT_EQ(process.ranges[0].kind, RangeKind::kDataLoader);
  EXPECT_EQ(process.ranges[1].kind, RangeKind::kPython);
  ASSERT_EQ(process.syncs.size(), 1);
  EXPECT_EQ(process.syncs[0].kind, SyncKind::kEvent);
  EXPECT_EQ(process.syncs[0].event, 11);
  EXPECT_EQ(process.syncs[0].correlation, 3);
  EXPECT_EQ(process.syncs[0].begin_ns, 1'005'000);  // from the file's base
}

TEST(KinetoTest, RecordedFramesAreLookedAtAtEvenDistances) {
  TraceModel model;
  ASSERT_TRUE(Import(R"({"traceEvents": [
{"ph": "X", "cat": "python_function", "ts": 0, "dur": 1000, "pid": 1, "tid": 1,
 "name": "train.py(3): step"},
{"ph": "X", "cat": "python_function", "ts": 50, "dur": 500, "pid": 1, "tid": 1,
 "name": "torch/utils/data/dataloader.py(9): __next__"},
{"ph": "X", "cat": "python_function", "ts": 60, "dur": 480, "pid": 1, "tid": 1,
 "name": "<built-in method acquire of _thread.lock object at 0x7fb7b632ed00>"}
]})",
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  EXPECT_EQ(model.texts[process.ranges.at(2).name],
            "<built-in method acquire of _thread.lock>");
  ASSERT_EQ(process.frames_seen.size(), 10);
  int loads = 0;
  for (const FramesSeen& seen : process.frames_seen) {
    const LaunchSite& site = model.sites.at(seen.site.value());
    EXPECT_EQ(site.frames.back().function, "step");
    EXPECT_EQ(site.frames.back().place, "train.py");
    EXPECT_EQ(site.frames.back().line, 3);
    if (site.frames.size() == 1) continue;
    EXPECT_EQ(site.frames.front().place,
              ".../site-packages/torch/utils/data/dataloader.py");
    ++loads;
  }
  EXPECT_EQ(loads, 5);
}

TEST(KinetoTest, EventsOfSeveralProcessesAreSaid) {
  const auto problems_with = [](const std::string& pid) {
    const TempDir dir;
    TraceModel model;
    std::vector<std::string> problems;
    const std::string path = dir.Write("trace.json", R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
{"ph": "X", "cat": "cpu_op", "name": "a", "pid": )" + pid +
                                                         R"(, "tid": 1, "ts": 3,
 "dur": 1}]})");
    EXPECT_TRUE(ImportKineto(path, model, {&problems, {}}).ok());
    return problems;
  };
  EXPECT_TRUE(problems_with("1").empty());
  ASSERT_EQ(problems_with("2").size(), 1);
  EXPECT_NE(problems_with("2")[0].find("2 processes"), std::string::npos);
}

TEST(KinetoTest, AFileWithoutAnyUsableTimeIsRefused) {
  TraceModel model;
  const absl::Status status = Import(Kernel(R"("ts": 5)"), model);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("none of the 1"), std::string::npos);
}

TEST(KinetoTest, GzipThatIsDamagedAtItsBeginIsSaid) {
  const TempDir dir;
  TraceModel model;
  const std::string path =
      dir.Write("trace.json.gz", "\x1f\x8b\x08 no deflated data");
  const absl::Status status = ImportKineto(path, model);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("damaged gzip data"), std::string::npos);
}

TEST(KinetoTest, ARankBelowZeroIsNoRank) {
  const std::string events = R"(, "traceEvents": []})";
  const Process told =
      Imported(R"({"distributedInfo": {"rank": 3, "world_size": 8})" + events);
  EXPECT_EQ(told.rank, 3);
  EXPECT_EQ(told.world_size, 8);
  const Process untold = Imported(
      R"({"distributedInfo": {"rank": -1, "world_size": 99999999999})" +
      events);
  EXPECT_FALSE(untold.rank.has_value());
  EXPECT_FALSE(untold.world_size.has_value());
}

TEST(KinetoTest, MemoryOfDevicesIsKeptWithItsTotals) {
  const auto event = [](const std::string& args) {
    return R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", )"
           R"("name": "[memory]", "pid": 41, "tid": 42, "ts": 5.000, )"
           R"("args": {"Device Type": )" +
           args + "}}";
  };
  const Process process = Imported(
      R"({"baseTimeNanoseconds": 0, "traceEvents": [)" +
      event(R"(0, "Device Id": -1, "Addr": 7, "Bytes": 8, )"
            R"("Total Allocated": 8, "Total Reserved": 0)") +
      "," +
      event(R"(1, "Device Id": 1, "Addr": 4096, "Bytes": -512, )"
            R"("Total Allocated": 1024, "Total Reserved": 2097152)") +
      "," + event(R"(1, "Device Id": 1, "Addr": 4096, "Bytes": 512)") + "]}");
  ASSERT_EQ(process.memory_events.size(), 1u);  // of the host; without totals
  const MemoryEvent& memory = process.memory_events[0];
  EXPECT_EQ(memory.address, 4096u);
  EXPECT_EQ(memory.bytes, -512);
  EXPECT_EQ(memory.allocated_bytes, 1024);
  EXPECT_EQ(memory.reserved_bytes, 2097152);
  EXPECT_EQ(process.devices.at(memory.device.value()).ordinal, 1);
}

TEST(KinetoTest, TracesOfOthersAreRefusedByName) {
  TraceModel model;
  const absl::Status xla = Import(
      R"({"displayTimeUnit": "ns", "traceEvents": [
{"ph": "M", "pid": 3, "name": "process_name", "args": {"name":
 "/device:GPU:0"}}, {"ph": "X", "pid": 3, "tid": 1, "ts": 1, "dur": 2,
 "name": "fusion"}]})",
      model);
  EXPECT_NE(xla.message().find("XLA"), std::string::npos) << xla.message();
  const absl::Status chakra = Import(
      R"({"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 1}]})", model);
  EXPECT_NE(chakra.message().find("Chakra"), std::string::npos)
      << chakra.message();
}

TEST(KinetoTest, JsonThatIsNoTraceIsRefused) {
  for (const char* json :
       {"{}", R"({"a": [1, 2]})", "[]", "7", "null", R"({"traceEvents": 7})"}) {
    TraceModel model;
    EXPECT_FALSE(Import(json, model).ok()) << json;
  }
}

TEST(KinetoTest, NoEventsAreAnEmptyProcess) {
  const Process process = Imported(R"({"traceEvents": []})");
  EXPECT_TRUE(process.activities.empty());
  EXPECT_TRUE(process.calls.empty());
}

TEST(KinetoTest, CollectivesKeepTheirMetadata) {
  TraceModel model;
  ASSERT_TRUE(Import(Kernel(R"("ts": 5, "dur": 2, "args": {"correlation": 9,
      "Collective name": "_allgather_base", "In msg nelems": 10,
      "Out msg nelems": 40, "Group size": 4, "dtype": "BFloat16",
      "Process Group Name": "2", "Process Group Ranks": "[0, 1, 2, 3]",
      "Seq": 17})"),
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  ASSERT_EQ(process.collectives.size(), 1u);
  const CollectiveRecord& record = process.collectives[0];
  EXPECT_EQ(record.correlation, 9u);
  EXPECT_EQ(model.texts[record.name], "_allgather_base");
  EXPECT_EQ(model.texts[record.communicator], "2 [0, 1, 2, 3]");
  EXPECT_EQ(record.elements_in, 10);
  EXPECT_EQ(record.elements_out, 40);
  EXPECT_EQ(record.ranks, 4);
  EXPECT_EQ(record.sequence, 17);
  EXPECT_EQ(record.dtype, opmodel::DType::kBf16);
}

// Older profilers describe the operator, which has the kernel's external id.
TEST(KinetoTest, CollectivesOfOperatorsAreThoseOfTheirKernels) {
  TraceModel model;
  ASSERT_TRUE(Import(R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 2,
 "ts": 1, "dur": 9, "args": {"External id": 5, "dtype": "Float",
 "Collective name": "allreduce", "In msg nelems": 8, "Group size": 2}},
{"ph": "X", "cat": "kernel", "name": "ncclKernel", "pid": 0, "tid": 7,
 "ts": 20, "dur": 4, "args": {"External id": 5, "correlation": 3,
 "device": 0, "stream": 7}}]})",
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  ASSERT_EQ(process.collectives.size(), 1u);
  EXPECT_EQ(process.collectives[0].correlation, 3u);
  EXPECT_EQ(process.collectives[0].elements_in, 8);
  EXPECT_EQ(process.collectives[0].ranks, 2);
}

// Every thread numbers its nodes from 0. Autograd's, 42, made node 1 as it
// computed the forward pass again, and ran node 1 of the main thread.
TEST(KinetoTest, NodesOfTwoThreadsHaveTwoNumbers) {
  const auto op = [](int tid, int at, const std::string& args) {
    return R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": )" +
           std::to_string(tid) + R"(, "ts": )" + std::to_string(at) +
           R"(, "dur": 1, "args": {"Sequence number": )" + args + "}}";
  };
  const Process process = Imported(
      R"({"traceEvents": [)" + op(41, 10, "1") + ", " + op(41, 20, "2") + ", " +
      op(42, 30, "1") + ", " + op(42, 40, R"(2, "Fwd thread id": 1)") + ", " +
      op(42, 50, R"(1, "Fwd thread id": 1)") + ", " +
      op(42, 60, R"(1, "Fwd thread id": 2)") + "]}");
  const std::vector<Range>& ranges = process.ranges;
  ASSERT_EQ(ranges.size(), 6u);
  EXPECT_EQ(ranges[3].sequence, ranges[1].sequence);
  EXPECT_EQ(ranges[4].sequence, ranges[0].sequence);
  EXPECT_EQ(ranges[5].sequence, ranges[2].sequence);
  EXPECT_NE(ranges[0].sequence, ranges[2].sequence);
}

}  // namespace
}  // namespace dltap::analyzer
