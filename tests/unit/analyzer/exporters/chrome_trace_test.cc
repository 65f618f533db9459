// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simdjson.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kTrace[] =
    "process pid=41 program=train rank=3 world_size=8\n"
    "thread 0 tid=42\n"
    "device 0 name=gpu cc=9.0 sms=132 memory=80000000000\n"
    "range t=0..90us thread=0 name=\"epoch \\\"1\\\"\\x01\" kind=user\n"
    "call t=1..20us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
    "call t=2..5us thread=0 cudaLaunchKernel\n"
    "launchapi t=2..5us thread=0 corr=1 ext=1us\n"
    "call t=30..32us thread=0 cudaLaunchKernel\n"
    "launchapi t=30..32us thread=0 corr=2 ext=30us\n"
    "call t=33..34us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
    "launchapi t=33..34us thread=0 corr=3 ext=33us\n"
    "kernel t=21001..25999ns device=0 stream=7 corr=1 name=sgemm "
    "grid=4,2,1 block=128 registers=40 static_shared=16 dynamic_shared=32\n"
    "kernel t=40..45us device=0 stream=7 corr=2 name=mine\n"
    "kernel t=46..47us device=0 stream=7 corr=3 name=sgemm\n"
    "memcpy t=48..50us device=0 stream=7 corr=4 bytes=8000 kind=htod "
    "src=pageable dst=device\n"
    "memset t=50..51us device=0 stream=0 bytes=8\n";

struct Event {
  std::string phase;
  std::string category;
  std::string name;
  int64_t pid = 0;
  int64_t tid = 0;
  int64_t id = 0;
  double ts = 0;
  double dur = 0;
  int64_t correlation = 0;
  std::string args;  // as it stands in the file
};

std::string Exported(const std::string& text, const Selection& selection = {}) {
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  const ExportInput input = MakeExportInput(model, attribution, selection);
  std::string json;
  WriteChromeTrace(input, 0,
                   [&json](std::string_view piece) { json += piece; });
  return json;
}

std::vector<Event> Events(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::vector<Event> events;
  EXPECT_FALSE(parser.parse(json).get(document)) << json;
  const auto text = [](simdjson::dom::element e, const char* key) {
    return e[key].error() ? "" : std::string(e[key].get_string().value());
  };
  for (const simdjson::dom::element e : document["traceEvents"].get_array()) {
    Event event;
    event.phase = text(e, "ph");
    event.category = text(e, "cat");
    event.name = text(e, "name");
    event.pid = e["pid"].get_int64().value();
    event.tid = e["tid"].get_int64().value();
    if (!e["id"].error()) event.id = e["id"].get_int64().value();
    if (!e["ts"].error()) event.ts = e["ts"].get_double().value();
    if (!e["dur"].error()) event.dur = e["dur"].get_double().value();
    if (!e["args"].error()) {
      event.args = simdjson::minify(e["args"].value());
      const auto correlation = e["args"]["correlation"];
      if (!correlation.error()) event.correlation = correlation.get_int64();
    }
    events.push_back(event);
  }
  return events;
}

std::map<std::string, int> CountBy(const std::string& json,
                                   std::string Event::*field) {
  std::map<std::string, int> count;
  for (const Event& event : Events(json)) ++count[event.*field];
  return count;
}

std::vector<Event> OfCategory(const std::string& json,
                              const std::string& category) {
  std::vector<Event> found;
  for (const Event& event : Events(json)) {
    if (event.category == category) found.push_back(event);
  }
  return found;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ChromeTraceTest, CategoriesAreThoseOfPyTorchsProfiler) {
  const auto count = CountBy(Exported(kTrace), &Event::category);
  EXPECT_EQ(count.at("cpu_op"), 2);  // library calls
  // One call that a library made is known by its record alone.
  EXPECT_EQ(count.at("cuda_runtime"), 3);
  EXPECT_EQ(count.at("user_annotation"), 1);
  EXPECT_EQ(count.at("kernel"), 3);
  EXPECT_EQ(count.at("gpu_memcpy"), 1);
  EXPECT_EQ(count.at("gpu_memset"), 1);
}

