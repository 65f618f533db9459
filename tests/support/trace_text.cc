// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_text.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "analyzer/reader/text/text_parser.h"
#include "analyzer/reader/text/trace_printer.h"

namespace dltap::analyzer {

TraceModel TraceFromText(std::string_view text) {
  absl::StatusOr<TraceModel> model = ParseTraceText(text);
  if (!model.ok()) {
    std::fprintf(stderr, "TraceFromText: %s\n",
                 std::string(model.status().message()).c_str());
    std::abort();
  }
  return *std::move(model);
}

std::string TextFromTrace(const TraceModel& model, bool canonical) {
  std::string text;
  PrintTrace(
      model, {.canonical = canonical},
      [](std::string_view piece, void* out) {
        static_cast<std::string*>(out)->append(piece);
        return true;
      },
      &text);
  return text;
}

}  // namespace dltap::analyzer
