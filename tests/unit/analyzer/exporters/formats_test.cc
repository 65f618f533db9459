// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/exporters/perfetto.pb.h"
#include "analyzer/exporters/pprof.pb.h"
#include "analyzer/importers/kineto.h"
#include "analyzer/importers/nsys.h"
#include "simdjson.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTrace[] =
    "process pid=41 host=a program=train rank=0\n"
    "thread 0 tid=42 name=main\n"
    "device 0 name=gpu\n"
    "range t=0..95us thread=0 name=train_loop kind=user\n"
    "call t=1..20us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
    "call t=2..5us thread=0 cudaLaunchKernel\n"
    "launchapi t=2..5us thread=0 corr=1 ext=1us\n"
    "call t=30..32us thread=0 cudaLaunchKernel\n"
    "launchapi t=30..32us thread=0 corr=2 ext=30us\n"
    "kernel t=21..26us device=0 stream=7 corr=1 name=sgemm grid=4 block=128\n"
    "kernel t=40..45us device=0 stream=7 corr=2 name=mine\n"
    "kernel t=44..48us device=0 stream=7 corr=2 name=beside\n"
    "memcpy t=50..52us device=0 stream=8 bytes=8000 kind=htod src=pinned "
    "dst=device\n"
    "process pid=42 host=b program=train rank=1\n"
    "thread 0 tid=42\n"
    "device 0 name=gpu\n"
    "call t=1..2us thread=0 cudaLaunchKernel\n"
    "launchapi t=1..2us thread=0 corr=1 ext=1us\n"
    "kernel t=10..20us device=0 stream=7 corr=1 name=mine\n";

// Quotes, control characters, what is no UTF-8, markup and 10 kB.
std::string OddName() {
  return "a\\\"b\\\\c\\x01\\n,;'<img src=x>\xC3\xA9" + std::string("\\xff") +
         std::string(10'000, 'k');
}

class FormatsTest : public ::testing::Test {
 protected:
  FormatsTest() { Read(kTrace); }

  void Read(const std::string& text) {
    model_ = TraceFromText(text);
    attribution_ = Attribute(model_);
  }

  std::vector<ExportFile> FilesOf(const std::string& format) {
    input_ = std::make_unique<ExportInput>(
        MakeExportInput(model_, attribution_, selection_));
    return FindFormat(format)->files(*input_);
  }

  static std::string Streamed(const ExportFile& file) {
    std::string out;
    file.stream([&out](std::string_view piece) { out += piece; });
    return out;
  }

  std::string Only(const std::string& format) {
    return Streamed(FilesOf(format).front());
  }

  TraceModel model_;
  Attribution attribution_;
  Selection selection_;
  std::unique_ptr<ExportInput> input_;
  TempDir folder_;
};

TEST_F(FormatsTest, NamesAreFoundAndOthersAreNot) {
  for (const ExportFormat& format : AllFormats()) {
    EXPECT_EQ(FindFormat(format.name), &format);
  }
  EXPECT_EQ(FindFormat("excel"), nullptr);
}

TEST_F(FormatsTest, ChromeHasAFileForEachProcess) {
  std::vector<std::string> names;
  for (const ExportFile& file : FilesOf("chrome")) names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("rank-0.json", "rank-1.json"));
}

// A job that was started again has its ranks twice.
TEST_F(FormatsTest, TwoProcessesOfARankHaveFilesOfTheirOwn) {
  Read(
      "process pid=1 rank=0\nthread 0 tid=1\ncall t=1..2us thread=0 cuInit\n"
      "process pid=2 rank=0\nthread 0 tid=2\ncall t=1..2us thread=0 cuInit\n"
      "process pid=3\n");
  std::vector<std::string> names;
  for (const ExportFile& file : FilesOf("chrome")) names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("rank-0.json", "rank-0-2.json"));
}

