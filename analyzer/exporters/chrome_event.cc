// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_event.h"

#include <cstdio>
#include <cstdlib>

namespace dltap::analyzer {

void ChromeEvents::Begin(std::string_view phase, std::string_view category,
                         std::string_view name, ChromeRow row) {
  json_.BeginObject();
  json_.Field("ph", phase);
  if (!category.empty()) json_.Field("cat", category);
  json_.Field("name", name);
  json_.Field("pid", row.pid);
  json_.Field("tid", row.tid);
}

void ChromeEvents::BeginSpan(std::string_view category, std::string_view name,
                             ChromeRow row, int64_t begin_ns, int64_t end_ns) {
  Begin("X", category, name, row);
  Time("ts", begin_ns);
  Time("dur", end_ns - begin_ns);
  json_.Key("args");
  json_.BeginObject();
}

void ChromeEvents::BeginInstant(std::string_view category,
                                std::string_view name, ChromeRow row,
                                int64_t at_ns) {
  Begin("i", category, name, row);
  json_.Field("s", "t");
  Time("ts", at_ns);
  json_.Key("args");
  json_.BeginObject();
}

void ChromeEvents::EndSpan() {
  json_.EndObject();
  End();
}

void ChromeEvents::End() {
  json_.EndObject();
  sink_(is_first_ ? "" : ",\n");
  is_first_ = false;
  sink_(json_.TakeElement());
}

// JSON has no integer with a point; the digits are put in by hand.
void ChromeEvents::Time(std::string_view key, int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%03lld", ns < 0 ? "-" : "",
                std::llabs(ns) / 1000, std::llabs(ns) % 1000);
  json_.RawField(key, text);
}

void ChromeEvents::Meta(std::string_view what, std::string_view name,
                        ChromeRow row) {
  Begin("M", "", what, row);
  json_.Key("args");
  json_.BeginObject();
  json_.Field("name", name);
  EndSpan();
}

void ChromeEvents::FlowStart(uint64_t id, ChromeRow row, int64_t at_ns) {
  Flow("s", id, row, at_ns);
  End();
}

void ChromeEvents::FlowEnd(uint64_t id, ChromeRow row, int64_t at_ns) {
  Flow("f", id, row, at_ns);
  json_.Field("bp", "e");
  End();
}

void ChromeEvents::Flow(std::string_view phase, uint64_t id, ChromeRow row,
                        int64_t at_ns) {
  Begin(phase, "ac2g", "ac2g", row);
  json_.Field("id", id);
  Time("ts", at_ns);
}

}  // namespace dltap::analyzer
