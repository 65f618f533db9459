// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_report.h"

#include <gtest/gtest.h>

#include <string>

#include "simdjson.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

std::string Report(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  return JsonReport(summary, FiguresOf(summary));
}

TEST(JsonReportTest, BadBytesOfNamesStayReadableJson) {
  const std::string json = Report(
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=\"a\\\"b\\xff\\x01\"\n");
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  ASSERT_FALSE(parser.parse(json).get(document)) << json;
  EXPECT_EQ(document["kernels"].at(0)["name"].get_string().value(),
            "a\"b\uFFFD\x01");
}

TEST(JsonReportTest, CausesThatAnImportCannotShowAreNull) {
  const std::string events =
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=gemm\n";
  for (const bool imported : {false, true}) {
    const std::string json =
        Report((imported ? "format kineto\n" : "format dltap\n") + events);
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    ASSERT_FALSE(parser.parse(json).get(document)) << json;
    const auto host = document["between_steps"]["host_ns"];
    EXPECT_EQ(host["framework"].is_null(), imported) << json;
    EXPECT_EQ(host["blocked"].is_null(), imported) << json;
    EXPECT_FALSE(host["launch"].is_null()) << json;
  }
}

TEST(JsonReportTest, UnknownFlopsAreNull) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  const std::string json = Report(
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=mystery\n");
  ASSERT_FALSE(parser.parse(json).get(document)) << json;
  const auto first = document["classes"].at(0);
  EXPECT_TRUE(first["flops"].is_null());
  EXPECT_EQ(first["gpu_ns"].get_int64().value(), 10'000);
}

}  // namespace
}  // namespace dltap::analyzer