// What an importer makes of the export, as it was before.
TEST_F(FormatsTest, ChromeReadsBackWithClassesAndPlaces) {
  const std::string path = folder_.path() + "/rank-0.json";
  std::ofstream(path) << Streamed(FilesOf("chrome").front());
  TraceModel back;
  ASSERT_TRUE(ImportKineto(path, back).ok());
  Normalise(back);
  const Attribution attributed = Attribute(back);
  const Process& was = model_.processes[0];
  const Process& is = back.processes.at(0);
  ASSERT_EQ(is.activities.size(), was.activities.size());
  for (size_t i = 0; i < was.activities.size(); ++i) {
    const Activity& a = was.activities[i];
    const Activity& b = is.activities[i];
    EXPECT_EQ(a.begin_ns, b.begin_ns);
    EXPECT_EQ(a.end_ns, b.end_ns);
    EXPECT_EQ(a.correlation, b.correlation);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.copy, b.copy);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(was.streams[a.stream.value()].number,
              is.streams[b.stream.value()].number);
    EXPECT_EQ(attribution_.processes[0].activities[i].layer_class,
              attributed.processes[0].activities[i].layer_class);
    EXPECT_EQ(attribution_.processes[0].activities[i].class_from,
              attributed.processes[0].activities[i].class_from);
  }
  EXPECT_EQ(is.rank, 0);
  EXPECT_EQ(is.program, "train");
  EXPECT_EQ(is.host, "a");
  EXPECT_EQ(is.framework, was.framework);
}

// What calls cost in a simulation is no measurement in another format either.
TEST_F(FormatsTest, FixedCostsOfCallsAreReadBack) {
  for (const bool fixed : {true, false}) {
    Read(std::string("process pid=1 program=train\n") +
         (fixed ? "host_clock fixed_costs\n" : "") +
         "thread 0 tid=1\ncall t=1..2us thread=0 cuInit\n");
    const std::string json = folder_.path() + "/trace.json";
    std::ofstream(json) << Streamed(FilesOf("chrome").front());
    const std::string sqlite =
        folder_.path() + (fixed ? "/fixed.sqlite" : "/measured.sqlite");
    ASSERT_TRUE(FilesOf("nsys").front().write(sqlite).ok());
    TraceModel of_json, of_sqlite;
    ASSERT_TRUE(ImportKineto(json, of_json).ok());
    ASSERT_TRUE(ImportNsys(sqlite, of_sqlite).ok());
    for (const TraceModel* back : {&of_json, &of_sqlite}) {
      EXPECT_EQ(back->processes.at(0).host_clock == HostClock::kFixedCosts,
                fixed);
    }
  }
}

TEST_F(FormatsTest, NsysReadsBackEqual) {
  const std::string path = folder_.path() + "/trace.sqlite";
  ASSERT_TRUE(FilesOf("nsys").front().write(path).ok());
  TraceModel back;
  const absl::Status read = ImportNsys(path, back);
  ASSERT_TRUE(read.ok()) << read;
  Normalise(back);
  ASSERT_EQ(back.processes.size(), 2);
  for (size_t p = 0; p < 2; ++p) {
    const Process& was = model_.processes[p];
    const Process& is = back.processes[p];
    EXPECT_EQ(is.pid, was.pid);
    EXPECT_EQ(is.rank, was.rank);
    EXPECT_EQ(is.program, was.program);
    EXPECT_EQ(is.ranges.size(), was.ranges.size());
    EXPECT_EQ(is.calls.size(), was.calls.size());
    ASSERT_EQ(is.activities.size(), was.activities.size());
    for (size_t i = 0; i < was.activities.size(); ++i) {
      const Activity& a = was.activities[i];
      const Activity& b = is.activities[i];
      EXPECT_EQ(a.begin_ns, b.begin_ns);
      EXPECT_EQ(a.end_ns, b.end_ns);
      EXPECT_EQ(a.correlation, b.correlation);
      EXPECT_EQ(a.bytes, b.bytes);
      EXPECT_EQ(a.copy, b.copy);
      EXPECT_EQ(a.source, b.source);
      EXPECT_EQ(model_.texts[a.name], back.texts[b.name]);
      if (a.kind != ActivityKind::kKernel) continue;
      EXPECT_EQ(was.launch_shapes.at(a.shape).grid,
                is.launch_shapes.at(b.shape).grid);
    }
  }
}

// Name and track of the slices, in the order of their begins.
TEST_F(FormatsTest, PerfettoSlicesNestOnTheirTracks) {
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  std::map<uint64_t, std::vector<uint64_t>> open;  // begins, by track
  std::set<uint64_t> tracks;
  int slices = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.has_track_descriptor()) {
      tracks.insert(packet.track_descriptor().uuid());
    }
    if (!packet.has_track_event()) continue;
    const perfetto::TrackEvent& event = packet.track_event();
    EXPECT_TRUE(tracks.contains(event.track_uuid()));
    std::vector<uint64_t>& begins = open[event.track_uuid()];
    if (event.type() == perfetto::TrackEvent::TYPE_SLICE_BEGIN) {
      ++slices;
      EXPECT_TRUE(begins.empty() || begins.back() <= packet.timestamp());
      begins.push_back(packet.timestamp());
    } else if (event.type() == perfetto::TrackEvent::TYPE_SLICE_END) {
      ASSERT_FALSE(begins.empty());
      EXPECT_LE(begins.back(), packet.timestamp());
      begins.pop_back();
    }
  }
  EXPECT_EQ(slices, 1 + 3 + 4 + 1 + 1);
  for (const auto& [track, begins] : open) EXPECT_TRUE(begins.empty());
}