TEST(ChromeTraceTest, WorkAndItsCudaCallShareTheCorrelationId) {
  const std::string json = Exported(kTrace);
  std::map<int64_t, int64_t> began_us;
  for (const Event& call : OfCategory(json, "cuda_runtime")) {
    EXPECT_EQ(call.name, "cudaLaunchKernel");
    began_us[call.correlation] = static_cast<int64_t>(call.ts);
  }
  const std::map<int64_t, int64_t> wanted = {{1, 2}, {2, 30}, {3, 33}};
  EXPECT_EQ(began_us, wanted);
  for (const Event& kernel : OfCategory(json, "kernel")) {
    EXPECT_TRUE(began_us.contains(kernel.correlation));
  }
}

// TraceLens joins by whatever the first launch of the file has.
TEST(ChromeTraceTest, ALaunchWithoutWorkHasACorrelationIdToo) {
  const auto calls = OfCategory(
      Exported("thread 0 tid=1\ncall t=1..2us thread=0 cudaLaunchKernel\n"),
      "cuda_runtime");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_TRUE(Has(calls[0].args, "\"correlation\":0")) << calls[0].args;
}

TEST(ChromeTraceTest, FramesOfPythonHaveIds) {
  const auto frames = OfCategory(
      Exported("thread 0 tid=1\n"
               "range t=0..2us thread=0 name=\"a.py(1): f\" kind=python\n"),
      "python_function");
  ASSERT_EQ(frames.size(), 1);
  EXPECT_TRUE(Has(frames[0].args, "\"Python id\":1")) << frames[0].args;
}

TEST(ChromeTraceTest, LaunchesLeadToTheirWorkByFlows) {
  std::map<int64_t, std::pair<Event, Event>> flows;
  for (const Event& event : OfCategory(Exported(kTrace), "ac2g")) {
    (event.phase == "s" ? flows[event.id].first : flows[event.id].second) =
        event;
  }
  ASSERT_EQ(flows.size(), 3);
  for (const auto& [id, flow] : flows) {
    EXPECT_EQ(flow.first.phase, "s") << id;
    EXPECT_EQ(flow.second.phase, "f") << id;
    EXPECT_LE(flow.first.ts, flow.second.ts) << id;
    EXPECT_EQ(flow.first.pid, 41) << id;
    EXPECT_EQ(flow.second.pid, 0) << id;
  }
}

TEST(ChromeTraceTest, KernelsHavePlaceShapeAndClass) {
  const Event kernel = OfCategory(Exported(kTrace), "kernel").front();
  EXPECT_EQ(kernel.pid, 0);
  EXPECT_EQ(kernel.tid, 7);
  EXPECT_TRUE(Has(kernel.args, "\"grid\":[4,2,1]")) << kernel.args;
  EXPECT_TRUE(Has(kernel.args, "\"block\":[128,1,1]")) << kernel.args;
  EXPECT_TRUE(Has(kernel.args, "\"registers per thread\":40")) << kernel.args;
  EXPECT_TRUE(Has(kernel.args, "\"shared memory\":48")) << kernel.args;
  EXPECT_TRUE(Has(kernel.args, "\"dltap.class\":\"gemm\"")) << kernel.args;
  EXPECT_TRUE(Has(kernel.args, "\"dltap.shape\":\"m=8 n=8 k=8")) << kernel.args;
}

TEST(ChromeTraceTest, CopiesSayTheirKindBytesAndBandwidth) {
  const Event copy = OfCategory(Exported(kTrace), "gpu_memcpy").front();
  EXPECT_EQ(copy.name, "Memcpy HtoD (Pageable -> Device)");
  EXPECT_TRUE(Has(copy.args, "\"bytes\":8000")) << copy.args;
  EXPECT_TRUE(Has(copy.args, "\"memory bandwidth (GB/s)\":4")) << copy.args;
}

// Tools take 0 for no stream.
TEST(ChromeTraceTest, NoStreamHasNumber0) {
  const Event memset = OfCategory(Exported(kTrace), "gpu_memset").front();
  EXPECT_EQ(memset.tid, 8);
  EXPECT_TRUE(Has(memset.args, "\"stream\":8")) << memset.args;
}

// Some readers look for the rank with a pattern that wants the blank.
TEST(ChromeTraceTest, TheRankStandsBeforeTheEvents) {
  const std::string json = Exported(kTrace);
  const size_t rank = json.find("\"rank\": 3");
  EXPECT_LT(rank, json.find("\"traceEvents\""));
  EXPECT_TRUE(Has(json, "\"world_size\": 8"));
  EXPECT_TRUE(Has(json, "\"numSms\": 132"));
  EXPECT_FALSE(Has(Exported("process pid=1\n"), "distributedInfo"));
}

