// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CHROME_EVENT_H_
#define DLTAP_ANALYZER_EXPORTERS_CHROME_EVENT_H_

#include <cstdint>
#include <string_view>

#include "analyzer/exporters/export_input.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {

// The row of a viewer in which an event stands.
struct ChromeRow {
  int64_t pid;
  int64_t tid;
};

// Writes the elements of `traceEvents`, one after the other.
class ChromeEvents {
 public:
  explicit ChromeEvents(const ByteSink& sink) : sink_(sink) {}

  // Opens an event; its further fields go to json().
  void Begin(std::string_view phase, std::string_view category,
             std::string_view name, ChromeRow row);
  // The same of a complete event, up to its open `args`.
  void BeginSpan(std::string_view category, std::string_view name,
                 ChromeRow row, int64_t begin_ns, int64_t end_ns);
  void EndSpan();
  void End();

  // The same of an event without length, on its thread.
  void BeginInstant(std::string_view category, std::string_view name,
                    ChromeRow row, int64_t at_ns);

  void Time(std::string_view key, int64_t ns);
  // "M": `what` of a row is `name`.
  void Meta(std::string_view what, std::string_view name, ChromeRow row);
  void FlowStart(uint64_t id, ChromeRow row, int64_t at_ns);
  void FlowEnd(uint64_t id, ChromeRow row, int64_t at_ns);

  JsonWriter& json() { return json_; }

 private:
  void Flow(std::string_view phase, uint64_t id, ChromeRow row, int64_t at_ns);

  const ByteSink& sink_;
  JsonWriter json_;
  bool is_first_ = true;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CHROME_EVENT_H_