// Two hosts have a process 42 and threads 42 and 43: a viewer knows a thread by
// its number alone, and a main thread by that of its process.
TEST_F(FormatsTest, PerfettoThreadsOfSeveralHostsAreSeveral) {
  std::string text;
  for (const char* host : {"a", "b"}) {
    text += std::string("process pid=42 host=") + host +
            "\nthread 0 tid=42\nthread 1 tid=43\n"
            "range t=0..1us thread=0 name=r kind=user\n"
            "range t=0..1us thread=1 name=r kind=user\n";
  }
  Read(text);
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  std::set<int64_t> tids;
  int main_threads = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (!packet.track_descriptor().has_thread()) continue;
    const auto& thread = packet.track_descriptor().thread();
    EXPECT_TRUE(tids.insert(thread.tid()).second) << thread.tid();
    main_threads += thread.tid() == thread.pid();
  }
  EXPECT_EQ(tids.size(), 4);
  EXPECT_EQ(main_threads, 2);
}

TEST_F(FormatsTest, PerfettoFlowsLeadFromCallsToTheirLastWork) {
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  std::map<uint64_t, std::vector<uint64_t>> flows;  // times, by id
  std::set<uint64_t> ended;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    for (const uint64_t id : packet.track_event().flow_ids()) {
      flows[id].push_back(packet.timestamp());
    }
    for (const uint64_t id : packet.track_event().terminating_flow_ids()) {
      flows[id].push_back(packet.timestamp());
      EXPECT_TRUE(ended.insert(id).second);
    }
  }
  std::vector<std::vector<uint64_t>> times;
  for (const auto& [id, at] : flows) times.push_back(at);
  EXPECT_THAT(times, ElementsAre(ElementsAre(1000, 21000),
                                 ElementsAre(30000, 40000, 44000),
                                 ElementsAre(1000, 10000)));
  EXPECT_EQ(ended.size(), 3);
}

TEST_F(FormatsTest, PerfettoCountsUnfinishedWork) {
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  std::map<uint64_t, std::string> counters;
  std::map<std::string, std::vector<int64_t>> values;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_descriptor().has_counter()) {
      counters[packet.track_descriptor().uuid()] =
          std::to_string(counters.size()) + packet.track_descriptor().name();
    }
    const perfetto::TrackEvent& event = packet.track_event();
    if (event.type() != perfetto::TrackEvent::TYPE_COUNTER) continue;
    values[counters.at(event.track_uuid())].push_back(event.counter_value());
  }
  EXPECT_THAT(values["0unfinished work"], ElementsAre(1, 0, 2, 1, 0));
}

TEST_F(FormatsTest, PerfettoCountsHeldMemory) {
  Read(
      "process pid=1\nthread 0 tid=1\ndevice 0 name=gpu\n"
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=4096\n"
      "call t=2..3us thread=0 cudaMalloc devPtr=0x20000000 size=1024\n"
      "call t=8..9us thread=0 cudaFree devPtr=0x10000000\n"
      "kernel t=4..5us device=0 stream=7 name=k\n");
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  uint64_t track = 0;
  std::vector<int64_t> values;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_descriptor().name() == "memory held") {
      track = packet.track_descriptor().uuid();
    }
    const perfetto::TrackEvent& event = packet.track_event();
    if (packet.has_track_event() && event.track_uuid() == track) {
      values.push_back(event.counter_value());
    }
  }
  EXPECT_THAT(values, ElementsAre(4096, 5120, 1024));
}