TEST(ChromeTraceTest, TimesHaveThreeDecimals) {
  const std::string json = Exported(kTrace);
  EXPECT_TRUE(Has(json, "\"ts\": 21.001, \"dur\": 4.998")) << json;
  for (size_t at = json.find("\"ts\""); at != std::string::npos;
       at = json.find("\"ts\"", at + 1)) {
    const size_t point = json.find('.', at);
    const size_t end = json.find_first_of(",}", at);
    EXPECT_EQ(point + 4, end) << json.substr(at, 30);
  }
}

TEST(ChromeTraceTest, FoundStepsAreMarked) {
  std::string text = "process pid=1\nthread 0 tid=1\ndevice 0\n";
  for (int i = 0; i < 6; ++i) {
    const auto at = [i](int us) {
      return std::to_string(1000 * i + us) + "us";
    };
    text += "call t=" + at(10) + ".." + at(12) + " thread=0 cudaLaunchKernel\n";
    text += "launchapi t=" + at(10) + " corr=" + std::to_string(i + 1) +
            " ext=" + at(10) + "\n";
    text += "kernel t=" + at(20) + ".." + at(500) +
            " device=0 stream=7 name=k corr=" + std::to_string(i + 1) + "\n";
  }
  std::vector<std::string> steps;
  for (const Event& event : OfCategory(Exported(text), "user_annotation")) {
    steps.push_back(event.name);
  }
  // Those that reports leave out are no steps of a profiler.
  ASSERT_GE(steps.size(), 5);
  EXPECT_EQ(steps[0], "warm_up step 0");
  EXPECT_EQ(steps[4], "ProfilerStep#4");
}

TEST(ChromeTraceTest, AMarkedTraceKeepsItsOwnSteps) {
  const std::string text = std::string(kTrace) +
                           "range t=0..60us thread=0 name=ProfilerStep#7 "
                           "kind=step\n";
  std::vector<std::string> names;
  for (const Event& event : OfCategory(Exported(text), "user_annotation")) {
    names.push_back(event.name);
  }
  EXPECT_EQ(names.size(), 2);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ProfilerStep#7"), 1);
}

TEST(ChromeTraceTest, LooksAtPythonFramesAreInstantsOfTheirThread) {
  const std::string text =
      std::string(kTrace) +
      "site 1 python\n"
      "frame function=collate place=/me/<b>.py line=7\n"
      "frame function=main place=/me/train.py line=30\n"
      "frames t=25us thread=0 site=1\nframes t=26us thread=0\n";
  const auto looks = OfCategory(Exported(text), "python_frames");
  ASSERT_EQ(looks.size(), 2);
  EXPECT_EQ(looks[0].phase, "i");
  EXPECT_EQ(looks[0].name, "<b>.py:7 collate");
  EXPECT_EQ(looks[0].tid, 42);
  EXPECT_DOUBLE_EQ(looks[0].ts, 25);
  EXPECT_NE(
      looks[0].args.find("collate (/me/<b>.py:7)\\nmain (/me/train.py:30)"),
      std::string::npos)
      << looks[0].args;
  EXPECT_EQ(looks[1].name, "unknown code");
}

TEST(ChromeTraceTest, AWindowLeavesOutTheRestAndItsFlows) {
  Selection selection;
  selection.window = Interval{39'000, 45'500};
  const std::string json = Exported(kTrace, selection);
  EXPECT_EQ(OfCategory(json, "kernel").size(), 1);
  EXPECT_EQ(OfCategory(json, "cuda_runtime").size(), 0);
  EXPECT_EQ(OfCategory(json, "ac2g").size(), 0);
}

TEST(ChromeTraceTest, OtherDevicesAreLeftOut) {
  Selection selection;
  selection.device = "1";
  const std::string json = Exported(kTrace, selection);
  EXPECT_EQ(OfCategory(json, "kernel").size(), 0);
  EXPECT_EQ(OfCategory(json, "cpu_op").size(), 2);
}

TEST(ChromeTraceTest, AnEmptyTraceIsADocumentToo) {
  for (const Event& event : Events(Exported("process pid=1\n"))) {
    EXPECT_EQ(event.phase, "M");
  }
}

}  // namespace
}  // namespace dltap::analyzer
