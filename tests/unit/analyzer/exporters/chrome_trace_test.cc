// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simdjson.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kTrace[] =
    "process pid=41 program=train\n"
    "thread 0 tid=42\n"
    "device 0 name=gpu\n"
    "range t=0..90us thread=0 name=\"step \\\"1\\\"\\x01\" kind=user\n"
    "call t=1..20us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
    "call t=2..5us thread=0 cudaLaunchKernel corr=1\n"
    "launchapi t=2..5us thread=0 corr=1 ext=1us\n"
    "call t=30..32us thread=0 cudaLaunchKernel corr=2\n"
    "launchapi t=30..32us thread=0 corr=2 ext=30us\n"
    "kernel t=21001..25999ns device=0 stream=7 corr=1 name=sgemm\n"
    "kernel t=40..45us device=0 stream=7 corr=2 name=mine\n"
    "memset t=50..51us device=0 stream=7 bytes=8\n";

struct Event {
  std::string phase;
  int64_t pid = 0;
  int64_t tid = 0;
  int64_t id = 0;
  double ts = 0;
  double dur = 0;
};

std::string Exported(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  std::string json;
  WriteChromeTrace(model, Attribute(model),
                   [&json](std::string_view piece) { json += piece; });
  return json;
}

std::vector<Event> Events(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::vector<Event> events;
  EXPECT_FALSE(parser.parse(json).get(document)) << json;
  for (const simdjson::dom::element e : document["traceEvents"].get_array()) {
    Event event;
    event.phase = e["ph"].get_string().value();
    event.pid = e["pid"].get_int64().value();
    event.tid = e["tid"].get_int64().value();
    if (!e["id"].error()) event.id = e["id"].get_int64().value();
    if (!e["ts"].error()) event.ts = e["ts"].get_double().value();
    if (!e["dur"].error()) event.dur = e["dur"].get_double().value();
    events.push_back(event);
  }
  return events;
}

TEST(ChromeTraceTest, HoldsEveryCallRangeAndActivity) {
  std::map<std::string, int> count;
  for (const Event& event : Events(Exported(kTrace))) ++count[event.phase];
  EXPECT_EQ(count["X"], 3 + 1 + 3);
  EXPECT_EQ(count["M"], 4);  // process, thread, device, stream
}

TEST(ChromeTraceTest, EveryFlowHasOneStartAndOneLaterEnd) {
  std::map<int64_t, std::pair<Event, Event>> flows;
  std::map<std::string, int> count;
  for (const Event& event : Events(Exported(kTrace))) {
    if (event.phase != "s" && event.phase != "f") continue;
    ++count[event.phase];
    (event.phase == "s" ? flows[event.id].first : flows[event.id].second) =
        event;
  }
  ASSERT_EQ(flows.size(), 2);
  EXPECT_EQ(count["s"], 2);
  EXPECT_EQ(count["f"], 2);
  for (const auto& [id, flow] : flows) {
    EXPECT_EQ(flow.first.phase, "s") << id;
    EXPECT_EQ(flow.second.phase, "f") << id;
    EXPECT_LE(flow.first.ts, flow.second.ts) << id;
    EXPECT_EQ(flow.first.pid, 41) << id;
  }
}

TEST(ChromeTraceTest, TimesHaveThreeDecimals) {
  const std::string json = Exported(kTrace);
  EXPECT_NE(json.find("21.001"), std::string::npos) << json;
  EXPECT_NE(json.find("4.998"), std::string::npos) << json;
  size_t times = 0;
  for (size_t at = json.find("\"ts\""); at != std::string::npos;
       at = json.find("\"ts\"", at + 1)) {
    const size_t point = json.find('.', at);
    const size_t end = json.find_first_of(",}", at);
    EXPECT_EQ(point + 4, end) << json.substr(at, 30);
    ++times;
  }
  EXPECT_EQ(times, 7 + 2 * 2);
}

TEST(ChromeTraceTest, SpansOfAThreadNest) {
  std::map<std::pair<int64_t, int64_t>, std::vector<Event>> rows;
  for (const Event& event : Events(Exported(kTrace))) {
    if (event.phase == "X") rows[{event.pid, event.tid}].push_back(event);
  }
  EXPECT_EQ(rows.size(), 2);
  for (const auto& [row, events] : rows) {
    for (const Event& a : events) {
      for (const Event& b : events) {
        const bool b_begins_inside = a.ts < b.ts && b.ts < a.ts + a.dur;
        EXPECT_FALSE(b_begins_inside && b.ts + b.dur > a.ts + a.dur + 1e-6);
      }
    }
  }
}

TEST(ChromeTraceTest, AnEmptyTraceIsADocumentToo) {
  for (const Event& event : Events(Exported("process pid=1\n"))) {
    EXPECT_EQ(event.phase, "M");
  }
}

}  // namespace
}  // namespace dltap::analyzer