TEST_F(FormatsTest, PprofStacksGoFromProgramToKernel) {
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(Only("pprof")));
  ASSERT_EQ(profile.string_table(0), "");
  std::vector<std::string> stacks;
  int64_t gpu_ns = 0;
  for (const pprof::Sample& sample : profile.sample()) {
    std::string stack;
    for (const uint64_t id : sample.location_id()) {
      ASSERT_GT(id, 0);
      const auto& function =
          profile.function(profile.location(id - 1).line(0).function_id() - 1);
      stack = profile.string_table(function.name()) +
              (stack.empty() ? "" : ";") + stack;
    }
    stacks.push_back(stack + " " + std::to_string(sample.value(0)) + " " +
                     std::to_string(sample.value(1)) + " " +
                     std::to_string(sample.value(2)));
    gpu_ns += sample.value(2);
  }
  EXPECT_EQ(gpu_ns, 5000 + 5000 + 4000 + 2000 + 10000);
  EXPECT_THAT(stacks, testing::Contains(
                          "train;gemm;cublasSgemm_v2;sgemm 1 19000 5000"));
  EXPECT_THAT(stacks,
              testing::Contains("train;unattributed;cudaLaunchKernel;mine "
                                "1 2000 5000"));
}

TEST_F(FormatsTest, SpeedscopeEventsAreBalancedAndInOrder) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  const std::string json = Only("speedscope");
  ASSERT_FALSE(parser.parse(json).get(document)) << json;
  const auto frames = document["shared"]["frames"].get_array().value();
  int opened = 0;
  for (const simdjson::dom::element profile :
       document["profiles"].get_array()) {
    std::vector<uint64_t> stack;
    int64_t last = profile["startValue"].get_int64();
    for (const simdjson::dom::element event : profile["events"].get_array()) {
      const int64_t at = event["at"].get_int64();
      const uint64_t frame = event["frame"].get_uint64();
      EXPECT_LE(last, at);
      last = at;
      ASSERT_LT(frame, frames.size());
      if (std::string_view(event["type"]) == "O") {
        stack.push_back(frame);
        ++opened;
      } else {
        ASSERT_FALSE(stack.empty());
        EXPECT_EQ(stack.back(), frame);
        stack.pop_back();
      }
    }
    EXPECT_TRUE(stack.empty());
    EXPECT_EQ(last, int64_t(profile["endValue"].get_int64()));
  }
  EXPECT_EQ(opened, (1 + 3 + 1) + 2 * (4 + 1));
}

TEST_F(FormatsTest, PrometheusCountsInSeconds) {
  const std::string text = Only("prometheus");
  EXPECT_THAT(text, HasSubstr("# TYPE dltap_gpu_busy_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("layer_class=\"gemm\"} 0.000005000\n"));
  EXPECT_THAT(text, HasSubstr("rank=\"1\""));
}

TEST_F(FormatsTest, CsvHasAllTables) {
  std::map<std::string, std::string> files;
  for (const ExportFile& file : FilesOf("csv")) {
    files[file.name] = Streamed(file);
  }
  EXPECT_THAT(files["kernels.csv"],
              HasSubstr("\"a:41\",0,0,7,21000,26000,\"kernel\",\"sgemm\","
                        "\"gemm\",\"forward\",\"api_arguments\""));
  EXPECT_THAT(files["calls.csv"],
              HasSubstr("\"a:41\",0,0,42,1000,20000,\"cublasSgemm_v2\","
                        "\"cublas\",0,"));
  EXPECT_THAT(files["classes.csv"], HasSubstr("\"gemm\",5000,5000,5000,"));
  EXPECT_THAT(files["gaps.csv"], HasSubstr("\"a:41\",0,0,26000,40000,"));
  EXPECT_EQ(files.count("steps.csv"), 1);
}

TEST_F(FormatsTest, AStepIsAsLongInItsTableAsInTheReport) {
  // The host submits a step in 20 us; the device works on it for 100.
  std::string text = "process host=a pid=41\ndevice 0 name=gpu\n";
  for (int i = 0; i < 4; ++i) {
    const int at = 20 * i;
    absl::StrAppend(&text, "range t=", at, "..", at + 20,
                    "us thread=0 kind=step name=s\ncall t=", at + 1, "..",
                    at + 3, "us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n",
                    "launchapi t=", at + 1, "..", at + 2,
                    "us thread=0 corr=", i + 1, " ext=", at + 1,
                    "us\nkernel t=", 10 + 100 * i, "..", 110 + 100 * i,
                    "us device=0 stream=7 corr=", i + 1, " name=sgemm\n");
  }
  Read(text);
  std::string steps;
  for (const ExportFile& file : FilesOf("csv")) {
    if (file.name == "steps.csv") steps = Streamed(file);
  }
  EXPECT_THAT(steps, HasSubstr(",device,window_begin_ns,window_end_ns\r\n"));
  EXPECT_THAT(steps, HasSubstr(",1,20000,40000,\"used\",0,110000,210000\r\n"));
}

TEST_F(FormatsTest, BoundsOfBucketsAreNotRounded) {
  Read(
      "process pid=1\ndevice 0 name=gpu\n"
      "range t=0..9us thread=0 kind=step name=s\n"
      "call t=1..2us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=1..2us thread=0 corr=1 ext=1us\n"
      "kernel t=3..5us device=0 stream=7 corr=1 name=sgemm\n");
  EXPECT_THAT(Only("prometheus"), HasSubstr("{le=\"30\"} "));
}

TEST_F(FormatsTest, AWindowAndADeviceHoldInEveryFormat) {
  selection_.window = Interval{39'000, 49'000};
  EXPECT_EQ(Only("csv").find("sgemm"), std::string::npos);
  EXPECT_NE(Only("csv").find("mine"), std::string::npos);
  perfetto::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(Only("perfetto")));
  int slices = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    slices +=
        packet.track_event().type() == perfetto::TrackEvent::TYPE_SLICE_BEGIN;
  }
  EXPECT_EQ(slices, 1 + 2);  // the range around, and two kernels
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(Only("pprof")));
  EXPECT_EQ(profile.sample_size(), 2);
  EXPECT_EQ(Only("speedscope").find("sgemm"), std::string::npos);
  EXPECT_EQ(Only("prometheus").find("layer_class=\"gemm\""), std::string::npos);
  selection_ = {.device = "1"};
  EXPECT_EQ(Only("pprof").find("sgemm"), std::string::npos);
}

// Readers refuse a whole file for one byte.
TEST_F(FormatsTest, OddNamesKeepEveryFormatReadable) {
  const std::string odd = OddName();
  Read("process pid=1 program=\"" + odd + "\"\nthread 0 tid=1 name=\"" + odd +
       "\"\ndevice 0 name=\"" + odd + "\"\nrange t=0..9us thread=0 name=\"" +
       odd + "\" kind=user\nkernel t=2..5us device=0 stream=7 name=\"" + odd +
       "\"\n");
  simdjson::dom::parser parser;
  for (const ExportFormat& format : AllFormats()) {
    for (const ExportFile& file : FilesOf(std::string(format.name))) {
      if (!file.stream) continue;
      const std::string text = Streamed(file);
      if (format.extension == ".json") {
        simdjson::dom::element document;
        EXPECT_FALSE(parser.parse(text).get(document)) << format.name;
      }
      const bool has_names =
          format.name != "prometheus" && file.name != "calls.csv" &&
          file.name != "steps.csv" && file.name != "classes.csv" &&
          file.name != "gaps.csv";
      if (has_names) {
        EXPECT_THAT(text, HasSubstr(std::string(10'000, 'k'))) << file.name;
        EXPECT_THAT(text, HasSubstr("\uFFFD")) << file.name;
      }
      if (format.name != "pprof" && format.name != "perfetto") {
        EXPECT_TRUE(simdjson::validate_utf8(text)) << file.name;
      }
    }
  }
  const std::string path = folder_.path() + "/odd.sqlite";
  ASSERT_TRUE(FilesOf("nsys").front().write(path).ok());
  TraceModel back;
  ASSERT_TRUE(ImportNsys(path, back).ok());
  EXPECT_THAT(std::string(back.texts[back.processes[0].activities[0].name]),
              HasSubstr("<img src=x>"));
}

// It must never be taken for a GPU.
TEST_F(FormatsTest, ASimulatedGpuIsCalledSoInEveryFormat) {
  Read(
      "process pid=1 rank=0\nthread 0 tid=1\ndevice 0 name=gpu "
      "uuid=646c74617073696d0000000000000001 simulated\n"
      "kernel t=2..5us device=0 stream=7 name=k\n");
  for (const char* format : {"chrome", "perfetto", "pprof", "speedscope"}) {
    EXPECT_THAT(Only(format), HasSubstr("simulated")) << format;
  }
  EXPECT_THAT(Only("prometheus"), HasSubstr("simulated=\"true\""));
  const std::string nsys = folder_.path() + "/trace.sqlite";
  ASSERT_TRUE(FilesOf("nsys").front().write(nsys).ok());
  TraceModel from_nsys;
  ASSERT_TRUE(ImportNsys(nsys, from_nsys).ok());
  EXPECT_TRUE(from_nsys.simulated);
  const std::string kineto = folder_.path() + "/trace.json";
  std::ofstream(kineto) << Only("chrome");
  TraceModel from_kineto;
  ASSERT_TRUE(ImportKineto(kineto, from_kineto).ok());
  EXPECT_TRUE(from_kineto.simulated);
}

TEST_F(FormatsTest, AnEmptyTraceIsAFileInEveryFormat) {
  Read("process pid=1\n");
  for (const ExportFormat& format : AllFormats()) {
    const auto files = FilesOf(std::string(format.name));
    EXPECT_FALSE(files.empty()) << format.name;
    for (const ExportFile& file : files) {
      if (file.stream) Streamed(file);
    }
  }
}

class OutputFilesTest : public ::testing::Test {
 protected:
  static ExportFile Text(const std::string& name, const std::string& text) {
    return {name, [text](const ByteSink& sink) { sink(text); }, nullptr};
  }
  std::string At(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  std::string Read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(At(name)).rdbuf();
    return text.str();
  }
  size_t Count() const {
    size_t count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_.path())) {
      count += entry.is_regular_file();
    }
    return count;
  }

  TempDir folder_;
};

TEST_F(OutputFilesTest, AFileThatExistsStaysUnlessItMayBeReplaced) {
  OutputPlace place{.path = At("a")};
  ASSERT_TRUE(WriteFiles({Text("a", "one")}, place).ok());
  const absl::Status refused = WriteFiles({Text("a", "two")}, place);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--force"));
  EXPECT_EQ(Read("a"), "one");
  place.may_replace = true;
  ASSERT_TRUE(WriteFiles({Text("a", "two")}, place).ok());
  EXPECT_EQ(Read("a"), "two");
}

TEST_F(OutputFilesTest, AFolderIsCheckedBeforeAnythingIsWritten) {
  std::ofstream(At("second")) << "mine";
  const OutputPlace place{.path = folder_.path(), .is_folder = true};
  EXPECT_FALSE(
      WriteFiles({Text("first", "1"), Text("second", "2")}, place).ok());
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(Read("second"), "mine");
}

// A rename would put a file in the place of /dev/null.
TEST_F(OutputFilesTest, OnlyFilesAreReplaced) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  const OutputPlace place{.path = At("pipe"), .may_replace = true};
  EXPECT_FALSE(WriteFiles({Text("a", "one")}, place).ok());
  EXPECT_TRUE(std::filesystem::is_fifo(At("pipe")));
}

TEST_F(OutputFilesTest, AFailureLeavesNoPartOfAFolder) {
  const ExportFile failing{"b", nullptr, [](const std::string&) {
                             return absl::InternalError("disk");
                           }};
  OutputPlace place{.path = At("new"), .is_folder = true};
  EXPECT_FALSE(WriteFiles({Text("a", "one"), failing}, place).ok());
  EXPECT_FALSE(std::filesystem::exists(At("new")));
  // Nor is one table newer than the others.
  std::ofstream(At("a")) << "old";
  place = {.path = folder_.path(), .is_folder = true, .may_replace = true};
  EXPECT_FALSE(WriteFiles({Text("a", "one"), failing}, place).ok());
  EXPECT_EQ(Read("a"), "old");
}

TEST_F(FormatsTest, CsvHasNoByteThatEndsATextInC) {
  Read(
      "device 0 name=gpu\n"
      "kernel t=1..2us device=0 stream=7 name=\"a\\x00b\"\n");
  for (const ExportFile& file : FilesOf("csv")) {
    const std::string text = Streamed(file);
    EXPECT_EQ(text.find('\0'), std::string::npos) << file.name;
    if (file.name == "kernels.csv") {
      EXPECT_THAT(text, HasSubstr("a\uFFFDb"));
    }
  }
}

TEST_F(OutputFilesTest, AFailureLeavesNothingBehind) {
  const ExportFile failing{"a", nullptr, [](const std::string& path) {
                             std::ofstream(path) << "half";
                             return absl::InternalError("disk");
                           }};
  EXPECT_FALSE(WriteFiles({failing}, {.path = At("a")}).ok());
  EXPECT_EQ(Count(), 0);
}

TEST_F(OutputFilesTest, ANameInGzIsCompressed) {
  ASSERT_TRUE(WriteFiles({Text("a", "text")}, {.path = At("a.gz")}).ok());
  EXPECT_EQ(Read("a.gz").substr(0, 2), "\x1f\x8b");
}

TEST_F(OutputFilesTest, SeveralFilesDoNotGoToStdout) {
  EXPECT_FALSE(WriteFiles({Text("a", ""), Text("b", "")}, {.path = "-"}).ok());
}

}  // namespace
}  // namespace dltap::analyzer
